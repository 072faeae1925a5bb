//! A rank journal: the counters of one process while it runs, in a file that outlives the process.
//!
//! The preload library maps the file as shared memory and counts in it, so that a killed process
//! leaves everything it had counted. The file has a head, followed by segments. Most segments are
//! open-addressing hash tables of slots. Each thread fills a table of its own, and moves to a
//! larger one when the table is half full. The counters for a peer are the sum over the tables of
//! all threads.
//!
//! # Byte layout, version 4
//!
//! All integers are little-endian. Texts are UTF-8, padded with zero bytes. Head and segments are
//! padded to whole pages.
//!
//! | offset | size | field of the head |
//! |---|---|---|
//! | 0 | 8 | magic `89 52 46 4A 0D 0A 1A 0A` |
//! | 8 | 4 | version, `4` |
//! | 12 | 4 | state: 1 running, 2 finalized, 3 aborted |
//! | 16 | 4 | rank in the world |
//! | 20 | 4 | number of ranks in the world |
//! | 24 | 8 | world stamp, see below |
//! | 32 | 4 | page size in bytes, a power of two from 4096 to 2^24 |
//! | 36 | 4 | not 0 if the journal lacks some counters, see below |
//! | 40 | 4 | index of messages without bytes, 0 or 63, see below |
//! | 64 | 192 | name of the run |
//! | 256 | 256 | host |
//! | 512 | 256 | MPI library |
//! | 768 | 3328 | program |
//!
//! The file is longer than its contents: it ends with a hole. A journal lacks some counters if its
//! file system had no space for them, if another process has truncated it, or after an internal
//! error. The process then has them in memory, or not at all.
//!
//! The world stamp is the time at which all ranks had started, in nanoseconds since 1970. All ranks
//! have the same stamp. It is 0 until then, and stays 0 without `MPI_Init`.
//!
//! | offset | size | field of a segment |
//! |---|---|---|
//! | 0 | 4 | magic: `RSEG` = slots, `RSPA` = slots that do not count, `RNOT` = notes |
//! | 4 | 4 | size in units of 32 bytes, a power of two |
//! | 8 | 8 | notes: bytes in use; slots: file offset of the table this one replaces, or 0 |
//! | 16 | 48 | slots: name of the phase that is counted; empty outside phases |
//! | 64 | | notes: the notes |
//! | 64 | 64 x 16 | slots: bytes (8) and messages (8) of the point-to-point messages by size |
//! | 1088 | 32 each | slots: key (8; 0 is empty), bytes (8), messages (8), detail (8) |
//!
//! The size of a message is its number of bits, as in [`Key::Size`]. Messages of k bits are counted
//! k entries away from the entry of messages without bytes, upwards or downwards. Both orders exist
//! because processors number the bits of a word from different ends.
//!
//! [`Key`] defines what a slot counts. Readers skip slots with keys they do not know.
//!
//! Each counter counts exactly once, whenever the process is killed: a table does not count
//! (`RSPA`) while the counters of the table before it are copied into it. Then it counts and names
//! the table it replaces, which readers skip from then on. Last, the table before is marked as not
//! counting.
//!
//! A note is its length (4) and one of these, which are the variants of [`Note`]:
//!
//! * 0 (4) and a communicator, as in the section `comm` of a profile. Keys number communicators in
//!   the order of their notes.
//! * 1 (4) and a virtual topology: communicator (4), this process's rank in the communicator (4),
//!   and the rest as in the section `topo`. A graph has one list here, of this process's receivers
//!   (4 each).
//! * 2 (4) and an item of the section `surr`, on this process's host.
//! * 3 (4) and an item of the section `core`.
//! * 4 (4) and an item of the section `numb`.
//! * 5 (4) and the list in the section `para`.
//! * 6 (4): the MPI library reports its messages.
//! * 7 (4) and a process that uses NCCL: process number (4), version of NCCL's profiler interface
//!   (4), and 0 (1), or 1 (1), rank (4), number of ranks (4) and string: the variable of the
//!   launcher that holds the rank.
//! * 8 (4) and a communicator of NCCL: number in the keys (4), identifier (8), rank of the process
//!   in it (4), number of members (4), 0 = unknown.
//! * 9 (4), string: a phase, and an item of the section `turn` of a profile. The last one holds.
//!
//! The journal of a process that uses NCCL has rank 0 of 1 in its head: the rank of the process is
//! known only when all journals are read. Its state is 2 when all its communicators have ended, or
//! the process has ended by itself.
//!
//! If a process is killed, only the time of its current call and the time of the whole run are
//! lost, since both are counted when they end.

