//! From a rank in a communicator or window to a rank in the world.

use crate::abi::Abi;
use crate::entry::Handle;
use crate::mpi::{self, Result};
use libc::c_int;
use std::sync::OnceLock;

/// World ranks of one group.
pub(crate) struct Ranks {
    size: u32,
    /// World rank of each, negative outside the world; `None` when they are those of the world in the same order.
    world: Option<Box<[c_int]>>,
    /// Of a topology, once asked for.
    neighbours: OnceLock<Vec<c_int>>,
}

impl Ranks {
    /// World rank of `rank`; `None` when there is none.
    #[inline(always)]
    pub(crate) fn world_rank(&self, rank: c_int) -> Option<u32> {
        // What is negative becomes larger than any size.
        let rank = rank.cast_unsigned();
        match &self.world {
            Some(world) => u32::try_from(*world.get(rank as usize)?).ok(),
            None => (rank < self.size).then_some(rank),
        }
    }

    /// The neighbours in the topology, from `ask` the first time; ranks in the same communicator.
    pub(crate) fn neighbours(&self, ask: impl FnOnce() -> Vec<c_int>) -> &[c_int] {
        self.neighbours.get_or_init(ask)
    }

    /// Asks MPI about `group` and frees it; local.
    pub(crate) fn of(mut group: Handle, abi: &Abi) -> Result<Self> {
        let mut all = 0;
        // SAFETY: the world lives between Init and Finalize.
        unsafe { mpi::comm_group(abi.comm_world, &raw mut all) }?;
        let found = Self::translate(group, all, abi);
        // SAFETY: the caller made it for this.
        unsafe { mpi::group_free(&raw mut group) }?;
        // SAFETY: made above.
        unsafe { mpi::group_free(&raw mut all) }?;
        found
    }

    fn translate(group: Handle, all: Handle, abi: &Abi) -> Result<Self> {
        let (mut size, mut relation) = (0, -1);
        // SAFETY: a group of ours.
        unsafe { mpi::group_size(group, &raw mut size) }?;
        // SAFETY: two groups of ours.
        unsafe { mpi::group_compare(group, all, &raw mut relation) }?;
        if relation == abi.identical {
            return Ok(Self {
                size: size.unsigned_abs(),
                world: None,
                neighbours: OnceLock::new(),
            });
        }
        let ranks: Vec<c_int> = (0..size).collect();
        let mut world = vec![-1; ranks.len()];
        // SAFETY: `size` ranks and as many places.
        unsafe {
            mpi::group_translate_ranks(group, size, ranks.as_ptr(), all, world.as_mut_ptr())
        }?;
        Ok(Self {
            size: size.unsigned_abs(),
            world: Some(world.into()),
            neighbours: OnceLock::new(),
        })
    }
}
