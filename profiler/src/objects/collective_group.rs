//! The processes that call the collectives of a communicator.

use super::ranks::Ranks;
use crate::journal::notes;
use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{self as abi, Abi, Handle};
use rankfold_wire::{Communicator, Members};

/// The groups of a communicator, by the numbers that they have in the notes of this process.
pub(crate) struct CollectiveGroup {
    /// The rank of this process in its own group.
    pub(crate) rank: c_int,
    /// The size of its own group.
    pub(crate) size: u32,
    /// Number of the communicator whose members are this process's own group. Its `remote` is the
    /// remote group of an intercommunicator.
    pub(crate) local: u32,
    /// Number of the same intercommunicator as seen from the other side, where the members are the
    /// remote group. `None` for an intracommunicator.
    pub(crate) remote: Option<u32>,
}

impl CollectiveGroup {
    /// Asks MPI about `comm`, on which the program is calling. A rank argument on `comm` names one
    /// of `ranks`. `None` beyond the bound of memory. Local.
    pub(crate) fn of(comm: Handle, ranks: &Ranks) -> Option<Self> {
        Self::ask(comm, ranks, &ranks.members()?, abi::get()?).ok()?
    }

    /// As [`Self::of`]; `members` are all of `ranks`.
    fn ask(comm: Handle, ranks: &Ranks, members: &Members, abi: &Abi) -> Result<Option<Self>> {
        let mut rank = 0;
        // SAFETY: `comm` is a communicator on which the program is calling.
        unsafe { mpi::comm_rank(comm, &raw mut rank) }?;
        // SAFETY: `comm` is a communicator on which the program is calling.
        if !unsafe { mpi::is_inter(comm) }? {
            let local = number(members.clone(), Members::default());
            return Ok(local.map(|local| Self {
                rank,
                size: ranks.size(),
                local,
                remote: None,
            }));
        }
        let (mut group, mut size) = (0, 0);
        // SAFETY: `comm` is a communicator on which the program is calling.
        unsafe { mpi::comm_group(comm, &raw mut group) }?;
        // SAFETY: `comm` is a communicator on which the program is calling.
        unsafe { mpi::comm_size(comm, &raw mut size) }?;
        // SAFETY: the group was made above, is used nowhere else, and has the size of the
        // communicator.
        let own = unsafe { Ranks::of(group, size, abi) }?;
        Ok(own.members().and_then(|own| {
            Some(Self {
                rank,
                size: size.unsigned_abs(),
                local: number(own.clone(), members.clone())?,
                remote: Some(number(members.clone(), own)?),
            })
        }))
    }
}

fn number(members: Members, remote: Members) -> Option<u32> {
    notes::communicator(&Communicator { members, remote })
}
