//! `--machine`: a spec, a machine file, or a file that an importer knows.

use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source, changed};
use rankfold_cache::{GivenMachine, Host};
use rankfold_launch::placement::canonical;
use rankfold_machine::{HostList, Machine, MachineError};
use rankfold_mapfile::MapfileError;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::error::Error;
use rankfold_mapper::members::IMPORTERS;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, absolute};

pub(super) struct Given;

/// The machine `spec` of `--machine` in the form that later runs remember: with the absolute path
/// of a file, and with the hosts of `--hosts` where the machine itself names none.
///
/// # Errors
/// The machine or the list of hosts cannot be read.
pub(crate) fn to_remember(spec: &str, nodes: &NodeArgs) -> Result<GivenMachine, Error> {
    let names_itself = IMPORTERS.depends_on_job(spec) || IMPORTERS.load(spec)?.names.is_some();
    let names = || Ok::<_, Error>(nodes.build(spec)?.hosts().map(<[String]>::to_vec));
    let hosts = if names_itself { None } else { names()? };
    let machine = with_absolute_path(spec).to_string_lossy().into_owned();
    Ok(GivenMachine::now(machine, hosts))
}

/// The prefix of machines that name a file with a graph.
const GRAPH_FILE: &str = "file:";

/// The file that a value of `--machine` names. Rules of routes may follow its path.
pub(super) fn file(machine: &str) -> Option<&Path> {
    let path = machine.strip_prefix(GRAPH_FILE).unwrap_or(machine);
    Path::new(path).ancestors().find(|path| path.is_file())
}

/// The value of `--machine` with the absolute path of a file, so that it means the same in any
/// directory.
pub(crate) fn with_absolute_path(machine: &str) -> OsString {
    let (kind, path) = match machine.strip_prefix(GRAPH_FILE) {
        Some(path) => (GRAPH_FILE, path),
        None => ("", machine),
    };
    match absolute(path) {
        Ok(whole) if file(machine).is_some() => {
            let mut word = OsString::from(kind);
            word.push(whole);
            word
        }
        _ => machine.into(),
    }
}

/// Checks the machine `spec` of `--machine` before the first run.
///
/// # Errors
/// The machine cannot be read, has no host names, lacks one of `hosts` or has no room for `ranks`.
pub(crate) fn check(
    spec: &str,
    nodes: &NodeArgs,
    hosts: &[Host],
    ranks: Option<usize>,
) -> Result<(), Error> {
    let job: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
    // The scheduler has not chosen the hosts, and they say which part of the file is the machine.
    if job.is_empty() && nodes.hosts.is_none() && IMPORTERS.depends_on_job(spec) {
        return Ok(());
    }
    let machine = nodes.build_for_job(spec, &job)?;
    let Some(names) = machine.hosts() else {
        return Err(MapfileError::NeedsNames { file: spec.into() }.into());
    };
    let known: HashSet<String> = names.iter().map(|name| canonical(name)).collect();
    let unknown = |host: &&Host| !known.contains(&canonical(&host.name));
    if let Some(host) = hosts.iter().find(unknown) {
        return Err(Error::from(MachineError::BadHosts {
            list: format!("--machine {spec}"),
            problem: format!(
                "the machine has no host {}, where the launch starts ranks",
                host.name
            ),
        }));
    }
    Ok(ranks.map_or(Ok(()), |ranks| machine.check_fits(ranks))?)
}

impl Source for Given {
    fn name(&self) -> &'static str {
        "--machine"
    }

    fn is_asked_for(&self, wanted: &DiscoveryQuery) -> bool {
        wanted.machine.is_some()
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let Some(spec) = wanted.machine else {
            return Ok(None);
        };
        let mut hardware = IMPORTERS
            .load_for_job(spec, wanted.hosts)
            .map_err(Error::from)?;
        if hardware.names.is_none() {
            // `--hosts` names the hosts in node order.
            let list = wanted.nodes.hosts.as_deref();
            let list =
                list.ok_or_else(|| Error::from(MapfileError::NeedsNames { file: spec.into() }))?;
            let list = HostList::parse(list).map_err(Error::from)?;
            let named = Machine::new(hardware.clone(), wanted.nodes.cores, Some(list));
            hardware.names = named.map_err(Error::from)?.hosts().map(<[String]>::to_vec);
        }
        let source = format!("--machine {spec}");
        let when = changed(Path::new(spec));
        Ok(Some(DiscoveredMachine {
            hardware,
            text: None,
            machine: MachineArgument::Named(spec.to_owned()),
            source,
            when,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_files_depend_on_the_directory() {
        assert_eq!(with_absolute_path("torus:4x4@1,1"), "torus:4x4@1,1");
        let here = absolute("Cargo.toml").unwrap();
        assert_eq!(with_absolute_path("Cargo.toml"), here);
        let ruled = with_absolute_path("Cargo.toml/routes=spread");
        assert_eq!(ruled, *format!("{}/routes=spread", here.display()));
        let graph = with_absolute_path("file:Cargo.toml");
        assert_eq!(graph, *format!("file:{}", here.display()));
    }
}
