//! Model `auto`: the algorithm that MPICH 4.0 chooses for each collective call.
//!
//! The choice depends on the operation, its size and the number of members. It is the one for
//! reductions with built-in, commutative operators.
//!
//! Source: `maint/tuning/coll/mpir/generic.json` of MPICH 4.0.2. MPICH compiles this table in and
//! uses it unless a control variable such as `MPIR_CVAR_BCAST_INTRA_ALGORITHM` overrides it. The
//! algorithms are those of Thakur, Rabenseifner & Gropp, "Optimization of collective communication
//! operations in MPICH", International Journal of High Performance Computing Applications 19(1),
//! 2005, section 4.
//!
//! | operation | size | algorithm |
//! |---|---|---|
//! | Bcast | up to 12 KiB, or fewer than 8 members | binomial tree |
//! | | up to 512 KiB, members a power of two | binomial scatter, recursive doubling allgather |
//! | | above | binomial scatter, ring allgather |
//! | Allgather, Allgatherv | all blocks below 512 KiB, power-of-two members | recursive doubling |
//! | | all blocks below 80 KiB, any other number of members | Bruck |
//! | | above | ring |
//! | Alltoall | block up to 256 bytes, at least 8 members | Bruck |
//! | | above | pairwise |
//! | Reduce | up to 2 KiB, or fewer elements than partners | binomial tree |
//! | | above | recursive halving, binomial gather (Rabenseifner) |
//! | Allreduce | up to 8 bytes, or fewer elements than partners | recursive doubling |
//! | | above | recursive halving, recursive doubling (Rabenseifner) |
//! | Reduce_scatter | below 512 KiB | recursive halving |
//! | | above | pairwise |
//! | Gather, Scatter | any | binomial tree |
//! | Scan, Exscan | any | recursive doubling |
//!
//! The number of partners is the number of members rounded down to a power of two. A profile counts
//! bytes, not elements; an element is assumed to have 8 bytes, like a double. The size is the mean
//! over the calls in one row of the profile, which differ by less than a factor of two.
//!
//! Open MPI 4.1 chooses differently (`ompi/mca/coll/tuned/coll_tuned_decision_fixed.c` of its v4.1
//! branch). It uses about ten thresholds for each class of communicator sizes, and trees of other
//! shapes (k-nomial, binary, chains). Its large Allgathers use the ring or neighbour exchange, its
//! small ones recursive doubling, as here. Where Bcast matters under Open MPI, name another model.

use super::{Call, Model, Sink, binomial, bruck, pairwise, recursive, ring};
use rankfold_profile::Operation;

// Thresholds in bytes and members. All are from the table of MPICH cited above, except `ELEMENT`.
const BCAST_SHORT: u64 = 12 << 10;
const BCAST_LONG: u64 = 512 << 10;
const BCAST_MEMBERS: usize = 8;
const ALLGATHER_SHORT: u128 = 80 << 10;
const ALLGATHER_LONG: u128 = 512 << 10;
const ALLTOALL_SHORT: u64 = 256;
const ALLTOALL_MEMBERS: usize = 8;
const REDUCE_SHORT: u64 = 2 << 10;
const ALLREDUCE_SHORT: u64 = 8;
const ELEMENT: u64 = 8;
const REDUCE_SCATTER_LONG: u64 = 512 << 10;

/// The model `auto`.
pub(super) struct Auto;

impl Model for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn summary(&self) -> &'static str {
        "what MPICH 4.0 chooses by size and number of members"
    }

    fn expand(&self, call: &Call, sink: Sink<'_>) {
        let size = call.size();
        match call.op {
            Operation::Bcast => bcast(call, sink),
            Operation::Allgather | Operation::Allgatherv => allgather(call, sink),
            Operation::Alltoall if is_short_alltoall(call) => bruck::alltoall(call, sink),
            Operation::Alltoall => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
            Operation::Reduce if size > REDUCE_SHORT && is_divisible(call) => {
                recursive::halving_gather(call, sink);
            }
            Operation::Allreduce if size > ALLREDUCE_SHORT && is_divisible(call) => {
                recursive::halving_doubling(call, sink);
            }
            Operation::Allreduce => recursive::allreduce(call, sink),
            Operation::ReduceScatter | Operation::ReduceScatterBlock
                if size >= REDUCE_SCATTER_LONG =>
            {
                pairwise::reduce_scatter(call, sink);
            }
            Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                recursive::reduce_scatter(call, sink);
            }
            Operation::Scan | Operation::Exscan => recursive::scan(call, sink),
            _ => binomial::TREE.expand(call, sink),
        }
    }

    fn is_dense(&self, call: &Call) -> bool {
        match call.op {
            Operation::Alltoall => !is_short_alltoall(call),
            Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                call.size() >= REDUCE_SCATTER_LONG
            }
            _ => false,
        }
    }
}

fn bcast(call: &Call, sink: Sink<'_>) {
    let size = call.size();
    if size <= BCAST_SHORT || call.members < BCAST_MEMBERS {
        return binomial::TREE.expand(call, sink);
    }
    binomial::TREE.down(call.members, |range| call.parts(range), sink);
    if size <= BCAST_LONG && call.members.is_power_of_two() {
        recursive::allgather(call, sink);
    } else {
        ring::allgather(call, sink);
    }
}

fn allgather(call: &Call, sink: Sink<'_>) {
    let gathered = call.whole() / u128::from(call.calls.max(1));
    if gathered < ALLGATHER_LONG && call.members.is_power_of_two() {
        recursive::allgather(call, sink);
    } else if gathered < ALLGATHER_SHORT {
        bruck::allgather(call, sink);
    } else {
        ring::allgather(call, sink);
    }
}

fn is_short_alltoall(call: &Call) -> bool {
    call.size() <= ALLTOALL_SHORT && call.members >= ALLTOALL_MEMBERS
}

/// Whether the vector has at least one element for every partner.
fn is_divisible(call: &Call) -> bool {
    call.size() / ELEMENT >= 1 << call.members.ilog2()
}
