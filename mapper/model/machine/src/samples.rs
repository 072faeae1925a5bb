//! Machines made by formula, for tests, examples and benchmarks.
//!
//! The functions panic on invalid arguments, since callers write these into their source.

use crate::{Description, HostList, Link, Machine, Paths, Sharing, Speed, parse};

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

/// Two leaf switches of four hosts below one switch, with links up of these ratios, and so many
/// slots on each host.
///
/// # Panics
/// If a ratio is invalid.
pub fn two_leaves(ratios: &str, paths: Option<Paths>, slots: u32) -> Machine {
    let link = |ends| Link::single(ends, Speed::ONE);
    let hosts = (0..8).map(|host| (host, 8 + host / 4));
    let ups = [(8, 10), (9, 10)];
    let mut described = Description {
        hosts: (0..8).map(|host| format!("n{host}")).collect(),
        switches: ["a", "b", "top"].map(String::from).to_vec(),
        links: hosts.chain(ups).map(link).collect(),
        oversubscription: Some(ratios.parse().unwrap()),
        ..Description::default()
    };
    described.rules.paths = paths;
    described.timing.sharing = Some(Sharing::Equal);
    Machine::new(described.build("tree").unwrap(), slots, None).unwrap()
}
