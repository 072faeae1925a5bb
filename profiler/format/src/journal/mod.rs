//! A rank journal: the counters of one process while it runs, in a file that outlives it.
//!
//! The preload library maps the file shared and counts in place, so a killed process leaves
//! everything it had counted. A head, then segments; most are open-addressing tables, each filled
//! by one thread. A thread whose table is half full moves to a larger one. A peer appears in the
//! tables of several threads, and its counters are their sum.
//!
//! | offset | size | head field |
//! |---|---|---|
//! | 0 | 8 | magic `89 52 46 4A 0D 0A 1A 0A` |
//! | 8 | 4 | version, `3` |
//! | 12 | 4 | state: 1 running, 2 finalized, 3 aborted |
//! | 16 | 4 | rank in the world |
//! | 20 | 4 | ranks of the world |
//! | 24 | 8 | world stamp: nanoseconds since 1970 when all ranks had started, the same in all; 0 until then, or without `MPI_Init` |
//! | 32 | 4 | bytes of a page of memory, a power of two from 4096 to 2^24 |
//! | 40 | 4 | place that messages of no bytes have among the sizes of a segment, 0 or 63 |
//! | 64 | 192 | run name, NUL-padded UTF-8 |
//! | 256 | 256 | host, likewise |
//! | 512 | 256 | MPI library, likewise |
//! | 768 | 3328 | program, likewise |
//!
//! | offset | size | segment field |
//! |---|---|---|
//! | 0 | 4 | magic: `RSEG` = slots, `RSPA` = slots that do not count, `RNOT` = notes |
//! | 4 | 4 | size in units of 32 bytes, a power of two |
//! | 8 | 8 | notes: bytes used; slots: where in the file the table begins that this one replaces, 0 for none |
//! | 16 | 48 | slots: name of the phase they count, NUL-padded UTF-8, empty outside all |
//! | 64 | | the notes; or 64 x 16: bytes (8) and messages (8) of the point-to-point messages of each size |
//! | 1088 | 32 each | slots: key (8; 0 is empty), bytes (8), messages (8), detail (8) |
//!
//! A size is the bits of a message's bytes, as in [`Key::Size`]; those of k bits have the k-th
//! place from that of no bytes, upwards or downwards: the processors that count them number the
//! bits of a word from different ends.
//!
//! Head and segments are padded to whole pages. A table does not count while it is filled with what
//! the one before it holds. Then it counts and replaces that, until the one before does not count
//! any more: whenever the process is killed, each counter counts once. [`Key`] says what a slot
//! counts; a reader skips those it does not know. A note is its length (4) and a [`Note`]: 0 (4)
//! and a communicator as in the section `comm` of a profile, or 1 (4) and a topology: communicator
//! (4), this process's rank in it (4), and the rest as in `topo`, where the list of a graph holds
//! one list, of this process's receivers (4 each); or 2 (4) and an item of `surr`, of this
//! process's host; or 3 (4) and an item of `core`; or 4 (4) and an item of `numb`. The n-th
//! communicator noted is the one keys call n.
//!
//! What a crash loses is the time of the call under way and of the run as a whole, which is counted
//! at its end.

pub mod layout;

pub use crate::key::Key;

use crate::error::{Fault, ProfileError};
use crate::ledger::{Ledger, Note};
use crate::own_file;
use crate::version;
use layout as at;
use std::collections::BTreeSet;
use std::path::Path;

/// How far a process got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Between `MPI_Init` and its end, or killed there.
    Running = 1,
    /// `MPI_Finalize` was reached: the counters are complete.
    Finalized = 2,
    /// `MPI_Abort` was called.
    Aborted = 3,
}

/// One rank's journal, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// The run it belongs to.
    pub run: String,
    /// The world it belongs to: a run may hold several, one after the other.
    pub stamp: u64,
    /// Rank of the process.
    pub rank: u32,
    /// Ranks in its world.
    pub ranks: u32,
    /// How far it got.
    pub state: State,
    /// Host of the process.
    pub host: String,
    /// First line of the MPI library's version.
    pub mpi: String,
    /// The program.
    pub program: String,
    /// What it counted.
    pub ledger: Ledger,
}

impl Journal {
    /// Reads the journal at `path`, a regular file of this user: journals lie where every user may
    /// make files.
    ///
    /// # Errors
    /// [`ProfileError`], naming the file; it is not waited for.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let bytes = own_file::read(path).map_err(|source| Fault::from(source).reading(path))?;
        Self::parse(&bytes).map_err(|fault| fault.reading(path))
    }

    /// Reads the bytes of a journal. A torn end is no error: everything before it counts.
    ///
    /// # Errors
    /// [`Fault`], when the head itself is foreign, of another version, truncated or contradicts
    /// itself.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        if !bytes.starts_with(&at::MAGIC) {
            return Err(Fault::Foreign("rankfold journal"));
        }
        if bytes.len() < at::HEAD {
            return Err(Fault::Truncated(bytes.len() as u64));
        }
        version::check(u32_at(bytes, at::MAGIC.len()), &[at::VERSION])?;
        let page = u32_at(bytes, at::PAGE) as usize;
        if !page.is_power_of_two() || !(at::SMALLEST_PAGE..=at::LARGEST_PAGE).contains(&page) {
            return Err(corrupt(at::PAGE, format!("a page of {page} bytes")));
        }
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
            host: text_at(bytes, at::HOST),
            mpi: text_at(bytes, at::MPI),
            program: text_at(bytes, at::PROGRAM),
            ledger: ledger(bytes, page),
        })
    }
}

/// Adds up all segments that count.
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

/// Every segment up to the first that was never finished, and where in the file it begins.
fn segments(bytes: &[u8], page: usize) -> impl Iterator<Item = (u64, &[u8])> {
    let mut start = page;
    std::iter::from_fn(move || {
        let rest = bytes.get(start..)?;
        let known = [at::SEGMENT, at::SPARE, at::NOTES];
        if rest.len() < at::NOTED || !known.iter().any(|magic| rest.starts_with(magic)) {
            return None;
        }
        let size = u32_at(rest, at::SEGMENT.len()) as usize;
        let length = at::segment_bytes(size, page).min(rest.len());
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

/// The bits, bytes and messages of every size, where the place of messages of no bytes is `empty`.
fn sizes(segment: &[u8], empty: u32) -> impl Iterator<Item = (u32, [u64; 2])> {
    let sizes = segment.get(at::SIZES..at::SLOTS).unwrap_or_default();
    let counted = (0_u32..).zip(sizes.chunks_exact(at::SIZE));
    counted.map(move |(place, size)| {
        let sums = [0, 8].map(|offset| u64_at(size, offset));
        (place.abs_diff(empty), sums)
    })
}

/// Whole ones only.
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
