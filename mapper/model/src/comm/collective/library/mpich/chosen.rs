//! Algorithms that MPICH is told to use: by a control variable of the run, such as
//! `MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial`, or by a [tuning file](super::tuning).
//!
//! Source: `src/mpi/coll/coll_algorithms.txt` of MPICH 4.0.2 and 5.0.1. Where an algorithm cannot
//! be applied to a call, MPICH goes back to its table.
//!
//! Some algorithms are not modelled: non-blocking ones, `smp`, `recursive_multiplying`, and those
//! with a radix other than 2, except trees and Bruck's alltoall. A call that is forced to one of
//! them is expanded by MPICH's table.

use crate::comm::collective::library::multiplying::{self, Surplus};
use crate::comm::collective::library::scatter_allgather::{Gathering, scatter_allgather};
use crate::comm::collective::library::trees;
use crate::comm::collective::rabenseifner::{self, Folding, Rabenseifner};
use crate::comm::collective::{
    Call, Sink, binomial, bruck, gathered, pairwise, recursive, ring, star,
};
use rankfold_profile::Operation;

/// An algorithm of MPICH with its options.
pub(in super::super) struct Named<'a> {
    /// The name of the algorithm in MPICH, such as `ring`.
    pub(in super::super) name: &'a str,
    /// The kind of tree that the algorithm `tree` sends along, such as `kary`. `None` stands for
    /// the kind that MPICH takes for the operation where no kind is set.
    pub(in super::super) tree: Option<&'a str>,
    /// The radix of a tree or of another algorithm. `None` stands for the radix that MPICH takes
    /// where none is set.
    pub(in super::super) radix: Option<usize>,
}

/// Radix of trees and other algorithms where none is set.
const RADIX: usize = 2;

/// Expands a call whose algorithm is forced. Returns whether it is one.
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) -> bool {
    let Some(name) = forced(call) else {
        return false;
    };
    let variable = |rest: &str| format!("MPIR_CVAR_{}_{rest}", operation(call.op).unwrap_or(""));
    let tree = call.library.parameters.get(&variable("TREE_TYPE"));
    let radix = call.library.number(&variable("TREE_KVAL"));
    let named = Named {
        name,
        tree: tree.map(|kind| kind.trim()),
        radix: radix.and_then(|radix| usize::try_from(radix).ok()),
    };
    expand_named(call, &named, sink)
}

/// Expands a call along a tree. Returns `false` for kinds of trees that are not modelled.
fn along_tree(call: &Call<'_>, named: &Named<'_>, usual: &str, sink: Sink<'_>) -> bool {
    let members = call.members;
    let radix = named.radix.unwrap_or(RADIX).max(2);
    let of = |parent: &dyn Fn(usize) -> usize| (1..members).map(parent).collect::<Vec<_>>();
    let parents = match named.tree.unwrap_or(usual) {
        "kary" => of(&|member| trees::kary(member, radix)),
        "knomial_1" => trees::preorder(members, radix).split_off(1),
        "knomial_2" => of(&|member| trees::lowest_digit(member, radix)),
        _ => return false,
    };
    let parent = |member: usize| parents[member - 1];
    if call.op != Operation::Bcast {
        trees::up(members, call.whole(), parent, sink);
    }
    if call.op != Operation::Reduce {
        trees::down(members, call.whole(), parent, sink);
    }
    true
}

/// Expands a call by the algorithm of this name. Returns `false` if MPICH goes back to its table,
/// or if the algorithm is not modelled.
pub(in super::super) fn expand_named(call: &Call<'_>, named: &Named<'_>, sink: Sink<'_>) -> bool {
    let is_binary = named.radix.is_none_or(|radix| radix == RADIX);
    let algorithm = named.name;
    let is_even = call.members.is_power_of_two();
    match (call.op, algorithm) {
        (
            Operation::Bcast | Operation::Gather | Operation::Scatter | Operation::Reduce,
            "binomial",
        ) => binomial::TREE.expand(call, sink),
        (Operation::Bcast, "tree" | "pipelined_tree") => {
            return along_tree(call, named, "kary", sink);
        }
        (Operation::Reduce | Operation::Allreduce, "tree") => {
            return along_tree(call, named, "knomial_1", sink);
        }
        (Operation::Gather | Operation::Scatter, "osu_direct") => star::TREE.expand(call, sink),
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
        (Operation::Allgather, "k_brucks") if is_binary => bruck::allgather(call, sink),
        (Operation::Allgather, "recexch_doubling") if is_binary => {
            multiplying::allgather(call, Surplus::Even, sink);
        }
        (Operation::Allgather, "osu_direct") => {
            pairwise::pairs(call, |from, _| call.part(from), sink);
        }
        (Operation::Alltoall, "k_brucks") => {
            bruck::alltoall_of_radix(call, named.radix.unwrap_or(RADIX), sink);
        }
        (Operation::Alltoall, "brucks") => bruck::alltoall(call, sink),
        (Operation::Alltoall, "pairwise" | "scattered" | "pairwise_sendrecv_replace") => {
            pairwise::pairs(call, |_, _| call.bytes.into(), sink);
        }
        (Operation::Reduce, "reduce_scatter_gather") if rabenseifner::is_divisible(call) => {
            Rabenseifner::of(call.members, Folding::ToEven).reduce(call, sink);
        }
        (Operation::Allreduce, "recursive_doubling") => recursive::allreduce(call, sink),
        (Operation::Allreduce, "recexch") if is_binary => recursive::allreduce(call, sink),
        (Operation::Allreduce, "ring") => ring::allreduce(call, sink),
        (Operation::Allreduce, "reduce_scatter_allgather" | "k_reduce_scatter_allgather")
            if is_binary && rabenseifner::is_divisible(call) =>
        {
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
    let variable = format!("MPIR_CVAR_{}_INTRA_ALGORITHM", operation(call.op)?);
    call.library
        .parameters
        .get(&variable)
        .map(|value| value.trim())
}

/// What MPICH calls an operation, in capitals.
pub(in super::super) fn operation(op: Operation) -> Option<&'static str> {
    Some(match op {
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
    })
}
