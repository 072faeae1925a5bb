//! Every block straight from the member that has it to the one that needs it, in as many steps as
//! there are others.

use super::{Call, Edge, Model, Sink, star};
use rankfold_profile::Operation;

/// See the module.
pub(super) struct Pairwise;

impl Model for Pairwise {
    fn name(&self) -> &'static str {
        "pairwise"
    }

    fn summary(&self) -> &'static str {
        "every block straight from where it is to where it is needed"
    }

    fn expand(&self, call: &Call, sink: Sink<'_>) {
        let part = |member: usize| call.parts(member..member + 1);
        match call.op {
            Operation::Alltoall => pairs(call, |_, _| call.bytes.into(), sink),
            Operation::Allgather | Operation::Allgatherv => pairs(call, |from, _| part(from), sink),
            Operation::ReduceScatter | Operation::ReduceScatterBlock => reduce_scatter(call, sink),
            Operation::Allreduce => {
                reduce_scatter(call, sink);
                pairs(call, |from, _| part(from), sink);
            }
            Operation::Scan | Operation::Exscan => {
                let whole = |from, to| if from < to { call.whole() } else { 0 };
                pairs(call, whole, sink);
            }
            _ => star::TREE.expand(call, sink),
        }
    }

    fn is_dense(&self, call: &Call) -> bool {
        matches!(
            call.op,
            Operation::Alltoall
                | Operation::Allgather
                | Operation::Allgatherv
                | Operation::ReduceScatter
                | Operation::ReduceScatterBlock
                | Operation::Allreduce
                | Operation::Scan
                | Operation::Exscan
        )
    }
}

/// Every member sends every other the part it is to sum up.
pub(super) fn reduce_scatter(call: &Call, sink: Sink<'_>) {
    pairs(call, |_, to| call.parts(to..to + 1), sink);
}

/// Every ordered pair of different members.
pub(super) fn pairs(call: &Call, bytes: impl Fn(usize, usize) -> u128, sink: Sink<'_>) {
    for from in 0..call.members {
        for to in (0..call.members).filter(|&to| to != from) {
            sink(Edge {
                from,
                to,
                bytes: bytes(from, to),
                messages: 1,
            });
        }
    }
}
