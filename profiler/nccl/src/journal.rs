//! The journal of this process: a file of fixed size, mapped shared, so that the counters outlive
//! the process. The file is closed when it is mapped.
//!
//! All space is reserved at once: a file system that fills up later cannot end the program. Nor can
//! a process that truncates the file. What the file held is lost then, as [`Journal::is_lost`]
//! says. The layout is that of `rankfold_wire::journal`: a head, one segment of notes and one of
//! slots.

use crate::table::Slot;
use libc::c_void;
use rankfold_preload::mapping::{self, page};
use rankfold_preload::sigbus;
use rankfold_wire::journal::{State, layout as at};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU64};

/// Number of counters. Chosen by hand: a rank that exchanges with ten thousand others, in both
/// directions, needs most of them. They take a megabyte.
const SLOTS: usize = 1 << 15;

/// Units of 32 bytes of notes: enough for a note for every communicator.
const NOTE_UNITS: usize = crate::communicators::MOST + 64;

/// The texts in the head.
pub(crate) struct Head<'a> {
    pub(crate) run: &'a str,
    pub(crate) host: &'a str,
    pub(crate) program: &'a str,
}

/// The mapped file.
pub(crate) struct Journal {
    bytes: &'static [AtomicU8],
    /// Offset of the segment of notes.
    notes: usize,
    /// Number of bytes in use among the notes.
    noted: Mutex<usize>,
    pub(crate) slots: &'static [Slot],
}

impl Journal {
    /// Makes the file. If that fails, no file is left behind.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn create(path: &Path, head: &Head<'_>) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        let page = page();
        let (notes, note_units) = (page, NOTE_UNITS.next_power_of_two());
        let slots = notes + at::segment_bytes(note_units, page);
        let length = slots + at::segment_bytes(SLOTS, page);
        let start = match map(&file, length) {
            Ok(start) => start,
            Err(error) => {
                // The first error is reported. This one adds nothing.
                let _ = fs::remove_file(path);
                return Err(error);
            }
        };
        // SAFETY: the mapping has this length and is never unmapped. It is written through atomics
        // only, for all of which zero is valid.
        unsafe { sigbus::watch(start.cast(), length) };
        // SAFETY: the mapping has this length and is never unmapped. Its bytes may have any value
        // and are written through atomics only.
        let bytes: &'static [AtomicU8] =
            unsafe { std::slice::from_raw_parts(start.cast(), length) };
        // SAFETY: the mapping has room for a segment of slots at this offset, behind its head.
        let first = unsafe { start.add(slots + at::SLOTS) };
        // SAFETY: the mapping holds this many slots of zero bytes, which are valid. They are
        // aligned, because their offset is a multiple of their size, never unmapped, and written
        // through their atomics only.
        let table = unsafe { std::slice::from_raw_parts(first.cast::<Slot>(), SLOTS) };
        let journal = Self {
            bytes,
            notes,
            noted: Mutex::new(0),
            slots: table,
        };
        journal.write_head(head, page);
        for (offset, magic, units) in [(notes, at::NOTES, note_units), (slots, at::SEGMENT, SLOTS)]
        {
            journal.write(offset + magic.len(), &(units as u32).to_le_bytes());
            journal.write(offset, &magic);
        }
        // Last: a file without it is none of ours.
        journal.write(0, &at::MAGIC);
        Ok(journal)
    }

    fn write_head(&self, head: &Head<'_>, page: usize) {
        let numbers = [
            (at::MAGIC.len(), at::VERSION),
            (at::STATE, State::Running as u32),
            (at::RANK, 0),
            (at::RANKS, 1),
            (at::PAGE, page as u32),
        ];
        for (offset, number) in numbers {
            self.write(offset, &number.to_le_bytes());
        }
        let texts = [
            (at::RUN, head.run),
            (at::HOST, head.host),
            (at::MPI, "NCCL"),
            (at::PROGRAM, head.program),
        ];
        for ((offset, size), text) in texts {
            let end = text.len().min(size - 1);
            self.write(offset, text.as_bytes().get(..end).unwrap_or_default());
        }
    }

    /// Overwrites bytes of the file.
    fn write(&self, offset: usize, bytes: &[u8]) {
        let places = self.bytes.iter().skip(offset);
        places
            .zip(bytes)
            .for_each(|(place, byte)| place.store(*byte, Relaxed));
    }

    /// Notes how far the process has come.
    pub(crate) fn mark(&self, state: State) {
        self.write(at::STATE, &(state as u32).to_le_bytes());
    }

    /// Whether another process has truncated the file. What the file held is lost then.
    pub(crate) fn is_lost(&self) -> bool {
        sigbus::lost()
    }

    /// Marks the journal as incomplete: the process has sent bytes that no counter holds.
    pub(crate) fn lacks_some(&self) {
        self.write(at::LACKS, &at::LACKING);
    }

    /// Appends a note, its length included. Returns whether there was space. The number of bytes in
    /// use is written last, so a note that a crash cuts short does not count.
    pub(crate) fn append(&self, note: &[u8]) -> bool {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let used = *noted + note.len();
        if used > NOTE_UNITS * at::SLOT {
            return false;
        }
        self.write(self.notes + at::NOTED + *noted, note);
        *noted = used;
        let place = self.bytes.get(self.notes + at::USED..);
        if let Some(place) = place.and_then(|place| place.first()) {
            // SAFETY: the segment begins at a page and the offset is a multiple of eight, so the
            // number is aligned and in the mapping, which is never unmapped and written through
            // atomics only.
            let place = unsafe { AtomicU64::from_ptr(ptr::from_ref(place).cast_mut().cast()) };
            place.store((used as u64).to_le(), Release);
        }
        true
    }
}

/// Reserves and maps the first `length` bytes of the file.
fn map(file: &File, length: usize) -> io::Result<*mut u8> {
    mapping::reserve(file, length)?;
    mapping::shared(file, length).map(<*mut c_void>::cast)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_wire::{Journal as Read, NcclCommunicator};

    #[test]
    fn the_file_is_a_journal_from_its_first_moment() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("journal");
        let head = Head {
            run: "r",
            host: "n0",
            program: &"long ".repeat(1000),
        };
        let journal = Journal::create(&path, &head).expect("a file");
        let read = Read::read(&path).expect("a journal");
        assert_eq!(
            (&*read.run, &*read.host, read.state),
            ("r", "n0", State::Running)
        );
        let note = NcclCommunicator {
            number: 0,
            id: 9,
            rank: 1,
            size: 2,
        };
        let notes = std::iter::repeat_with(|| journal.append(&note.note()));
        assert!(notes.take_while(|noted| *noted).count() >= crate::communicators::MOST);
        journal.mark(State::Finalized);
        journal.lacks_some();
        let read = Read::read(&path).expect("a journal");
        assert!(read.state == State::Finalized && read.lacks_some);
        assert!(Journal::create(&path, &head).is_err(), "the file is there");
    }
}
