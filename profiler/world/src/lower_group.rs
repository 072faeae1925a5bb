//! Which of its two groups an intercommunicator takes for the lower one, under MPICH 5.
//!
//! Half of the collectives between two groups begin with the lower group. Each process keeps, with
//! the intercommunicator, whether its group is the lower one. In a collective, only what the two
//! ranks 0 keep has an effect. If these two disagree, the collective hangs.
//!
//! In `MPI_Intercomm_create` each process compares its launcher's number with that of the other
//! group's rank 0. The ranks 0 compare each other, so they agree. Other processes of a group decide
//! otherwise than its rank 0 where the launcher's numbers of the two groups are mixed.
//!
//! `MPI_Comm_create` and `MPI_Comm_split` make an intercommunicator of another one. Its processes
//! keep what they have decided for the other one. A process that becomes rank 0 there can disagree
//! with the other rank 0. Renumbering mixes the launcher's numbers of groups that a program has
//! kept apart. So this module lets `MPI_Intercomm_create` make such an intercommunicator once more.

use crate::world;
use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{Abi, Address, Handle};
use rankfold_preload::{comm, process};
use std::sync::OnceLock;

/// Makes the communicator at `made` once more, if MPI has made it of the intercommunicator `of` and
/// its ranks 0 may disagree about the lower group. Collective among the processes of the
/// communicator.
///
/// # Safety
/// The communicator `of` is alive. At the address `made` is `MPI_COMM_NULL`, or a communicator that
/// the program has not used yet.
pub(crate) unsafe fn agree(of: Handle, made: Address) -> Result {
    let Some(abi) = rankfold_abi::get().filter(|_| is_in_doubt()) else {
        return Ok(());
    };
    // SAFETY: the caller guarantees that a handle is at the address.
    let new = unsafe { abi.handle_at(made, 0) };
    if new & abi.mask == abi.comm_null || !is_between_groups(of)? {
        return Ok(());
    }
    let leaders = Leaders::of(new, abi)?;
    if leaders.are_of_this_launch() && leaders != Leaders::of(of, abi)? {
        let agreed = once_more(new, leaders.own > leaders.other)?;
        // SAFETY: the caller guarantees that a handle is at the address.
        unsafe { abi.store_handle(made, agreed) };
    }
    Ok(())
}

/// Whether this library has renumbered the ranks, and each process decides for itself.
fn is_in_doubt() -> bool {
    static DECIDES_BY_PROCESS: OnceLock<bool> = OnceLock::new();
    world::replacement().is_some()
        && *DECIDES_BY_PROCESS.get_or_init(|| decides_by_process(&process::library()))
}

/// Whether each process decides for itself in this version of MPI.
fn decides_by_process(version: &str) -> bool {
    version.starts_with("MPICH Version: 5.")
}

/// Whether the communicator, which is alive, is an intercommunicator.
fn is_between_groups(comm: Handle) -> Result<bool> {
    let mut is_inter = 0;
    // SAFETY: the caller guarantees that the communicator is alive.
    unsafe { mpi::comm_test_inter(comm, &raw mut is_inter) }?;
    Ok(is_inter != 0)
}

/// The launcher's numbers of the processes that are rank 0 of the two groups. A process of another
/// launch has a number below zero.
#[derive(PartialEq)]
struct Leaders {
    own: c_int,
    other: c_int,
}

impl Leaders {
    /// `comm` is alive and has two groups.
    fn of(comm: Handle, abi: &Abi) -> Result<Self> {
        let (mut world, mut own, mut other) = (0, 0, 0);
        // SAFETY: this library calls MPI behind its own wrappers, where the world is the
        // launcher's.
        unsafe { mpi::comm_group(abi.comm_world, &raw mut world) }?;
        // SAFETY: the caller guarantees that the communicator is alive.
        unsafe { mpi::comm_group(comm, &raw mut own) }?;
        // SAFETY: the caller guarantees that the communicator is alive and has two groups.
        unsafe { mpi::comm_remote_group(comm, &raw mut other) }?;
        let leaders = Self {
            own: number_of_first(own, world)?,
            other: number_of_first(other, world)?,
        };
        for mut group in [world, own, other] {
            // SAFETY: the group was made above, and is not used any more.
            unsafe { mpi::group_free(&raw mut group) }?;
        }
        Ok(leaders)
    }

    fn are_of_this_launch(&self) -> bool {
        self.own >= 0 && self.other >= 0
    }
}

/// The number in `world` of the process that is rank 0 of `group`. Both groups are alive.
fn number_of_first(group: Handle, world: Handle) -> Result<c_int> {
    let (first, mut number) = (0, 0);
    // SAFETY: the caller guarantees that the groups are alive, and each list is one number on this
    // stack.
    unsafe { mpi::group_translate_ranks(group, 1, &raw const first, world, &raw mut number) }?;
    Ok(number)
}

/// Makes an intercommunicator with the groups and the error handler of `old`, and frees `old`. The
/// processes of one group pass true for `is_upper`. Collective.
fn once_more(mut old: Handle, is_upper: bool) -> Result<Handle> {
    let side = c_int::from(is_upper);
    let (mut rank, mut size) = (0, 0);
    // SAFETY: the caller guarantees that the communicator is alive.
    unsafe { mpi::comm_rank(old, &raw mut rank) }?;
    // SAFETY: the caller guarantees that the communicator is alive.
    unsafe { mpi::comm_size(old, &raw mut size) }?;
    let (mut both, mut group, mut new) = (0, 0, 0);
    // SAFETY: the communicator is alive. The groups pass different values, so MPI does not ask
    // which group is the lower one.
    unsafe { mpi::intercomm_merge(old, side, &raw mut both) }?;
    // SAFETY: the communicator was made above.
    unsafe { mpi::comm_split(both, side, rank, &raw mut group) }?;
    let other = if is_upper { 0 } else { size };
    // SAFETY: both communicators were made above, and the upper group follows the lower in `both`.
    unsafe { mpi::intercomm_create(group, 0, both, other, 0, &raw mut new) }?;
    comm::inherit_handler(old, new)?;
    for comm in [&mut both, &mut group, &mut old] {
        // SAFETY: the communicator was made for this call, and no operation is under way on it.
        unsafe { mpi::comm_free(comm) }?;
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_decide_in_mpich_5() {
        assert!(decides_by_process("MPICH Version: 5.0.2"));
        assert!(!decides_by_process("MPICH Version: 4.0.2"));
        assert!(!decides_by_process("Open MPI v5.0.11"));
    }
}
