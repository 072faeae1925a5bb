//! From the arguments of a neighbourhood collective to pairs and bytes.

use super::block::Block;
use super::increments::Increments;
use super::lookup;
use crate::{epoch, thread};
use rankfold_abi::{self as abi, Handle};
use rankfold_profile::journal::Key;

/// A neighbourhood collective, as the program described it.
pub(crate) struct Call {
    comm: Handle,
    /// What goes to each neighbour.
    block: Block,
}

impl Call {
    pub(crate) fn new(comm: Handle, block: Block) -> Self {
        Self { comm, block }
    }
}

impl Increments for Call {
    fn each(&self, tell: &mut dyn FnMut(Key, u64)) {
        let Some(abi) = abi::get().filter(|_| epoch::counting()) else {
            return;
        };
        thread::this().catch_up();
        let Some(known) = lookup::communicator(self.comm & abi.mask) else {
            return;
        };
        for (index, &neighbour) in known.neighbours(self.comm, abi).iter().enumerate() {
            // `MPI_PROC_NULL` has no place.
            if let Some(place) = known.ranks.place(neighbour) {
                tell(place.key(Key::Sent), self.block.bytes(index, abi));
            }
        }
    }
}
