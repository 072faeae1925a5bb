//! `rankfold machine show`: what is found of the machine, and for which hosts.

use crate::cache::{Cache, Host, cluster};
use crate::discovery::{self, Capacities, DiscoveryQuery};
use crate::placement::canonical;
use crate::{launchers, traces};
use rankfold_mapper::cli::machine::{Show, draw};
use rankfold_mapper::cli::terminal;
use rankfold_mapper::error::Error;
use rankfold_model::machine::HostList;
use rankfold_model::machine::hosts::UNUSABLE;
use rankfold_profile::Surroundings;

/// Finds the machine as `rankfold run` would, and draws it.
pub(super) fn show(args: &Show) -> anyhow::Result<u8> {
    let hosts = hosts(args)?;
    let names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
    let cache = Cache::open().ok();
    let cluster = cluster(&names);
    let seen = seen(&names);
    let discovered = discovery::discover(&DiscoveryQuery {
        hosts: &names,
        machine: args.machine.as_deref(),
        nodes: &args.nodes,
        rule: args.rule.as_ref(),
        seen: &seen,
        cluster: &cluster,
        cache: cache.as_ref(),
    })?;
    discovered.notes.iter().for_each(terminal::note);
    terminal::note(discovered.found.line());
    terminal::note(format_args!(
        "for {} of {cluster}: {}",
        names.len(),
        names.join(" ")
    ));
    let hardware = discovered.found.hardware;
    let machine = discovery::machine(hardware, &hosts, Capacities::default(), &args.nodes, &seen)?;
    draw(&machine, args.json.as_deref())?;
    Ok(0)
}

/// The hosts asked for: those of `--hosts`, of the launch, of the batch system; or else this one.
fn hosts(args: &Show) -> anyhow::Result<Vec<Host>> {
    let host = |name: &str| Host {
        name: name.to_owned(),
        slots: None,
    };
    if let Some(given) = &args.nodes.hosts {
        let list = HostList::parse(given).map_err(Error::from)?;
        return Ok(list
            .names()
            .filter(|name| *name != UNUSABLE)
            .map(host)
            .collect());
    }
    let launch = match &args.launch[..] {
        [] => None,
        words => Some(launchers::understand(words)?),
    };
    let told = discovery::allocation(launch.as_ref());
    Ok(told.unwrap_or_else(|| vec![host(&traces::host())]))
}

/// What this host sees of itself, if it is one of them.
fn seen(names: &[String]) -> Vec<Surroundings> {
    let own = traces::host();
    let asked = names.iter().any(|name| canonical(name) == canonical(&own));
    asked
        .then(|| Surroundings::of_process(&own))
        .into_iter()
        .collect()
}
