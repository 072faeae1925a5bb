//! `SLURM_TOPOLOGY_ADDR`: Slurm gives every task the names of the switches above its host.

use super::{DiscoveredMachine, DiscoveryQuery, Source};
use crate::cache::now;
use crate::placement::canonical;
use rankfold_model::machine::import::{Source as Text, importer};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct SlurmAddress;

impl Source for SlurmAddress {
    fn name(&self) -> &'static str {
        "SLURM_TOPOLOGY_ADDR"
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let told: BTreeMap<String, Vec<&str>> = wanted
            .seen
            .iter()
            .filter_map(|seen| Some((canonical(&seen.host), switches(&seen.address)?)))
            .collect();
        let known = wanted
            .hosts
            .iter()
            .map(|host| Some((host, told.get(&canonical(host))?)));
        let all: Option<Vec<_>> = known.collect();
        let Some(all) = all.filter(|all| !all.is_empty()) else {
            return Ok(None);
        };
        let roots: BTreeSet<&str> = all.iter().map(|(_, switches)| switches[0]).collect();
        let root = if roots.len() > 1 { "network." } else { "" };
        // A host name may hold dots, which would split it.
        let lines = all.iter().map(|(host, switches)| {
            let host = host.split('.').next().unwrap_or(host);
            format!("{root}{}.{host}\n", switches.join("."))
        });
        let text = Text {
            file: self.name().into(),
            text: lines.collect(),
        };
        let found = DiscoveredMachine::imported(
            importer("slurm-addr"),
            vec![text],
            format!("{} of the ranks", self.name()),
            Some(now()),
        )?;
        Ok(Some(found))
    }
}

/// The switches of an address, which ends with the host; `None` for a host below no switch.
fn switches(address: &str) -> Option<Vec<&str>> {
    let mut parts: Vec<&str> = address.split('.').collect();
    parts.pop();
    let usable = !parts.is_empty() && parts.iter().all(|part| !part.is_empty());
    usable.then_some(parts)
}
