//! Algorithms that a run forces on MPICH. A control variable names the algorithm of an operation,
//! such as `MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial`, or a [tuning file](super::tuning) does.
//!
//! Source: `src/mpi/coll/coll_algorithms.txt` of MPICH 4.0.2 and 5.0.1. Where an algorithm cannot
//! be applied to a call, MPICH goes back to its table.
//!
//! The algorithm `nb` stands for non-blocking operations, whose algorithms have the names of
//! blocking ones with `sched_` or `tsp_` before them. The algorithm `smp` is not modelled: a
//! call that is forced to it is expanded by MPICH's table.

use super::exchange::Exchange;
use super::{TABLE, can_scatter, in_order};
use crate::library::multiplying;
use crate::library::scatter_allgather::{Gathering, scatter_allgather};
use crate::library::trees;
use crate::rabenseifner::{Folding, Rabenseifner};
use crate::{Call, Edge, Sink, binomial, bruck, pairwise, recursive, ring, star};
use rankfold_wire::Operation;

/// An algorithm of MPICH with its options.
pub(super) struct Named<'a> {
    /// The name of the algorithm in MPICH, such as `ring`.
    pub(super) name: &'a str,
    /// The kind of tree that the algorithm `tree` sends along, such as `kary`. `None` stands for
    /// the kind that MPICH takes for the operation where no kind is set.
    pub(super) tree: Option<&'a str>,
    /// The radix of a tree or of another algorithm. `None` stands for the radix that MPICH takes
    /// where none is set.
    pub(super) radix: Option<usize>,
}

/// Radix of trees and other algorithms where none is set.
const RADIX: usize = 2;

/// The algorithm that control variables name for a call.
pub(super) fn forced<'a>(call: &Call<'a>) -> Option<Named<'a>> {
    let name = call.op.name().to_ascii_uppercase();
    if call.form.nonblocking {
        by_variables(call, &format!("I{name}"))
    } else {
        by_variables(call, &name)
    }
}

/// The algorithm that control variables name for the operation that they call `operation`.
fn by_variables<'a>(call: &Call<'a>, operation: &str) -> Option<Named<'a>> {
    let parameters = &call.library.parameters;
    let variable = |rest: &str| format!("MPIR_CVAR_{operation}_{rest}");
    let set = parameters.get(&variable("INTRA_ALGORITHM"))?.trim();
    let name = plain(set);
    let radix = match set {
        "brucks" | "sched_brucks" => "",
        "k_brucks" | "tsp_brucks" => "BRUCKS_KVAL",
        "recursive_multiplying" => "RECURSIVE_MULTIPLYING_KVAL",
        set if set.ends_with("tree") => "TREE_KVAL",
        _ => "RECEXCH_KVAL",
    };
    let radix = call.library.number(&variable(radix));
    let tree = parameters.get(&variable("TREE_TYPE"));
    Some(Named {
        name,
        tree: tree.map(|kind| kind.trim()),
        radix: radix.and_then(|radix| usize::try_from(radix).ok()),
    })
}

