//! A segment of the journal, which holds one table of counters.

use super::sizes::Sizes;
use super::slot::Slot;
use libc::c_void;
use rankfold_wire::journal::layout as at;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// What a segment holds in the file before its slots.
#[repr(C)]
pub(super) struct Head {
    magic: AtomicU32,
    size: AtomicU32,
    replaces: AtomicU64,
    phase: [AtomicU8; at::PHASE.1],
    sizes: Sizes,
}

const _: () = assert!(size_of::<Head>() == at::SLOTS);
const _: () = assert!(std::mem::offset_of!(Head, sizes) == at::SIZES);
const _: () = assert!(std::mem::offset_of!(Head, replaces) == at::REPLACES);
const _: () = assert!(std::mem::offset_of!(Head, phase) == at::PHASE.0);

/// A table, and the phase for which it counts.
#[derive(Clone)]
pub(crate) struct Segment {
    head: &'static Head,
    pub(crate) phase: &'static str,
    pub(crate) slots: &'static [Slot],
    /// The offset of the segment in the file; `None` in plain memory.
    pub(super) place: Option<usize>,
    /// Whether the table counts. The head in the file says so too, but another process may truncate
    /// the file.
    pub(super) counts: bool,
    /// Whether another table has replaced this one, so that the memory can be used again.
    pub(super) is_free: bool,
}

impl Segment {
    /// A segment in a mapping. Its table does not count yet.
    ///
    /// # Safety
    /// At `start` begins a mapping of [`at::segment_bytes`] zero bytes for this many slots. There
    /// is no reference to it yet, and it is never unmapped.
    pub(super) unsafe fn new(start: *mut c_void, slots: usize, place: Option<usize>) -> Self {
        // SAFETY: the mapping is longer than a head and begins at a page, so the head is aligned.
        // It is never unmapped. Zero is valid for the fields, which are written through their
        // atomics only.
        let head = unsafe { &*start.cast_const().cast::<Head>() };
        // SAFETY: the mapping has room for the head and for `slots` slots behind it.
        let first = unsafe { start.byte_add(at::SLOTS) }.cast::<Slot>();
        // SAFETY: the mapping holds `slots` slots of zero bytes, which are valid. They are aligned,
        // because their offset in the page is a multiple of their size, never unmapped, and written
        // through their atomics only.
        let table = unsafe { std::slice::from_raw_parts(first, slots) };
        let segment = Self {
            head,
            phase: "",
            slots: table,
            place,
            counts: false,
            is_free: false,
        };
        head.size.store((slots as u32).to_le(), Relaxed);
        segment.set_magic(at::SPARE);
        segment
    }

    /// Makes the table count for `phase`.
    pub(super) fn name(&mut self, phase: &'static str) {
        self.phase = phase;
        let letters = phase.bytes().chain(std::iter::repeat(0));
        let place = self.head.phase.iter().zip(letters);
        place.for_each(|(place, letter)| place.store(letter, Relaxed));
    }

    /// Makes the table count from now on.
    pub(super) fn count(&mut self) {
        self.set_magic(at::SEGMENT);
        self.counts = true;
    }

    /// Makes the table count in place of `old`, whose counters were copied to it. `old` is empty
    /// and free then: a later table may use its memory. Whenever the process is killed, exactly one
    /// of the two tables counts.
    pub(super) fn replace(&mut self, old: &mut Self) {
        let place = old.place.unwrap_or(0) as u64;
        self.head.replaces.store(place.to_le(), Release);
        self.count();
        old.set_magic(at::SPARE);
        self.head.replaces.store(0, Release);
        old.slots.iter().for_each(Slot::clear);
        old.head.sizes.clear();
        (old.counts, old.is_free) = (false, true);
    }

    /// The counters of messages by size.
    pub(crate) fn sizes(&self) -> &'static Sizes {
        &self.head.sizes
    }

    fn set_magic(&self, magic: [u8; 4]) {
        self.head.magic.store(u32::from_ne_bytes(magic), Release);
    }
}
