//! Model `mpich`: the algorithm that MPICH 4 and 5 choose for each collective call.
//!
//! The choice depends on the operation, its size and the number of members, and in reductions on
//! the operator. [Nonblocking](nonblocking) operations have a table of their own.
//!
//! Source: `maint/tuning/coll/mpir/generic.json` of MPICH 4.0.2 and 5.0.1, whose tables are the
//! same. MPICH compiles this table in and uses it unless a control variable of the run
//! [forces](chosen) an algorithm or names a [tuning file](tuning). The algorithms are those of
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
mod nonblocking;
mod stages;
#[cfg(test)]
mod tests;
mod tuning;

pub(super) use chosen::{Named, expand_named, operation};

use super::LibraryModel;
use crate::library::scatter_allgather::{Gathering, scatter_allgather};
use crate::library::trees;
use crate::rabenseifner::{self, Folding, Rabenseifner};
use crate::{Call, Model, Sink, binomial, bruck, pairwise, recursive, ring};
use rankfold_wire::{Operation, Operator};

// Thresholds in bytes and members. All are from the table of MPICH cited above.
const BCAST_SHORT: u64 = 12 << 10;
const BCAST_LONG: u64 = 512 << 10;
const BCAST_MEMBERS: usize = 8;
const ALLGATHER_SHORT: u128 = 80 << 10;
const ALLGATHER_LONG: u128 = 512 << 10;
const ALLTOALL_SHORT: u64 = 256;
// The table cited above says 8. MPICH 4.0.2 and 5.0.2 send directly among 8 members and use Bruck's
// algorithm among 9, measured with `scripts/bench collectives`.
const ALLTOALL_MEMBERS: usize = 9;
const REDUCE_SHORT: u64 = 2 << 10;
const ALLREDUCE_SHORT: u64 = 8;
const REDUCE_SCATTER_LONG: u64 = 512 << 10;

/// The model `mpich`.
pub(crate) struct Mpich;

impl LibraryModel for Mpich {
    fn recognises(&self, version: &str) -> bool {
        version.starts_with("MPICH")
    }
}

impl Model for Mpich {
    fn name(&self) -> &'static str {
        "mpich"
    }

    fn summary(&self) -> &'static str {
        "as MPICH 4 and 5 select algorithms, in stages where members share hosts"
    }

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        expand(call, by_table, sink);
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        match call.op {
            Operation::Alltoall => !is_short_alltoall(call),
            _ => is_long_reduce_scatter(call),
        }
    }
}

/// Whether a call is a reduce-scatter whose members all send to each other.
pub(super) fn is_long_reduce_scatter(call: &Call<'_>) -> bool {
    let is_one = matches!(
        call.op,
        Operation::ReduceScatter | Operation::ReduceScatterBlock
    );
    // MPICH 4.0.2 and 5.0.1 take the elements of a nonblocking call with equal blocks for bytes.
    let size = match call.op {
        Operation::ReduceScatterBlock if call.form.nonblocking => call.elements(),
        _ => call.size(),
    };
    is_one && size >= REDUCE_SCATTER_LONG && !call.form.is_ordered()
}

/// Expands a call in the stages of MPICH, with `table` for what nothing in the run decides.
pub(super) fn expand(call: &Call<'_>, table: Table, sink: Sink<'_>) {
    if call.members > 1 && !stages::expand(call, table, sink) {
        flat(call, table, sink);
    }
}

/// Expands a call by the table of a library.
type Table = fn(&Call<'_>, Sink<'_>);

/// Expands a call as MPICH carries it out among members on one host: by the algorithm that a
/// control variable forces, by a tuning file, or else by the table of nonblocking operations or
/// `table`.
fn flat(call: &Call<'_>, table: Table, sink: Sink<'_>) {
    let is_decided = chosen::expand(call, sink)
        || tuning::expand(call, sink)
        || call.form.nonblocking && chosen::by_nonblocking_table(call, sink);
    if !is_decided {
        table(call, sink);
    }
}

/// Expands a call by the table of MPICH.
pub(super) fn by_table(call: &Call<'_>, sink: Sink<'_>) {
    let size = call.size();
    match call.op {
        Operation::Bcast => bcast(call, sink),
        Operation::Allgather | Operation::Allgatherv => allgather(call, sink),
        Operation::Alltoall if is_short_by_table(call) => bruck::alltoall(call, sink),
        Operation::Alltoall => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
        Operation::Reduce if size > REDUCE_SHORT && can_scatter(call) => {
            Rabenseifner::of(call.members, Folding::ToEven).reduce(call, sink);
        }
        Operation::Reduce if call.form.is_ordered() => trees::up_in_order(call, sink),
        Operation::Allreduce if size > ALLREDUCE_SHORT && can_scatter(call) => {
            Rabenseifner::of(call.members, Folding::ToOdd).allreduce(call, sink);
        }
        Operation::Allreduce => recursive::allreduce(call, sink),
        Operation::ReduceScatter | Operation::ReduceScatterBlock if call.form.is_ordered() => {
            in_order::reduce_scatter(call, sink);
        }
        _ if is_long_reduce_scatter(call) => {
            pairwise::reduce_scatter(call, sink);
        }
        Operation::ReduceScatter | Operation::ReduceScatterBlock => {
            recursive::reduce_scatter(call, sink);
        }
        Operation::Scan | Operation::Exscan => recursive::scan(call, sink),
        _ => binomial::TREE.expand(call, sink),
    }
}

/// Whether a reduction may follow Rabenseifner, who needs an operator of MPI and at least one
/// element for every partner.
fn can_scatter(call: &Call<'_>) -> bool {
    rabenseifner::is_divisible(call) && call.form.operator == Operator::BuiltIn
}

fn bcast(call: &Call<'_>, sink: Sink<'_>) {
    let size = call.size();
    if size <= BCAST_SHORT || call.members < BCAST_MEMBERS {
        binomial::TREE.expand(call, sink);
    } else if size <= BCAST_LONG && call.members.is_power_of_two() {
        scatter_allgather(call, Gathering::Doubling, sink);
    } else {
        scatter_allgather(call, Gathering::Ring, sink);
    }
}

fn allgather(call: &Call<'_>, sink: Sink<'_>) {
    let gathered = call.whole_size();
    if gathered < ALLGATHER_LONG && call.members.is_power_of_two() {
        recursive::allgather(call, sink);
    } else if gathered < ALLGATHER_SHORT {
        bruck::allgather(call, sink);
    } else {
        ring::allgather(call, sink);
    }
}

/// Whether an alltoall takes Bruck's algorithm.
fn is_short_alltoall(call: &Call<'_>) -> bool {
    chosen::is_forced(call, "brucks")
        || !chosen::is_forced(call, "pairwise")
            && !chosen::is_forced(call, "scattered")
            && !chosen::is_forced(call, "permuted_sendrecv")
            && is_short_by_table(call)
}

fn is_short_by_table(call: &Call<'_>) -> bool {
    if call.form.nonblocking {
        return nonblocking::algorithm(call) == Some("brucks");
    }
    !call.form.in_place && call.size() <= ALLTOALL_SHORT && call.members >= ALLTOALL_MEMBERS
}
