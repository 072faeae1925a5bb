//! `rankfold doctor` alone: what is installed, what is found, and what `rankfold run` would do.

use crate::discovery::{self, DiscoveryQuery};
use crate::{library, traces};
use rankfold_base::words::counted;
use rankfold_cache::{Cache, Host, WorldVerdict};
use rankfold_console::outln;
use rankfold_console::terminal::{printable, wrapped};
use rankfold_launch::config::{Configuration, SiteSettings};
use rankfold_launch::launchers;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_wire::Surroundings;
use std::path::Path;

/// Prints the findings; the exit status is 1 where something that is needed is missing.
pub(super) fn check(configuration: &Configuration) -> anyhow::Result<u8> {
    let settings = &configuration.settings;
    let mut is_whole = true;
    let mut tell = |subject: &str, found: Result<String, String>| {
        is_whole &= found.is_ok();
        let text = found.unwrap_or_else(|problem| format!("missing: {problem}"));
        for (at, line) in text.lines().enumerate() {
            let subject = if at == 0 { subject } else { "" };
            outln!("{}", wrapped(&format!("{subject:<12} {}", printable(line))));
        }
    };
    tell("rankfold", Ok(env!("CARGO_PKG_VERSION").into()));
    for (name, found) in libraries() {
        tell(name, found);
    }
    tell("launchers", found_launchers());
    let hosts = hosts();
    tell("network", Ok(network(settings, &hosts)));
    tell("collectives", Ok(collectives(settings, &hosts)));
    tell("cache", Ok(cache(settings)));
    tell("settings", Ok(said(configuration)));
    tell("so", Ok(consequence(settings, &hosts)));
    Ok(u8::from(!is_whole))
}

/// The preload libraries, by name.
fn libraries() -> Vec<(&'static str, Result<String, String>)> {
    let profiler = match library::find() {
        Ok(path) => path,
        Err(error) => return vec![("profiler", Err(error.to_string()))],
    };
    let shown = |path: &Path| path.display().to_string();
    let world = library::find_world(&profiler);
    let world = world
        .map(|path| shown(&path))
        .map_err(|error| error.to_string());
    let nccl = library::find_nccl(&profiler);
    let nccl = nccl.map_or("not installed: NCCL is not counted".into(), |path| {
        shown(&path)
    });
    vec![
        ("profiler", Ok(shown(&profiler))),
        ("renumbering", world),
        ("NCCL", Ok(nccl)),
    ]
}

/// The launchers in `PATH`, one a line: the path, and whose it is.
fn found_launchers() -> Result<String, String> {
    let lines: Vec<String> = launchers::installed()
        .into_iter()
        .map(|(path, family)| format!("{}: {family}", path.display()))
        .collect();
    if lines.is_empty() {
        return Err("no mpirun, mpiexec or srun in PATH: load the module of an MPI".into());
    }
    Ok(lines.join("\n"))
}

/// The hosts of the job, or this host.
fn hosts() -> Vec<Host> {
    let here = || Host {
        name: traces::host(),
        slots: None,
    };
    discovery::allocation(None).unwrap_or_else(|| vec![here()])
}

/// What knows the network of these hosts, in words.
fn network(settings: &SiteSettings, hosts: &[Host]) -> String {
    let names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
    let cache = Cache::open(&settings.cache).ok();
    let nodes = NodeArgs::default();
    let found = discovery::discover(&DiscoveryQuery {
        hosts: &names,
        machine: None,
        nodes: &nodes,
        rule: None,
        seen: &[],
        settings,
        cluster: &settings.cluster_or(|| discovery::cluster_of(None, Some(hosts))),
        cache: cache.as_ref(),
    });
    match found {
        Ok(discovery) => {
            let lines = [discovery.notes, vec![discovery.found.line()]].concat();
            lines.join("\n")
        }
        Err(error) => format!("{error:#}"),
    }
}

/// How fast collectives are on renumbered ranks under the launchers of this cluster, one a line.
fn collectives(settings: &SiteSettings, hosts: &[Host]) -> String {
    let cluster = settings.cluster_or(|| discovery::cluster_of(None, Some(hosts)));
    let all = Cache::open(&settings.cache).map(|cache| cache.all_world_times(&cluster));
    let lines: Vec<String> = all
        .into_iter()
        .flatten()
        .filter_map(|stored| {
            let verdict = WorldVerdict::of(&stored.times)?;
            Some(format!("{}: {verdict}", stored.launcher))
        })
        .collect();
    if lines.is_empty() {
        return "not timed on renumbered ranks yet: the first profiled run does it, or rankfold doctor -- LAUNCH".into();
    }
    lines.join("\n")
}

fn cache(settings: &SiteSettings) -> String {
    let opened = Cache::open(&settings.cache).and_then(|cache| {
        let programs = counted(cache.all()?.len(), "program");
        let machines = counted(cache.all_machines().len(), "machine");
        let place = cache.directory().display().to_string();
        Ok(format!("{place}: {programs}, {machines}"))
    });
    opened.unwrap_or_else(|error| format!("nothing is remembered: {error}"))
}

/// The configuration files that are there, and what is wrong with them.
fn said(configuration: &Configuration) -> String {
    match configuration.warning() {
        Some(warning) => warning.to_string(),
        None => "rankfold config shows what the site and you have set".into(),
    }
}

/// What `rankfold run` would do here.
fn consequence(settings: &SiteSettings, hosts: &[Host]) -> String {
    let are_alike = Surroundings::of_process(&traces::host()).levels.is_empty();
    match (&settings.off, hosts) {
        (Some(origin), _) => format!("rankfold run starts launches as they are: off by {origin}"),
        (None, [_]) if are_alike => {
            "rankfold run -- LAUNCH starts jobs of this host alone as they are".into()
        }
        (None, hosts) => format!(
            "rankfold run -- LAUNCH profiles a first run, and maps later ones ({})",
            counted(hosts.len(), "host")
        ),
    }
}
