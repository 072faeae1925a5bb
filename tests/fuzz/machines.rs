//! What must hold of any text that is to describe a machine.

use rankfold_base::{ChannelId, NodeId};
use rankfold_importers::Source;
use rankfold_machine::{self as machine, HostList, Machine, Topology};
use rankfold_mapper::members::IMPORTERS;
use std::fs;

/// Reads `text` as one kind of importer does; what is accepted must read back as a machine file.
pub fn importer(kind: &str, text: &str) {
    importer_beside(kind, &[], text);
}

/// The same with further sources that are as they should be.
pub fn importer_beside(kind: &str, others: &[Source], text: &str) {
    let importer = IMPORTERS.iter().find(|importer| importer.name == kind);
    let importer = importer.expect("the kind is one of the list");
    let mut sources = others.to_vec();
    sources.push(Source {
        file: "fuzzed".into(),
        text: text.into(),
    });
    match importer.import(sources) {
        Ok(description) => {
            let written = description.to_string();
            usable(&load("machine.toml", &written).unwrap_or_else(|e| panic!("{e}\n{written}")));
        }
        Err(error) => assert!(!error.problem.is_empty()),
    }
}

/// Reads `text` as a machine file.
pub fn machine_file(text: &str) {
    told_or_usable("machine.toml", text);
}

/// Reads `text` as the JSON of `file:`.
pub fn graph_file(text: &str) {
    told_or_usable("graph.json", text);
}

/// Reads `text` as a spec. Of large machines, only what describes them is asked.
pub fn spec(text: &str) {
    if text.starts_with("file:") || !text.contains(':') {
        return;
    }
    match machine::parse(text) {
        Ok(topology) if topology.nodes() <= MOST_USED => usable(&Machine::uniform(topology, 1)),
        Ok(topology) => described(&*topology),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Up to so many nodes, distances and routes are asked for.
const MOST_USED: usize = 1 << 11;

/// The description counts every pair of nodes and every link.
fn described(topology: &dyn Topology) {
    let (nodes, profile) = (topology.nodes() as u64, topology.distance_profile());
    assert_eq!(profile.pairs.iter().sum::<u64>(), nodes * (nodes - 1));
    assert_eq!(profile.pairs.len() as u32, topology.diameter() + 1);
    let links = topology.link_speeds().into_iter().map(|(_, number)| number);
    assert!(links.sum::<usize>() <= topology.channels());
    let again = machine::parse(&topology.spec()).expect("the spec of a machine");
    assert_eq!(again.nodes(), topology.nodes());
}

/// Reads `text` as a file of hosts, and gives it to a machine.
pub fn hosts(text: &str) {
    if let Ok(hosts) = HostList::from_text(text, "hosts") {
        let ring = machine::parse("torus:3").expect("a good spec");
        if let Ok(machine) = Machine::new(ring, 2, Some(hosts)) {
            usable(&machine);
        }
    }
}

fn told_or_usable(name: &str, text: &str) {
    match load(name, text) {
        Ok(machine) => usable(&machine),
        Err(error) => assert!(error.contains(name), "{error}"),
    }
}

/// Writes a file and builds the machine it describes.
fn load(name: &str, text: &str) -> Result<Machine, String> {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join(name);
    fs::write(&path, text).expect("a scratch file");
    let path = path.display().to_string();
    let spec = match name {
        "graph.json" => format!("file:{path}"),
        _ => path,
    };
    let site = machine::load(&spec).map_err(|error| error.to_string())?;
    Machine::new(site, None, None).map_err(|error| format!("{name}: {error}"))
}

/// Some of its nodes reach each other over as many channels as they are apart, or more by given
/// tables.
fn usable(machine: &Machine) {
    let topology = machine.topology();
    let last = topology.nodes() - 1;
    for (from, to) in [(0, last), (last, 0), (last / 2, last)] {
        let (from, to) = (NodeId::at(from), NodeId::at(to));
        let mut length = 0;
        topology.route(from, to, &mut |channel: ChannelId| {
            assert!(topology.bandwidth(channel) > 0.0);
            length += 1;
        });
        let by_links = topology.by_links();
        let links = by_links.as_deref().unwrap_or(topology).hops(from, to);
        assert!(length >= links, "{from} to {to}");
        assert!(topology.hops(from, to) <= topology.diameter());
    }
}
