//! Sizes of datatypes.

use crate::entry::Handle;
use crate::mpi;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts calls of `MPI_Type_free`: handles are reused, so what was known before one may be false after it.
static FREED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The last type asked for, its size, and the value of `FREED` then.
    static LAST: Cell<(Handle, u64, u64)> = const { Cell::new((0, 0, u64::MAX)) };
}

pub(crate) fn forget() {
    FREED.fetch_add(1, Ordering::Relaxed);
}

/// Bytes of one item.
#[inline]
pub(crate) fn size(datatype: Handle) -> Option<u64> {
    let freed = FREED.load(Ordering::Relaxed);
    match LAST.get() {
        (known, size, then) if known == datatype && then == freed => Some(size),
        _ => {
            let size = ask(datatype)?;
            LAST.set((datatype, size, freed));
            Some(size)
        }
    }
}

fn ask(datatype: Handle) -> Option<u64> {
    let mut size = 0;
    // SAFETY: a datatype the program is about to send with.
    unsafe { mpi::type_size(datatype, &raw mut size) }.ok()?;
    if let Ok(size) = u64::try_from(size) {
        return Some(size);
    }
    // `MPI_UNDEFINED`: beyond 2 GiB.
    let mut size = 0;
    // SAFETY: as above.
    unsafe { mpi::type_size_x(datatype, &raw mut size) }.ok()?;
    size.try_into().ok()
}
