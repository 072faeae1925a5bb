//! Bruck's algorithms: members at distances 1, 2, 4, ... around the ring, for any number of them
//! (Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE TPDS 8(11), 1997).

use super::{Call, Edge, Model, Sink, binomial};
use rankfold_profile::Operation;

/// See the module.
pub(super) struct Bruck;

impl Model for Bruck {
    fn name(&self) -> &'static str {
        "bruck"
    }

    fn summary(&self) -> &'static str {
        "allgather and alltoall in log2 steps around the ring; the others along a binomial tree"
    }

    fn expand(&self, call: &Call, sink: Sink<'_>) {
        match call.op {
            Operation::Allgather | Operation::Allgatherv => allgather(call, sink),
            Operation::Alltoall => alltoall(call, sink),
            _ => binomial::TREE.expand(call, sink),
        }
    }

    fn is_dense(&self, _: &Call) -> bool {
        false
    }
}

/// At distance d every member sends back the blocks of the d members from itself on, or those still
/// missing there.
pub(super) fn allgather(call: &Call, sink: Sink<'_>) {
    let members = call.members;
    let mut distance = 1;
    while distance < members {
        let blocks = distance.min(members - distance);
        for from in 0..members {
            let end = from + blocks;
            let wrapped = end.saturating_sub(members);
            sink(Edge {
                from,
                to: (from + members - distance) % members,
                bytes: call.parts(from..end - wrapped) + call.parts(0..wrapped),
                messages: 1,
            });
        }
        distance *= 2;
    }
}

/// At distance d every member sends on the blocks whose way around the ring has the bit d in it.
pub(super) fn alltoall(call: &Call, sink: Sink<'_>) {
    let members = call.members;
    let mut distance = 1;
    while distance < members {
        let blocks = (0..members).filter(|way| way & distance != 0).count();
        for from in 0..members {
            sink(Edge {
                from,
                to: (from + distance) % members,
                bytes: u128::from(call.bytes) * blocks as u128,
                messages: 1,
            });
        }
        distance *= 2;
    }
}
