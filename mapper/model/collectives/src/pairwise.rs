//! Model `pairwise`: every block goes straight from the member that has it to the member that needs
//! it.
//!
//! Every member exchanges data with every other member, one in each step: n - 1 steps for n members
//! and n (n - 1) edges (Thakur, Rabenseifner & Gropp 2005, cited in the model `mpich`).

use super::{Call, Edge, Model, Sink, star};
use rankfold_wire::Operation;

/// The model `pairwise`.
pub(super) struct Pairwise;

impl Model for Pairwise {
    described!(
        "pairwise",
        "every block straight from where it is to where it is needed"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
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

    fn is_dense(&self, call: &Call<'_>) -> bool {
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

/// Reduce-scatter: every member sends to every other member the part which that member sums up.
pub(super) fn reduce_scatter(call: &Call<'_>, sink: Sink<'_>) {
    pairs(call, |_, to| call.parts(to..to + 1), sink);
}

/// Emits an edge for every ordered pair of different members.
pub(super) fn pairs(call: &Call<'_>, bytes: impl Fn(usize, usize) -> u128, sink: Sink<'_>) {
    for from in 0..call.members {
        for to in (0..call.members).filter(|&to| to != from) {
            sink(Edge::once(from, to, bytes(from, to)));
        }
    }
}
