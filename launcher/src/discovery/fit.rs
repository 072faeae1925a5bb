//! Makes the machine of one job from a network: the hosts of the job under the launcher's names,
//! with their slots and their insides.

use rankfold_cache::Host;
use rankfold_launch::placement::canonical;
use rankfold_machine::{Hardware, HostList, Inside, InsideLevel, Insides, Machine};
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::error::Error;
use rankfold_wire::Surroundings;
use std::collections::HashMap;
use std::fmt::Write;

/// Limits for the numbers of ranks on hosts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Capacities {
    /// The number of ranks of the job, if it is known. All hosts together get at least as many
    /// slots.
    pub(crate) ranks: Option<usize>,
    /// The most ranks that the launcher has put on one host by itself. Hosts get no more slots
    /// unless the ranks need them.
    pub(crate) a_host: Option<u32>,
}

/// The machine of a job on `hosts`, which must be in the network.
///
/// # Errors
/// [`Error`], naming the flag that does not fit.
pub(crate) fn machine(
    mut hardware: Hardware,
    hosts: &[Host],
    capacities: Capacities,
    nodes: &NodeArgs,
    seen: &[Surroundings],
) -> Result<Machine, Error> {
    let ours: HashMap<String, &Host> = hosts
        .iter()
        .map(|host| (canonical(&host.name), host))
        .collect();
    // The launcher needs its own names of the hosts.
    for name in hardware.names.iter_mut().flatten() {
        if let Some(host) = ours.get(&canonical(name)) {
            name.clone_from(&host.name);
        }
    }
    nodes.furnish(&mut hardware, |hardware| insides(hardware, seen))?;
    let slots = slots(&hardware, hosts, capacities, nodes.cores);
    let mut text = String::new();
    for (host, slots) in hosts.iter().zip(slots) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{} slots={slots}", host.name);
    }
    let list = HostList::from_text(&text, "the hosts of the job")?;
    Ok(Machine::new(hardware, nodes.cores, Some(list))?)
}

/// The number of slots of each host: the most ranks that the launcher has put on one host by
/// itself, but no more than the host is known to take. Where the ranks do not fit, hosts get all
/// slots that they are known to have, and then the same number of slots each.
fn slots(
    hardware: &Hardware,
    hosts: &[Host],
    capacities: Capacities,
    cores: Option<u32>,
) -> Vec<u32> {
    let number: HashMap<&str, usize> = hardware
        .names
        .iter()
        .flatten()
        .map(String::as_str)
        .zip(0..)
        .collect();
    let known = |host: &Host| {
        let node = number.get(host.name.as_str());
        let file = || Some(*hardware.capacities.as_ref()?.get(*node?)?);
        let inside = || Some(hardware.insides.of(*node?)?.cores());
        cores
            .or(host.slots)
            .or_else(file)
            .or_else(|| match capacities.a_host {
                Some(_) => None,
                None => inside(),
            })
    };
    let limit = |host: &Host| match (capacities.a_host, known(host)) {
        (Some(usual), Some(known)) => usual.min(known).max(1),
        (Some(usual), None) => usual,
        (None, known) => known.unwrap_or(1).max(1),
    };
    let slots: Vec<u32> = hosts.iter().map(limit).collect();
    let enough = |slots: &[u32]| {
        let sum: u64 = slots.iter().copied().map(u64::from).sum();
        capacities.ranks.is_none_or(|ranks| sum >= ranks as u64)
    };
    if enough(&slots) {
        return slots;
    }
    let slots: Vec<u32> = hosts
        .iter()
        .map(|host| known(host).unwrap_or(1).max(1))
        .collect();
    if enough(&slots) || hosts.is_empty() {
        return slots;
    }
    let even = capacities.ranks.unwrap_or(0).div_ceil(hosts.len()) as u32;
    slots.into_iter().map(|slots| slots.max(even)).collect()
}

/// The insides of the nodes, as processes on some of them have reported. If all reported insides
/// are the same, all other nodes are assumed to have the same inside.
fn insides(hardware: &Hardware, seen: &[Surroundings]) -> Insides {
    let mut kinds: Vec<Inside> = Vec::new();
    let mut of_host = HashMap::new();
    for seen in seen {
        let levels = seen.levels.iter().map(|level| InsideLevel {
            name: level.name.clone(),
            cores: level.cores.clone(),
        });
        let Ok(inside) = Inside::new(seen.core_count(), levels.collect()) else {
            continue;
        };
        let kind = kinds
            .iter()
            .position(|known| *known == inside)
            .unwrap_or_else(|| {
                kinds.push(inside);
                kinds.len() - 1
            });
        of_host.insert(canonical(&seen.host), kind as u32);
    }
    let rest = (kinds.len() == 1).then_some(0);
    let names = hardware.names.iter().flatten();
    let of = names
        .map(|name| of_host.get(&canonical(name)).copied().or(rest))
        .collect();
    if kinds.is_empty() {
        Insides::default()
    } else {
        Insides::each(kinds, of)
    }
}
