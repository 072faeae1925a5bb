//! What a neighbourhood collective counts: pairs of ranks and their bytes.

use super::block::Block;
use super::increments::{Increments, size_of};
use super::lookup;
use crate::{epoch, thread, turns};
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
}

impl Increments for Call {
    /// Counts the call now. All that it sends is one burst.
    fn count(&self) {
        if !epoch::counting() {
            return;
        }
        let thread = thread::this();
        let (mut messages, mut sum) = (0_u32, 0_u64);
        let mut sends = Vec::new();
        self.each(&mut |key, bytes| {
            thread.count(key, bytes);
            if let Key::Sent(rank) = key {
                messages += 1;
                sum = sum.wrapping_add(bytes);
                if epoch::watching() {
                    sends.push((rank, bytes));
                }
            }
        });
        if epoch::watching() {
            // A neighbour to which a rank sends mostly sends to it, too. Where it does not, the
            // turns of both do not fit, which is noticed when they are used.
            let senders: Vec<u32> = sends.iter().map(|&(rank, _)| rank).collect();
            turns::record(|log| log.exchange(&sends, &senders));
        }
        if messages > 0 {
            thread.count_burst(messages, sum);
        }
    }

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
