//! Offsets and values of the journal's layout, used by the writer in the preload library and by the
//! reader here.

pub use crate::communicator::MAX_RANKS;

/// First bytes of a journal.
pub const MAGIC: [u8; 8] = *b"\x89RFJ\r\n\x1a\n";
/// The version that is written, and the only one that is read: a journal is used by the launch that
/// wrote it.
pub const VERSION: u32 = 4;
/// Bytes of the head, without its padding.
pub const HEAD: usize = 4096;
/// Offset of the state in the head.
pub const STATE: usize = 12;
/// Offset of the rank in the head.
pub const RANK: usize = 16;
/// Offset of the number of ranks in the head.
pub const RANKS: usize = 20;
/// Offset of the world stamp in the head.
pub const STAMP: usize = 24;
/// The stamp of a world whose ranks have not agreed on one, and perhaps never will.
pub const NO_STAMP: u64 = 0;
/// Offset of the page size in the head. Head and segments are padded to whole pages, so that they
/// can be mapped.
pub const PAGE: usize = 32;
/// Offset, in the head, of a number that is not 0 if the journal lacks some of the process's
/// counters.
pub const LACKS: usize = 36;
/// The value at [`LACKS`] of a journal that lacks some counters.
pub const LACKING: [u8; 4] = 1_u32.to_le_bytes();
/// Smallest page size, from which the size of the head follows. Every page size is a power of two
/// from this one to [`LARGEST_PAGE`].
pub const SMALLEST_PAGE: usize = HEAD;
/// Largest page size. Chosen by hand, above the page size of any system.
pub const LARGEST_PAGE: usize = 1 << 24;
/// Offset, in the head, of the index under which every segment counts messages without bytes: 0 or
/// the last index. Messages of k bits are counted k places away from it.
pub const EMPTY_SIZE: usize = 40;
/// Offset and size of the run's name in the head.
pub const RUN: (usize, usize) = (64, 192);
/// Offset and size of the host's name in the head.
pub const HOST: (usize, usize) = (256, 256);
/// Offset and size of the MPI library's name in the head.
pub const MPI: (usize, usize) = (512, 256);
/// Offset and size of the program's name in the head.
pub const PROGRAM: (usize, usize) = (768, HEAD - 768);
/// First bytes of a segment of slots that counts.
pub const SEGMENT: [u8; 4] = *b"RSEG";
/// First bytes of a segment of slots that does not count: the counters of another segment are being
/// copied into it, or another segment has replaced it.
pub const SPARE: [u8; 4] = *b"RSPA";
/// First bytes of a segment of notes.
pub const NOTES: [u8; 4] = *b"RNOT";
/// Offset of the number of bytes in use, in a segment of notes.
pub const USED: usize = 8;
/// Offset, in a segment of slots, of the file offset of the segment that it replaces; 0 if it
/// replaces none.
pub const REPLACES: usize = 8;
/// Offset and size of the name of the phase, in a segment of slots.
pub const PHASE: (usize, usize) = (16, 48);
/// Offset of the first note, in a segment of notes.
pub const NOTED: usize = 64;
/// Offset of the message counters by size, in a segment of slots.
pub const SIZES: usize = 64;
/// Number of sizes that are counted: 0 bytes, 1 byte, 2 or 3 bytes, 4 to 7 bytes, and so on.
pub const SIZE_PLACES: usize = 64;
/// Bytes of the counters of one size.
pub const SIZE: usize = 16;
/// Offset of the first slot, in a segment of slots.
pub const SLOTS: usize = SIZES + SIZE_PLACES * SIZE;
/// Bytes of a slot.
pub const SLOT: usize = 32;
/// Prefix of every journal's file name.
pub const PREFIX: &str = "rankfold-";
/// Suffix of every journal's file name.
pub const SUFFIX: &str = ".rfj";

/// Suffix of a finished profile that lies among the journals, because it could not be written
/// elsewhere.
pub const FINISHED: &str = ".rfp";

/// Bytes of a segment of `slots` slots, or of a segment of notes of that size, padded to pages of
/// `page` bytes.
#[must_use]
pub const fn segment_bytes(slots: usize, page: usize) -> usize {
    (SLOTS + slots * SLOT).next_multiple_of(page)
}

/// The file name of a journal of `run`. `random` distinguishes processes that have equal process
/// numbers in different containers, and keeps other users from creating the file first.
#[must_use]
pub fn file_name(run: &str, host: &str, rank: u32, random: u64) -> String {
    format!("{PREFIX}{run}-{host}-{rank}-{random:016x}{SUFFIX}")
}

/// The file name of a finished profile of `run` among the journals of rank 0's host. `random` has
/// the purpose described at [`file_name`].
#[must_use]
pub fn finished_name(run: &str, host: &str, random: u64) -> String {
    format!("{PREFIX}{run}-{host}-{random:016x}{FINISHED}")
}
