//! What must hold of any text whatever: the bodies of the fuzz targets, which run as property tests too.
//!
//! Every reader either refuses its input, saying what is wrong, or makes of it what can be used: machine descriptions a
//! machine, matrices traffic, journals a profile that is written and read back. None panics, hangs or takes memory out of
//! proportion.

use rankfold_model::comm::{self, Part};
use rankfold_model::machine::import::{IMPORTERS, Source};
use rankfold_model::machine::{self, HostList, Machine};
use rankfold_model::{ChannelId, NodeId, mapfile};
use rankfold_profile::{Journal, Profile, journal::layout, read_seats, recover, write_seats};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// Reads `bytes` as a file of communication with this ending.
pub fn matrix(ending: &str, bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.file(&format!("fuzzed.{ending}"), bytes);
    if let Err(error) = comm::read(&[path], &Part::default()) {
        assert!(error.to_string().contains("fuzzed"), "{error}");
    }
}

/// Reads `bytes` as a profile, whole and row by row; what is accepted reads back as it is written.
pub fn profile(bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.file("fuzzed.rfp", bytes);
    let mut rows = Vec::new();
    let by_rows = Profile::read_rows(&path, |row| rows.push(row));
    match Profile::read(&path) {
        Ok(profile) => {
            assert!(by_rows.is_ok() && rows == profile.rows);
            same_when_written(&profile, &scratch);
        }
        Err(error) => assert!(error.to_string().contains("fuzzed.rfp"), "{error}"),
    }
    matrix("rfp", bytes);
}

/// Reads `bytes` as a rank's journal, and makes the profile of a run that left nothing else.
pub fn journal(bytes: &[u8]) {
    // A world of millions of ranks is a profile of millions of rows, whatever one of them has counted.
    const MOST_RANKS: u32 = 1 << 16;
    let Some(journal) = Journal::parse(bytes).ok().filter(|j| j.ranks <= MOST_RANKS) else {
        return;
    };
    let scratch = Scratch::new();
    let name = format!("{}{}-host-1{}", layout::PREFIX, "run", layout::SUFFIX);
    scratch.file(&name, bytes);
    let recovered = recover(scratch.path(), "run").expect("the directory is readable");
    assert_eq!(recovered.is_some(), journal.run == "run");
    if let Some(recovery) = recovered {
        same_when_written(&recovery.profile, &scratch);
    }
}

fn same_when_written(profile: &Profile, scratch: &Scratch) {
    let path = scratch.path().join("written.rfp");
    profile.write(&path).expect("a profile can be written");
    assert_eq!(Profile::read(&path).as_ref().ok(), Some(profile));
}

/// Reads `bytes` as a record of seats.
pub fn seats(bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.file("seats", bytes);
    if let Ok(seats) = read_seats(&path) {
        write_seats(&path, &seats).expect("what was read can be written");
        assert_eq!(read_seats(&path).ok(), Some(seats));
    }
}

/// Reads `content` as a mapfile of every format it looks like.
pub fn mapfile(content: &[u8]) {
    let machine = Machine::uniform(machine::parse("torus:3").expect("a good spec"), 2);
    for format in mapfile::FORMATS {
        match format.read(content, "fuzzed") {
            None => {}
            Some(Ok(seats)) => {
                // Whether it fits this machine is another question.
                let _ = mapfile::nodes_of(&seats, &machine, "fuzzed");
                let _ = mapfile::placement(&seats, &machine, seats.ranks(), "fuzzed");
            }
            Some(Err(error)) => assert!(error.to_string().contains("fuzzed"), "{error}"),
        }
    }
}

/// A directory for one input.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a scratch directory"))
    }

    fn path(&self) -> &std::path::Path {
        self.0.path()
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, bytes).expect("a scratch file");
        path
    }
}

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

/// Reads `text` as a spec; numbers above 99 are left out, since large machines take their time.
pub fn spec(text: &str) {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    let names_a_file = text.starts_with("file:") || !text.contains(':');
    if names_a_file || numbers.any(|number| number.len() > 2) {
        return;
    }
    match machine::parse(text) {
        Ok(topology) => usable(&Machine::uniform(topology, 1)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
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
    let scratch = Scratch::new();
    let path = scratch.file(name, text.as_bytes()).display().to_string();
    let spec = match name {
        "graph.json" => format!("file:{path}"),
        _ => path,
    };
    let site = machine::load(&spec).map_err(|error| error.to_string())?;
    Machine::new(site, None, None).map_err(|error| format!("{name}: {error}"))
}

/// Some of its nodes reach each other over as many channels as they are apart, or more by given tables.
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
        assert!(length >= topology.hops(from, to), "{from} to {to}");
        assert!(topology.hops(from, to) <= topology.diameter());
    }
}
