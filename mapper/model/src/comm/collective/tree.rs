//! Collectives along a tree of the members, up to the root and down from it.

use super::{Call, Edge, Sink};
use rankfold_profile::Operation;

/// A tree in which the descendants of every member follow it without gaps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    /// The parent of a member that is not the root.
    pub(super) parent: fn(usize) -> usize,
    /// How many a member and its descendants are, among so many members.
    pub(super) weight: fn(usize, usize) -> usize,
}

impl Tree {
    /// Sends to every member from its parent what `bytes` says of the member and its descendants.
    pub(super) fn down(
        &self,
        members: usize,
        bytes: impl Fn(std::ops::Range<usize>) -> u128,
        sink: Sink<'_>,
    ) {
        for member in 1..members {
            sink(Edge {
                from: (self.parent)(member),
                to: member,
                bytes: bytes(member..member + (self.weight)(member, members)),
                messages: 1,
            });
        }
    }

    /// The same from every member to its parent.
    pub(super) fn up(
        &self,
        members: usize,
        bytes: impl Fn(std::ops::Range<usize>) -> u128,
        sink: Sink<'_>,
    ) {
        self.down(members, bytes, &mut |edge| {
            sink(Edge {
                from: edge.to,
                to: edge.from,
                ..edge
            });
        });
    }

    /// Any operation through the root: gathered or reduced there, then sent out again.
    pub(super) fn expand(&self, call: &Call, sink: Sink<'_>) {
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
                // Whatever crosses the edge: from inside the branch to outside of it, or back.
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
