//! Nonblocking and persistent operations of Open MPI, which the component `libnbc` carries out.
//! Between hosts, `han` uses some of them for blocking operations.
//!
//! Source: `ompi/mca/coll/libnbc/` of Open MPI 4.1.4 and 5.0.10, which choose alike. In trees and
//! chains here, the root and rank 0 change their numbers, and all other ranks keep theirs.

use super::{allreduce, is_true, option};
use crate::library::trees;
use crate::rabenseifner::{self, Folding, Rabenseifner};
use crate::{Call, Edge, Sink, pairwise, recursive, ring, star};
use rankfold_wire::Operation;

/// Most members of a broadcast in which the root sends directly, and of a reduction along a chain.
const LINEAR_MEMBERS: usize = 4;
/// Fewest bytes along a chain.
const CHAIN: u64 = 64 << 10;
/// Fewest bytes of an allreduce that is not along a binomial tree.
const LONG_ALLREDUCE: u64 = 64 << 10;
/// Fewest members of an allreduce that is not along a binomial tree.
const ALLREDUCE_MEMBERS: usize = 4;
/// Radix of trees where `coll_libnbc_ibcast_knomial_radix` is not set.
const RADIX: u64 = 4;
/// Number of recursive doubling in the parameters of allgathers, scans and exscans.
const DOUBLING: u64 = 2;

/// Expands a nonblocking operation.
///
/// | operation | algorithm |
/// |---|---|
/// | Bcast | linear among few members, otherwise along a binomial tree |
/// | Reduce | Rabenseifner; along a binomial tree or a chain where that cannot be |
/// | Gather, Scatter | linear |
/// | Allgather, Allgatherv, Alltoall | every block directly |
/// | Allreduce | along a binomial tree; long vectors after Rabenseifner |
/// | Reduce_scatter, Reduce_scatter_block | along a binomial tree to rank 0, then linear scatter |
/// | Scan, Exscan | along the chain of ranks |
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) {
    let (members, whole) = (call.members, call.whole());
    match call.op {
        Operation::Bcast => bcast(call, sink),
        Operation::Reduce => reduce(call, sink),
        Operation::Gather | Operation::Scatter => star::TREE.expand(call, sink),
        Operation::Allgather if is_doubling(call) => recursive::allgather(call, sink),
        Operation::Allgather | Operation::Allgatherv => {
            pairwise::pairs(call, |from, _| call.part(from), sink);
        }
        Operation::Alltoall => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
        Operation::Allreduce => allreduce(call, sink),
        Operation::ReduceScatter | Operation::ReduceScatterBlock => {
            trees::up(members, whole, |rank| trees::lowest_digit(rank, 2), sink);
            star::TREE.down(members, |branch| call.parts(branch), sink);
        }
        Operation::Scan | Operation::Exscan if is_doubling(call) => recursive::scan(call, sink),
        Operation::Scan | Operation::Exscan => ring::CHAIN.down(members, |_| whole, sink),
        Operation::Barrier
        | Operation::Gatherv
        | Operation::Scatterv
        | Operation::Alltoallv
        | Operation::Alltoallw => {}
    }
}

/// Whether every pair of members exchanges a block.
pub(super) fn is_dense(call: &Call<'_>) -> bool {
    match call.op {
        Operation::Allgather => !is_doubling(call),
        op => matches!(op, Operation::Allgatherv | Operation::Alltoall),
    }
}

/// The number of the algorithm that a parameter of the run chooses for the operation `name`.
fn chosen(call: &Call<'_>, name: &str) -> Option<u64> {
    let number = call
        .library
        .number(&format!("coll_libnbc_{name}_algorithm"))?;
    (number > 0).then_some(number)
}

fn is_doubling(call: &Call<'_>) -> bool {
    let name = match call.op {
        Operation::Allgather if call.members.is_power_of_two() => "iallgather",
        Operation::Scan => "iscan",
        Operation::Exscan => "iexscan",
        _ => return false,
    };
    chosen(call, name) == Some(DOUBLING)
}

