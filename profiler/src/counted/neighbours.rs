//! What a neighbourhood collective counts: pairs of ranks and their bytes.

use super::block::Block;
use super::increments::{Increments, size_of};
use super::lookup;
use crate::{epoch, thread};
use rankfold_abi::{self as abi, Handle};
use rankfold_wire::SizeKind;
use rankfold_wire::journal::Key;

/// The arguments of a neighbourhood collective, as the program passed them.
pub(crate) struct Call {
    comm: Handle,
    /// What is sent to each neighbour.
    block: Block,
}

impl Call {
    pub(crate) fn new(comm: Handle, block: Block) -> Self {
        Self { comm, block }
    }

    /// Counts the call now. All that it sends is one burst.
    pub(crate) fn count(&self) {
        if !epoch::counting() {
            return;
        }
        let thread = thread::this();
        let (mut messages, mut sum) = (0_u32, 0_u64);
        self.each(&mut |key, bytes| {
            thread.count(key, bytes);
            if let Key::Sent(_) = key {
                messages += 1;
                sum = sum.wrapping_add(bytes);
            }
        });
        if messages > 0 {
            thread.count_burst(messages, sum);
        }
    }
}

impl Increments for Call {
    fn each(&self, tell: &mut dyn FnMut(Key, u64)) {
        let Some(abi) = abi::get() else {
            return;
        };
        thread::this().catch_up();
        let Some(known) = lookup::communicator(self.comm & abi.mask) else {
            return;
        };
        for (index, &neighbour) in known.neighbours(self.comm, abi).iter().enumerate() {
            // `MPI_PROC_NULL` has no location.
            if let Some(place) = known.ranks.place(neighbour) {
                let (key, bytes) = (place.key(Key::Sent), self.block.bytes(index, abi));
                tell(key, bytes);
                if let Key::Sent(_) = key {
                    tell(size_of(SizeKind::Neighbour, bytes), bytes);
                }
            }
        }
    }
}
