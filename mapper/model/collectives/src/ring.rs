//! Model `ring`: every member sends to the next member only.
//!
//! Operations with a root run along the chain of members, from the root or to it. n - 1 steps for n
//! members, n edges in all (the steps of one pair are added up). Source: Thakur, Rabenseifner &
//! Gropp 2005 (cited in the model `mpich`).

use super::tree::Tree;
use super::{Call, Edge, Model, Sink};
use rankfold_wire::Operation;

/// The chain of members from the root.
pub(super) const CHAIN: Tree = Tree {
    parent: |member| member - 1,
    weight: |member, members| members - member,
};

/// The model `ring`.
pub(super) struct Ring;

impl Model for Ring {
    described!("ring", "every member sends to the next one only");

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        match call.op {
            Operation::Allgather | Operation::Allgatherv => allgather(call, sink),
            Operation::ReduceScatter | Operation::ReduceScatterBlock => reduce_scatter(call, sink),
            Operation::Allreduce => allreduce(call, sink),
            Operation::Scan | Operation::Exscan => {
                CHAIN.down(call.members, |_| call.whole(), sink);
            }
            Operation::Alltoall => {
                // A block whose destination is d members further crosses d links of the ring.
                let blocks = (call.members as u128 * (call.members as u128 - 1)) / 2;
                around(call, |_| blocks * u128::from(call.bytes), sink);
            }
            _ => CHAIN.expand(call, sink),
        }
    }
}

/// Allgather: every block travels round the ring from its owner to the member before the owner. A
/// member therefore forwards every block except that of its successor.
pub(super) fn allgather(call: &Call<'_>, sink: Sink<'_>) {
    let own = |member: usize| call.parts(member..member + 1);
    around(
        call,
        |member| call.whole() - own((member + 1) % call.members),
        sink,
    );
}

/// Reduce-scatter: every part travels once round the ring and ends at its owner. A member therefore
/// sends every part except its own.
pub(super) fn reduce_scatter(call: &Call<'_>, sink: Sink<'_>) {
    around(
        call,
        |member| call.whole() - call.parts(member..member + 1),
        sink,
    );
}

/// Allreduce: a reduce-scatter, then an allgather.
pub(super) fn allreduce(call: &Call<'_>, sink: Sink<'_>) {
    reduce_scatter(call, sink);
    allgather(call, sink);
}

/// Every member sends `bytes` to the next one, in n - 1 messages for n members.
pub(super) fn around(call: &Call<'_>, bytes: impl Fn(usize) -> u128, sink: Sink<'_>) {
    around_times(call, 1, bytes, sink);
}

/// Every member sends `bytes` to the next one, in n - 1 messages for n members each time around.
pub(super) fn around_times(
    call: &Call<'_>,
    times: u64,
    bytes: impl Fn(usize) -> u128,
    sink: Sink<'_>,
) {
    if call.members < 2 {
        return;
    }
    for member in 0..call.members {
        sink(Edge {
            from: member,
            to: (member + 1) % call.members,
            bytes: bytes(member),
            messages: times * (call.members as u64 - 1),
        });
    }
}
