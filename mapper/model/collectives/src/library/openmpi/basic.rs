//! The component `basic` of Open MPI, which carries operations out where the component `tuned` is
//! excluded or has a lower priority.
//!
//! Source: `ompi/mca/coll/basic/` of the branches v4.1.x and v5.0.x.

use super::option;
use crate::library::trees;
use crate::{Call, Sink, binomial, pairwise, recursive, ring, star};
use rankfold_wire::Operation;

/// Priority by default.
pub(super) const PRIORITY: i64 = 10;
/// Most members whose broadcasts and reductions are linear where `coll_basic_crossover` is not set.
const CROSSOVER: u64 = 4;

/// Expands a call. `other` expands the operations that another one consists of, which other
/// components of the communicator may carry out.
///
/// | operation | algorithm |
/// |---|---|
/// | Bcast, Reduce | linear among few members, otherwise along a binomial tree |
/// | Reduce with operands in order | linear |
/// | Gather, Scatter | linear |
/// | Allgather, Allgatherv | linear gather to rank 0, then broadcast |
/// | Allreduce | reduction to rank 0, then broadcast |
/// | Reduce_scatter | recursive halving |
/// | Reduce_scatter with operands in order | reduction to rank 0, then linear scatter |
/// | Reduce_scatter_block | reduction to rank 0, then scatter |
/// | Alltoall | every block directly |
/// | Scan, Exscan | along the chain of ranks |
pub(super) fn expand(call: &Call<'_>, other: fn(&Call<'_>, Sink<'_>), sink: Sink<'_>) {
    let whole = call.whole();
    let is_linear = call.members <= option(call, "coll_basic_crossover", CROSSOVER);
    match call.op {
        Operation::Bcast if !is_linear => {
            trees::down(call.members, whole, trees::highest_bit, sink);
        }
        Operation::Reduce if !is_linear && !call.form.is_ordered() => {
            binomial::TREE.up(call.members, |_| whole, sink);
        }
        Operation::Bcast | Operation::Reduce | Operation::Gather | Operation::Scatter => {
            star::TREE.expand(call, sink);
        }
        Operation::Allgather | Operation::Allgatherv => {
            star::TREE.up(call.members, |branch| call.parts(branch), sink);
            other(&call.stage(Operation::Bcast, whole), sink);
        }
        Operation::Allreduce => {
            other(&call.stage(Operation::Reduce, whole), sink);
            other(&call.stage(Operation::Bcast, whole), sink);
        }
        Operation::ReduceScatter if call.form.is_ordered() => {
            other(&call.stage(Operation::Reduce, whole), sink);
            star::TREE.down(call.members, |branch| call.parts(branch), sink);
        }
        Operation::ReduceScatter => recursive::reduce_scatter(call, sink),
        Operation::ReduceScatterBlock => {
            other(&call.stage(Operation::Reduce, whole), sink);
            let bytes = whole / call.members as u128;
            other(&call.stage(Operation::Scatter, bytes), sink);
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
