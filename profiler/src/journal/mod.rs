//! The journal of this process: a file that is mapped shared, so that the counters outlive the
//! process however it ends.

pub(crate) mod head;
pub(crate) mod mapping;
pub(crate) mod notes;
mod segment;
pub(crate) mod sigbus;
pub(crate) mod sizes;
pub(crate) mod slot;
pub(crate) mod sum;

use head::Head;
use libc::c_void;
use mapping::{page, reserve};
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_profile::journal::{State, layout as at};
pub(crate) use segment::Segment;
use sizes::Sizes;
use slot::Slot;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

struct Journal {
    /// `None` where no file could be made. Everything is in plain memory then.
    file: Option<(PathBuf, File)>,
    /// The offset of the next segment; `None` once the file could not grow.
    end: Option<usize>,
    segments: Vec<Segment>,
    notes: Notes,
}

/// The segment to which notes are appended.
#[derive(Default)]
struct Notes {
    start: usize,
    used: usize,
    room: usize,
}

/// Number of slots of a thread's first table: as many as fit in a page with the head of the
/// segment.
fn first() -> usize {
    1 << ((page() - at::SLOTS) / at::SLOT).ilog2()
}

static JOURNAL: Mutex<Option<Journal>> = Mutex::new(None);

fn journal() -> MutexGuard<'static, Option<Journal>> {
    JOURNAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the journal, with its file in `directory`. If the file cannot be made, the counters are in
/// plain memory, which a crash loses, and the error is returned. If a session has opened the
/// journal already, it gets the new head.
pub(crate) fn open(directory: &Path, head: &Head) -> Option<io::Error> {
    let mut journal = journal();
    if let Some(journal) = journal.as_ref() {
        journal.overwrite(0, &head.bytes());
        return None;
    }
    let (file, reason) = match create(directory, head) {
        Ok(file) => (Some(file), None),
        Err(reason) => (None, Some(reason)),
    };
    *journal = Some(Journal {
        end: file.as_ref().map(|_| page()),
        file,
        segments: Vec::new(),
        notes: Notes::default(),
    });
    reason
}

