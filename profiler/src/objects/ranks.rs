//! From a rank in a communicator or window to a rank in the world.

use super::world;
use libc::c_int;
use rankfold_abi::mpi::{self, MpiError, Result};
use rankfold_abi::{Abi, Handle};
use rankfold_profile::Members;
use rankfold_profile::journal::Key;
use std::collections::TryReserveError;
use std::ptr;

/// `MPI_ERR_NO_MEM` of Open MPI; only told.
const NO_MEMORY: c_int = 34;

/// World ranks of one group.
pub(crate) struct Ranks {
    size: u32,
    /// World rank of each, negative outside the world; `None` when they are those of the world in the same order.
    world: Option<Box<[c_int]>>,
}

/// World ranks as [`Ranks`] has them, in the shape that is read quickest. All bytes zero, it holds no ranks.
#[derive(Clone, Copy)]
pub(crate) struct Translation {
    size: u32,
    /// An array of `size` world ranks, or null when they are those of the world in the same order.
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
    /// The [`Ranks`] whose translation this is are alive.
    #[inline(always)]
    pub(crate) unsafe fn world_rank(self, rank: c_int) -> Option<u32> {
        // A negative rank becomes larger than any size.
        let rank = rank.cast_unsigned();
        if rank >= self.size {
            return None;
        }
        if self.world.is_null() {
            return Some(rank);
        }
        // SAFETY: `rank` is below the size of the array, which the caller promises is alive.
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
    /// The key under which bytes to this place are counted; `key` makes it of a world rank.
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
        // SAFETY: the translation is of `self`, which is alive.
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

    /// Asks MPI about the first `size` ranks of `group` and frees it; local.
    ///
    /// # Safety
    /// `group` is a group of at least `size` ranks, which was made for this call.
    pub(crate) unsafe fn of(mut group: Handle, size: c_int, abi: &Abi) -> Result<Self> {
        let found = world::with_group(abi, |all| {
            // SAFETY: the caller vouches for the group and its size; `with_group` passes that of the world.
            unsafe { Self::translate(group, size, all, abi) }
        });
        // SAFETY: the caller made the group for this call, and nobody has kept it.
        unsafe { mpi::group_free(&raw mut group) }?;
        found
    }

    /// # Safety
    /// `group` is a group of at least `size` ranks, and `all` that of the world.
    unsafe fn translate(group: Handle, size: c_int, all: Handle, abi: &Abi) -> Result<Self> {
        let mut relation = -1;
        // SAFETY: the caller vouches for both groups; the result is an integer on this stack.
        unsafe { mpi::group_compare(group, all, &raw mut relation) }?;
        let same = relation == abi.identical;
        let world = if same {
            None
        } else {
            let length = usize::try_from(size).unwrap_or(0);
            let (mut ranks, mut world) = (Vec::new(), Vec::new());
            let room: std::result::Result<(), TryReserveError> = ranks
                .try_reserve_exact(length)
                .and_then(|()| world.try_reserve_exact(length));
            room.map_err(|_| MpiError("Alloc_mem", NO_MEMORY))?;
            ranks.extend(0..size);
            world.resize(length, -1);
            // SAFETY: the caller vouches for both groups; both arrays hold `size` ranks.
            unsafe {
                mpi::group_translate_ranks(group, size, ranks.as_ptr(), all, world.as_mut_ptr())
            }?;
            Some(world.into())
        };
        Ok(Self {
            size: size.unsigned_abs(),
            world,
        })
    }
}
