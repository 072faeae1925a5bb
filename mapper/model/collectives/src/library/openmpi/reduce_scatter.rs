//! Reduce-scatter of Open MPI. Source: `ompi/mca/coll/base/coll_base_reduce_scatter.c` and
//! `coll_base_reduce_scatter_block.c`.

use super::{algorithm_of_reduction, butterfly};
use crate::{Call, Sink, gathered, recursive, ring, star};
use rankfold_wire::Operation;

/// The table of operators that do not commute.
const IN_ORDER: &str = "reduce_scatter_in_order";

/// Expands a reduce-scatter.
///
/// | number | algorithm |
/// |---|---|
/// | 1 | reduction to rank 0, then linear scatter |
/// | 2 | recursive halving |
/// | 3 | ring |
/// | 4 | butterfly |
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) {
    let number = algorithm_of_reduction(call, "reduce_scatter", IN_ORDER, call.size());
    match number {
        2 => recursive::reduce_scatter(call, sink),
        3 => ring::reduce_scatter(call, sink),
        4 => butterfly::reduce_scatter(call, sink),
        _ => {
            super::expand(&call.stage(Operation::Reduce, call.whole()), sink);
            star::TREE.down(call.members, |branch| call.parts(branch), sink);
        }
    }
}

/// Expands a reduce-scatter with equal blocks.
///
/// | number | algorithm |
/// |---|---|
/// | 1 | reduction to rank 0, then scatter |
/// | 2 | recursive doubling |
/// | 3 | recursive halving; as 1 if operands stay in order |
/// | 4 | butterfly |
pub(super) fn expand_equal(call: &Call<'_>, sink: Sink<'_>) {
    let block = call.size() / call.members as u64;
    let number = algorithm_of_reduction(call, "reduce_scatter_block", IN_ORDER, block);
    match number {
        2 => {
            let others = |own, _| call.whole() - call.parts(own);
            gathered::doubling(call.members, others, sink);
        }
        3 if !call.form.is_ordered() => recursive::reduce_scatter(call, sink),
        4 => butterfly::reduce_scatter_equal(call, sink),
        _ => {
            super::expand(&call.stage(Operation::Reduce, call.whole()), sink);
            let bytes = call.whole() / call.members as u128;
            super::expand(&call.stage(Operation::Scatter, bytes), sink);
        }
    }
}
