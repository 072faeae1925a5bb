//! `rankfold machine show`: finds the machine of a job and draws it.

use crate::discovery::{self, Capacities, DiscoveryQuery};
use crate::traces;
use rankfold_base::words::counted;
use rankfold_cache::{Cache, Host};
use rankfold_console::terminal;
use rankfold_launch::config::SiteSettings;
use rankfold_launch::launch::Launch;
use rankfold_launch::launchers;
use rankfold_launch::placement::canonical;
use rankfold_machine::HostList;
use rankfold_machine::hosts::UNUSABLE;
use rankfold_mapper::cli::machine::{Show, draw};
use rankfold_mapper::error::Error;
use rankfold_wire::Surroundings;

/// Finds the machine as `rankfold run` would, and draws it.
pub(super) fn show(args: &Show, settings: &SiteSettings) -> anyhow::Result<u8> {
    let launch = match &args.launch[..] {
        [] => None,
        words => Some(launchers::understand(words)?),
    };
    let hosts = hosts(args, launch.as_ref())?;
    let names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
    let cache = Cache::open(&settings.cache).ok();
    let cluster = settings.cluster_or(|| discovery::cluster_of(launch.as_ref(), Some(&hosts)));
    let seen = seen(&names);
    let discovered = discovery::discover(&DiscoveryQuery {
        hosts: &names,
        machine: args.machine.as_deref(),
        nodes: &args.nodes,
        rule: args.rule.as_ref(),
        seen: &seen,
        settings,
        cluster: &cluster,
        cache: cache.as_ref(),
    })?;
    discovered.notes.iter().for_each(terminal::note);
    terminal::note(discovered.found.line());
    terminal::note(format_args!(
        "for {} of the cluster {cluster}: {}",
        counted(names.len(), "host"),
        names.join(" ")
    ));
    let hardware = discovered.found.hardware;
    let machine = discovery::machine(hardware, &hosts, Capacities::default(), &args.nodes, &seen)?;
    draw(&machine, args.json.as_deref())?;
    Ok(0)
}

/// The hosts to show: those of `--hosts`, or of the launch, or of the batch system, or this host.
fn hosts(args: &Show, launch: Option<&Launch>) -> anyhow::Result<Vec<Host>> {
    let host = |name: &str| Host {
        name: name.to_owned(),
        slots: None,
    };
    if let Some(given) = &args.nodes.hosts {
        let list = HostList::parse(given).map_err(Error::from)?;
        let names = list.names().filter(|name| *name != UNUSABLE);
        return Ok(names.map(host).collect());
    }
    let allocation = discovery::allocation(launch);
    Ok(allocation.unwrap_or_else(|| vec![host(&traces::host())]))
}

/// What this process sees of its own host, if that host is among `names`.
fn seen(names: &[String]) -> Vec<Surroundings> {
    let own = traces::host();
    let asked = names.iter().any(|name| canonical(name) == canonical(&own));
    asked
        .then(|| Surroundings::of_process(&own))
        .into_iter()
        .collect()
}
