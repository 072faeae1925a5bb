//! `--machine`: a spec, a machine file, or a file that an importer knows.

use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source, changed};
use crate::cache::Host;
use crate::placement::canonical;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::error::Error;
use rankfold_model::machine::{self, HostList, Machine, MachineError};
use rankfold_model::mapfile::MapfileError;
use std::collections::HashSet;
use std::path::Path;

pub(super) struct Given;

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
    let machine = nodes.build(spec)?;
    let Some(names) = machine.hosts() else {
        return Err(MapfileError::NeedsNames { file: spec.into() }.into());
    };
    let known: HashSet<String> = names.iter().map(|name| canonical(name)).collect();
    let unknown = |host: &&Host| !known.contains(&canonical(&host.name));
    if let Some(host) = hosts.iter().find(unknown) {
        return Err(Error::from(MachineError::BadHosts {
            list: format!("--machine {spec}"),
            problem: format!(
                "the machine has no host {}, which the launch names",
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
        let mut hardware = machine::load(spec).map_err(Error::from)?;
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
