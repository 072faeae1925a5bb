//! This process's journal: a file mapped shared, so that what is counted outlives the process however it ends.

use crate::bus;
use crate::note::note;
use crate::size_limit::only_refuses;
use libc::c_void;
use rankfold_profile::journal::{State, layout as at};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The counters of one key, as they lie in the file. Written by one thread; atomic because others may read.
#[repr(C)]
pub(crate) struct Slot {
    /// 0 while empty.
    pub(crate) key: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) messages: AtomicU64,
    pub(crate) detail: AtomicU64,
}

const _: () = assert!(size_of::<Slot>() == at::SLOT);

/// What the head of a journal says.
pub(crate) struct Head<'a> {
    pub(crate) run: &'a str,
    pub(crate) stamp: u64,
    pub(crate) rank: u32,
    pub(crate) ranks: u32,
    pub(crate) host: &'a str,
    pub(crate) mpi: &'a str,
    pub(crate) program: &'a str,
}

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
    say(at::STATE, &(state as u32).to_le_bytes());
}

/// Says in the journal which world the process is of.
pub(crate) fn stamp(stamp: u64) {
    say(at::STAMP, &stamp.to_le_bytes());
}

/// Overwrites a field of the head.
fn say(offset: usize, field: &[u8]) {
    if let Some(journal) = journal().as_ref() {
        // Neither field is needed where the run ends well; the counters are there already.
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

/// Writes a note down. Should that fail it is lost in a crash, and only then.
pub(crate) fn append(note: &[u8]) {
    if let Some(journal) = journal().as_mut() {
        let _ = only_refuses(|| journal.append(note));
    }
}

impl Journal {
    /// In the file while that can grow, in plain memory after: a clean end still counts everything.
    fn segment(&mut self, slots: usize, phase: &'static str) -> Option<&'static [Slot]> {
        let length = at::segment_bytes(slots);
        let in_file = self.end.map(|end| {
            reserve(&self.file, end, length)?;
            let start = map(Some((self.file.as_raw_fd(), end)), length)?;
            bus::watch(start, length);
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
                note(format_args!(
                    "{path} cannot grow ({error}): counting on in memory, which a crash would lose"
                ));
                self.end = None;
                map(None, length).ok()?
            }
            None => map(None, length).ok()?,
        };
        // SAFETY: a fresh mapping of at least a page, page-aligned, seen by nobody else.
        unsafe { start.cast::<[u8; 4]>().write(at::SEGMENT) };
        // SAFETY: as above, inside the mapping.
        let size = unsafe { start.byte_add(at::SEGMENT.len()) };
        // SAFETY: as above, aligned to four bytes.
        unsafe { size.cast::<u32>().write((slots as u32).to_le()) };
        let (at, room) = at::PHASE;
        // SAFETY: as above.
        let name = unsafe { start.byte_add(at) }.cast::<u8>();
        // SAFETY: as above, at most the whole field, from elsewhere.
        unsafe { name.copy_from_nonoverlapping(phase.as_ptr(), phase.len().min(room)) };
        // SAFETY: as above.
        let first = unsafe { start.byte_add(at::SLOTS) }.cast::<Slot>();
        // SAFETY: `slots` zeroed slots, never unmapped, only touched through their atomics.
        let table = unsafe { std::slice::from_raw_parts(first, slots) };
        self.segments.push(Segment {
            phase,
            slots: table,
        });
        Some(table)
    }

    /// The number of bytes used is written last: what a crash tears is not there.
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

/// Makes sure of the space now: a full file system would otherwise be a SIGBUS in the middle of the program.
fn reserve(file: &File, offset: usize, length: usize) -> io::Result<()> {
    // SAFETY: an open descriptor; the call touches no memory of ours.
    let code = only_refuses(|| unsafe {
        libc::posix_fallocate(file.as_raw_fd(), offset as i64, length as i64)
    });
    match code {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Maps part of a file shared, or zeroed memory of our own.
fn map(file: Option<(RawFd, usize)>, length: usize) -> io::Result<*mut c_void> {
    let (flags, descriptor, offset) = match file {
        Some((descriptor, offset)) => (libc::MAP_SHARED, descriptor, offset as i64),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0),
    };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, wherever the system likes.
    let start = unsafe { libc::mmap(ptr::null_mut(), length, access, flags, descriptor, offset) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(start)
}

impl Head<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut page = vec![0; at::PAGE];
        let mut put = |offset: usize, size: usize, value: &[u8]| {
            let place = page.iter_mut().skip(offset).take(size);
            place.zip(value).for_each(|(to, from)| *to = *from);
        };
        put(0, at::MAGIC.len(), &at::MAGIC);
        put(at::MAGIC.len(), 4, &at::VERSION.to_le_bytes());
        put(at::STATE, 4, &(State::Running as u32).to_le_bytes());
        put(at::RANK, 4, &self.rank.to_le_bytes());
        put(at::RANKS, 4, &self.ranks.to_le_bytes());
        put(at::STAMP, 8, &self.stamp.to_le_bytes());
        let texts = [
            (at::RUN, self.run),
            (at::HOST, self.host),
            (at::MPI, self.mpi),
            (at::PROGRAM, self.program),
        ];
        for ((offset, size), text) in texts {
            put(offset, size - 1, text.as_bytes());
        }
        page
    }
}
