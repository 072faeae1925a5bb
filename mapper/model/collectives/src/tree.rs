//! Collectives along a tree of the members: up to the root and down from it.

use super::{Call, Edge, Sink};
use rankfold_wire::Operation;

/// A tree in which a member's descendants have the numbers that directly follow the member's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    /// Parent of a member that is not the root.
    pub(super) parent: fn(usize) -> usize,
    /// Size of the branch of a member (the member and its descendants), given the member and the
    /// number of members.
    pub(super) weight: fn(usize, usize) -> usize,
}

impl Tree {
    /// Sends from every parent to each child. `bytes` gives the size for the branch of the child.
    pub(super) fn down(
        &self,
        members: usize,
        bytes: impl Fn(std::ops::Range<usize>) -> u128,
        sink: Sink<'_>,
    ) {
        for member in 1..members {
            sink(Edge::once(
                (self.parent)(member),
                member,
                bytes(member..member + (self.weight)(member, members)),
            ));
        }
    }

    /// Sends from every child to its parent. `bytes` gives the size for the branch of the child.
    pub(super) fn up(
        &self,
        members: usize,
        bytes: impl Fn(std::ops::Range<usize>) -> u128,
        sink: Sink<'_>,
    ) {
        self.down(members, bytes, &mut |edge| {
            sink(edge.reversed());
        });
    }

    /// Emits any operation as a pass up to the root, a pass down from it, or both.
    pub(super) fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        let members = call.members;
        let whole = |_| call.whole();
        let parts = |range| call.parts(range);
        match call.op {
            Operation::Bcast => self.down(members, whole, sink),
            Operation::Scatter => self.down(members, parts, sink),
            Operation::Reduce => self.up(members, whole, sink),
            Operation::Gather => self.up(members, parts, sink),
            Operation::Allreduce | Operation::Scan | Operation::Exscan => {
                self.up(members, whole, sink);
                self.down(members, whole, sink);
            }
            Operation::Allgather | Operation::Allgatherv => {
                self.up(members, parts, sink);
                self.down(members, whole, sink);
            }
            Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                self.up(members, whole, sink);
                self.down(members, parts, sink);
            }
            Operation::Alltoall => {
                // Bytes that cross the edge: from members of the branch to all others, or back.
                let crossing = |branch: std::ops::Range<usize>| {
                    let (inside, outside) = (branch.len(), members - branch.len());
                    u128::from(call.bytes) * inside as u128 * outside as u128
                };
                self.up(members, crossing, sink);
                self.down(members, crossing, sink);
            }
            Operation::Barrier
            | Operation::Gatherv
            | Operation::Scatterv
            | Operation::Alltoallv
            | Operation::Alltoallw => {}
        }
    }
}
