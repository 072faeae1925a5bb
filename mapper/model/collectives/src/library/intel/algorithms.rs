//! The algorithms that Intel MPI selects among, each on members that are treated alike.

use crate::library::multiplying;
use crate::library::scatter_allgather::{Gathering, scatter_allgather};
use crate::library::trees;
use crate::rabenseifner::{self, Folding, Rabenseifner};
use crate::{Call, Sink, binomial, bruck, pairwise, recursive, ring, star};
use rankfold_wire::Operation;

/// Fewest members whose broadcasts of long messages are scattered and gathered.
const SCATTER_MEMBERS: usize = 8;
/// Bytes of all blocks together from which on members that are no power of two gather around the
/// ring.
const GATHERED_LONG: u128 = 80 << 10;

/// An algorithm. Some are for one operation only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// Everything straight to and from the root.
    Star,
    /// Along the chain of members.
    Chain,
    /// Along a tree of this radix, in which the parent of a member lacks its lowest digit.
    Nomial(usize),
    /// Along a tree of this radix whose branches have consecutive numbers.
    Preorder(usize),
    /// Along a complete tree of this fanout.
    Kary(usize),
    /// Bcast: along a binomial tree among few members, otherwise scatter and allgather.
    Scatter,
    /// Bcast: scatter, then allgather by recursive doubling. Members that are no power of two go
    /// along a binomial tree.
    ScatterDoubling,
    /// Bcast: scatter, then allgather around the ring.
    ScatterRing,
    /// Reductions: recursive halving, then gather or allgather.
    Rabenseifner,
    /// Allreduce: exchanges of whole vectors in groups of this size.
    Multiplying(usize),
    /// Allreduce: a reduction and a broadcast of the first member, each by its own rules.
    ReduceBcast,
    /// Around the ring.
    Ring,
    /// Allgather: recursive exchange.
    Exchange,
    /// Recursive doubling. Members that are no power of two gather by Bruck's algorithm, or around
    /// the ring if all blocks together are long.
    Doubling,
    /// Bruck's algorithm.
    Bruck,
    /// Every block, or part of a vector, straight to its destination.
    Direct,
    /// Reduce-scatter by recursive halving.
    Halving,
}

/// How members on the same host take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// All members alike, wherever they are.
    Flat(Algorithm),
    /// One member of every host for all members of that host.
    Leaders(Algorithm),
}

/// Expands a call. An algorithm that is not for this operation or not for this size is replaced by
/// one that is.
pub(super) fn expand(call: &Call<'_>, algorithm: Algorithm, sink: Sink<'_>) {
    match call.op {
        Operation::Bcast => bcast(call, algorithm, sink),
        Operation::Reduce => reduce(call, algorithm, sink),
        Operation::Allreduce => allreduce(call, algorithm, sink),
        Operation::Gather | Operation::Scatter => match algorithm {
            Algorithm::Nomial(_) => binomial::TREE.expand(call, sink),
            _ => star::TREE.expand(call, sink),
        },
        Operation::Allgather | Operation::Allgatherv => allgather(call, algorithm, sink),
        Operation::Alltoall if algorithm == Algorithm::Bruck => bruck::alltoall(call, sink),
        Operation::Alltoall => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
        Operation::ReduceScatter | Operation::ReduceScatterBlock => match algorithm {
            Algorithm::Direct => pairwise::reduce_scatter(call, sink),
            _ => recursive::reduce_scatter(call, sink),
        },
        Operation::Scan | Operation::Exscan => recursive::scan(call, sink),
        Operation::Barrier
        | Operation::Gatherv
        | Operation::Scatterv
        | Operation::Alltoallv
        | Operation::Alltoallw => {}
    }
}

/// The parents of all members in the tree of an algorithm. `None` for algorithms without a tree.
fn parents(members: usize, algorithm: Algorithm) -> Option<Vec<usize>> {
    let parent = |of: &dyn Fn(usize) -> usize| {
        let others = (1..members).map(of);
        Some([0].into_iter().chain(others).collect())
    };
    match algorithm {
        Algorithm::Star => parent(&|_| 0),
        Algorithm::Chain => parent(&|member| member - 1),
        Algorithm::Nomial(radix) => parent(&|member| trees::lowest_digit(member, radix)),
        Algorithm::Kary(fanout) => parent(&|member| trees::kary(member, fanout)),
        Algorithm::Preorder(radix) => Some(trees::preorder(members, radix)),
        _ => None,
    }
}

fn bcast(call: &Call<'_>, algorithm: Algorithm, sink: Sink<'_>) {
    let parents = parents(call.members, algorithm);
    match (parents, algorithm) {
        (Some(parents), _) => trees::down(call.members, call.whole(), |at| parents[at], sink),
        (None, Algorithm::ScatterRing) => {
            scatter_allgather(call, call.size(), Gathering::Ring, sink);
        }
        (None, Algorithm::Scatter) if call.members < SCATTER_MEMBERS => {
            binomial::TREE.expand(call, sink);
        }
        (None, _) if call.members.is_power_of_two() => {
            scatter_allgather(call, call.size(), Gathering::Doubling, sink);
        }
        (None, Algorithm::Scatter) => scatter_allgather(call, call.size(), Gathering::Ring, sink),
        (None, _) => binomial::TREE.expand(call, sink),
    }
}

fn reduce(call: &Call<'_>, algorithm: Algorithm, sink: Sink<'_>) {
    match parents(call.members, algorithm) {
        Some(parents) => trees::up(call.members, call.whole(), |at| parents[at], sink),
        None if rabenseifner::is_divisible(call) => {
            Rabenseifner::of(call.members, Folding::ToEven).reduce(call, sink);
        }
        None => reduce(call, Algorithm::Nomial(2), sink),
    }
}

fn allreduce(call: &Call<'_>, algorithm: Algorithm, sink: Sink<'_>) {
    match algorithm {
        Algorithm::Ring => ring::allreduce(call, sink),
        Algorithm::Multiplying(radix) => multiplying::allreduce(call, radix, sink),
        Algorithm::Rabenseifner if rabenseifner::is_divisible(call) => {
            Rabenseifner::of(call.members, Folding::ToOdd).allreduce(call, sink);
        }
        Algorithm::Direct => {
            pairwise::reduce_scatter(call, sink);
            pairwise::pairs(call, |from, _| call.part(from), sink);
        }
        Algorithm::Nomial(_) => {
            for op in [Operation::Reduce, Operation::Bcast] {
                expand(&call.stage(op, call.whole()), algorithm, sink);
            }
        }
        _ => recursive::allreduce(call, sink),
    }
}

fn allgather(call: &Call<'_>, algorithm: Algorithm, sink: Sink<'_>) {
    match algorithm {
        Algorithm::Ring => ring::allgather(call, sink),
        Algorithm::Exchange => multiplying::allgather(call, sink),
        Algorithm::Doubling if call.members.is_power_of_two() => recursive::allgather(call, sink),
        Algorithm::Doubling if call.whole_size() >= GATHERED_LONG => ring::allgather(call, sink),
        _ => bruck::allgather(call, sink),
    }
}
