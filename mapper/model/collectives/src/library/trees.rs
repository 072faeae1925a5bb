//! The trees along which libraries send whole messages: the parent of every member, counted from
//! the root.
//!
//! Sources: `ompi/mca/coll/base/coll_base_topo.c` of Open MPI, and
//! `src/mpi/coll/algorithms/treealgo/treeutil.c` of MPICH.

use crate::{Call, Edge, Sink};

/// Parent in a complete tree whose levels are filled from left to right and whose members have
/// `fanout` children. The children of a member are one level width apart.
pub(super) fn levels(member: usize, fanout: usize) -> usize {
    let (mut above, mut start, mut width) = (0, 1, fanout);
    while member >= start + width {
        above = start;
        start += width;
        width *= fanout;
    }
    above + (member - above) % (start - above)
}

/// Parent in the binomial tree: the number of the member with its highest set bit cleared.
pub(super) fn highest_bit(member: usize) -> usize {
    member ^ (1 << member.ilog2())
}

/// Parent in the tree of radix `radix`: the number of the member, written to that base, with its
/// lowest digit that is not 0 cleared. With radix 2 this is the tree of the model `binomial`.
pub(super) fn lowest_digit(member: usize, radix: usize) -> usize {
    let mut place = 1;
    while member.is_multiple_of(place * radix) {
        place *= radix;
    }
    member / (place * radix) * (place * radix)
}

/// Parent in a complete tree whose members have `fanout` children with consecutive numbers.
pub(super) fn kary(member: usize, fanout: usize) -> usize {
    (member - 1) / fanout
}

/// Parents in a tree of radix `radix` whose branches have consecutive numbers and come in
/// descending order of size. A branch that is not full leaves out its last members. The entry of
/// the root is the root.
pub(super) fn preorder(members: usize, radix: usize) -> Vec<usize> {
    let mut parents = vec![0; members];
    let mut full = 1;
    while full < members {
        full *= radix;
    }
    let mut branches = vec![(0, full)];
    while let Some((root, size)) = branches.pop() {
        let (mut child, mut part) = (root + 1, size / radix);
        while part > 0 {
            for _ in 1..radix {
                if child < members {
                    parents[child] = root;
                    branches.push((child, part));
                }
                child += part;
            }
            part /= radix;
        }
    }
    parents
}

/// Parent where the root feeds `chains` chains of nearly equal length; the first ones are longer.
pub(super) fn chain(member: usize, members: usize, chains: usize) -> usize {
    let others = members - 1;
    let chains = chains.clamp(1, others);
    let (short, longer) = (others / chains, others % chains);
    let longer_end = longer * (short + 1);
    let place = if member <= longer_end {
        (member - 1) % (short + 1)
    } else {
        (member - 1 - longer_end) % short
    };
    if place == 0 { 0 } else { member - 1 }
}

/// Parents in a binary tree over ranks whose root is the last rank and in which the ranks of every
/// branch are consecutive, so that operands stay in order. The entry of the root is the root.
pub(super) fn in_order(members: usize) -> Vec<usize> {
    let mut parents = vec![members - 1; members];
    let mut branches = vec![(0, members)];
    while let Some((start, end)) = branches.pop() {
        let middle = start + (end - start) / 2;
        for (child, child_end) in [(start, middle), (middle, end - 1)] {
            if child < child_end {
                parents[child_end - 1] = end - 1;
                branches.push((child, child_end));
            }
        }
    }
    parents
}

/// Sends `bytes` from every parent to each of its children.
pub(super) fn down(members: usize, bytes: u128, parent: impl Fn(usize) -> usize, sink: Sink<'_>) {
    for member in 1..members {
        sink(Edge::once(parent(member), member, bytes));
    }
}

/// Sends `bytes` from every member to its parent.
pub(super) fn up(members: usize, bytes: u128, parent: impl Fn(usize) -> usize, sink: Sink<'_>) {
    for member in 1..members {
        sink(Edge::once(member, parent(member), bytes));
    }
}

/// Reduces along the binomial tree whose root is rank 0, whichever rank is the root of the call, so
/// that operands stay in the order of the ranks. Rank 0 then sends the result to the root.
pub(super) fn up_in_order(call: &Call<'_>, sink: Sink<'_>) {
    let numbered = &mut |edge: Edge| {
        sink(edge.renumbered(|member| call.counted_from_root(member)));
    };
    let whole = call.whole();
    up(call.members, whole, |rank| lowest_digit(rank, 2), numbered);
    if call.root != 0 {
        numbered(Edge::once(0, call.root, whole));
    }
}
