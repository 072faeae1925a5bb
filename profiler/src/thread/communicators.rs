//! A thread's cache of the communicators that it has used: a hash table with open addressing. A
//! program may send over many communicators in any order, so the table holds all of them, up to a
//! maximum.

use super::cache::{in_register, spread};
use crate::objects::attributes::CachedObject;
use crate::objects::ranks::Translation;
use rankfold_abi::Handle;
use std::cell::Cell;
use std::ptr;

/// The table of a thread. With all bytes zero there is no table.
#[repr(C)]
pub(crate) struct Communicators {
    /// The first entry. Null as long as there is no table and [`Communicators::prepare`] has not
    /// stored [`NONE`].
    first: Cell<*const Entry>,
    /// Number of bytes from the first entry to the last. The number of entries is a power of two.
    last: Cell<usize>,
    /// Number of entries in use.
    used: Cell<usize>,
}

/// A communicator. In an unused entry the handle is 0, which no communicator has.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Entry {
    /// The handle, without bits that have no meaning.
    handle: Cell<Handle>,
    object: Cell<Option<&'static CachedObject>>,
    /// The ranks of `object`.
    ranks: Cell<Translation>,
}

/// Number of bytes of an entry; [`spread`] returns offsets that are multiples of it once masked.
const SIZE: usize = 32;
const _: () = assert!(size_of::<Entry>() == SIZE);

/// Number of entries of the first table and of the largest. Chosen by hand; not measured.
const FIRST: usize = 16;
const MOST: usize = 4096;
/// At most one entry in this many is in use, so that nearly every handle is found in the entry at
/// which the search starts. Chosen by hand; not measured.
const SPARSE: usize = 4;

/// Stands for a table until there is one.
static NONE: Never = Never(Entry {
    handle: Cell::new(0),
    object: Cell::new(None),
    ranks: Cell::new(Translation::none()),
});

/// An entry that is never written.
struct Never(Entry);

// SAFETY: nobody writes the entry, since `insert` writes entries of a table only.
unsafe impl Sync for Never {}

impl Communicators {
    /// Makes sure that there is an entry to look at. Without a table it is one that is never used.
    pub(super) fn prepare(&self) {
        if self.first.get().is_null() {
            self.first.set(&raw const NONE.0);
        }
    }

    /// The ranks of `comm`, if the communicator is in the entry at which the search for it starts.
    ///
    /// # Safety
    /// The table is [prepared](Self::prepare).
    #[inline(always)]
    pub(crate) unsafe fn at_home(&self, comm: Handle) -> Option<Translation> {
        let offset = spread(comm as u64) & self.last.get();
        // SAFETY: the caller has prepared the table, so `first` is the address of an entry. The
        // masked offset is that of an entry between the first and the last.
        let entry = unsafe { &*in_register(self.first.get().wrapping_byte_add(offset)) };
        (entry.handle.get() == comm).then(|| entry.ranks.get())
    }

    /// The ranks of `comm`, if the communicator is in the table.
    pub(crate) fn ranks(&self, comm: Handle) -> Option<Translation> {
        Some(self.find(comm).ok()?.ranks.get())
    }