/// Makes the file, with room for the first table. If that fails, no file is left behind.
fn create(directory: &Path, head: &Head) -> io::Result<(PathBuf, File)> {
    let name = at::file_name(head.run, head.host, head.rank, random());
    let path = directory.join(name);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    let ready = reserve(&file, 0, page() + at::segment_bytes(first(), page()))
        .and_then(|()| file.write_all_at(&head.bytes(), 0));
    if let Err(error) = ready {
        // The first error is reported. This one adds nothing.
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok((path, file))
}

/// A random number from the system; without its help, one made of the time, the
/// process number and an address.
pub(crate) fn random() -> u64 {
    let mut number = [0; 8];
    // SAFETY: the buffer has the length that the call is told.
    let given = unsafe {
        libc::getrandom(
            number.as_mut_ptr().cast(),
            number.len(),
            libc::GRND_NONBLOCK,
        )
    };
    if given == 8 {
        return u64::from_ne_bytes(number);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos() as u64;
    now ^ u64::from(std::process::id()) << 32 ^ (&raw const number).addr() as u64
}

/// Writes into the journal which stage the process has reached.
pub(crate) fn mark(state: State) {
    overwrite(at::STATE, &(state as u32).to_le_bytes());
}

/// Writes into the journal to which world the process belongs.
pub(crate) fn stamp(stamp: u64) {
    overwrite(at::STAMP, &stamp.to_le_bytes());
}

/// Overwrites a field of the head.
fn overwrite(offset: usize, field: &[u8]) {
    if let Some(journal) = journal().as_ref() {
        journal.overwrite(offset, field);
    }
}

/// Notes that the program has called `MPI_Abort`.
pub(crate) fn abort() {
    mark(State::Aborted);
}

/// Removes the file of the journal. The mapped memory stays, because threads may still use tables
/// in it.
pub(crate) fn remove() {
    if let Some((path, _)) = journal().take().and_then(|journal| journal.file) {
        // The file may be gone already.
        let _ = fs::remove_file(path);
    }
}

/// All tables of all threads.
pub(crate) fn segments() -> Vec<Segment> {
    let journal = journal();
    let segments = journal
        .as_ref()
        .map_or(&[][..], |journal| &journal.segments);
    segments
        .iter()
        .filter(|segment| segment.counts)
        .cloned()
        .collect()
}

/// A table of counters.
pub(crate) struct Table {
    pub(crate) slots: &'static [Slot],
    pub(crate) sizes: &'static Sizes,
    /// Whether the table does not count until it [replaces](replace) the table after which it was
    /// made.
    pub(crate) replaces: bool,
}

/// An empty table for `phase`, twice as large as `old`, or of the usual size if `old` is empty. The
/// new table replaces `old`. But if only plain memory is left, `old` stays in use beside it,
/// because a crash leaves `old` behind.
pub(crate) fn grow(old: &[Slot], phase: &'static str) -> Option<Table> {
    journal().as_mut()?.grow(old, phase)
}

/// Makes `new` count in place of `old`, whose counters were copied to it, and gives the memory of
/// `old` back. No reference to a slot of `old` may be left.
pub(crate) fn replace(old: &[Slot], new: &[Slot]) {
    let mut journal = journal();
    let Some(journal) = journal.as_mut() else {
        return;
    };
    if let (Some(new), Some(old)) = (journal.index(new), journal.index(old))
        && let Ok([new, old]) = journal.segments.get_disjoint_mut([new, old])
    {
        new.replace(old);
    }
}

/// Appends a note to the file. If that fails, only memory holds the note, and a crash loses it.
fn append(note: &[u8]) {
    if let Some(journal) = journal().as_mut() {
        let _ = only_refuses(|| journal.append(note));
    }
}

impl Journal {
    /// Overwrites bytes of the file.
    fn overwrite(&self, offset: usize, bytes: &[u8]) {
        if let Some((_, file)) = &self.file {
            // Only a recovery reads the head, and it finds the counters even if the head is
            // incomplete.
            let _ = only_refuses(|| file.write_all_at(bytes, offset as u64));
        }
    }

    /// Index of the segment with these slots.
    fn index(&self, slots: &[Slot]) -> Option<usize> {
        let mut segments = self.segments.iter();
        segments.position(|segment| ptr::eq(segment.slots, slots))
    }

    fn grow(&mut self, old: &[Slot], phase: &'static str) -> Option<Table> {
        let slots = (old.len() * 2).max(first());
        let old_one = self.index(old).and_then(|index| self.segments.get(index));
        let from_file = old_one.is_some_and(|old| old.place.is_some());
        let index = match self.free(slots) {
            Some(index) => index,
            None => self.add(slots)?,
        };
        let segment = self.segments.get_mut(index)?;
        segment.is_free = false;
        segment.name(phase);
        let replaces = !old.is_empty() && (segment.place.is_some() || !from_file);
        if !replaces {
            segment.count();
        }
        Some(Table {
            slots: segment.slots,
            sizes: segment.sizes(),
            replaces,
        })
    }

    /// Index of a segment with `slots` slots that was given back.
    fn free(&self, slots: usize) -> Option<usize> {
        let can_be_had = |segment: &Segment| match (segment.place, &self.file) {
            (Some(place), Some((_, file))) => {
                reserve(file, place, at::segment_bytes(slots, page())).is_ok()
            }
            (place, _) => place.is_none() && self.end.is_none(),
        };
        self.segments.iter().position(|segment| {
            segment.is_free && segment.slots.len() == slots && can_be_had(segment)
        })
    }

    /// Adds a segment with `slots` slots, in plain memory if the file cannot grow. Returns its
    /// index.
    fn add(&mut self, slots: usize) -> Option<usize> {
        self.segments.try_reserve(1).ok()?;
        let length = at::segment_bytes(slots, page());
        let (start, place) = match self.extend(length) {
            Some((start, place)) => (start, Some(place)),
            None => (mapping::private(length).ok()?, None),
        };
        // SAFETY: `start` is the address of a new mapping of `length` bytes, all zero, to which
        // there is no reference yet.
        let segment = unsafe { Segment::new(start, slots, place) };
        self.segments.push(segment);
        Some(self.segments.len() - 1)
    }

    /// Lets the file grow by `length` bytes. Returns the address at which they are mapped, and
    /// their offset in the file. `None` once the file cannot grow: a crash then loses what is
    /// counted in plain memory, but the profile of a run that ends well holds it.
    fn extend(&mut self, length: usize) -> Option<(*mut c_void, usize)> {
        let (end, (path, file)) = (self.end?, self.file.as_ref()?);
        let mapped = reserve(file, end, length).and_then(|()| mapping::shared(file, end, length));
        match mapped {
            Ok(start) => {
                sigbus::watch(start, length);
                self.end = Some(end + length);
                Some((start, end))
            }
            Err(error) => {
                let path = path.display();
                warn(format_args!(
                    "{path} cannot grow ({error}): further counters are in memory, and a crash would lose them"
                ));
                self.end = None;
                None
            }
        }
    }

    /// Appends a note. The number of bytes in use is written last, so a note that a crash cuts
    /// short is not counted among them.
    fn append(&mut self, note: &[u8]) -> io::Result<()> {
        let length = note.len() + 4;
        if self.notes.room - self.notes.used < length {
            self.new_notes(length)?;
        }
        let Some((_, file)) = &self.file else {
            return Err(io::ErrorKind::StorageFull.into());
        };
        let Notes { start, used, .. } = self.notes;
        let whole = [&(note.len() as u32).to_le_bytes(), note].concat();
        let place = start + at::NOTED + used;
        file.write_all_at(&whole, place as u64)?;
        self.notes.used += length;
        let used = (self.notes.used as u64).to_le_bytes();
        file.write_all_at(&used, (start + at::USED) as u64)
    }

    fn new_notes(&mut self, least: usize) -> io::Result<()> {
        let (Some(start), Some((_, file))) = (self.end, &self.file) else {
            return Err(io::ErrorKind::StorageFull.into());
        };
        let units = least.div_ceil(at::SLOT).next_power_of_two().max(first());
        let length = at::segment_bytes(units, page());
        reserve(file, start, length)?;
        let head = [at::NOTES, (units as u32).to_le_bytes()].concat();
        file.write_all_at(&head, start as u64)?;
        self.end = Some(start + length);
        self.notes = Notes {
            start,
            used: 0,
            room: length - at::NOTED,
        };
        Ok(())
    }
}