pub mod layout;

pub use crate::key::Key;

use crate::error::{Fault, ProfileError, Result};
use crate::ledger::Ledger;
use crate::note::Note;
use crate::own_file;
use crate::version;
use layout as at;
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The process is between `MPI_Init` and `MPI_Finalize`, or was killed there.
    Running = 1,
    /// The process reached `MPI_Finalize`: its counters are complete.
    Finalized = 2,
    /// The process called `MPI_Abort`.
    Aborted = 3,
}

/// The content of one rank's journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// Name of the run.
    pub run: String,
    /// Stamp of the world that the process belongs to. A run may have several worlds, one after the
    /// other.
    pub stamp: u64,
    /// Rank of the process.
    pub rank: u32,
    /// Number of ranks in the world.
    pub ranks: u32,
    /// State of the process.
    pub state: State,
    /// Whether the journal lacks some of the process's counters.
    pub lacks_some: bool,
    /// Host of the process.
    pub host: String,
    /// First line of the MPI library's version.
    pub mpi: String,
    /// The program.
    pub program: String,
    /// The counters of the process.
    pub ledger: Ledger,
}

impl Journal {
    /// Reads the journal at `path`, which must be a regular file of this user, as journals lie in
    /// directories where every user may create files. Opening the file never waits.
    ///
    /// # Errors
    /// [`ProfileError`], naming the file.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let bytes = contents(path).map_err(|source| Fault::from(source).reading(path))?;
        Self::parse(&bytes).map_err(|fault| fault.reading(path))
    }

    /// Reads the bytes of a journal. If the end is missing, everything before it counts.
    ///
    /// # Errors
    /// [`Fault`] if the head is foreign, of another version, truncated or contradicts itself.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        if !bytes.starts_with(&at::MAGIC) {
            return Err(Fault::Foreign("rankfold journal"));
        }
        if bytes.len() < at::HEAD {
            return Err(Fault::Truncated(bytes.len() as u64));
        }
        version::check(u32_at(bytes, at::MAGIC.len()), &[at::VERSION])?;
        let page = page_of(bytes)?;
        let empty = u32_at(bytes, at::EMPTY_SIZE) as usize;
        if empty != 0 && empty != at::SIZE_PLACES - 1 {
            let problem = format!("messages of no bytes at place {empty}");
            return Err(corrupt(at::EMPTY_SIZE, problem));
        }
        let state = match u32_at(bytes, at::STATE) {
            1 => State::Running,
            2 => State::Finalized,
            3 => State::Aborted,
            other => return Err(corrupt(at::STATE, format!("state {other} does not exist"))),
        };
        let (rank, ranks) = (u32_at(bytes, at::RANK), u32_at(bytes, at::RANKS));
        if rank >= ranks || ranks > at::MAX_RANKS {
            let problem = format!("rank {rank} in a world of {ranks}");
            return Err(corrupt(at::RANK, problem));
        }
        Ok(Self {
            run: text_at(bytes, at::RUN),
            stamp: u64_at(bytes, at::STAMP),
            rank,
            ranks,
            state,
            lacks_some: u32_at(bytes, at::LACKS) != 0,
            host: text_at(bytes, at::HOST),
            mpi: text_at(bytes, at::MPI),
            program: text_at(bytes, at::PROGRAM),
            ledger: ledger(bytes, page),
        })
    }
}

/// The bytes of the journal at `path` without the hole at its end. The file must be a regular file
/// of this user. Of a file that is no journal, the first bytes are returned.
///
/// # Errors
/// The system's error.
pub fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = own_file::open(path)?;
    let mut bytes = Vec::new();
    let mut more = |length: usize, bytes: &mut Vec<u8>| {
        let read = Read::by_ref(&mut file)
            .take(length as u64)
            .read_to_end(bytes)?;
        io::Result::Ok(read == length)
    };
    if !more(at::HEAD, &mut bytes)? {
        return Ok(bytes);
    }
    let Ok(page) = page_of(&bytes) else {
        return Ok(bytes);
    };
    let mut whole = more(page - at::HEAD, &mut bytes)?;
    while whole {
        let start = bytes.len();
        whole = more(at::NOTED, &mut bytes)?;
        match length_of(&bytes[start..], page) {
            Some(length) => whole = whole && more(length - at::NOTED, &mut bytes)?,
            None => break,
        }
    }
    Ok(bytes)
}