/// Expands a broadcast. Parameters number its algorithms 1 linear, 2 binomial tree, 3 chain and 4
/// tree of any radix.
pub(super) fn bcast(call: &Call<'_>, sink: Sink<'_>) {
    let (members, whole) = (call.members, call.whole());
    let skips = call
        .library
        .parameters
        .get("coll_libnbc_ibcast_skip_dt_decision");
    let by_size = skips.is_some_and(|value| !is_true(value));
    let usual = match members {
        0..=LINEAR_MEMBERS => 1,
        _ if by_size && call.size() >= CHAIN => 3,
        _ => 2,
    };
    let renumbered = &mut |edge| sink(renumbered(call, edge));
    match chosen(call, "ibcast").unwrap_or(usual) {
        2 => trees::down(members, whole, trees::highest_bit, renumbered),
        3 => trees::down(members, whole, |number| number - 1, renumbered),
        4 => {
            let radix = option(call, "coll_libnbc_ibcast_knomial_radix", RADIX).max(2);
            let parent = |member| trees::lowest_digit(member, radix);
            trees::down(members, whole, parent, sink);
        }
        _ => star::TREE.down(members, |_| whole, sink),
    }
}

/// Expands a reduction. Parameters number its algorithms 1 chain, 2 binomial tree and 3
/// Rabenseifner, which needs at least as many elements as partners and an operator that commutes.
pub(super) fn reduce(call: &Call<'_>, sink: Sink<'_>) {
    let (members, whole) = (call.members, call.whole());
    let in_order = call.form.is_ordered();
    let can_scatter = members > 2 && rabenseifner::is_divisible(call) && !in_order;
    let usual = if can_scatter {
        3
    } else if members > LINEAR_MEMBERS || call.size() < CHAIN || in_order {
        2
    } else {
        1
    };
    match chosen(call, "ireduce").unwrap_or(usual) {
        3 if can_scatter => Rabenseifner::of(members, Folding::Halves).reduce(call, sink),
        2 if in_order => trees::up_in_order(call, sink),
        2 => {
            let parent = |number| trees::lowest_digit(number, 2);
            let renumbered = &mut |edge| sink(renumbered(call, edge));
            trees::up(members, whole, parent, renumbered);
        }
        _ => {
            let renumbered = &mut |edge| sink(renumbered(call, edge));
            trees::up(members, whole, |number| number - 1, renumbered);
        }
    }
}

/// Expands an allreduce. Parameters number its algorithms 1 ring, 2 binomial tree, 3 Rabenseifner
/// and 4 recursive doubling.
fn allreduce(call: &Call<'_>, sink: Sink<'_>) {
    let (members, whole) = (call.members, call.whole());
    let can_scatter = rabenseifner::is_divisible(call) && !call.form.is_ordered();
    let is_short = members < ALLREDUCE_MEMBERS || call.size() < LONG_ALLREDUCE;
    let is_binomial = is_short || call.form.in_place || call.form.is_ordered();
    let usual = if is_binomial { 2 } else { 3 };
    match chosen(call, "iallreduce").unwrap_or(usual) {
        2 => {
            trees::up(members, whole, |rank| trees::lowest_digit(rank, 2), sink);
            trees::down(members, whole, trees::highest_bit, sink);
        }
        3 if can_scatter => Rabenseifner::of(members, Folding::Halves).allreduce(call, sink),
        4 => recursive::allreduce(call, sink),
        _ => allreduce::around_ring(call, sink),
    }
}

/// Turns an edge between numbers of the tree into one between members, which models count from the
/// root.
fn renumbered(call: &Call<'_>, edge: Edge) -> Edge {
    let member = |number: usize| {
        let rank = match number {
            0 => call.root,
            number if number == call.root => 0,
            number => number,
        };
        call.counted_from_root(rank)
    };
    edge.renumbered(member)
}
