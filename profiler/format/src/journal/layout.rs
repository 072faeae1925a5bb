//! Offsets and values shared by the writer in the preload library and the reader here.

pub use crate::communicator::MAX_RANKS;

/// First bytes of a journal.
pub const MAGIC: [u8; 8] = *b"\x89RFJ\r\n\x1a\n";
/// The version written, and the only one read: a journal does not outlive the launch that it
/// belongs to.
pub const VERSION: u32 = 3;
/// Bytes of the head, without what it is padded with.
pub const HEAD: usize = 4096;
/// Offset of the state in the head.
pub const STATE: usize = 12;
/// Offset of the rank.
pub const RANK: usize = 16;
/// Offset of the number of ranks.
pub const RANKS: usize = 20;
/// Offset of the world stamp.
pub const STAMP: usize = 24;
/// The stamp of a world whose ranks have not agreed on one yet, or never can.
pub const NO_STAMP: u64 = 0;
/// Offset of the number of bytes of a page of memory: head and segments are padded to whole pages,
/// to be mapped.
pub const PAGE: usize = 32;
/// Pages are at least this large, and at most [`LARGEST_PAGE`].
pub const SMALLEST_PAGE: usize = HEAD;
/// The largest page of any system.
pub const LARGEST_PAGE: usize = 1 << 24;
/// Offset of the place that messages of no bytes have among the sizes of every segment: 0, or the
/// last. Those of the next larger size are counted in the place beside it, and so on.
pub const EMPTY_SIZE: usize = 40;
/// Offset and size of the run name.
pub const RUN: (usize, usize) = (64, 192);
/// Offset and size of the host.
pub const HOST: (usize, usize) = (256, 256);
/// Offset and size of the MPI library.
pub const MPI: (usize, usize) = (512, 256);
/// Offset and size of the program.
pub const PROGRAM: (usize, usize) = (768, HEAD - 768);
/// First bytes of a segment of slots that counts.
pub const SEGMENT: [u8; 4] = *b"RSEG";
/// First bytes of a segment of slots that does not: it is being filled with what another one holds,
/// or was replaced.
pub const SPARE: [u8; 4] = *b"RSPA";
/// First bytes of a segment of notes.
pub const NOTES: [u8; 4] = *b"RNOT";
/// Offset of the number of bytes used in a segment of notes.
pub const USED: usize = 8;
/// Offset, in a segment of slots, of the place in the file of the segment that it replaces; 0 for
/// none.
pub const REPLACES: usize = 8;
/// Offset and size of the phase in a segment of slots.
pub const PHASE: (usize, usize) = (16, 48);
/// Offset of the first note in a segment of notes.
pub const NOTED: usize = 64;
/// Offset of the messages by size in a segment of slots.
pub const SIZES: usize = 64;
/// How many sizes there are: of no bytes, of one, of two or three, and so on.
pub const SIZE_PLACES: usize = 64;
/// Bytes of what is counted of one size.
pub const SIZE: usize = 16;
/// Offset of the first slot in a segment.
pub const SLOTS: usize = SIZES + SIZE_PLACES * SIZE;
/// Bytes of a slot.
pub const SLOT: usize = 32;
/// What every journal's file name starts with.
pub const PREFIX: &str = "rankfold-";
/// What every journal's file name ends with.
pub const SUFFIX: &str = ".rfj";

/// What the file name of a finished profile ends with that lies among the journals, as there was no
/// other place for it.
pub const FINISHED: &str = ".rfp";

/// Bytes of a segment of `slots` slots, or of notes as long, padded to pages of `page` bytes.
#[must_use]
pub const fn segment_bytes(slots: usize, page: usize) -> usize {
    (SLOTS + slots * SLOT).next_multiple_of(page)
}

/// The file name of a journal of `run`. Processes that cannot tell each other apart, as those of
/// two containers whose process numbers are the same, differ in `random`, and nobody can make the
/// file before the process does.
#[must_use]
pub fn file_name(run: &str, host: &str, rank: u32, random: u64) -> String {
    format!("{PREFIX}{run}-{host}-{rank}-{random:016x}{SUFFIX}")
}

/// The file name of a finished profile of `run` among the journals of rank 0's host; `random` for
/// the same reason.
#[must_use]
pub fn finished_name(run: &str, host: &str, random: u64) -> String {
    format!("{PREFIX}{run}-{host}-{random:016x}{FINISHED}")
}
