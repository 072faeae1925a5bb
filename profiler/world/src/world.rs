//! The communicator that stands for `MPI_COMM_WORLD`.
//!
//! Every wrapper asks [`exchanged`], so it is two loads, a mask and a comparison. Until a world is
//! made, and in a process that is not renumbered, nothing is equal to the handle that is looked
//! for.

use libc::c_int;
use rankfold_abi::{Abi, Handle, Symbol, c_name};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// No handle of any family, whatever the mask.
const NONE: Handle = Handle::MAX;

/// What the program says: `MPI_COMM_WORLD`.
static SAID: AtomicUsize = AtomicUsize::new(NONE);
/// What it gets.
static MEANT: AtomicUsize = AtomicUsize::new(NONE);
static MASK: AtomicUsize = AtomicUsize::new(Handle::MAX);
/// Entry p is the rank of the process to which the launcher gave rank p.
static RANKS: OnceLock<Vec<u32>> = OnceLock::new();

/// The communicator that a call with `comm` is for.
#[inline(always)]
pub(crate) fn exchanged(comm: Handle) -> Handle {
    if comm & MASK.load(Ordering::Relaxed) == SAID.load(Ordering::Relaxed) {
        MEANT.load(Ordering::Relaxed)
    } else {
        comm
    }
}

/// The handle that the program knows for `comm`, which MPI passes to a function of the program's.
pub(crate) fn as_said(comm: Handle) -> Handle {
    let (said, meant) = (SAID.load(Ordering::Relaxed), MEANT.load(Ordering::Relaxed));
    if said != NONE && comm & MASK.load(Ordering::Relaxed) == meant {
        said
    } else {
        comm
    }
}

/// Whether `comm` is `MPI_COMM_WORLD`, and another communicator stands for it.
pub(crate) fn is_exchanged(comm: Handle) -> bool {
    comm & MASK.load(Ordering::Relaxed) == SAID.load(Ordering::Relaxed)
}

/// The communicator that stands for `MPI_COMM_WORLD`, where there is one.
pub(crate) fn meant() -> Option<Handle> {
    (SAID.load(Ordering::Relaxed) != NONE).then(|| MEANT.load(Ordering::Relaxed))
}

/// The number that Open MPI's binding gives the communicator that stands for the world, where there
/// is one.
pub(crate) fn number() -> Option<c_int> {
    static NUMBER: Symbol = Symbol::new(c_name!("PMPI_Comm_c2f"));
    let (comm, number) = (meant()?, NUMBER.get()?);
    // SAFETY: the function has this signature under Open MPI, and the communicator is alive.
    Some(unsafe { rankfold_abi::call!(number.as_ptr(), (Handle), (comm)) })
}

/// From now on `new` stands for `MPI_COMM_WORLD`. `processes` says of every rank which one the
/// launcher gave that process.
pub(crate) fn exchange(new: Handle, processes: &[u32], abi: &Abi) {
    let mut ranks = vec![0; processes.len()];
    for (rank, &process) in (0..).zip(processes) {
        ranks[process as usize] = rank;
    }
    let _ = RANKS.set(ranks);
    MASK.store(abi.mask, Ordering::Relaxed);
    MEANT.store(new & abi.mask, Ordering::Relaxed);
    SAID.store(abi.comm_world, Ordering::Release);
}

/// `MPI_COMM_WORLD` is itself again.
pub(crate) fn restore() {
    SAID.store(NONE, Ordering::Release);
}

/// The rank of the process to which the launcher gave rank `process`, in a run that is renumbered
/// or was.
pub(crate) fn rank_of(process: u32) -> Option<u32> {
    RANKS.get()?.get(process as usize).copied()
}

/// Entry r is the rank that the launcher gave the process of rank r, in a run that is renumbered or
/// was.
pub(crate) fn processes() -> Option<Vec<u32>> {
    let ranks = RANKS.get()?;
    let mut processes = vec![0; ranks.len()];
    for (process, &rank) in (0..).zip(ranks) {
        processes[rank as usize] = process;
    }
    Some(processes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_abi::STANDARD;

    #[test]
    fn the_world_alone_is_exchanged_and_only_while_it_is_renumbered() {
        const NEW: Handle = 0x7fff_0010;
        assert_eq!(exchanged(STANDARD.comm_world), STANDARD.comm_world);
        assert_eq!(as_said(NONE), NONE);
        exchange(NEW, &[0, 2, 1], &STANDARD);
        assert_eq!(exchanged(STANDARD.comm_world), NEW);
        assert_eq!(exchanged(STANDARD.comm_self), STANDARD.comm_self);
        assert_eq!(as_said(NEW), STANDARD.comm_world);
        assert_eq!(as_said(STANDARD.comm_self), STANDARD.comm_self);
        assert_eq!((rank_of(2), rank_of(3)), (Some(1), None));
        assert_eq!(processes(), Some(vec![0, 2, 1]));
        restore();
        assert_eq!(exchanged(STANDARD.comm_world), STANDARD.comm_world);
        assert_eq!(meant(), None);
    }
}
