//! The algorithm MPICH 4.0 chooses by operation, size and number of members, for built-in
//! commutative reductions.
//!
//! Where the choice is made: `maint/tuning/coll/mpir/generic.json` of MPICH 4.0.2, the table that
//! is compiled in and asked while no control variable (`MPIR_CVAR_BCAST_INTRA_ALGORITHM` and its
//! like) says otherwise. The algorithms are those of Thakur, Rabenseifner & Gropp, "Optimization of
//! collective communication operations in MPICH", International Journal of High Performance
//! Computing Applications 19(1), 2005, section 4.
//!
//! | operation | size | algorithm |
//! |---|---|---|
//! | Bcast | up to 12 KiB, or fewer than 8 members | binomial tree |
//! | | up to 512 KiB, members a power of two | binomial scatter, recursive doubling allgather |
//! | | above | binomial scatter, ring allgather |
//! | Allgather, Allgatherv | all blocks below 512 KiB, members a power of two | recursive doubling |
//! | | all blocks below 80 KiB, any other number of members | Bruck |
//! | | above | ring |
//! | Alltoall | block up to 256 bytes, at least 8 members | Bruck |
//! | | above | pairwise |
//! | Reduce | up to 2 KiB, or an element for not every partner | binomial tree |
//! | | above | recursive halving, binomial gather (Rabenseifner) |
//! | Allreduce | up to 8 bytes, or an element for not every partner | recursive doubling |
//! | | above | recursive halving, recursive doubling (Rabenseifner) |
//! | Reduce_scatter | below 512 KiB | recursive halving |
//! | | above | pairwise |
//! | Gather, Scatter | any | binomial tree |
//! | Scan, Exscan | any | recursive doubling |
//!
//! Partners are the members, rounded down to a power of two. Profiles count bytes, not elements:
//! these are taken to be of 8 bytes, as doubles are. The size is the mean of the calls in a row of
//! the profile, all of which are within a factor of two of it.
//!
//! Open MPI 4.1 chooses otherwise (`ompi/mca/coll/tuned/coll_tuned_decision_fixed.c` of its v4.1
//! branch): from tables of some ten thresholds for each class of members, with trees of other
//! shapes (k-nomial, binary, chains) among them. Its large Allgathers run along the ring or between
//! neighbours of it and its small ones by recursive doubling, as here; for Bcast name another model
//! where it matters.

use super::{Call, Model, Sink, binomial, bruck, pairwise, recursive, ring};
use rankfold_profile::Operation;

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

/// See the module.
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

/// Whether every partner gets an element of the vector at least.
fn is_divisible(call: &Call) -> bool {
    call.size() / ELEMENT >= 1 << call.members.ilog2()
}
