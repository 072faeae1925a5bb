//! The last source: the list of hosts alone. All hosts count as equally far from each other. Such a
//! machine still tells ranks of one host from ranks of different hosts.

use super::{DiscoveredMachine, DiscoveryQuery, MachineArgument, Source};
use rankfold_machine::Description;
use rankfold_mapper::error::Error;

pub(super) struct Flat;

pub(super) const NAME: &str = "hosts only";

impl Source for Flat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_live(&self) -> bool {
        false
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let description = Description::flat(wanted.hosts);
        Ok(Some(DiscoveredMachine {
            hardware: description.build(NAME).map_err(Error::from)?,
            text: None,
            machine: MachineArgument::Text(description.to_string()),
            source: match wanted.hosts {
                [_] => "the name of the only host".into(),
                _ => "the list of hosts alone (no source knows the network; all hosts count as equally far, --machine tells more)".into(),
            },
            when: None,
        }))
    }
}
