//! The hosts that a map may use. Where the user gives the number of hosts or of ranks on a host,
//! the map keeps these numbers.

use super::context::RunContext;
use rankfold_cache::Host;
use rankfold_launch::placement::canonical;
use std::collections::{HashMap, HashSet};

/// The hosts for the map of a run that has just put its ranks as in `order`: those of the job, and
/// behind them the hosts of ranks that the job does not name.
pub(super) fn of_profiled_run(context: &RunContext, order: &[String]) -> Vec<Host> {
    if context.launch.counts_ranks_of_hosts() {
        return occupied(order);
    }
    let mut hosts = context.allocation.clone().unwrap_or_default();
    let mut known: HashSet<String> = hosts.iter().map(|host| canonical(&host.name)).collect();
    for name in order {
        if known.insert(canonical(name)) {
            hosts.push(Host {
                name: name.clone(),
                slots: None,
            });
        }
    }
    hosts
}

/// The hosts for the map of this job, where an earlier run has put its ranks as in `order`.
///
/// # Errors
/// The job has fewer hosts than the earlier run, and the user gives their number.
pub(super) fn of_this_job(context: &RunContext, order: &[String]) -> anyhow::Result<Vec<Host>> {
    let Some(hosts) = &context.allocation else {
        return Ok(occupied(order));
    };
    if !context.launch.counts_ranks_of_hosts() {
        return Ok(hosts.clone());
    }
    let before = occupied(order);
    let here: HashSet<String> = hosts.iter().map(|host| canonical(&host.name)).collect();
    if before
        .iter()
        .all(|host| here.contains(&canonical(&host.name)))
    {
        return Ok(before);
    }
    if hosts.len() < before.len() {
        anyhow::bail!(
            "the ranks were on {} hosts, and this job has {}",
            before.len(),
            hosts.len()
        );
    }
    // The launcher itself takes the first hosts of a job.
    let taken = hosts.iter().zip(before);
    let host = |(here, before): (&Host, Host)| Host {
        name: here.name.clone(),
        slots: before.slots,
    };
    Ok(taken.map(host).collect())
}

/// The hosts of ranks, in the order of their lowest ranks, each with as many slots as it has ranks.
fn occupied(order: &[String]) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    let mut numbers = HashMap::new();
    for name in order {
        let number = *numbers.entry(name).or_insert(hosts.len());
        match hosts.get_mut(number) {
            Some(host) => host.slots = host.slots.map(|slots| slots + 1),
            None => hosts.push(Host {
                name: name.clone(),
                slots: Some(1),
            }),
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_as_many_slots_as_it_has_ranks() {
        let order = ["b", "a", "b"].map(str::to_owned);
        let slots = occupied(&order)
            .into_iter()
            .map(|host| (host.name, host.slots));
        let expected = [("b".to_owned(), Some(2)), ("a".to_owned(), Some(1))];
        assert!(slots.eq(expected));
    }
}
