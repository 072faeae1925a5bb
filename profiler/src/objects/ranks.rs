//! Translates ranks in a communicator or window to ranks in the world.
//!
//! MPI is asked about a rank when the rank is first used. A communicator of a whole machine may
//! carry a few messages only, and some MPI libraries search the whole world for every rank that
//! they translate.

use super::world;
use super::zeros::Zeros;
use libc::c_int;
use rankfold_abi::mpi::{self, MpiError, Result};
use rankfold_abi::{self as abi, Abi, Handle};
use rankfold_wire::Members;
use rankfold_wire::journal::Key;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// `MPI_ERR_NO_MEM` of Open MPI. It is used in messages only.
const NO_MEMORY: c_int = 34;

/// Stands for a world rank + 1 until MPI was asked.
const UNKNOWN: i32 = 0;
/// Stands for a world rank + 1 if the process is outside the world.
const OUTSIDE: i32 = -1;

/// The world ranks of one group.
pub(crate) struct Ranks {
    size: u32,
    /// `None` if the ranks of the group are those of the world, in the same order.
    others: Option<Others>,
}

/// A group whose ranks differ from those of the world.
struct Others {
    group: Handle,
    /// For each rank its world rank + 1, or [`UNKNOWN`], or [`OUTSIDE`]. `None` beyond the bound of
    /// memory: MPI is asked about a rank every time then.
    known: Option<Zeros>,
}

/// The world ranks of [`Ranks`] in the form that is read fastest. With all bytes zero it holds no
/// ranks.
#[derive(Clone, Copy)]
pub(crate) struct Translation {
    size: u32,
    /// The address of the array of [`Others`], with `size` items. Null if the ranks are those of
    /// the world in the same order.
    known: *const AtomicI32,
}

impl Default for Translation {
    fn default() -> Self {
        Self::none()
    }
}

impl Translation {
    /// The world ranks of no ranks.
    pub(crate) const fn none() -> Self {
        Self {
            size: 0,
            known: ptr::null(),
        }
    }

    /// World rank of `rank`; `None` if there is no such rank, or MPI was not asked about it yet.
    ///
    /// # Safety
    /// The [`Ranks`] that returned this value are alive.
    #[inline(always)]
    pub(crate) unsafe fn world_rank(self, rank: c_int) -> Option<u32> {
        // As an unsigned number, a negative rank is larger than any size.
        let rank = rank.cast_unsigned();
        if rank >= self.size {
            return None;
        }
        if self.known.is_null() {
            return Some(rank);
        }
        // SAFETY: `rank` is below the length of the array, and the caller guarantees that the array
        // is alive.
        let known = unsafe { &*self.known.wrapping_add(rank as usize) };
        world_rank(known.load(Relaxed))
    }
}

/// The location of a rank: a rank of the world, or a process outside of it.
#[derive(Clone, Copy)]
pub(crate) enum RankLocation {
    World(u32),
    Outside,
}

impl RankLocation {
    /// The key under which bytes to this location are counted. `key` makes the key of a world rank.
    pub(crate) fn key(self, key: fn(u32) -> Key) -> Key {
        match self {
            Self::World(rank) => key(rank),
            Self::Outside => Key::Foreign,
        }
    }
}

/// The world rank for an item of the array of [`Others`].
#[inline(always)]
fn world_rank(known: i32) -> Option<u32> {
    u32::try_from(known - 1).ok()
}

impl Ranks {
    /// The world ranks in a form that is valid as long as `self` is alive.
    pub(crate) fn translation(&self) -> Translation {
        match &self.others {
            None => Translation {
                size: self.size,
                known: ptr::null(),
            },
            Some(others) => {
                others
                    .known
                    .as_ref()
                    .map_or(Translation::none(), |known| Translation {
                        size: self.size,
                        known: known.as_slice().as_ptr(),
                    })
            }
        }
    }

