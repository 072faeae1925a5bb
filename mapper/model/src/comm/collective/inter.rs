//! Collectives between the two sides of an intercommunicator, straight from one to the other.
//!
//! Members are numbered from the root, or from 0; the other side follows them.

use super::{Call, Edge, Sink, binomial, share};
use rankfold_profile::Operation;

/// Whether all pairs of the two sides are loaded.
pub(super) fn is_dense(op: Operation) -> bool {
    matches!(
        op,
        Operation::Allgather | Operation::Allgatherv | Operation::Alltoall
    )
}

/// What the side of `call` contributes to `others` on the other side.
pub(super) fn expand(call: &Call, others: usize, sink: Sink<'_>) {
    let bytes = u128::from(call.bytes);
    let other_side = call.members..call.members + others;
    let mut edge = |from, to, bytes| {
        sink(Edge {
            from,
            to,
            bytes,
            messages: 1,
        });
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
            // Reduced to the first of this side, sent to the first of the other, spread there.
            edge(0, call.members, bytes);
            binomial::TREE.up(call.members, |_| bytes, sink);
            let spread = |branch: std::ops::Range<usize>| match call.op {
                Operation::Allreduce => bytes,
                _ => share(bytes, others, branch),
            };
            binomial::TREE.down(others, spread, &mut |edge| {
                sink(Edge {
                    from: edge.from + call.members,
                    to: edge.to + call.members,
                    ..edge
                });
            });
        }
        _ => {}
    }
}
