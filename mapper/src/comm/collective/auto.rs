//! The algorithm MPICH chooses by operation, size and number of members, which others follow closely:
//! Thakur, Rabenseifner & Gropp, "Optimization of collective communication operations in MPICH",
//! International Journal of High Performance Computing Applications 19(1), 2005, section 4.
//!
//! | operation | size | algorithm |
//! |---|---|---|
//! | Bcast | below 12 KiB, or fewer than 8 members | binomial tree |
//! | | below 512 KiB, members a power of two | binomial scatter, recursive doubling allgather |
//! | | above | binomial scatter, ring allgather |
//! | Allgather, Allgatherv | all blocks below 512 KiB, members a power of two | recursive doubling |
//! | | all blocks below 80 KiB | Bruck |
//! | | above | ring |
//! | Alltoall | block up to 256 bytes, at least 8 members | Bruck |
//! | | above | pairwise |
//! | Reduce | up to 2 KiB | binomial tree |
//! | | above | recursive halving, binomial gather (Rabenseifner) |
//! | Allreduce | up to 2 KiB | recursive doubling |
//! | | above | recursive halving, recursive doubling (Rabenseifner) |
//! | Reduce_scatter | below 512 KiB | recursive halving |
//! | | above | pairwise |
//! | Gather, Scatter | any | binomial tree |
//! | Scan, Exscan | any | recursive doubling |
//!
//! The size is the mean of the calls in a row of the profile, all of which are within a factor of two of it.

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
const REDUCE_SCATTER_LONG: u64 = 512 << 10;

/// See the module.
pub(super) struct Auto;

impl Model for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn summary(&self) -> &'static str {
        "what MPICH chooses by size and number of members (Thakur, Rabenseifner & Gropp 2005)"
    }

    fn expand(&self, call: &Call, sink: Sink<'_>) {
        let size = call.size();
        match call.op {
            Operation::Bcast => bcast(call, sink),
            Operation::Allgather | Operation::Allgatherv => allgather(call, sink),
            Operation::Alltoall if is_short_alltoall(call) => bruck::alltoall(call, sink),
            Operation::Alltoall => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
            Operation::Reduce if size > REDUCE_SHORT => recursive::halving_gather(call, sink),
            Operation::Allreduce if size > REDUCE_SHORT => recursive::halving_doubling(call, sink),
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
    if size < BCAST_SHORT || call.members < BCAST_MEMBERS {
        return binomial::TREE.expand(call, sink);
    }
    binomial::TREE.down(call.members, |range| call.parts(range), sink);
    if size < BCAST_LONG && call.members.is_power_of_two() {
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
