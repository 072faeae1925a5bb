//! The communicator that replaces `MPI_COMM_WORLD`.
//!
//! Every wrapper calls [`exchanged`], so that is two loads, a mask and a comparison. Until the
//! communicator is made, and in a process that is not renumbered, no handle is equal to the one
//! that is looked for.

use libc::c_int;
use rankfold_abi::{Abi, Handle, Symbol, c_name};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A value that no handle of any family has, whatever the mask.
const NONE: Handle = Handle::MAX;

/// The handle that is replaced: `MPI_COMM_WORLD`.
static REPLACED: AtomicUsize = AtomicUsize::new(NONE);
/// The handle that replaces `MPI_COMM_WORLD`.
static REPLACEMENT: AtomicUsize = AtomicUsize::new(NONE);
static MASK: AtomicUsize = AtomicUsize::new(Handle::MAX);
/// The new rank of each process, by the rank that the launcher gave it.
static RANKS: OnceLock<Vec<u32>> = OnceLock::new();

/// The communicator to be used for `comm`: the one that replaces it, or `comm` itself.
#[inline(always)]
pub(crate) fn exchanged(comm: Handle) -> Handle {
    if comm & MASK.load(Ordering::Relaxed) == REPLACED.load(Ordering::Relaxed) {
        REPLACEMENT.load(Ordering::Relaxed)
    } else {
        comm
    }
}

/// The handle that the program knows for `comm`. MPI passes `comm` to a function of the program.
pub(crate) fn as_program_knows(comm: Handle) -> Handle {
    let (replaced, replacement) = (
        REPLACED.load(Ordering::Relaxed),
        REPLACEMENT.load(Ordering::Relaxed),
    );
    if replaced != NONE && comm & MASK.load(Ordering::Relaxed) == replacement {
        replaced
    } else {
        comm
    }
}

/// Whether `comm` is `MPI_COMM_WORLD`, and another communicator replaces it.
pub(crate) fn is_exchanged(comm: Handle) -> bool {
    comm & MASK.load(Ordering::Relaxed) == REPLACED.load(Ordering::Relaxed)
}

/// The communicator that replaces `MPI_COMM_WORLD`, if there is one.
pub(crate) fn replacement() -> Option<Handle> {
    (REPLACED.load(Ordering::Relaxed) != NONE).then(|| REPLACEMENT.load(Ordering::Relaxed))
}

/// The number that Open MPI's Fortran binding gives the communicator that replaces the world, if
/// there is one.
pub(crate) fn number() -> Option<c_int> {
    static NUMBER: Symbol = Symbol::new(c_name!("PMPI_Comm_c2f"));
    let (comm, number) = (replacement()?, NUMBER.get()?);
    // SAFETY: the function has this signature under Open MPI, and the communicator is alive.
    Some(unsafe { rankfold_abi::call!(number.as_ptr(), (Handle), (comm)) })
}

/// Lets `new` replace `MPI_COMM_WORLD` from now on. `processes` holds for every rank the number
/// that the launcher gave its process.
pub(crate) fn exchange(new: Handle, processes: &[u32], abi: &Abi) {
    let mut ranks = vec![0; processes.len()];
    for (rank, &process) in (0..).zip(processes) {
        ranks[process as usize] = rank;
    }
    let _ = RANKS.set(ranks);
    MASK.store(abi.mask, Ordering::Relaxed);
    REPLACEMENT.store(new & abi.mask, Ordering::Relaxed);
    REPLACED.store(abi.comm_world, Ordering::Release);
}

/// Ends the replacement of `MPI_COMM_WORLD`.
pub(crate) fn restore() {
    REPLACED.store(NONE, Ordering::Release);
}

/// The rank of the process to which the launcher gave rank `process`; `None` if the run was never
/// renumbered.
pub(crate) fn rank_of(process: u32) -> Option<u32> {
    RANKS.get()?.get(process as usize).copied()
}

/// The rank that the launcher gave the process of each rank; `None` if the run was never
/// renumbered.
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
        assert_eq!(as_program_knows(NONE), NONE);
        exchange(NEW, &[0, 2, 1], &STANDARD);
        assert_eq!(exchanged(STANDARD.comm_world), NEW);
        assert_eq!(exchanged(STANDARD.comm_self), STANDARD.comm_self);
        assert_eq!(as_program_knows(NEW), STANDARD.comm_world);
        assert_eq!(as_program_knows(STANDARD.comm_self), STANDARD.comm_self);
        assert_eq!((rank_of(2), rank_of(3)), (Some(1), None));
        assert_eq!(processes(), Some(vec![0, 2, 1]));
        restore();
        assert_eq!(exchanged(STANDARD.comm_world), STANDARD.comm_world);
        assert_eq!(replacement(), None);
    }
}
