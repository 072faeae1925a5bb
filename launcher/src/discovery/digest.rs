//! The digest of a machine: two machines with the same digest give every program the same map.

use super::given::file;
use super::{DiscoveredMachine, MachineArgument};
use rankfold_importers::Source;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::members::IMPORTERS;
use std::fs;
use std::path::Path;

/// A checksum of everything that the machine is made of: the contents of its file or its spec, the
/// names of the hosts in node order, the capacities between switches, and the file of `--node`.
/// Comments do not count.
pub(super) fn of(found: &DiscoveredMachine, nodes: &NodeArgs) -> String {
    let hosts = found.hardware.names.as_deref().unwrap_or_default();
    let mut whole = match &found.machine {
        MachineArgument::Text(text) => without_comments(text),
        MachineArgument::Named(name) => match file(name) {
            Some(path) => {
                // Rules of routes may follow the path.
                let rules = name.rsplit_once(&*path.to_string_lossy());
                contents(path, hosts) + rules.map_or("", |(_, rules)| rules)
            }
            None => name.clone(),
        },
    };
    for host in hosts {
        whole += "\n";
        whole += host;
    }
    if let Some(ratios) = found.hardware.oversubscription() {
        whole += &ratios.to_string();
    }
    if let Some(node) = nodes.node.as_ref().and_then(|path| fs::read(path).ok()) {
        whole += &String::from_utf8_lossy(&node);
    }
    format!("{:08x}", crc32fast::hash(whole.as_bytes()))
}

/// What a file says about the machine of these hosts: what its importer makes of it and of the
/// files that it includes, else its text without comments.
fn contents(path: &Path, hosts: &[String]) -> String {
    let Ok(source) = Source::read(path) else {
        return String::new();
    };
    let imported = IMPORTERS
        .kind_of(&source)
        .and_then(|kind| kind.import_part_of_job(vec![source.clone()], hosts).ok());
    match imported {
        Some(description) => description.to_string(),
        None => without_comments(&source.text),
    }
}

/// The text without the lines that are comments in all formats of machines: those that begin with
/// `#`. The first lines of machine files in the cache are such lines.
fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| [line, "\n"]).collect()
}
