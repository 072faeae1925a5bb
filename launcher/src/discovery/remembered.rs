//! What was given or measured for this cluster before: the value of `--machine` of an earlier run,
//! or the machine that `rankfold probe` has measured. The newer of the two counts.

use super::agreement::tells_hosts_apart;
use super::cached::PROBED;
use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source, missing};
use anyhow::Context;
use rankfold_cache::GivenMachine;
use rankfold_mapper::error::Error;
use rankfold_mapper::members::IMPORTERS;

pub(super) struct Remembered;

impl Source for Remembered {
    fn name(&self) -> &'static str {
        "what was given or measured before"
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let given = wanted
            .cache
            .and_then(|cache| cache.given_machine(wanted.cluster));
        // A probe that has found no structure says less than any other source.
        let probed = PROBED
            .look(wanted)?
            .filter(|found| tells_hosts_apart(&found.hardware, wanted.hosts));
        let newest = probed.as_ref().and_then(|found| found.when);
        let given = given.filter(|given| newest.is_none_or(|newest| given.when >= newest));
        let Some(given) = given else {
            return Ok(probed);
        };
        let found = described(&given, wanted.hosts).map(|found| found.called(wanted.hosts));
        let found = found.with_context(|| source(&given));
        match (found, probed) {
            (Ok(found), None) => Ok(Some(found)),
            (Ok(found), _) if missing(&found.hardware, wanted.hosts).is_none() => Ok(Some(found)),
            (Err(error), None) => Err(error),
            (_, probed) => Ok(probed),
        }
    }
}

/// The source of a machine that was given, in words.
fn source(given: &GivenMachine) -> String {
    format!("--machine {} of an earlier run", given.machine)
}

/// The machine that was given, as it is now, for a job on `hosts`: a file is read again.
fn described(given: &GivenMachine, hosts: &[String]) -> anyhow::Result<DiscoveredMachine> {
    let mut hardware = IMPORTERS
        .load_for_job(&given.machine, hosts)
        .map_err(Error::from)?;
    if let Some(hosts) = &given.hosts {
        hardware.names = Some(hosts.clone());
    }
    Ok(DiscoveredMachine {
        hardware,
        text: None,
        machine: MachineArgument::Named(given.machine.clone()),
        source: source(given),
        when: Some(given.when),
    })
}
