//! Model `mpich`: the algorithm that MPICH 4 and 5 choose for each collective call.
//!
//! The choice depends on the operation, its size and the number of members, and in reductions on
//! the operator. Some nonblocking operations have rules of their own.
//!
//! Source: `maint/tuning/coll/mpir/generic.json` of MPICH 4.0.2 and 5.0.1, whose tables are the
//! same. MPICH compiles this table in and uses it unless a control variable of the run
//! [forces](chosen) an algorithm or names a [tuning file](tuning). `table.json` states it in the
//! format of tuning files. It departs from the source in one place: among 8 members, MPICH 4.0.2
//! and 5.0.2 send a short alltoall directly, and use Bruck's algorithm among 9, measured with
//! `scripts/bench collectives`. MPICH takes the elements of a nonblocking reduce-scatter with equal
//! blocks for bytes. The algorithms are those of
//! Thakur, Rabenseifner & Gropp, "Optimization of collective communication operations in MPICH",
//! International Journal of High Performance Computing Applications 19(1), 2005, section 4.
//!
//! | operation | size | algorithm |
//! |---|---|---|
//! | Bcast | up to 12 KiB, or fewer than 8 members | binomial tree |
//! | | up to 512 KiB, members a power of two | binomial scatter, recursive doubling allgather |
//! | | above | binomial scatter, ring allgather |
//! | Allgather, Allgatherv | all blocks below 512 KiB, power-of-two members | recursive doubling |
//! | | all blocks below 80 KiB, any other number of members | Bruck |
//! | | above | ring |
//! | Alltoall | block up to 256 bytes, at least 9 members, not in place | Bruck |
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
//! Operators of the program:
//!
//! | operation | operator | algorithm |
//! |---|---|---|
//! | Reduce | commutes | binomial tree |
//! | Reduce | does not commute | binomial tree from rank 0, then one message to the root |
//! | Allreduce | any | recursive doubling |
//! | Reduce_scatter | does not commute, equal blocks, power-of-two members | mirrored halving |
//! | Reduce_scatter | does not commute, otherwise | recursive doubling |
//!
//! The number of partners is the number of members rounded down to a power of two. A profile counts
//! bytes, not elements; an element is assumed to have 8 bytes, like a double. The size is the mean
//! over the calls in one row of the profile, which differ by less than a factor of two.

mod chosen;
mod exchange;
mod in_order;
mod stages;
#[cfg(test)]
mod tests;
mod tuning;

use super::LibraryModel;
use crate::{Call, Model, Sink, rabenseifner};
use chosen::{Named, expand_named};
use rankfold_wire::{Operation, Operator};
use std::sync::LazyLock;
use tuning::Level;

/// The model `mpich`.
pub(crate) struct Mpich;

impl LibraryModel for Mpich {
    fn recognises(&self, version: &str) -> bool {
        version.starts_with("MPICH")
    }
}

impl Model for Mpich {
    described!(
        "mpich",
        "as MPICH 4 and 5 select algorithms, in stages where members share hosts"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        if call.members > 1 && !stages::expand(call, sink) {
            flat(call, sink);
        }
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        let is_dense = |named: &Named<'_>| match named.name {
            "pairwise" | "recursive_halving" if call.form.is_ordered() => None,
            "pairwise" | "scattered" | "pairwise_sendrecv_replace" | "permuted_sendrecv" => {
                Some(true)
            }
            "brucks" | "k_brucks" | "recursive_halving" | "recursive_doubling"
            | "noncommutative" => Some(false),
            _ => None,
        };
        let blocks_to_all = matches!(
            call.op,
            Operation::Alltoall | Operation::ReduceScatter | Operation::ReduceScatterBlock
        );
        blocks_to_all && of_algorithms(call, is_dense).unwrap_or(false)
    }
}

/// The table that MPICH compiles in, in the format of [`tuning`] files.
static TABLE: LazyLock<Level> = LazyLock::new(|| {
    serde_json::from_str(include_str!("table.json")).expect("the compiled-in table is a tree")
});

/// Expands a call as MPICH carries it out among members on one host.
fn flat(call: &Call<'_>, sink: Sink<'_>) {
    of_algorithms(call, |named| expand_named(call, named, sink).then_some(()));
}

/// The first result of `attempt` on the algorithms that decide in turn: the one that a control
/// variable forces, that of the run's tuning file, that of MPICH's table. A nonblocking call that
/// the table does not hold is looked up as a blocking one.
fn of_algorithms<T>(
    call: &Call<'_>,
    mut attempt: impl FnMut(&Named<'_>) -> Option<T>,
) -> Option<T> {
    let forced = chosen::forced(call).and_then(|named| attempt(&named));
    let mut by_tree = |tree: &Level, call: &Call<'_>| attempt(&tree.select(call)?);
    forced
        .or_else(|| by_tree(&Level::of_run(call)?, call))
        .or_else(|| by_tree(&TABLE, call))
        .or_else(|| by_tree(&TABLE, &call.with_nonblocking(false)))
}

/// Whether a reduction may follow Rabenseifner, who needs an operator of MPI and at least one
/// element for every partner.
fn can_scatter(call: &Call<'_>) -> bool {
    rabenseifner::is_divisible(call) && call.form.operator == Operator::BuiltIn
}
