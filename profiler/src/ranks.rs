//! From a rank in a communicator or window to a rank in the world.

use crate::team::Team;
use crate::world;
use libc::c_int;
use rankfold_abi::Abi;
use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};
use rankfold_profile::Members;
use rankfold_profile::journal::Key;
use std::ptr;
use std::sync::OnceLock;

/// World ranks of one group.
pub(crate) struct Ranks {
    size: u32,
    /// World rank of each, negative outside the world; `None` when they are those of the world in the same order.
    world: Option<Box<[c_int]>>,
    /// Of a topology, once asked for.
    neighbours: OnceLock<Vec<c_int>>,
    /// Of a communicator, once it has called a collective; `None` when MPI would not tell.
    team: OnceLock<Option<Team>>,
}

/// World ranks as [`Ranks`] has them, in the shape that is read quickest; zeroed, of no ranks.
#[derive(Clone, Copy)]
pub(crate) struct Translation {
    size: u32,
    /// Of as many as `size`, or null when they are those of the world in the same order.
    world: *const c_int,
}

impl Default for Translation {
    fn default() -> Self {
        Self {
            size: 0,
            world: ptr::null(),
        }
    }
}

impl Translation {
    /// World rank of `rank`; `None` when there is none.
    ///
    /// # Safety
    /// The ranks this is of are alive.
    #[inline(always)]
    pub(crate) unsafe fn world_rank(self, rank: c_int) -> Option<u32> {
        // What is negative becomes larger than any size.
        let rank = rank.cast_unsigned();
        if rank >= self.size {
            return None;
        }
        if self.world.is_null() {
            return Some(rank);
        }
        // SAFETY: below the size; the rest is the caller's promise.
        let world = unsafe { *self.world.wrapping_add(rank as usize) };
        u32::try_from(world).ok()
    }
}

/// Where a rank is.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    World(u32),
    Outside,
}

impl Place {
    /// What counts what goes there, by `key` within the world.
    pub(crate) fn key(self, key: fn(u32) -> Key) -> Key {
        match self {
            Self::World(rank) => key(rank),
            Self::Outside => Key::Foreign,
        }
    }
}

impl Ranks {
    /// World rank of `rank`; `None` when there is none.
    fn world_rank(&self, rank: c_int) -> Option<u32> {
        // SAFETY: `self` is alive.
        unsafe { self.translation().world_rank(rank) }
    }

    /// Good as long as this is alive.
    pub(crate) fn translation(&self) -> Translation {
        Translation {
            size: self.size,
            world: self
                .world
                .as_ref()
                .map_or(ptr::null(), |world| world.as_ptr()),
        }
    }

    /// Where `rank` is; `None` when there is no such rank.
    pub(crate) fn place(&self, rank: c_int) -> Option<Place> {
        match self.world_rank(rank) {
            Some(world) => Some(Place::World(world)),
            None => (rank.cast_unsigned() < self.size).then_some(Place::Outside),
        }
    }

    /// How many.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    /// All of them, as a profile has them.
    pub(crate) fn members(&self) -> Members {
        let ranks = 0..self.size.cast_signed();
        ranks.map(|rank| self.world_rank(rank)).collect()
    }

    /// The neighbours in the topology, from `ask` the first time; ranks in the same communicator.
    pub(crate) fn neighbours(&self, ask: impl FnOnce() -> Vec<c_int>) -> &[c_int] {
        self.neighbours.get_or_init(ask)
    }

    /// Those who call collectives on the communicator these are the ranks of, from `ask` the first time.
    pub(crate) fn team(&self, ask: impl FnOnce() -> Option<Team>) -> Option<&Team> {
        self.team.get_or_init(ask).as_ref()
    }

    /// Asks MPI about the first `size` ranks of `group` and frees it; local.
    pub(crate) fn of(mut group: Handle, size: c_int, abi: &Abi) -> Result<Self> {
        let found = world::with_group(abi, |all| Self::translate(group, size, all, abi));
        // SAFETY: the caller made it for this.
        unsafe { mpi::group_free(&raw mut group) }?;
        found
    }

    fn translate(group: Handle, size: c_int, all: Handle, abi: &Abi) -> Result<Self> {
        let mut relation = -1;
        // SAFETY: two groups of ours.
        unsafe { mpi::group_compare(group, all, &raw mut relation) }?;
        let same = relation == abi.identical;
        let world = if same {
            None
        } else {
            let ranks: Vec<c_int> = (0..size).collect();
            let mut world = vec![-1; ranks.len()];
            // SAFETY: `size` ranks and as many places.
            unsafe {
                mpi::group_translate_ranks(group, size, ranks.as_ptr(), all, world.as_mut_ptr())
            }?;
            Some(world.into())
        };
        Ok(Self {
            size: size.unsigned_abs(),
            world,
            neighbours: OnceLock::new(),
            team: OnceLock::new(),
        })
    }
}
