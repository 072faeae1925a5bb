//! Tuning files of MPICH (`MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`): a tree of conditions in
//! JSON whose leaves are algorithms.
//!
//! ```text
//! { "collective=bcast": { "comm_type=intra": { "avg_msg_size<=1024": {
//!     "algorithm=MPIR_Bcast_intra_tree": { "tree_type=kary": {}, "k=4": {} } } } } }
//! ```
//!
//! The first condition on each level that holds leads on. Source: `src/mpi/coll/src/csel.c` of
//! MPICH 4.0.2 and 5.0.1.

use super::chosen::{Named, plain};
use crate::Call;
use crate::library::hosts::Hosts;
use rankfold_wire::{Operation, Operator};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::fmt;

/// The parameter that names a tuning file.
const PARAMETER: &str = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";

/// The keys on one level, in the order of the file.
#[derive(Default)]
pub(super) struct Level(Vec<(String, Level)>);

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Level;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("conditions")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Level, A::Error> {
        let mut level = Level::default();
        while let Some(entry) = map.next_entry()? {
            level.0.push(entry);
        }
        Ok(level)
    }
}

impl Level {
    /// The tree of the run's tuning file. `None` if there is no file, or if it has an error.
    pub(super) fn of_run(call: &Call<'_>) -> Option<Self> {
        serde_json::from_str(call.library.files.get(PARAMETER)?).ok()
    }

    /// The algorithm of the leaf to which the conditions that hold lead.
    pub(super) fn select(&self, call: &Call<'_>) -> Option<Named<'_>> {
        let (key, below) = self.0.iter().find(|(key, _)| holds(key, call))?;
        let Some(algorithm) = key.strip_prefix("algorithm=") else {
            return below.select(call);
        };
        let mut kinds = ["_intra_", "_allcomm_"].into_iter();
        let name = kinds.find_map(|kind| Some(algorithm.split_once(kind)?.1));
        Some(Named {
            name: plain(name.unwrap_or(algorithm)),
            tree: below.option("tree_type="),
            radix: below.option("k=").and_then(|radix| radix.parse().ok()),
        })
    }

    /// What follows this beginning of a key.
    fn option(&self, beginning: &str) -> Option<&str> {
        let mut keys = self.0.iter();
        keys.find_map(|(key, _)| key.strip_prefix(beginning))
    }
}

/// Whether a condition holds. An algorithm always does.
fn holds(key: &str, call: &Call<'_>) -> bool {
    let Some(at) = key.find(['<', '=']) else {
        return false;
    };
    let (name, rest) = key.split_at(at);
    let members = call.members as u64;
    let bound = |value: u64| match rest.strip_prefix("<=") {
        Some(bound) => bound.parse().is_ok_and(|bound: u64| value <= bound),
        None => match rest.strip_prefix('<') {
            Some("pow2") => value < 1 << call.members.ilog2(),
            Some(bound) => bound.parse().is_ok_and(|bound: u64| value < bound),
            None => rest == "=any" || rest[1..].parse() == Ok(value),
        },
    };
    let is = |yes: bool| rest == "=any" || rest == if yes { "=yes" } else { "=no" };
    match name {
        "collective" => {
            let name = match rest[1..].strip_prefix(['i', 'I']) {
                Some(name) if call.form.nonblocking => name,
                None if call.form.nonblocking => return false,
                _ => &rest[1..],
            };
            name.eq_ignore_ascii_case(call.op.name())
        }
        "comm_type" => matches!(rest, "=intra" | "=any"),
        "comm_size" if rest == "=pow2" => call.members.is_power_of_two(),
        "comm_size" => bound(members),
        "comm_hierarchy" => rest == "=any" || (rest == "=parent") == has_two_levels(call),
        "comm_avg_ppn" => {
            let hosts = Hosts::of(call).groups().count().max(1) as u64;
            bound(members / hosts)
        }
        "avg_msg_size" => bound(block(call)),
        "total_msg_size" => bound(total(call)),
        "count" => bound(call.elements()),
        "is_commutative" => is(!call.form.is_ordered()),
        "is_op_built_in" => is(call.form.operator == Operator::BuiltIn),
        "is_sendbuf_inplace" => is(call.form.in_place),
        "is_block_regular" => is(call.blocks.is_empty()),
        "is_node_consecutive" => is(Hosts::of(call).are_consecutive()),
        "algorithm" => true,
        _ => rest == "=any",
    }
}

fn has_two_levels(call: &Call<'_>) -> bool {
    Hosts::of(call).have_two_levels()
}

/// Bytes of one block, or of the vector of operations without blocks.
fn block(call: &Call<'_>) -> u64 {
    match call.op {
        Operation::Allgatherv | Operation::ReduceScatter | Operation::ReduceScatterBlock => {
            call.size() / call.members as u64
        }
        _ => call.size(),
    }
}

/// Bytes of all blocks, or of the vector of operations without blocks.
fn total(call: &Call<'_>) -> u64 {
    match call.op {
        Operation::Alltoall => call.size().saturating_mul(call.members as u64),
        _ => u64::try_from(call.whole_size()).unwrap_or(u64::MAX),
    }
}
