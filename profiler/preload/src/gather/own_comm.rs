//! The communicator on which the library itself communicates.

use super::endpoint::Endpoint;
use super::layout::TreePosition;
use super::tree;
use super::wait::{Result, Trouble};
use crate::process;
use crate::yield_timer::YieldTimer;

/// A communicator for the library's own messages, and the position of this rank in the tree along
/// which data is gathered. It exists once all ranks are known to have loaded the library.
pub struct OwnComm {
    /// For messages from one rank to another.
    pub endpoint: Endpoint,
    place: TreePosition,
}

impl OwnComm {
    /// Duplicates `world`. Collective.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn new(world: &Endpoint, place: TreePosition) -> Result<Self> {
        Ok(Self {
            endpoint: world.duplicate()?,
            place,
        })
    }

    /// Uses `world` itself. That is possible in `MPI_Init`, while the program cannot send anything
    /// yet.
    #[must_use]
    pub fn on(world: Endpoint, place: TreePosition) -> Self {
        Self {
            endpoint: world,
            place,
        }
    }

    /// Passes the bytes of all ranks, in rank order, to `visit` on rank 0, as they arrive. On other
    /// ranks `visit` is not called. Collective.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn gather(&self, bytes: &[u8], visit: &mut dyn FnMut(Vec<u8>)) -> Result {
        tree::gather(&self.endpoint, &self.place.tree, bytes, visit)
    }

    /// Sends rank 0's bytes to every rank, and returns them. No bytes at all mean that rank 0 has
    /// given up. Collective.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn spread(&self, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let bytes = tree::spread(&self.endpoint, &self.place.tree, bytes)?;
        if bytes.is_empty() {
            return Err(Trouble::GivenUp);
        }
        Ok(bytes)
    }

    /// Whether all ranks of the world are on one host, by its name and by what the launcher has
    /// told every rank. All ranks get the same answer.
    #[must_use]
    pub fn is_one_host(&self) -> bool {
        self.place.is_one_host
    }

    /// Makes this thread give up its core early while the returned value lives, if the ranks of
    /// this host outnumber its cores. It is used around collectives that MPI offers in blocking
    /// form only.
    #[must_use]
    pub fn yield_timer(&self) -> Option<YieldTimer> {
        let is_crowded = u64::from(self.place.on_host) > process::cores_of_host();
        is_crowded.then(YieldTimer::begin).flatten()
    }
}
