//! Model `bruck`: in step i every member exchanges data with the member 2^i further along the ring.
//!
//! Source: Bruck, Ho, Kipnis, Upfal & Weathersby, "Efficient algorithms for all-to-all
//! communications in multiport message-passing systems", IEEE TPDS 8(11), 1997. The number of
//! members need not be a power of two. n members need the least integer >= log2(n) steps and n
//! edges a step.

use super::{Call, Edge, Model, Sink, binomial};
use rankfold_wire::Operation;

/// The model `bruck`.
pub(super) struct Bruck;

impl Model for Bruck {
    described!(
        "bruck",
        "allgather and alltoall in log2 steps around the ring; other operations along a binomial tree"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        match call.op {
            Operation::Allgather | Operation::Allgatherv => allgather(call, sink),
            Operation::Alltoall => alltoall(call, sink),
            _ => binomial::TREE.expand(call, sink),
        }
    }
}

/// Allgather. At distance d, every member sends the d blocks it holds (its own block and those
/// after it) to the member d before it. The last step sends only the blocks that are still missing.
pub(super) fn allgather(call: &Call<'_>, sink: Sink<'_>) {
    allgather_of_radix(call, 2, sink);
}

/// Allgather. In every step, members that hold d blocks each send them to the members d, 2d, ...
/// before them, which are fewer than `radix`. Blocks that the receiver holds are left out.
pub(super) fn allgather_of_radix(call: &Call<'_>, radix: usize, sink: Sink<'_>) {
    let members = call.members;
    let mut held = 1;
    while held < members {
        let distances = (1..radix.max(2)).map(|number| number * held);
        for distance in distances.take_while(|&distance| distance < members) {
            let blocks = held.min(members - distance);
            for from in 0..members {
                let end = from + blocks;
                let wrapped = end.saturating_sub(members);
                sink(Edge::once(
                    from,
                    (from + members - distance) % members,
                    call.parts(from..end - wrapped) + call.parts(0..wrapped),
                ));
            }
        }
        held *= radix.max(2);
    }
}

/// Alltoall. At distance d, every member forwards the blocks whose distance to their destination
/// has the bit d set.
pub(super) fn alltoall(call: &Call<'_>, sink: Sink<'_>) {
    alltoall_of_radix(call, 2, sink);
}

/// Alltoall. For every digit of the distances, written to the base `radix`, and every value of the
/// digit but 0, every member forwards the blocks whose distance to their destination has that value
/// there.
pub(super) fn alltoall_of_radix(call: &Call<'_>, radix: usize, sink: Sink<'_>) {
    let (members, radix) = (call.members, radix.max(2));
    let mut place = 1;
    while place < members {
        for distance in (1..radix).map(|digit| digit * place) {
            let has_digit = |way: &usize| way / place % radix * place == distance;
            let blocks = (0..members).filter(has_digit).count();
            if blocks > 0 {
                for from in 0..members {
                    sink(Edge::once(
                        from,
                        (from + distance) % members,
                        u128::from(call.bytes) * blocks as u128,
                    ));
                }
            }
        }
        place *= radix;
    }
}
