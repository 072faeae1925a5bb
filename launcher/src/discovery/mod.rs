//! Finds the network between the hosts of a job: the answer of the first of [`SOURCES`] that knows
//! it.

mod agreement;
mod allocation;
mod cached;
mod digest;
mod files;
mod fit;
mod flat;
mod given;
mod infiniband;
mod named;
mod names;
mod remembered;
mod slurm_address;
mod slurm_controller;
mod slurm_files;

pub(crate) use allocation::{allocation, cluster_of, cluster_of_launch};
pub(crate) use fit::{Capacities, machine};
pub(crate) use given::{check as check_given, to_remember, with_absolute_path};

use rankfold_base::words::counted;
use rankfold_cache::{Cache, MachineOrigin, age};
use rankfold_importers::named::of_cluster;
use rankfold_importers::{Importer, Rule, Source as Text};
use rankfold_launch::config::SiteSettings;
use rankfold_launch::placement::canonical;
use rankfold_machine::{Description, Hardware, MachineError};
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::error::Error;
use rankfold_wire::Surroundings;
use std::collections::HashSet;
use std::path::Path;

/// The question to the sources: which network joins these hosts.
pub(crate) struct DiscoveryQuery<'a> {
    /// The hosts of the job, by the launcher's names.
    pub(crate) hosts: &'a [String],
    /// `--machine`.
    pub(crate) machine: Option<&'a str>,
    /// `--hosts`, `--cores` and `--node`.
    pub(crate) nodes: &'a NodeArgs,
    /// `--rule`.
    pub(crate) rule: Option<&'a Rule>,
    /// What processes on some of the hosts have reported about them.
    pub(crate) seen: &'a [Surroundings],
    /// What the site and the user have configured.
    pub(crate) settings: &'a SiteSettings,
    /// The name of the cluster, from [`cluster`](rankfold_cache::cluster).
    pub(crate) cluster: &'a str,
    pub(crate) cache: Option<&'a Cache>,
}

/// A source that may know the network.
pub(crate) trait Source: Sync {
    /// The name of the source in messages.
    fn name(&self) -> &'static str;

    /// Whether the user asks for this source by an option. Its answer is then final, and its error
    /// is an error in the user's input.
    fn is_asked_for(&self, _wanted: &DiscoveryQuery) -> bool {
        false
    }

    /// Whether the source starts no program.
    fn is_cheap(&self) -> bool {
        true
    }

    /// Whether the source tells what holds now and starts no program. Such sources are asked even
    /// after another source has answered, and the user is told if the answers contradict each
    /// other.
    fn is_live(&self) -> bool {
        self.is_cheap()
    }

    /// The network of these hosts; `None` where the source does not know it.
    ///
    /// # Errors
    /// The information of the source cannot be read.
    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>>;
}

/// All sources, in the order in which they are asked, after those that the user asks for by an
/// option. What a user or a site has named comes before what is found without them, and what is
/// told now before what was told to an earlier run. The subnet is asked last, as that takes
/// longest.
pub(crate) const SOURCES: &[&dyn Source] = &[
    &given::Given,
    &files::NOW,
    &remembered::Remembered,
    &files::CONFIGURED,
    &slurm_address::SlurmAddress,
    &slurm_controller::SlurmController,
    &slurm_files::SlurmFiles,
    &named::Named,
    &names::Names,
    &cached::DISCOVERED,
    &infiniband::InfiniBand,
    &cached::PROBED,
    &flat::Flat,
];

/// A network, and its source.
pub(crate) struct DiscoveredMachine {
    pub(crate) hardware: Hardware,
    /// The text of the machine file to store in the cache, where the source is no machine file
    /// itself.
    pub(crate) text: Option<String>,
    /// The network as another command of rankfold can be given it.
    pub(crate) machine: MachineArgument,
    /// The source, in words.
    pub(crate) source: String,
    /// The date of the information, in seconds since 1970; `None` where it does not matter.
    pub(crate) when: Option<u64>,
}

/// A machine as a command of rankfold can be given it.
#[derive(Clone, Debug)]
pub(crate) enum MachineArgument {
    /// A value of `--machine`.
    Named(String),
    /// The text of a machine file.
    Text(String),
}

impl DiscoveredMachine {
    /// The network that an importer makes of `texts`.
    fn imported(
        kind: &Importer,
        texts: Vec<Text>,
        source: String,
        when: Option<u64>,
    ) -> anyhow::Result<Self> {
        let description = kind.import(texts).map_err(Error::from)?;
        Self::described(&description, source, when)
    }

    /// The network that an importer makes of `texts` for a job on `hosts`.
    fn imported_for_job(
        kind: &Importer,
        texts: Vec<Text>,
        source: String,
        when: Option<u64>,
        hosts: &[String],
    ) -> anyhow::Result<Self> {
        let network = kind.import_for_job(texts, hosts).map_err(Error::from)?;
        let source = match &network.added[..] {
            [] => source,
            [host] => format!("{source} (without {host}, which counts as below the top switch)"),
            [host, others @ ..] => format!(
                "{source} (without {host} and {}, which count as below the top switch)",
                counted(others.len(), "other")
            ),
        };
        Self::described(&network.description, source, when)
    }

