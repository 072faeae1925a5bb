//! Model `openmpi`: the algorithms that Open MPI 4.1 and 5.0 select.
//!
//! The component `tuned` carries out most operations on intracommunicators and selects by fixed
//! rules, unless parameters of the run or a rule file [choose](chosen). On several hosts, the
//! component [`han`] carries some operations out in stages. The component [`basic`] carries out
//! scans, and all operations where parameters of the run leave `tuned` out. The component `libnbc`
//! carries out [`nonblocking`] and persistent operations.

mod adapt;
mod allgather;
mod allreduce;
mod basic;
mod bcast;
mod butterfly;
mod chosen;
mod gather;
mod han;
mod nonblocking;
mod reduce;
mod reduce_scatter;
mod rule_file;
#[cfg(test)]
mod tests;

use super::LibraryModel;
use super::rules::Rules;
use crate::{Call, Model, Sink, bruck, pairwise, recursive, ring};
use chosen::{chosen, is_true};
use rankfold_wire::Operation;
use std::sync::LazyLock;

/// Number of Bruck's algorithm for alltoall. All others send every block directly.
const ALLTOALL_BRUCK: u8 = 3;
/// Number of recursive doubling for scans. The other algorithm runs along the chain of ranks.
const SCAN_DOUBLING: u8 = 2;

/// The fixed rules of the component `tuned`. An algorithm has the number that Open MPI's parameter
/// gives it.
static FIXED: LazyLock<Rules<u8>> =
    LazyLock::new(|| Rules::of(include_str!("fixed.rules"), |number| number.parse().ok()));

/// Priority of the component `tuned` by default.
const PRIORITY: i64 = 30;

/// The model `openmpi`.
pub(crate) struct OpenMpi;

impl LibraryModel for OpenMpi {
    fn recognises(&self, version: &str) -> bool {
        version.starts_with("Open MPI")
    }
}

impl Model for OpenMpi {
    described!("openmpi", "as Open MPI 4.1 and 5.0 select algorithms");

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        expand(call, sink);
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        if call.form.nonblocking {
            return nonblocking::is_dense(call);
        }
        call.op == Operation::Alltoall && !is_bruck(call)
    }
}

/// Expands a call on a communicator of the program. The communicators that `han` makes for its
/// stages have no `han` of their own.
fn expand(call: &Call<'_>, sink: Sink<'_>) {
    if call.members < 2 {
        return;
    }
    if call.form.nonblocking {
        nonblocking::expand(call, sink);
    } else if !han::expand(call, sink) {
        tuned(call, sink);
    }
}

/// Expands a call as the component `tuned` carries it out, or `basic` where it goes before `tuned`.
fn tuned(call: &Call<'_>, sink: Sink<'_>) {
    match call.op {
        _ if !is_tuned(call) => basic::expand(call, expand, sink),
        Operation::Bcast => bcast::expand(call, sink),
        Operation::Gather => gather::expand(call, "gather", sink),
        Operation::Scatter => gather::expand(call, "scatter", sink),
        Operation::Reduce => reduce::expand(call, sink),
        Operation::Allgather => allgather::expand(call, sink),
        Operation::Allgatherv => allgather::expand_uneven(call, sink),
        Operation::Alltoall if is_bruck(call) => bruck::alltoall(call, sink),
        Operation::Alltoall => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
        Operation::Allreduce => allreduce::expand(call, sink),
        Operation::ReduceScatter => reduce_scatter::expand(call, sink),
        Operation::ReduceScatterBlock => reduce_scatter::expand_equal(call, sink),
        Operation::Scan | Operation::Exscan if is_doubling(call) => recursive::scan(call, sink),
        Operation::Scan | Operation::Exscan => {
            ring::CHAIN.down(call.members, |_| call.whole(), sink);
        }
        Operation::Barrier
        | Operation::Gatherv
        | Operation::Scatterv
        | Operation::Alltoallv
        | Operation::Alltoallw => {}
    }
}

/// Whether the component `tuned` goes before `basic` in this run.
fn is_tuned(call: &Call<'_>) -> bool {
    priority(call, "tuned", PRIORITY) > priority(call, "basic", basic::PRIORITY)
}

fn is_bruck(call: &Call<'_>) -> bool {
    is_tuned(call)
        && !call.form.in_place
        && algorithm(call, "alltoall", call.size()) == ALLTOALL_BRUCK
}

fn is_doubling(call: &Call<'_>) -> bool {
    chosen(call).is_some_and(|choice| choice.number == SCAN_DOUBLING)
}

/// The number of the algorithm for a call whose size, as the table of fixed rules counts it, is
/// `size`.
fn algorithm(call: &Call<'_>, table: &str, size: u64) -> u8 {
    let fixed = || FIXED.choice(table, &[call.members], size).unwrap_or(1);
    chosen(call).map_or_else(fixed, |choice| choice.number)
}

/// As [`algorithm`], for reductions, which have another table where the operator does not commute.
fn algorithm_of_reduction(call: &Call<'_>, commuting: &str, in_order: &str, size: u64) -> u8 {
    let is_ordered = call.form.is_ordered();
    algorithm(call, if is_ordered { in_order } else { commuting }, size)
}

/// The number of chains of an algorithm: 1 in the fixed rules.
fn chains(call: &Call<'_>) -> usize {
    chosen(call).map_or(1, |choice| choice.chains)
}

/// The value of a parameter that is a number, or what it is by default.
fn option(call: &Call<'_>, parameter: &str, default: u64) -> usize {
    let value = call.library.number(parameter).unwrap_or(default);
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The priority of a component: what the run sets, or else `default`. A component that the run
/// excludes has the lowest priority there is.
fn priority(call: &Call<'_>, component: &str, default: i64) -> i64 {
    let parameters = &call.library.parameters;
    if let Some(list) = parameters.get("coll") {
        let (is_excluding, names) = match list.trim().strip_prefix('^') {
            Some(names) => (true, names),
            None => (false, list.trim()),
        };
        let is_named = names.split(',').any(|name| name.trim() == component);
        if is_named == is_excluding {
            return i64::MIN;
        }
    }
    let own = parameters.get(&format!("coll_{component}_priority"));
    own.and_then(|value| value.trim().parse().ok())
        .unwrap_or(default)
}

/// The first number of the library's version. `None` if the version is unknown.
fn major(call: &Call<'_>) -> Option<u32> {
    let version = call.library.version.strip_prefix("Open MPI")?.trim_start();
    let version = version.strip_prefix('v').unwrap_or(version);
    version.split('.').next()?.parse().ok()
}