    /// The location of `rank`; `None` if there is no such rank, or MPI returned an error.
    pub(crate) fn place(&self, rank: c_int) -> Option<RankLocation> {
        let index = rank.cast_unsigned();
        if index >= self.size {
            return None;
        }
        let Some(others) = &self.others else {
            return Some(RankLocation::World(index));
        };
        let place = others.place(index as usize);
        let known = place.map_or(UNKNOWN, |place| place.load(Relaxed));
        let known = match known {
            UNKNOWN => *others.ask(&[rank]).ok()?.first()?,
            known => known,
        };
        Some(world_rank(known).map_or(RankLocation::Outside, RankLocation::World))
    }

    /// Whether these are the ranks of the world, in the same order.
    pub(crate) fn are_world(&self) -> bool {
        self.others.is_none()
    }

    /// Number of ranks.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    /// All ranks, in the form of the profile; `None` if MPI returned an error.
    pub(crate) fn members(&self) -> Option<Members> {
        let Some(others) = &self.others else {
            return Some((0..self.size).map(Some).collect());
        };
        let all: Vec<c_int> = (0..self.size.cast_signed()).collect();
        let members = others.ask(&all).ok()?;
        Some(members.into_iter().map(world_rank).collect())
    }

    /// `size` ranks that are those of the world.
    #[cfg(test)]
    pub(crate) fn of_world(size: u32) -> Self {
        Self { size, others: None }
    }

    /// The first `size` ranks of `group`. The group is freed with the returned value. Local.
    ///
    /// # Safety
    /// `group` is a group of at least `size` ranks that was made for this call. MPI is asked about
    /// it until the returned value is dropped.
    pub(crate) unsafe fn of(mut group: Handle, size: c_int, abi: &Abi) -> Result<Self> {
        let same = world::with_group(abi, |all| Ok((group ^ all) & abi.mask == 0));
        let length = size.unsigned_abs() as usize;
        let others = match same {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some(Zeros::new(length))),
            Err(error) => Err(error),
        };
        if let Ok(Some(known)) = others {
            return Ok(Self {
                size: size.unsigned_abs(),
                others: Some(Others { group, known }),
            });
        }
        // SAFETY: the caller made the group for this call, and it is not used any more.
        unsafe { mpi::group_free(&raw mut group) }?;
        others.map(|_| Self {
            size: size.unsigned_abs(),
            others: None,
        })
    }
}

impl Others {
    /// The place where the world rank of `index` is kept, if such are kept.
    fn place(&self, index: usize) -> Option<&AtomicI32> {
        self.known.as_ref()?.as_slice().get(index)
    }

    /// Asks MPI about some ranks. The results are their world ranks + 1, or [`OUTSIDE`].
    fn ask(&self, ranks: &[c_int]) -> Result<Vec<i32>> {
        let abi = abi::get().ok_or(MpiError("Abi", abi::ERR_ABSENT))?;
        let mut found = Vec::new();
        found
            .try_reserve_exact(ranks.len())
            .map_err(|_| MpiError("Alloc_mem", NO_MEMORY))?;
        found.resize(ranks.len(), -1);
        let number = ranks.len() as c_int;
        world::with_group(abi, |all| {
            // SAFETY: the group lives as long as `self` and has these ranks. `with_group` passes
            // the group of the world. Both arrays have as many items as the call is told.
            unsafe {
                mpi::group_translate_ranks(
                    self.group,
                    number,
                    ranks.as_ptr(),
                    all,
                    found.as_mut_ptr(),
                )
            }
        })?;
        for (&rank, found) in ranks.iter().zip(&mut found) {
            // `MPI_UNDEFINED` is negative in every MPI library.
            *found = if *found < 0 { OUTSIDE } else { *found + 1 };
            if let Some(place) = self.place(rank.unsigned_abs() as usize) {
                place.store(*found, Relaxed);
            }
        }
        Ok(found)
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        // SAFETY: the group was made for `Ranks::of`, and only `self` uses it. Its communicator or
        // window is being freed, so MPI is still initialised.
        let _ = unsafe { mpi::group_free(&raw mut self.group) };
    }
}
