//! What one `rankfold run` knows before it profiles, maps or launches anything.

use super::args::Args;
use crate::discovery::{self, DiscoveredMachine, Discovery, DiscoveryQuery};
use crate::traces;
use rankfold_cache::{Cache, Host};
use rankfold_console::terminal;
use rankfold_launch::config::SiteSettings;
use rankfold_launch::launch::Launch;
use rankfold_wire::Surroundings;

/// The options and the launch of this run, the user's cache, and the hosts of the job.
pub(super) struct RunContext<'a> {
    pub(super) args: &'a Args,
    pub(super) settings: &'a SiteSettings,
    pub(super) launch: &'a Launch,
    /// `None` where no cache can be opened.
    pub(super) cache: Option<Cache>,
    /// The hosts of the job; `None` where nothing names them before the launch.
    pub(super) allocation: Option<Vec<Host>>,
    /// The name of the cluster.
    pub(super) cluster: String,
}

impl<'a> RunContext<'a> {
    pub(super) fn new(
        args: &'a Args,
        settings: &'a SiteSettings,
        launch: &'a Launch,
    ) -> anyhow::Result<Self> {
        let cache = Cache::open(&settings.cache);
        if let Err(error) = &cache {
            terminal::warning(format_args!("nothing is remembered: {error}"));
        }
        let allocation = discovery::allocation(Some(launch));
        Ok(Self {
            args,
            settings,
            launch,
            cache: cache.ok(),
            cluster: settings
                .cluster_or(|| discovery::cluster_of(Some(launch), allocation.as_deref())),
            allocation,
        })
    }

    /// The hosts to look for in the machine. Where nothing names the hosts of the job, the machine
    /// of `--machine` is searched for no host, and any other machine for this host.
    pub(super) fn hosts(&self) -> Vec<String> {
        match &self.allocation {
            Some(hosts) => hosts.iter().map(|host| host.name.clone()).collect(),
            None if self.args.machine.is_some() => Vec::new(),
            None => vec![traces::host()],
        }
    }

    /// The slots of all hosts of the job together, where all are known.
    pub(super) fn slots(&self) -> Option<u64> {
        let hosts = self.allocation.as_ref()?.iter();
        hosts.map(|host| host.slots.map(u64::from)).sum()
    }

    /// Finds the machine with these hosts, and prints its source. `seen` is what processes on some
    /// of the hosts have reported about them.
    ///
    /// # Errors
    /// The machine that the user asks for is wrong or lacks a host.
    pub(super) fn discovered(
        &self,
        hosts: &[String],
        seen: &[Surroundings],
    ) -> anyhow::Result<DiscoveredMachine> {
        let discovery = self.look_for_machine(hosts, seen)?;
        discovery.notes.iter().for_each(terminal::note);
        terminal::note(discovery.found.line());
        Ok(discovery.found)
    }

    /// As [`discovered`](Self::discovered), and prints nothing.
    pub(super) fn look_for_machine(
        &self,
        hosts: &[String],
        seen: &[Surroundings],
    ) -> anyhow::Result<Discovery> {
        discovery::discover(&DiscoveryQuery {
            hosts,
            machine: self.args.machine.as_deref(),
            nodes: &self.args.nodes,
            rule: self.args.rule.as_ref(),
            seen,
            settings: self.settings,
            cluster: &self.cluster,
            cache: self.cache.as_ref(),
        })
    }
}
