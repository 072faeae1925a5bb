//! Machines whose structure is published, by the name of the cluster.

use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source};
use rankfold_importers::named::of_cluster;
use rankfold_mapper::error::Error;

pub(super) struct Named;

impl Source for Named {
    fn name(&self) -> &'static str {
        "what is published of the machine"
    }

    fn is_live(&self) -> bool {
        false
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let Some(machine) = of_cluster(wanted.cluster) else {
            return Ok(None);
        };
        let Some(description) = machine.with_hosts(wanted.hosts) else {
            return Ok(None);
        };
        Ok(Some(DiscoveredMachine {
            hardware: description.build(machine.name).map_err(Error::from)?,
            text: None,
            machine: MachineArgument::Named(machine.name.to_owned()),
            source: machine.origin(),
            when: None,
        }))
    }
}
