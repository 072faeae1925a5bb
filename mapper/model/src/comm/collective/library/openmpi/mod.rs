//! Model `openmpi`: the algorithms that Open MPI 4.1 and 5.0 select.
//!
//! The component `tuned` carries out most operations on intracommunicators and selects by fixed
//! [`rules`]. The component `basic` carries out scans. A parameter such as
//! `coll_tuned_bcast_algorithm` overrides the rules of its operation if
//! `coll_tuned_use_dynamic_rules` is set.
//!
//! Not modelled: rule files, parameters that select other components, and the component `han`. On
//! several hosts, Open MPI 5.0 uses `han` for broadcasts, reductions, allreduces, gathers, scatters
//! and allgathers, since its priority there is above that of `tuned`. On one host it takes no part.

mod allgather;
mod allreduce;
mod bcast;
mod butterfly;
mod gather;
mod reduce;
mod reduce_scatter;
mod rules;
#[cfg(test)]
mod tests;
mod trees;

use super::LibraryModel;
use crate::comm::collective::{Call, Model, Sink, bruck, pairwise, recursive, ring};
use rankfold_profile::Operation;
use rules::ALLTOALL;

/// Number of Bruck's algorithm for alltoall. All others send every block directly.
const ALLTOALL_BRUCK: u8 = 3;
/// Number of recursive doubling for scans. The other algorithm runs along the chain of ranks.
const SCAN_DOUBLING: u8 = 2;

/// The model `openmpi`.
pub(in crate::comm::collective) struct OpenMpi;

impl LibraryModel for OpenMpi {
    fn recognises(&self, version: &str) -> bool {
        version.starts_with("Open MPI")
    }
}

impl Model for OpenMpi {
    fn name(&self) -> &'static str {
        "openmpi"
    }

    fn summary(&self) -> &'static str {
        "as Open MPI 4.1 and 5.0 select algorithms"
    }

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        if call.members < 2 {
            return;
        }
        match call.op {
            Operation::Bcast => bcast::expand(call, call.elements(), sink),
            Operation::Gather => gather::gather(call, sink),
            Operation::Scatter => gather::scatter(call, sink),
            Operation::Reduce => reduce::expand(call, sink),
            Operation::Allgather => allgather::expand(call, sink),
            Operation::Allgatherv => allgather::expand_uneven(call, sink),
            Operation::Alltoall if is_bruck(call) => bruck::alltoall(call, sink),
            Operation::Alltoall => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
            Operation::Allreduce => allreduce::expand(call, sink),
            Operation::ReduceScatter => reduce_scatter::expand(call, sink),
            Operation::ReduceScatterBlock => reduce_scatter::expand_equal(call, sink),
            Operation::Scan if forced(call, "scan") == Some(SCAN_DOUBLING) => {
                recursive::scan(call, sink);
            }
            Operation::Exscan if forced(call, "exscan") == Some(SCAN_DOUBLING) => {
                recursive::scan(call, sink);
            }
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

    fn is_dense(&self, call: &Call<'_>) -> bool {
        call.op == Operation::Alltoall && !is_bruck(call)
    }
}

fn is_bruck(call: &Call<'_>) -> bool {
    let number = forced(call, "alltoall")
        .unwrap_or_else(|| rules::algorithm(ALLTOALL, call.members, call.size()));
    number == ALLTOALL_BRUCK
}

/// The number of the algorithm that a parameter of the run asks for. `None` if the fixed rules
/// decide.
fn forced(call: &Call<'_>, operation: &str) -> Option<u8> {
    const SWITCH: &str = "coll_tuned_use_dynamic_rules";
    let is_on = call
        .library
        .parameters
        .get(SWITCH)
        .is_some_and(|value| is_true(value));
    let number = call
        .library
        .number(&format!("coll_tuned_{operation}_algorithm"))?;
    u8::try_from(number)
        .ok()
        .filter(|&number| is_on && number > 0)
}

/// Whether Open MPI reads a value as true.
fn is_true(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    matches!(&value[..], "true" | "t" | "enabled" | "yes" | "y")
        || value.parse::<i64>().is_ok_and(|number| number != 0)
}

/// The value of a parameter that is a number, or what it is by default.
fn option(call: &Call<'_>, parameter: &str, default: u64) -> usize {
    let value = call.library.number(parameter).unwrap_or(default);
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The number of chains of an algorithm that a parameter asks for; 1 in the fixed rules.
fn chains(call: &Call<'_>, operation: &str) -> usize {
    /// Number of chains where a parameter asks for chains and none for their number.
    const FORCED: u64 = 4;
    let parameter = format!("coll_tuned_{operation}_algorithm_chain_fanout");
    forced(call, operation).map_or(1, |_| option(call, &parameter, FORCED))
}