/// Whether every segment in the bytes of a journal is complete, one with slots among them.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    let Ok(page) = page_of(bytes) else {
        return false;
    };
    let (mut start, mut has_slots) = (page, false);
    while let Some(rest) = bytes.get(start..) {
        let Some(length) = length_of(rest, page) else {
            break;
        };
        if rest.len() < length {
            return false;
        }
        has_slots |= rest.starts_with(&at::SEGMENT);
        start += length;
    }
    has_slots
}

/// The page size in a head.
fn page_of(head: &[u8]) -> Result<usize> {
    let page = u32_at(head, at::PAGE) as usize;
    if page.is_power_of_two() && (at::SMALLEST_PAGE..=at::LARGEST_PAGE).contains(&page) {
        return Ok(page);
    }
    Err(corrupt(at::PAGE, format!("a page of {page} bytes")))
}

/// The length of the segment with which `bytes` begin; `None` if they begin with no segment.
fn length_of(bytes: &[u8], page: usize) -> Option<usize> {
    let known = [at::SEGMENT, at::SPARE, at::NOTES];
    if bytes.len() < at::NOTED || !known.iter().any(|magic| bytes.starts_with(magic)) {
        return None;
    }
    let size = u32_at(bytes, at::SEGMENT.len()) as usize;
    Some(at::segment_bytes(size, page))
}

/// Sums the counters of all segments that count.
fn ledger(bytes: &[u8], page: usize) -> Ledger {
    let counts = |segment: &[u8]| segment.starts_with(&at::SEGMENT);
    let replaced: BTreeSet<u64> = segments(bytes, page)
        .filter(|(_, segment)| counts(segment))
        .map(|(_, segment)| u64_at(segment, at::REPLACES))
        .collect();
    let empty = u32_at(bytes, at::EMPTY_SIZE);
    let mut all = Ledger::default();
    for (start, segment) in segments(bytes, page) {
        if counts(segment) && !replaced.contains(&start) {
            let tally = all.tally(text_at(segment, at::PHASE));
            slots(segment).for_each(|slot| tally.add(slot));
            sizes(segment, empty).for_each(|(bits, sums)| tally.add_size(bits, sums));
        } else if segment.starts_with(&at::NOTES) {
            notes(segment).for_each(|note| all.note(note));
        }
    }
    all
}

/// All segments with their file offsets, up to the first one that was not completed.
fn segments(bytes: &[u8], page: usize) -> impl Iterator<Item = (u64, &[u8])> {
    let mut start = page;
    std::iter::from_fn(move || {
        let rest = bytes.get(start..)?;
        let length = length_of(rest, page)?.min(rest.len());
        let found = (start as u64, &rest[..length]);
        start += length;
        Some(found)
    })
}

fn slots(segment: &[u8]) -> impl Iterator<Item = [u64; 4]> {
    let number = u32_at(segment, at::SEGMENT.len()) as usize;
    let slots = segment.get(at::SLOTS..).unwrap_or_default();
    let filled = slots.chunks_exact(at::SLOT).take(number);
    filled.map(|slot| [0, 8, 16, 24].map(|offset| u64_at(slot, offset)))
}

/// Bits, bytes and messages of every size. `empty` is the index of messages without bytes.
fn sizes(segment: &[u8], empty: u32) -> impl Iterator<Item = (u32, [u64; 2])> {
    let sizes = segment.get(at::SIZES..at::SLOTS).unwrap_or_default();
    let counted = (0_u32..).zip(sizes.chunks_exact(at::SIZE));
    counted.map(move |(place, size)| {
        let sums = [0, 8].map(|offset| u64_at(size, offset));
        (place.abs_diff(empty), sums)
    })
}

/// The complete notes of a segment.
fn notes(segment: &[u8]) -> impl Iterator<Item = Note> {
    let used = usize::try_from(u64_at(segment, at::USED)).unwrap_or(usize::MAX);
    let mut rest = segment[at::NOTED..].get(..used).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = u32_at(rest, 0) as usize;
        let note = rest.get(4..4 + length).filter(|_| length > 0)?;
        rest = &rest[4 + length..];
        Note::decode(note)
    })
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    let field = bytes.get(offset..).and_then(<[u8]>::first_chunk);
    u32::from_le_bytes(field.copied().unwrap_or_default())
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let field = bytes.get(offset..).and_then(<[u8]>::first_chunk);
    u64::from_le_bytes(field.copied().unwrap_or_default())
}

fn text_at(bytes: &[u8], (offset, size): (usize, usize)) -> String {
    let field = bytes.get(offset..offset + size).unwrap_or_default();
    let end = field.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&field[..end.unwrap_or(size)]).into_owned()
}

fn corrupt(offset: usize, problem: String) -> Fault {
    Fault::Corrupt {
        offset: offset as u64,
        problem,
    }
}