/// The name of an algorithm without the prefix that algorithms of nonblocking operations have.
pub(super) fn plain(name: &str) -> &str {
    let name = name.strip_prefix("sched_").unwrap_or(name);
    name.strip_prefix("tsp_").unwrap_or(name)
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

/// Expands a gather or scatter along a tree whose branches have consecutive numbers.
fn of_blocks_along_tree(call: &Call<'_>, radix: usize, sink: Sink<'_>) {
    let parents = trees::preorder(call.members, radix);
    let mut ends: Vec<usize> = (1..=call.members).collect();
    for member in (1..call.members).rev() {
        ends[parents[member]] = ends[parents[member]].max(ends[member]);
    }
    for member in 1..call.members {
        let bytes = call.parts(member..ends[member]);
        sink(match call.op {
            Operation::Gather => Edge::once(member, parents[member], bytes),
            _ => Edge::once(parents[member], member, bytes),
        });
    }
}

/// Expands a call by the algorithm of this name. Returns `false` if MPICH goes back to its table,
/// or if the algorithm is not modelled.
pub(super) fn expand_named(call: &Call<'_>, named: &Named<'_>, sink: Sink<'_>) -> bool {
    let radix = named.radix.unwrap_or(RADIX).max(2);
    let exchange = Exchange::of(call.members, radix);
    let algorithm = named.name;
    let is_even = call.members.is_power_of_two();
    let commutes = !call.form.is_ordered();
    match (call.op, algorithm) {
        (Operation::Reduce, "binomial") if call.form.is_ordered() => {
            trees::up_in_order(call, sink);
        }
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
        (Operation::Gather | Operation::Scatter, "tree") => of_blocks_along_tree(call, radix, sink),
        (Operation::Bcast, "ring") => trees::down(call.members, call.whole(), |own| own - 1, sink),
        (Operation::Reduce, "ring") => trees::up(call.members, call.whole(), |own| own - 1, sink),
        (Operation::Gather | Operation::Scatter, "osu_direct") => star::TREE.expand(call, sink),
        (Operation::Bcast, "scatter_recursive_doubling_allgather") => {
            scatter_allgather(call, call.size(), Gathering::Doubling, sink);
        }
        (Operation::Bcast, "scatter_ring_allgather") => {
            scatter_allgather(call, call.size(), Gathering::Ring, sink);
        }
        (_, "nb") => return as_nonblocking(call, sink),
        (Operation::Allgather | Operation::Allgatherv, "brucks" | "k_brucks") => {
            bruck::allgather_of_radix(call, radix, sink);
        }
        (Operation::Allgather | Operation::Allgatherv, "recursive_doubling") if is_even => {
            recursive::allgather(call, sink);
        }
        (Operation::Allgather | Operation::Allgatherv, "ring") => ring::allgather(call, sink),
        (Operation::Allgather | Operation::Allgatherv, "recexch_doubling") => {
            exchange.allgather(call, sink);
        }
        (Operation::Allgather | Operation::Allgatherv, "recexch_halving") => {
            exchange.allgather_halving(call, sink);
        }
        (Operation::Allgather, "osu_direct") => {
            pairwise::pairs(call, |from, _| call.part(from), sink);
        }
        (Operation::Alltoall, "brucks" | "k_brucks") => {
            bruck::alltoall_of_radix(call, radix, sink);
        }
        (
            Operation::Alltoall,
            "pairwise" | "scattered" | "pairwise_sendrecv_replace" | "permuted_sendrecv",
        ) => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
        (Operation::Reduce, "reduce_scatter_gather") if can_scatter(call) => {
            Rabenseifner::of(call.members, Folding::ToEven).reduce(call, sink);
        }
        (Operation::Allreduce, "recursive_doubling") => recursive::allreduce(call, sink),
        (Operation::Allreduce, "recexch" | "recexch_single_buffer" | "recexch_multiple_buffer") => {
            exchange.allreduce(call, sink);
        }
        (Operation::Allreduce, "recursive_multiplying") => {
            multiplying::allreduce_to_power(call, radix, sink);
        }
        (Operation::Allreduce, "ring") => ring::allreduce(call, sink),
        (Operation::Allreduce, "reduce_scatter_allgather") if can_scatter(call) => {
            Rabenseifner::of(call.members, Folding::ToOdd).allreduce(call, sink);
        }
        (
            Operation::Allreduce,
            "k_reduce_scatter_allgather" | "recexch_reduce_scatter_recexch_allgatherv",
        ) => exchange.reduce_scatter_allgather(call, sink),
        (Operation::ReduceScatter | Operation::ReduceScatterBlock, "pairwise") if commutes => {
            pairwise::reduce_scatter(call, sink);
        }
        (Operation::ReduceScatter | Operation::ReduceScatterBlock, "recursive_halving")
            if commutes =>
        {
            recursive::reduce_scatter(call, sink);
        }
        (Operation::ReduceScatter | Operation::ReduceScatterBlock, "recursive_doubling") => {
            in_order::doubling(call, sink);
        }
        (Operation::ReduceScatter | Operation::ReduceScatterBlock, "noncommutative")
            if in_order::can_halve(call) =>
        {
            in_order::halving(call, sink);
        }
        (Operation::Scan | Operation::Exscan, "recursive_doubling") => recursive::scan(call, sink),
        _ => return false,
    }
    true
}

/// Expands a blocking call that MPICH carries out as a non-blocking one. Returns `false` where the
/// table of blocking operations decides.
fn as_nonblocking(call: &Call<'_>, sink: Sink<'_>) -> bool {
    let soon = call.with_nonblocking(true);
    let set = forced(&soon).filter(|named| named.name != "nb");
    set.is_some_and(|named| expand_named(call, &named, sink))
        || TABLE
            .select(&soon)
            .is_some_and(|named| expand_named(call, &named, sink))
}
