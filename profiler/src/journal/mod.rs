//! The journal of this process: a file that is mapped shared, so that the counters outlive the
//! process however it ends. After `MPI_Init` no descriptor leads to the file.

pub(crate) mod head;
pub(crate) mod notes;
mod room;
mod segment;
pub(crate) mod sizes;
pub(crate) mod slot;
pub(crate) mod sum;

use crate::memory;
use head::Head;
use libc::c_void;
use rankfold_preload::mapping::{self, page};
use rankfold_preload::warning::warn;
use rankfold_wire::journal::{State, layout as at};
use room::Room;
pub(crate) use segment::Segment;
use sizes::Sizes;
use slot::Slot;
use std::fs;
use std::io;
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

struct Journal {
    /// `None` where no file could be made. Everything is in plain memory then.
    room: Option<Room>,
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
        if let Some(room) = &journal.room {
            room.write(0, &head.bytes());
            if room.is_full() {
                room.write(at::LACKS, &at::LACKING);
            }
        }
        return None;
    }
    let (room, reason) = match create(directory, head) {
        Ok(room) => (Some(room), None),
        Err(reason) => (None, Some(reason)),
    };
    *journal = Some(Journal {
        room,
        segments: Vec::new(),
        notes: Notes::default(),
    });
    reason
}

/// Makes the file, with space for the first notes and the first table.
fn create(directory: &Path, head: &Head) -> io::Result<Room> {
    let name = at::file_name(head.run, head.host, head.rank, random());
    let first = at::segment_bytes(first(), page());
    let reserved = page() + 2 * first;
    Room::create(directory.join(name), &head.bytes(), reserved, head.ranks)
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

/// Writes into the journal that it lacks some of the process's counters.
pub(crate) fn lacks_some() {
    overwrite(at::LACKS, &at::LACKING);
}

/// Writes into the journal to which world the process belongs.
pub(crate) fn stamp(stamp: u64) {
    if let Some(room) = journal().as_ref().and_then(|journal| journal.room.as_ref()) {
        room.publish(at::STAMP, stamp);
    }
}

/// Overwrites a field of the head.
fn overwrite(offset: usize, field: &[u8]) {
    if let Some(room) = journal().as_ref().and_then(|journal| journal.room.as_ref()) {
        room.write(offset, field);
    }
}

/// Whether the journal is a file, which outlives the process, and holds all counters.
pub(crate) fn is_file() -> bool {
    let journal = journal();
    let room = journal.as_ref().and_then(|journal| journal.room.as_ref());
    room.is_some_and(|room| !room.is_full())
}

/// Notes that the program has called `MPI_Abort`.
pub(crate) fn abort() {
    mark(State::Aborted);
}

/// Removes the file of the journal. The mapped memory stays, because threads may still use tables
/// in it.
///
/// # Errors
/// The system's error if the file is still there, as after a change of the user.
pub(crate) fn remove() -> io::Result<()> {
    let room = journal().take().and_then(|journal| journal.room);
    match room.map_or(Ok(()), |room| fs::remove_file(room.path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
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

/// Makes `new` count in place of `old`, whose counters were copied to it. A later table may use the
/// memory of `old`, so no reference to a slot of `old` may be left.
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

/// Appends a note to the file. If there is no space, only memory holds the note, and a crash loses
/// it.
fn append(note: &[u8]) {
    if let Some(journal) = journal().as_mut() {
        journal.append(note);
    }
}

impl Journal {
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

    /// Index of a free segment with `slots` slots. One in plain memory is used only if the file
    /// cannot grow.
    fn free(&self, slots: usize) -> Option<usize> {
        let grows = self.room.as_ref().is_some_and(|room| !room.is_full());
        self.segments.iter().position(|segment| {
            segment.is_free && segment.slots.len() == slots && (segment.place.is_some() || !grows)
        })
    }

    /// Adds a segment with `slots` slots, in plain memory if the file cannot grow. Returns its
    /// index; `None` beyond the bound of memory. A thread gets its first table in any case, which
    /// takes what has no counters of its own.
    fn add(&mut self, slots: usize) -> Option<usize> {
        self.segments.try_reserve(1).ok()?;
        let length = at::segment_bytes(slots, page());
        if slots > first() && !memory::take(length) {
            return None;
        }
        let (start, place) = match self.take(length) {
            Some((start, place)) => (start, Some(place)),
            None => (mapping::private(length).ok()?, None),
        };
        // SAFETY: `start` is the address of a new mapping of `length` bytes, all zero, to which
        // there is no reference yet.
        let segment = unsafe { Segment::new(start, slots, place) };
        self.segments.push(segment);
        Some(self.segments.len() - 1)
    }

    /// The next `length` bytes of the file: the address at which they are mapped, and their offset.
    /// `None` once the file cannot grow: a crash then loses what is counted in plain memory, but
    /// the profile of a run that ends well holds it.
    fn take(&mut self, length: usize) -> Option<(*mut c_void, usize)> {
        let room = self.room.as_mut()?;
        let was_full = room.is_full();
        let taken = room.take(length);
        if taken.is_none() && !was_full {
            room.write(at::LACKS, &at::LACKING);
            let path = room.path.display();
            warn(format_args!(
                "{path} cannot grow: further counters are in memory, and a crash would lose them"
            ));
        }
        taken
    }

    /// Appends a note. The number of bytes in use is written last, so a note that a crash cuts
    /// short is not counted among them.
    fn append(&mut self, note: &[u8]) {
        let length = note.len() + 4;
        if self.notes.room - self.notes.used < length && self.new_notes(length).is_none() {
            return;
        }
        let Some(room) = &self.room else { return };
        let Notes { start, used, .. } = self.notes;
        let whole = [&(note.len() as u32).to_le_bytes(), note].concat();
        room.write(start + at::NOTED + used, &whole);
        self.notes.used += length;
        room.publish(start + at::USED, self.notes.used as u64);
    }

    /// Begins a segment for notes of at least this many bytes; `None` if there is no space.
    fn new_notes(&mut self, least: usize) -> Option<()> {
        let units = least.div_ceil(at::SLOT).next_power_of_two().max(first());
        let length = at::segment_bytes(units, page());
        let (_, start) = self.take(length)?;
        let head = [at::NOTES, (units as u32).to_le_bytes()].concat();
        self.room.as_ref()?.write(start, &head);
        self.notes = Notes {
            start,
            used: 0,
            room: length - at::NOTED,
        };
        Some(())
    }
}
