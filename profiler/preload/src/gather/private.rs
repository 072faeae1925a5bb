//! The communicator of this library's own, and each rank's place on it.

use super::lane::Lane;
use super::layout::Place;
use super::tree;
use super::wait::{Result, Trouble};
use crate::process;
use crate::turns::ShortTurns;

/// Once all ranks are known to be here.
pub struct Private {
    /// For what goes from one rank to another.
    pub lane: Lane,
    place: Place,
}

impl Private {
    /// On a duplicate of `world`. Collective.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn new(world: &Lane, place: Place) -> Result<Self> {
        Ok(Self {
            lane: world.duplicate()?,
            place,
        })
    }

    /// On `world` itself, in `MPI_Init`, while the program cannot send anything yet.
    #[must_use]
    pub fn on(world: Lane, place: Place) -> Self {
        Self { lane: world, place }
    }

    /// Hands the bytes of all ranks, in rank order, to `visit` on rank 0 as they come; nothing
    /// elsewhere. Collective.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn gather(&self, bytes: &[u8], visit: &mut dyn FnMut(Vec<u8>)) -> Result {
        tree::gather(&self.lane, &self.place.tree, bytes, visit)
    }

    /// Rank 0's bytes, on every rank; no bytes at all say that it has given up. Collective.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn spread(&self, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let bytes = tree::spread(&self.lane, &self.place.tree, bytes)?;
        if bytes.is_empty() {
            return Err(Trouble::GivenUp);
        }
        Ok(bytes)
    }

    /// For the time of a collective that can be waited for inside of MPI only: short turns where
    /// the ranks of this host outnumber its cores.
    #[must_use]
    pub fn turns(&self) -> Option<ShortTurns> {
        let is_crowded = u64::from(self.place.on_host) > process::cores_of_host();
        is_crowded.then(ShortTurns::begin).flatten()
    }
}