    /// The properties of `comm`; from `ask` if the communicator is not in the table.
    pub(crate) fn get(
        &self,
        comm: Handle,
        ask: impl FnOnce() -> Option<&'static CachedObject>,
    ) -> Option<&'static CachedObject> {
        if let Ok(entry) = self.find(comm) {
            return entry.object.get();
        }
        let object = ask()?;
        self.insert(comm, object, object.ranks.translation());
        Some(object)
    }

    /// Adds a communicator that is not in the table. Without memory for a larger table, all others
    /// are dropped from the one that exists.
    fn insert(&self, comm: Handle, object: &'static CachedObject, ranks: Translation) {
        if self.entries().len() < (self.used.get() + 1) * SPARSE && !self.enlarge() {
            self.clear();
        }
        if let Err(entry) = self.find(comm)
            && !self.entries().is_empty()
        {
            entry.handle.set(comm);
            entry.object.set(Some(object));
            entry.ranks.set(ranks);
            self.used.set(self.used.get() + 1);
        }
    }

    /// Drops `comm`, if it is in the table.
    pub(super) fn remove(&self, comm: Handle) {
        let (entries, Ok(mut gap)) = (self.entries(), self.find(comm)) else {
            return;
        };
        // Entries behind the gap that were moved away from their home by one at the gap or before
        // it move back (Knuth, TAOCP volume 3, section 6.4, algorithm R).
        let mask = entries.len() - 1;
        let index = |entry: &Entry| (ptr::from_ref(entry).addr() - self.first.get().addr()) / SIZE;
        let distance = |from: usize, to: usize| to.wrapping_sub(from) & mask;
        let mut next = index(gap);
        loop {
            next = (next + 1) & mask;
            let Some(entry) = entries.get(next).filter(|entry| entry.handle.get() != 0) else {
                break;
            };
            let home = (spread(entry.handle.get() as u64) & self.last.get()) / SIZE;
            if distance(home, next) >= distance(index(gap), next) {
                gap.take_over(entry);
                gap = entry;
            }
        }
        gap.take_over(&Entry::default());
        self.used.set(self.used.get() - 1);
    }

    /// Drops all communicators.
    pub(super) fn clear(&self) {
        for entry in self.entries() {
            entry.take_over(&Entry::default());
        }
        self.used.set(0);
    }

    /// Gives the memory of the table back.
    pub(super) fn end(&self) {
        self.replace(&[]);
        self.first.set(ptr::null());
    }

    /// The entry of a handle, or as an error the unused entry where the handle belongs.
    fn find(&self, comm: Handle) -> Result<&Entry, &Entry> {
        self.prepare();
        let mut offset = spread(comm as u64);
        loop {
            offset &= self.last.get();
            // SAFETY: `first` is the address of an entry since `prepare`. Masked by the offset of
            // the last entry, the offset is that of an entry between both.
            let entry = unsafe { &*self.first.get().wrapping_byte_add(offset) };
            match entry.handle.get() {
                0 => return Err(entry),
                handle if handle == comm => return Ok(entry),
                _ => offset += SIZE,
            }
        }
    }

    /// Takes a table twice as large, or a first one. Returns whether that was possible.
    fn enlarge(&self) -> bool {
        let old = self.entries();
        let length = (old.len() * 2).max(FIRST);
        let mut new = Vec::new();
        if length > MOST || new.try_reserve_exact(length).is_err() {
            return false;
        }
        new.resize_with(length, Entry::default);
        let larger = Self {
            first: Cell::new(ptr::null()),
            last: Cell::new(0),
            used: Cell::new(0),
        };
        larger.replace(Box::leak(new.into_boxed_slice()));
        for entry in old.iter().filter(|entry| entry.handle.get() != 0) {
            if let Err(place) = larger.find(entry.handle.get()) {
                place.take_over(entry);
            }
        }
        self.replace(larger.entries());
        true
    }

    /// Makes `new`, which is empty or has a power of two entries, the table in place of the old
    /// one, whose memory is given back.
    fn replace(&self, new: &'static [Entry]) {
        let old = self.entries();
        self.first.set(new.as_ptr());
        self.last.set(new.len().saturating_sub(1) * SIZE);
        if !old.is_empty() {
            // SAFETY: `enlarge` has made the table of a box. No reference to it is left but `old`,
            // which is not used any more.
            drop(unsafe { Box::from_raw(ptr::from_ref(old).cast_mut()) });
        }
    }

    /// The entries of the table; empty if there is none.
    fn entries(&self) -> &'static [Entry] {
        match self.last.get() {
            0 => &[],
            // SAFETY: there is a table, so `replace` has stored the addresses of its first and last
            // entry. Callers use the slice only while the table exists.
            last => unsafe { std::slice::from_raw_parts(self.first.get(), last / SIZE + 1) },
        }
    }
}

impl Entry {
    fn take_over(&self, other: &Self) {
        self.handle.set(other.handle.get());
        self.object.set(other.object.get());
        self.ranks.set(other.ranks.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn empty() -> Communicators {
        Communicators {
            first: Cell::new(ptr::null()),
            last: Cell::new(0),
            used: Cell::new(0),
        }
    }

    /// Properties of a communicator of `size` ranks, which are those of the world.
    fn object(size: u32) -> &'static CachedObject {
        Box::leak(Box::new(CachedObject::of_world(size)))
    }

    /// The size of the communicator in the table.
    fn size(table: &Communicators, comm: Handle) -> Option<u32> {
        Some(table.find(comm).ok()?.object.get()?.ranks.size())
    }

    #[test]
    fn a_table_holds_what_was_added_and_not_removed() {
        // Handles as MPICH counts them and addresses as Open MPI allocates them, so that some
        // collide.
        let handles = |n: usize| [0x8400_0000 + n, 0x5555_0000_1230 + 464 * n];
        let (table, mut expected) = (empty(), BTreeMap::new());
        for n in 0..400 {
            for comm in handles(n) {
                let object = object(n as u32 + 1);
                table.get(comm, || Some(object));
                expected.insert(comm, n as u32 + 1);
            }
            // Every third is removed again, from among those that were added before.
            if n % 3 == 0 {
                for comm in handles(n / 2) {
                    table.remove(comm);
                    expected.remove(&comm);
                }
            }
            assert_eq!(table.used.get(), expected.len());
        }
        for comm in (0..400).flat_map(handles) {
            assert_eq!(size(&table, comm), expected.get(&comm).copied(), "{comm:x}");
        }
        table.clear();
        assert!(
            (0..400)
                .flat_map(handles)
                .all(|comm| table.ranks(comm).is_none())
        );
        table.end();
        assert_eq!(size(&table, handles(1)[0]), None);
    }

    #[test]
    fn a_table_is_bounded_and_takes_new_communicators() {
        let table = empty();
        for comm in 1..=10_000 {
            let object = object(comm as u32);
            table.get(comm, || Some(object));
            assert_eq!(size(&table, comm), Some(comm as u32));
        }
        assert_eq!(table.entries().len(), MOST);
        assert!(table.used.get() * SPARSE <= MOST);
        table.end();
    }

    #[test]
    fn what_is_not_cached_is_asked_for_and_nothing_else() {
        let table = empty();
        table.prepare();
        // SAFETY: the table is prepared.
        assert!(unsafe { table.at_home(7) }.is_none());
        assert!(table.get(7, || None).is_none());
        let object = object(3);
        assert!(table.get(7, || Some(object)).is_some());
        assert!(table.get(7, || unreachable!("it is cached")).is_some());
        table.end();
    }
}
