//! Algorithms that a control variable of the run forces, such as
//! `MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial`.
//!
//! Source: `src/mpi/coll/coll_algorithms.txt` of MPICH 4.0.2 and 5.0.1. Where an algorithm cannot
//! be applied to a call, MPICH goes back to its table.
//!
//! Some algorithms are not modelled: non-blocking ones, `smp`, trees, and from MPICH 5 also
//! `k_brucks`, `recexch` and `recursive_multiplying`. A call that is forced to one of them is
//! expanded by MPICH's table. Tuning files are not read.

use crate::comm::collective::library::scatter_allgather::{Gathering, scatter_allgather};
use crate::comm::collective::rabenseifner::{self, Folding, Rabenseifner};
use crate::comm::collective::{Call, Sink, binomial, bruck, gathered, pairwise, recursive, ring};
use rankfold_profile::Operation;

/// Expands a call whose algorithm is forced. Returns whether it is one.
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) -> bool {
    let Some(algorithm) = forced(call) else {
        return false;
    };
    let is_even = call.members.is_power_of_two();
    match (call.op, algorithm) {
        (
            Operation::Bcast | Operation::Gather | Operation::Scatter | Operation::Reduce,
            "binomial",
        ) => binomial::TREE.expand(call, sink),
        (Operation::Bcast, "scatter_recursive_doubling_allgather") => {
            scatter_allgather(call, Gathering::Doubling, sink);
        }
        (Operation::Bcast, "scatter_ring_allgather") => {
            scatter_allgather(call, Gathering::Ring, sink);
        }
        (Operation::Allgather | Operation::Allgatherv, "brucks") => bruck::allgather(call, sink),
        (Operation::Allgather | Operation::Allgatherv, "recursive_doubling") if is_even => {
            recursive::allgather(call, sink);
        }
        (Operation::Allgather | Operation::Allgatherv, "ring") => ring::allgather(call, sink),
        (Operation::Alltoall, "brucks") => bruck::alltoall(call, sink),
        (Operation::Alltoall, "pairwise" | "scattered") => {
            pairwise::pairs(call, |_, _| call.bytes.into(), sink);
        }
        (Operation::Reduce, "reduce_scatter_gather") if rabenseifner::is_divisible(call) => {
            Rabenseifner::of(call.members, Folding::ToEven).reduce(call, sink);
        }
        (Operation::Allreduce, "recursive_doubling") => recursive::allreduce(call, sink),
        (Operation::Allreduce, "reduce_scatter_allgather") if rabenseifner::is_divisible(call) => {
            Rabenseifner::of(call.members, Folding::ToOdd).allreduce(call, sink);
        }
        (Operation::ReduceScatter | Operation::ReduceScatterBlock, "pairwise") => {
            pairwise::reduce_scatter(call, sink);
        }
        (Operation::ReduceScatter | Operation::ReduceScatterBlock, "recursive_halving") => {
            recursive::reduce_scatter(call, sink);
        }
        (Operation::ReduceScatter | Operation::ReduceScatterBlock, "recursive_doubling") => {
            let others = |own, _| call.whole() - call.parts(own);
            gathered::doubling(call.members, others, sink);
        }
        (Operation::Scan | Operation::Exscan, "recursive_doubling") => recursive::scan(call, sink),
        _ => return false,
    }
    true
}

/// Whether a control variable forces this algorithm on the call.
pub(super) fn is_forced(call: &Call<'_>, algorithm: &str) -> bool {
    forced(call) == Some(algorithm)
}

/// The algorithm that a control variable names.
fn forced<'a>(call: &Call<'a>) -> Option<&'a str> {
    let name = match call.op {
        Operation::Bcast => "BCAST",
        Operation::Gather => "GATHER",
        Operation::Scatter => "SCATTER",
        Operation::Reduce => "REDUCE",
        Operation::Allgather => "ALLGATHER",
        Operation::Allgatherv => "ALLGATHERV",
        Operation::Alltoall => "ALLTOALL",
        Operation::Allreduce => "ALLREDUCE",
        Operation::ReduceScatter => "REDUCE_SCATTER",
        Operation::ReduceScatterBlock => "REDUCE_SCATTER_BLOCK",
        Operation::Scan => "SCAN",
        Operation::Exscan => "EXSCAN",
        _ => return None,
    };
    let variable = format!("MPIR_CVAR_{name}_INTRA_ALGORITHM");
    call.library
        .parameters
        .get(&variable)
        .map(|value| value.trim())
}
