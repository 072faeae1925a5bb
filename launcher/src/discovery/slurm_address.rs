//! `SLURM_TOPOLOGY_ADDR`: Slurm gives every task the names of the switches above its host. Ranks on
//! HPE Cray EX without such switches have read the position of their host from `/etc/cray/xname`.

use super::{DiscoveredMachine, DiscoveryQuery, Source};
use rankfold_cache::now;
use rankfold_importers::Source as Text;
use rankfold_launch::placement::canonical;
use rankfold_mapper::members::IMPORTERS;
use std::collections::BTreeMap;

pub(super) struct SlurmAddress;

impl Source for SlurmAddress {
    fn name(&self) -> &'static str {
        "SLURM_TOPOLOGY_ADDR"
    }

    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let addresses: BTreeMap<String, Vec<&str>> = wanted
            .seen
            .iter()
            .filter_map(|seen| {
                let host = canonical(&seen.host);
                let switches = switches(&seen.address, &host)?;
                Some((host, switches))
            })
            .collect();
        let known = wanted
            .hosts
            .iter()
            .map(|host| Some((host, addresses.get(&canonical(host))?)));
        let all: Option<Vec<_>> = known.collect();
        let Some(all) = all.filter(|all| !all.is_empty()) else {
            return Ok(None);
        };
        // A host name may hold dots, which would split it.
        let lines = all.iter().map(|(host, switches)| {
            let host = host.split('.').next().unwrap_or(host);
            format!("{}.{host}\n", switches.join("."))
        });
        let text = Text {
            file: self.name().into(),
            text: lines.collect(),
        };
        let found = DiscoveredMachine::imported(
            IMPORTERS.named("slurm-addr"),
            vec![text],
            format!("{} of the ranks", told_by(&all)),
            Some(now()),
        )?;
        Ok(Some(found))
    }
}

/// The name of what has told these switches, from the outermost in.
fn told_by(all: &[(&String, &Vec<&str>)]) -> &'static str {
    let cabinet = |name: &str| {
        let digits = name.strip_prefix('x').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
    };
    let is_position = |switches: &[&str]| match switches {
        [first, second] => {
            cabinet(first)
                && second
                    .strip_prefix(first)
                    .is_some_and(|rest| rest.starts_with('c'))
        }
        _ => false,
    };
    if all.iter().all(|(_, switches)| is_position(switches)) {
        "/etc/cray/xname"
    } else {
        "SLURM_TOPOLOGY_ADDR"
    }
}

/// The switches of an address, which ends with the host; `None` for a host below no switch, and for
/// a position in a ring or torus (`ring:3.n0`, `torus:0:1:1.n0` of Slurm 26.05), whose sizes no
/// address tells. Where Slurm names hosts with their domain, the domain follows the host. The parts
/// of a host's IP address cannot be told from switches: `None`.
fn switches<'a>(address: &'a str, host: &str) -> Option<Vec<&'a str>> {
    let mut parts: Vec<&str> = address.split('.').collect();
    let own = parts
        .iter()
        .position(|part| part.eq_ignore_ascii_case(host));
    parts.truncate(own.unwrap_or(parts.len() - 1));
    let is_switch = |part: &&str| !part.is_empty() && !part.contains(':');
    let is_name = !host.contains(['.', ':']);
    let usable = is_name && !parts.is_empty() && parts.iter().all(is_switch);
    usable.then_some(parts)
}
