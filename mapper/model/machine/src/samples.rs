//! Machines made by formula, for tests, examples and benchmarks.
//!
//! The functions panic on invalid arguments, since callers write these into their source.

use crate::{HostList, Machine, parse};

/// The machine of a spec, with the same number of cores on every node.
///
/// # Panics
/// If the spec is invalid.
pub fn machine(spec: &str, cores: u32) -> Machine {
    Machine::uniform(parse(spec).unwrap(), cores)
}

/// A machine whose nodes have these numbers of slots. Nodes without slots are not usable.
pub fn unequal_nodes(spec: &str, capacities: &[u32]) -> Machine {
    let lines = capacities.iter().enumerate();
    let lines = lines.map(|(node, slots)| match slots {
        0 => "-".into(),
        _ => format!("n{node} slots={slots}"),
    });
    let hosts = HostList::from_text(&lines.collect::<Vec<_>>().join("\n"), "hosts").unwrap();
    Machine::new(parse(spec).unwrap(), 1, Some(hosts)).unwrap()
}
