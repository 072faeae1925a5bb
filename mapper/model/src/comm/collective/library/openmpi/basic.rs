//! The component `basic` of Open MPI, which carries operations out where the component `tuned` is
//! excluded or has a lower priority.
//!
//! Source: `ompi/mca/coll/basic/` of the branches v4.1.x and v5.0.x.

use super::option;
use crate::comm::collective::library::trees;
use crate::comm::collective::{Call, Sink, binomial, pairwise, recursive, ring, star};
use rankfold_profile::Operation;

/// Priority by default.
pub(super) const PRIORITY: i64 = 10;
/// Most members whose broadcasts and reductions are linear where `coll_basic_crossover` is not set.
const CROSSOVER: u64 = 4;

/// Expands a call.
///
/// | operation | algorithm |
/// |---|---|
/// | Bcast, Reduce | linear among few members, otherwise along a binomial tree |
/// | Gather, Scatter | linear |
/// | Allgather, Allgatherv | linear gather to rank 0, then broadcast |
/// | Allreduce | reduction to rank 0, then broadcast |
/// | Reduce_scatter | recursive halving |
/// | Reduce_scatter_block | reduction to rank 0, then linear scatter |
/// | Alltoall | every block directly |
/// | Scan, Exscan | along the chain of ranks |
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) {
    let whole = call.whole();
    let is_linear = call.members <= option(call, "coll_basic_crossover", CROSSOVER);
    match call.op {
        Operation::Bcast if !is_linear => {
            trees::down(call.members, whole, trees::highest_bit, sink);
        }
        Operation::Reduce if !is_linear => binomial::TREE.up(call.members, |_| whole, sink),
        Operation::Bcast | Operation::Reduce | Operation::Gather | Operation::Scatter => {
            star::TREE.expand(call, sink);
        }
        Operation::Allgather | Operation::Allgatherv => {
            star::TREE.up(call.members, |branch| call.parts(branch), sink);
            expand(&call.stage(Operation::Bcast, whole), sink);
        }
        Operation::Allreduce => {
            expand(&call.stage(Operation::Reduce, whole), sink);
            expand(&call.stage(Operation::Bcast, whole), sink);
        }
        Operation::ReduceScatter => recursive::reduce_scatter(call, sink),
        Operation::ReduceScatterBlock => {
            expand(&call.stage(Operation::Reduce, whole), sink);
            star::TREE.down(call.members, |branch| call.parts(branch), sink);
        }
        Operation::Alltoall => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
        Operation::Scan | Operation::Exscan => ring::CHAIN.down(call.members, |_| whole, sink),
        Operation::Barrier
        | Operation::Gatherv
        | Operation::Scatterv
        | Operation::Alltoallv
        | Operation::Alltoallw => {}
    }
}
