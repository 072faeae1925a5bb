//! Collectives on an intercommunicator: data go straight from one group to the other.
//!
//! The members of the calling group are numbered from the root (from 0 if there is none). The
//! members of the remote group follow them.

use super::{Call, Edge, Sink, binomial, share};
use rankfold_wire::Operation;

/// Whether every member of one group sends to every member of the other.
pub(super) fn is_dense(op: Operation) -> bool {
    matches!(
        op,
        Operation::Allgather | Operation::Allgatherv | Operation::Alltoall
    )
}

/// Emits what the calling group contributes to the `others` members of the remote group.
pub(super) fn expand(call: &Call<'_>, others: usize, sink: Sink<'_>) {
    let bytes = u128::from(call.bytes);
    let other_side = call.members..call.members + others;
    let mut edge = |from, to, bytes| {
        sink(Edge::once(from, to, bytes));
    };
    match call.op {
        Operation::Bcast | Operation::Scatter => other_side.for_each(|to| edge(0, to, bytes)),
        Operation::Gather | Operation::Reduce => other_side.for_each(|from| edge(from, 0, bytes)),
        Operation::Allgather | Operation::Allgatherv | Operation::Alltoall => {
            for from in 0..call.members {
                let block = match call.op {
                    Operation::Allgatherv => share(bytes, call.members, from..from + 1),
                    _ => bytes,
                };
                other_side.clone().for_each(|to| edge(from, to, block));
            }
        }
        Operation::Allreduce | Operation::ReduceScatter | Operation::ReduceScatterBlock => {
            // The calling group reduces to its first member, which sends the result to the first
            // member of the remote group, which distributes it there.
            edge(0, call.members, bytes);
            binomial::TREE.up(call.members, |_| bytes, sink);
            let spread = |branch: std::ops::Range<usize>| match call.op {
                Operation::Allreduce => bytes,
                _ => share(bytes, others, branch),
            };
            binomial::TREE.down(others, spread, &mut |edge| {
                sink(edge.renumbered(|member| member + call.members));
            });
        }
        _ => {}
    }
}
