//! Allreduce of Open MPI. Source: `ompi/mca/coll/base/coll_base_allreduce.c`.

use super::algorithm_of_reduction;
use crate::rabenseifner::{self, Folding, Rabenseifner};
use crate::{Call, Sink, recursive, ring, star};
use rankfold_wire::Operation;

/// Expands an allreduce.
///
/// | number | algorithm |
/// |---|---|
/// | 1 | linear to rank 0 and back |
/// | 2 | reduction to rank 0, then broadcast |
/// | 3 | recursive doubling |
/// | 4, 5 | ring; recursive doubling if there are fewer elements than members |
/// | 6 | Rabenseifner; linear if there are fewer elements than partners, or operands in order |
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) {
    let number = algorithm_of_reduction(call, "allreduce", "allreduce_in_order", call.size());
    match number {
        2 => {
            super::expand(&call.stage(Operation::Reduce, call.whole()), sink);
            super::expand(&call.stage(Operation::Bcast, call.whole()), sink);
        }
        4 | 5 if call.elements() >= call.members as u64 => around_ring(call, sink),
        3..=5 => recursive::allreduce(call, sink),
        6 if rabenseifner::is_divisible(call) && !call.form.is_ordered() => {
            Rabenseifner::of(call.members, Folding::Halves).allreduce(call, sink);
        }
        _ => star::TREE.expand(call, sink),
    }
}

/// Every block travels round the ring twice: to be summed up, then to be gathered. A member sends
/// every block but that of the second member after it, then every block but that of the third.
pub(super) fn around_ring(call: &Call<'_>, sink: Sink<'_>) {
    let (members, elements) = (call.members, call.elements());
    let surplus = elements % members as u64;
    let block = |rank: usize| {
        let start = |rank: u64| rank * (elements / members as u64) + rank.min(surplus);
        call.slice(start(rank as u64)..start(rank as u64 + 1))
    };
    let bytes = |member: usize| {
        let [first, second] = [1, 2].map(|ahead| block((member + ahead) % members));
        2 * call.whole() - first - second
    };
    ring::around_times(call, 2, bytes, sink);
}
