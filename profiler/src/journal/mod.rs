//! This process's journal: a file mapped shared, so that what is counted outlives the process
//! however it ends.

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
    /// `None` where no file could be made: everything is in plain memory.
    file: Option<(PathBuf, File)>,
    /// Where the next segment goes; `None` once the file could not grow.
    end: Option<usize>,
    segments: Vec<Segment>,
    notes: Notes,
}

/// The segment that notes go to.
#[derive(Default)]
struct Notes {
    start: usize,
    used: usize,
    room: usize,
}

/// Slots of a thread's first table: as many as fit in a page with the head of the segment.
fn first() -> usize {
    1 << ((page() - at::SLOTS) / at::SLOT).ilog2()
}

static JOURNAL: Mutex<Option<Journal>> = Mutex::new(None);

fn journal() -> MutexGuard<'static, Option<Journal>> {
    JOURNAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the journal, with its file in `directory`. Where that cannot be made, the counters are in
/// plain memory, which a crash loses; the reason then. One that a session has opened already is
/// given the new head.
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

/// Makes the file, with room for the first table; nothing stays behind when that fails.
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
        // The first error is the one worth telling.
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok((path, file))
}

/// A number that nobody else has; without the system's help, one that hardly anybody has.
pub(crate) fn random() -> u64 {
    let mut number = [0; 8];
    // SAFETY: the buffer is as long as is said.
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

/// Says in the journal how far the process got.
pub(crate) fn mark(state: State) {
    overwrite(at::STATE, &(state as u32).to_le_bytes());
}

/// Says in the journal which world the process is of.
pub(crate) fn stamp(stamp: u64) {
    overwrite(at::STAMP, &stamp.to_le_bytes());
}

/// Overwrites a field of the head.
fn overwrite(offset: usize, field: &[u8]) {
    if let Some(journal) = journal().as_ref() {
        journal.overwrite(offset, field);
    }
}

/// `MPI_Abort` was called.
pub(crate) fn abort() {
    mark(State::Aborted);
}

/// Removes the journal's file; its memory stays, threads may still hold tables.
pub(crate) fn remove() {
    if let Some((path, _)) = journal().take().and_then(|journal| journal.file) {
        // A file that is gone already is as good as removed.
        let _ = fs::remove_file(path);
    }
}

/// Every table of every thread.
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

/// A table.
pub(crate) struct Table {
    pub(crate) slots: &'static [Slot],
    pub(crate) sizes: &'static Sizes,
    /// Whether it does not count before it [replaces](replace) the one it was made after.
    pub(crate) replaces: bool,
}

/// An empty table for `phase`, twice as large as `old`, or of the usual size if that is empty. It
/// takes the place of `old` unless only plain memory is left, while `old` is where a crash leaves
/// it.
pub(crate) fn grow(old: &[Slot], phase: &'static str) -> Option<Table> {
    journal().as_mut()?.grow(old, phase)
}

/// What `old` counts is in `new` now, which was made to replace it: the memory of `old` is given
/// back. Nobody has kept the address of any of its slots.
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

/// Appends a note to the file. Should that fail, the note is lost if the process crashes; it is
/// kept in memory as well.
fn append(note: &[u8]) {
    if let Some(journal) = journal().as_mut() {
        let _ = only_refuses(|| journal.append(note));
    }
}

impl Journal {
    /// Overwrites bytes of the file.
    fn overwrite(&self, offset: usize, bytes: &[u8]) {
        if let Some((_, file)) = &self.file {
            // Only a recovery reads the head, and it finds the counters without the rest of it.
            let _ = only_refuses(|| file.write_all_at(bytes, offset as u64));
        }
    }

    /// Index of the segment whose slots these are.
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

    /// A segment of `slots` slots that was given back and can be had again.
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

    /// Adds a segment of `slots`, in plain memory where the file cannot grow; its index.
    fn add(&mut self, slots: usize) -> Option<usize> {
        self.segments.try_reserve(1).ok()?;
        let length = at::segment_bytes(slots, page());
        let (start, place) = match self.extend(length) {
            Some((start, place)) => (start, Some(place)),
            None => (mapping::private(length).ok()?, None),
        };
        // SAFETY: `start` is that of a fresh mapping of `length` bytes, all zero, that nobody else
        // has seen.
        let segment = unsafe { Segment::new(start, slots, place) };
        self.segments.push(segment);
        Some(self.segments.len() - 1)
    }

    /// Lets the file grow by `length` bytes: where they are mapped, and where in the file they are.
    /// `None` once it cannot: what is counted in plain memory is lost in a crash, but counts when
    /// the run ends well.
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
                    "{path} cannot grow ({error}): counting on in memory, which a crash would lose"
                ));
                self.end = None;
                None
            }
        }
    }

    /// Appends a note. The number of bytes used is written last: a note that a crash cuts short is
    /// not counted among them.
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
