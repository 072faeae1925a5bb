//! This process's journal: a file mapped shared, so that what is counted outlives the process however it ends.

pub(crate) mod head;
mod mapping;
pub(crate) mod notes;
pub(crate) mod sigbus;
pub(crate) mod size_limit;
pub(crate) mod slot;

use crate::warning::warn;
use head::Head;
use libc::c_void;
use mapping::reserve;
use rankfold_profile::journal::{State, layout as at};
use size_limit::only_refuses;
use slot::Slot;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Journal {
    path: PathBuf,
    file: File,
    /// Where the next segment goes; `None` once the file could not grow.
    end: Option<usize>,
    segments: Vec<Segment>,
    notes: Notes,
}

/// A table and the phase it counts.
#[derive(Clone)]
pub(crate) struct Segment {
    pub(crate) phase: &'static str,
    pub(crate) slots: &'static [Slot],
}

/// The segment that notes go to.
#[derive(Default)]
struct Notes {
    start: usize,
    used: usize,
    room: usize,
}

/// Slots of a thread's first table: with the head of the segment still one page.
const FIRST: usize = 64;

static JOURNAL: Mutex<Option<Journal>> = Mutex::new(None);

fn journal() -> MutexGuard<'static, Option<Journal>> {
    JOURNAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates the journal in `directory`; nothing stays behind when that fails. One that a session has made already is
/// given the new head.
pub(crate) fn open(directory: &Path, head: &Head) -> io::Result<()> {
    if let Some(journal) = journal().as_ref() {
        return only_refuses(|| journal.file.write_all_at(&head.bytes(), 0));
    }
    let pid = std::process::id();
    let Head { run, host, .. } = head;
    let name = format!("{}{run}-{host}-{pid}{}", at::PREFIX, at::SUFFIX);
    let path = directory.join(name);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    let ready = reserve(&file, 0, at::PAGE + at::segment_bytes(FIRST))
        .and_then(|()| file.write_all_at(&head.bytes(), 0));
    if let Err(error) = ready {
        // The first error is the one worth telling.
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    *journal() = Some(Journal {
        path,
        file,
        end: Some(at::PAGE),
        segments: Vec::new(),
        notes: Notes::default(),
    });
    Ok(())
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
        // Only a recovery reads these fields, and it finds the counters without them.
        let _ = only_refuses(|| journal.file.write_all_at(field, offset as u64));
    }
}

/// `MPI_Abort` was called.
pub(crate) fn abort() {
    mark(State::Aborted);
}

/// Removes the journal's file; its memory stays, threads may still hold tables.
pub(crate) fn remove() {
    if let Some(journal) = journal().take() {
        // A file that is gone already is as good as removed.
        let _ = fs::remove_file(&journal.path);
    }
}

/// Every table of every thread.
pub(crate) fn segments() -> Vec<Segment> {
    journal()
        .as_ref()
        .map(|journal| journal.segments.clone())
        .unwrap_or_default()
}

/// A fresh table for `phase`, twice as large as one of `slots` slots.
pub(crate) fn grow(slots: usize, phase: &'static str) -> Option<&'static [Slot]> {
    let slots = (slots * 2).max(FIRST);
    journal().as_mut()?.segment(slots, phase)
}

/// Appends a note to the file. Should that fail, the note is lost if the process crashes; it is kept in memory as well.
fn append(note: &[u8]) {
    if let Some(journal) = journal().as_mut() {
        let _ = only_refuses(|| journal.append(note));
    }
}

impl Journal {
    /// Makes a table of `slots` for `phase`: in the file while that can grow, in plain memory after, which is lost in a
    /// crash but counts when the run ends well.
    fn segment(&mut self, slots: usize, phase: &'static str) -> Option<&'static [Slot]> {
        let length = at::segment_bytes(slots);
        let in_file = self.end.map(|end| {
            reserve(&self.file, end, length)?;
            let start = mapping::shared(&self.file, end, length)?;
            sigbus::watch(start, length);
            Ok((end, start))
        });
        let start = match in_file {
            Some(Ok((end, start))) => {
                self.end = Some(end + length);
                start
            }
            Some(Err(error)) => {
                let error: io::Error = error;
                let path = self.path.display();
                warn(format_args!(
                    "{path} cannot grow ({error}): counting on in memory, which a crash would lose"
                ));
                self.end = None;
                mapping::private(length).ok()?
            }
            None => mapping::private(length).ok()?,
        };
        // SAFETY: `start` is that of a fresh mapping of `length` bytes, all zero, that nobody else has seen.
        let table = unsafe { table(start, slots, phase) };
        self.segments.push(Segment {
            phase,
            slots: table,
        });
        Some(table)
    }

    /// Appends a note. The number of bytes used is written last: a note that a crash cuts short is not counted among them.
    fn append(&mut self, note: &[u8]) -> io::Result<()> {
        let length = note.len() + 4;
        if self.notes.room - self.notes.used < length {
            self.new_notes(length)?;
        }
        let Notes { start, used, .. } = self.notes;
        let whole = [&(note.len() as u32).to_le_bytes(), note].concat();
        let place = start + at::SLOTS + used;
        self.file.write_all_at(&whole, place as u64)?;
        self.notes.used += length;
        let used = (self.notes.used as u64).to_le_bytes();
        self.file.write_all_at(&used, (start + at::USED) as u64)
    }

    fn new_notes(&mut self, least: usize) -> io::Result<()> {
        let start = self.end.ok_or(io::ErrorKind::StorageFull)?;
        let units = least.div_ceil(at::SLOT).next_power_of_two().max(FIRST);
        let length = at::segment_bytes(units);
        reserve(&self.file, start, length)?;
        let head = [at::NOTES, (units as u32).to_le_bytes()].concat();
        self.file.write_all_at(&head, start as u64)?;
        self.end = Some(start + length);
        self.notes = Notes {
            start,
            used: 0,
            room: length - at::SLOTS,
        };
        Ok(())
    }
}

/// Writes the head of a segment for `phase` to `start`; the table of `slots` behind it.
///
/// # Safety
/// At `start` begins a mapping of [`at::segment_bytes`] zero bytes for so many slots, which nobody else has seen and which
/// is never unmapped.
unsafe fn table(start: *mut c_void, slots: usize, phase: &str) -> &'static [Slot] {
    let (at_phase, room) = at::PHASE;
    // SAFETY: the mapping is longer than the head of a segment, of which this is the first field; a mapping starts at a
    // page, so the field is aligned.
    unsafe { start.cast::<[u8; 4]>().write(at::SEGMENT) };
    // SAFETY: the second field of the head follows the first, inside the mapping.
    let size = unsafe { start.byte_add(at::SEGMENT.len()) };
    // SAFETY: the field is inside the mapping, four bytes long, and four bytes behind the start of a page.
    unsafe { size.cast::<u32>().write((slots as u32).to_le()) };
    // SAFETY: the offset of the name of the phase is inside the head.
    let name = unsafe { start.byte_add(at_phase) }.cast::<u8>();
    // SAFETY: no more bytes are written than the field has room for; they come from a string, which is not in the mapping.
    unsafe { name.copy_from_nonoverlapping(phase.as_ptr(), phase.len().min(room)) };
    // SAFETY: the mapping has room for the head and `slots` slots behind it.
    let first = unsafe { start.byte_add(at::SLOTS) }.cast::<Slot>();
    // SAFETY: `slots` slots whose bytes are zero, which is valid, aligned as their offset in a page is a multiple of their
    // size, never unmapped, and written through their atomics only.
    unsafe { std::slice::from_raw_parts(first, slots) }
}
