//! Algorithms that parameters of a run or a rule file choose in place of the fixed rules.

use super::rule_file::{self, Choice};
use crate::Call;
use rankfold_wire::Operation;

/// Number of chains of a chosen algorithm whose number of chains is not set.
const CHAINS: u64 = 4;
/// The parameter without which Open MPI ignores rule files and the algorithms of other parameters.
const SWITCH: &str = "coll_tuned_use_dynamic_rules";
/// The parameter that names a rule file.
const RULE_FILE: &str = "coll_tuned_dynamic_rules_filename";

/// The algorithm that was chosen for a call. `None` if the fixed rules decide. Open MPI 4.1 looks
/// at the rule file first, Open MPI 5.0 at the parameter of the operation.
pub(super) fn chosen(call: &Call<'_>) -> Option<Choice> {
    let is_on = call
        .library
        .parameters
        .get(SWITCH)
        .map(|value| is_true(value));
    if is_on != Some(true) {
        return None;
    }
    let (name, id) = names(call.op)?;
    let by_parameter = || {
        let number = call
            .library
            .number(&format!("coll_tuned_{name}_algorithm"))?;
        let chains = format!("coll_tuned_{name}_algorithm_chain_fanout");
        Choice::of(number, call.library.number(&chains).unwrap_or(CHAINS))
    };
    let by_file = || {
        let text = call.library.files.get(RULE_FILE)?;
        rule_file::rule(text, id, call.members, size(call))
    };
    if super::major(call) < Some(5) {
        by_file().or_else(by_parameter)
    } else {
        by_parameter().or_else(by_file)
    }
}

/// What parameters call an operation, and its number in rule files.
fn names(op: Operation) -> Option<(&'static str, u64)> {
    Some(match op {
        Operation::Allgather => ("allgather", 0),
        Operation::Allgatherv => ("allgatherv", 1),
        Operation::Allreduce => ("allreduce", 2),
        Operation::Alltoall => ("alltoall", 3),
        Operation::Bcast => ("bcast", 7),
        Operation::Exscan => ("exscan", 8),
        Operation::Gather => ("gather", 9),
        Operation::Reduce => ("reduce", 11),
        Operation::ReduceScatter => ("reduce_scatter", 12),
        Operation::ReduceScatterBlock => ("reduce_scatter_block", 13),
        Operation::Scan => ("scan", 14),
        Operation::Scatter => ("scatter", 15),
        _ => return None,
    })
}

/// The bytes by which rule files choose.
fn size(call: &Call<'_>) -> u64 {
    let members = call.members as u64;
    match call.op {
        Operation::Allgather | Operation::Alltoall | Operation::Gather | Operation::Scatter => {
            call.size().saturating_mul(members)
        }
        Operation::Allgatherv => call.size() / members.max(1),
        _ => call.size(),
    }
}

/// Whether Open MPI reads a value as true.
pub(super) fn is_true(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    matches!(&value[..], "true" | "t" | "enabled" | "yes" | "y")
        || value.parse::<i64>().is_ok_and(|number| number != 0)
}
