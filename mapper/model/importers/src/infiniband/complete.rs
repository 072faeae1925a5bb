//! Whether a subnet is described as a whole, and adapters that their names do not tell apart.

use super::super::Result;
use super::discover::{DiscoveredSubnet, Port};
use rankfold_base::words::counted;
use std::collections::HashMap;

impl DiscoveredSubnet<'_> {
    /// Checks that every device at the end of a cable is described.
    pub(super) fn check_complete(&self) -> Result<()> {
        let ports = self.devices.iter().flat_map(|device| &device.ports);
        let is_lacking = |port: &&Port| {
            let id = port.peer.0;
            let is_known = self.numbers.contains_key(id) || self.left_out.contains(id);
            !is_known && !id.starts_with("R-")
        };
        let lacking: Vec<&Port> = ports.filter(is_lacking).collect();
        let Some(first) = lacking.first() else {
            return Ok(());
        };
        let mut ids: Vec<&str> = lacking.iter().map(|port| port.peer.0).collect();
        ids.sort_unstable();
        ids.dedup();
        let (count, named) = (counted(ids.len(), "device"), ids.iter().take(8).copied());
        let named = named.collect::<Vec<_>>().join(", ");
        let more = if ids.len() > 8 { ", ..." } else { "" };
        Err(first.place.bad(format!(
            "{count} at the ends of cables {} not described in this file ({named}{more}): is it complete?",
            if ids.len() == 1 { "is" } else { "are" }
        )))
    }

    /// Calls adapters by their GUIDs where several have one full name and the same port.
    pub(super) fn tell_apart(&mut self) {
        let mut alike: HashMap<(String, &str), Vec<usize>> = HashMap::new();
        for adapter in self.of_kind(false) {
            let device = &self.devices[adapter];
            let name = (device.name.clone(), device.adapter);
            alike.entry(name).or_default().push(adapter);
        }
        for adapters in alike.into_values().filter(|adapters| adapters.len() > 1) {
            let ports = adapters
                .iter()
                .flat_map(|&adapter| &self.devices[adapter].ports);
            let mut numbers: Vec<u32> = ports.map(|port| port.number).collect();
            numbers.sort_unstable();
            if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
                for adapter in adapters {
                    self.devices[adapter].call_by_guid();
                }
            }
        }
    }
}