    fn described(
        description: &Description,
        source: String,
        when: Option<u64>,
    ) -> anyhow::Result<Self> {
        let text = description.to_string();
        Ok(Self {
            hardware: description.build(&source).map_err(Error::from)?,
            text: Some(text.clone()),
            machine: MachineArgument::Text(text),
            source,
            when,
        })
    }

    /// The machine with its nodes called as the job calls its hosts, where these names are aliases.
    fn called(mut self, hosts: &[String]) -> Self {
        self.hardware
            .adopt_aliases(hosts.iter().map(String::as_str));
        self
    }

    /// The line that says where the machine comes from.
    pub(crate) fn line(&self) -> String {
        let nodes = self.hardware.topology.nodes();
        let age = self
            .when
            .map_or(String::new(), |when| format!(", {}", age(when)));
        let hosts = counted(nodes, "host");
        format!("the machine is told by {}{age}: {hosts}", self.source)
    }
}

/// The answer, and remarks about the sources for the user.
pub(crate) struct Discovery {
    pub(crate) found: DiscoveredMachine,
    pub(crate) notes: Vec<String>,
    /// The [digest](digest::of) of the machine; empty where no source knows the network.
    pub(crate) digest: String,
}

/// Asks the sources, and stores the answer in the cache. The last source always answers.
///
/// # Errors
/// The source that the user asks for fails, or does not know a host.
pub(crate) fn discover(wanted: &DiscoveryQuery) -> anyhow::Result<Discovery> {
    let mut notes = Vec::new();
    // A program that fails, for instance because the user lacks a permission, is mentioned only if
    // no other source knows the network.
    let mut failed = Vec::new();
    let (asked, others): (Vec<&dyn Source>, Vec<&dyn Source>) = SOURCES
        .iter()
        .partition(|source| source.is_asked_for(wanted));
    let mut rest = asked.into_iter().chain(others);
    let (source, found) = loop {
        let source = rest.next().expect("the last source always answers");
        let asked = source.is_asked_for(wanted);
        let found = match source.look(wanted) {
            Ok(None) => continue,
            Ok(Some(found)) => found.called(wanted.hosts),
            Err(error) if asked => return Err(error),
            Err(error) => {
                let note = format!("{} is of no use: {error:#}", source.name());
                if source.is_cheap() {
                    notes.push(note);
                } else {
                    failed.push(note);
                }
                continue;
            }
        };
        match missing(&found.hardware, wanted.hosts) {
            None => break (source, found),
            Some(host) if asked => {
                let problem = format!("the machine has no host {host}");
                let list = found.source;
                return Err(Error::from(MachineError::BadHosts { list, problem }).into());
            }
            Some(host) => notes.push(format!("{} does not know host {host}", found.source)),
        }
    };
    let mut found = found;
    complete(&mut found.hardware, wanted)?;
    let is_flat = source.name() == flat::NAME;
    if is_flat {
        notes.append(&mut failed);
    }
    for source in rest.filter(|source| source.is_live()) {
        if let Ok(Some(other)) = source.look(wanted)
            && let other = other.called(wanted.hosts)
            && missing(&other.hardware, wanted.hosts).is_none()
            && let Some(difference) =
                agreement::difference(&found.hardware, &other.hardware, wanted.hosts)
        {
            notes.push(format!(
                "{} and {} contradict each other ({difference}): {} counts",
                found.source, other.source, found.source
            ));
        }
    }
    if let (Some(text), Some(cache)) = (&found.text, wanted.cache) {
        // A file that cannot be stored is found again by the next run.
        let _ = cache.keep_machine(
            wanted.cluster,
            MachineOrigin::Discovered,
            &found.source,
            text,
        );
    }
    let digest = if is_flat {
        String::new()
    } else {
        digest::of(&found, wanted.nodes)
    };
    Ok(Discovery {
        found,
        notes,
        digest,
    })
}

/// Sets the capacities between switches that the user asks for or, where no other place tells some,
/// that the site has configured or its operators have published. Routes adapt where nobody told
/// them and the operators have published that.
fn complete(hardware: &mut Hardware, wanted: &DiscoveryQuery) -> anyhow::Result<()> {
    wanted.nodes.oversubscribe(hardware)?;
    if let Some(by) = &wanted.settings.oversubscription
        && hardware.assumes_capacities()
    {
        // A job below one leaf switch has fewer levels than the site.
        let _ = hardware.oversubscribe(by.clone());
    }
    if let Some(machine) = of_cluster(wanted.cluster) {
        if hardware.assumes_capacities() {
            let _ = hardware.oversubscribe(machine.oversubscription());
        }
        if machine.routes_adapt() {
            let _ = hardware.let_routes_adapt();
        }
    }
    Ok(())
}

/// The first of `hosts` that is not in the network.
fn missing<'a>(hardware: &Hardware, hosts: &'a [String]) -> Option<&'a String> {
    let names: HashSet<String> = hardware
        .names
        .iter()
        .flatten()
        .map(|name| canonical(name))
        .collect();
    hosts.iter().find(|host| !names.contains(&canonical(host)))
}

/// When a file was last changed, in seconds since 1970.
fn changed(path: &Path) -> Option<u64> {
    let time = std::fs::metadata(path).ok()?.modified().ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

#[cfg(test)]
mod tests;
