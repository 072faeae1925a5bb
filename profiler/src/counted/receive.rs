//! A receive: from which rank of the world.

use super::lookup;
use crate::objects::ranks::RankLocation;
use crate::turns::ANYONE;
use libc::c_int;
use rankfold_abi::{self as abi, Handle};

/// A receive, as the program asked for it.
#[derive(Clone, Copy)]
pub(crate) struct Receive {
    comm: Handle,
    source: c_int,
}

impl Receive {
    #[inline(always)]
    pub(crate) fn new(comm: Handle, source: c_int) -> Self {
        Self { comm, source }
    }

    /// The rank of the world from which it receives, or [`ANYONE`]; `None` for `MPI_PROC_NULL` and
    /// for processes outside the world. MPI must have accepted the arguments.
    pub(crate) fn from(self) -> Option<u32> {
        let abi = abi::get().filter(|abi| self.source != abi.proc_null)?;
        if self.source == abi.any_source {
            return Some(ANYONE);
        }
        match lookup::communicator(self.comm & abi.mask)?
            .ranks
            .place(self.source)?
        {
            RankLocation::World(rank) => Some(rank),
            RankLocation::Outside => None,
        }
    }
}
