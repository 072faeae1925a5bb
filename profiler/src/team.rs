//! Who calls the collectives of a communicator.

use crate::notebook;
use crate::ranks::Ranks;
use libc::c_int;
use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{self as abi, Abi};
use rankfold_profile::{Communicator, Members};

/// The members of a communicator as this process counts their calls.
pub(crate) struct Team {
    /// This process's rank.
    pub(crate) rank: c_int,
    /// Members of its own group.
    pub(crate) size: u32,
    /// Noted with this process's group as the members.
    pub(crate) ours: u32,
    /// The same the other way round, of an intercommunicator.
    pub(crate) theirs: Option<u32>,
}

impl Team {
    /// Asks MPI about `comm`, which addresses `ranks`; local.
    pub(crate) fn of(comm: Handle, ranks: &Ranks) -> Option<Self> {
        Self::ask(comm, ranks, abi::get()?).ok()
    }

    fn ask(comm: Handle, ranks: &Ranks, abi: &Abi) -> Result<Self> {
        let mut rank = 0;
        // SAFETY: a communicator the program is calling on, here and below.
        unsafe { mpi::comm_rank(comm, &raw mut rank) }?;
        // SAFETY: `comm` is a communicator that the program is calling on.
        if !unsafe { mpi::is_inter(comm) }? {
            return Ok(Self {
                rank,
                size: ranks.size(),
                ours: noted(ranks.members(), Members::default()),
                theirs: None,
            });
        }
        let (mut group, mut size) = (0, 0);
        // SAFETY: as above.
        unsafe { mpi::comm_group(comm, &raw mut group) }?;
        // SAFETY: as above.
        unsafe { mpi::comm_size(comm, &raw mut size) }?;
        let own = Ranks::of(group, size, abi)?;
        Ok(Self {
            rank,
            size: own.size(),
            ours: noted(own.members(), ranks.members()),
            theirs: Some(noted(ranks.members(), own.members())),
        })
    }
}

fn noted(members: Members, remote: Members) -> u32 {
    notebook::communicator(&Communicator { members, remote })
}
