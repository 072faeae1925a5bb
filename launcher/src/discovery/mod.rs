//! What the network between the hosts of a job is: the first of [`SOURCES`] that knows.

mod agreement;
mod allocation;
mod cached;
mod files;
mod fit;
mod flat;
mod given;
mod infiniband;
mod names;
mod slurm_address;
mod slurm_controller;
mod slurm_files;

pub(crate) use allocation::allocation;
pub(crate) use fit::{Capacities, machine};
pub(crate) use given::check as check_given;

use crate::cache::{Cache, MachineOrigin, age};
use crate::placement::canonical;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::error::Error;
use rankfold_model::machine::import::{Importer, Rule, Source as Text};
use rankfold_model::machine::{Hardware, MachineError};
use rankfold_profile::Surroundings;
use std::collections::HashSet;
use std::path::Path;

/// What is asked.
pub(crate) struct DiscoveryQuery<'a> {
    /// The hosts of the job, as its launcher calls them.
    pub(crate) hosts: &'a [String],
    /// `--machine`.
    pub(crate) machine: Option<&'a str>,
    /// `--hosts`, `--cores` and `--node`.
    pub(crate) nodes: &'a NodeArgs,
    /// `--rule`.
    pub(crate) rule: Option<&'a Rule>,
    /// What processes on some of the hosts have seen.
    pub(crate) seen: &'a [Surroundings],
    /// As [`cluster`](crate::cache::cluster) calls it.
    pub(crate) cluster: &'a str,
    pub(crate) cache: Option<&'a Cache>,
}

/// Something that may know the network.
pub(crate) trait Source: Sync {
    /// What messages call it.
    fn name(&self) -> &'static str;

    /// Whether the user asks for it by an option: then an answer is an answer, and an error the
    /// user's.
    fn is_asked_for(&self, _wanted: &DiscoveryQuery) -> bool {
        false
    }

    /// Whether it takes no program to look. Such sources are asked even if one before them has
    /// answered: they may say otherwise.
    fn is_cheap(&self) -> bool {
        true
    }

    /// What it knows of these hosts, or nothing.
    ///
    /// # Errors
    /// What it says cannot be understood.
    fn look(&self, wanted: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>>;
}

/// Every source, in the order in which they are asked.
pub(crate) const SOURCES: &[&dyn Source] = &[
    &given::Given,
    &cached::DISCOVERED,
    &slurm_address::SlurmAddress,
    &slurm_controller::SlurmController,
    &slurm_files::SlurmFiles,
    &names::Names,
    &files::Files,
    &infiniband::InfiniBand,
    &cached::PROBED,
    &flat::Flat,
];

/// A network, and who says so.
pub(crate) struct DiscoveredMachine {
    pub(crate) hardware: Hardware,
    /// The machine file to keep, where the source is not one already.
    pub(crate) text: Option<String>,
    /// The same for another command.
    pub(crate) machine: MachineArgument,
    /// The source, in words.
    pub(crate) source: String,
    /// When it said so, in seconds since 1970; `None` where that does not matter.
    pub(crate) when: Option<u64>,
}

/// A machine as a command can be told of it.
#[derive(Clone, Debug)]
pub(crate) enum MachineArgument {
    /// By this value of `--machine`.
    Named(String),
    /// By a machine file with this text.
    Text(String),
}

impl DiscoveredMachine {
    /// What an importer makes of a text.
    fn imported(
        kind: &Importer,
        texts: Vec<Text>,
        source: String,
        when: Option<u64>,
    ) -> anyhow::Result<Self> {
        let description = kind.import(texts).map_err(Error::from)?;
        let text = description.to_string();
        Ok(Self {
            hardware: description.build(&source).map_err(Error::from)?,
            text: Some(text.clone()),
            machine: MachineArgument::Text(text),
            source,
            when,
        })
    }

    /// The one line that is always told.
    pub(crate) fn line(&self) -> String {
        let nodes = self.hardware.topology.nodes();
        let age = self
            .when
            .map_or(String::new(), |when| format!(", {}", age(when)));
        format!("the machine is told by {}{age}: {nodes} hosts", self.source)
    }
}

/// The answer, and what there is to say of those who were asked.
pub(crate) struct Discovery {
    pub(crate) found: DiscoveredMachine,
    pub(crate) notes: Vec<String>,
}

/// Asks the sources, and keeps the answer in the cache. The last source always answers.
///
/// # Errors
/// What the user has asked for is wrong, or does not know a host.
pub(crate) fn discover(wanted: &DiscoveryQuery) -> anyhow::Result<Discovery> {
    let mut notes = Vec::new();
    // Programs that fail, as they do for those who may not ask, are worth a word where nobody else
    // knows.
    let mut failed = Vec::new();
    let mut rest = SOURCES.iter();
    let found = loop {
        let source = rest.next().expect("the last source always answers");
        let asked = source.is_asked_for(wanted);
        let found = match source.look(wanted) {
            Ok(None) => continue,
            Ok(Some(found)) => found,
            Err(error) if asked => return Err(error),
            Err(error) => {
                let note = format!("{} is of no use: {error}", source.name());
                match source.is_cheap() {
                    true => notes.push(note),
                    false => failed.push(note),
                }
                continue;
            }
        };
        match missing(&found.hardware, wanted.hosts) {
            None => {
                if source.name() == flat::NAME {
                    notes.append(&mut failed);
                }
                break found;
            }
            Some(host) if asked => {
                let problem = format!("the machine has no host {host}");
                let list = found.source;
                return Err(Error::from(MachineError::BadHosts { list, problem }).into());
            }
            Some(host) => notes.push(format!("{} does not know host {host}", found.source)),
        }
    };
    for source in rest.filter(|source| source.is_cheap() && source.name() != flat::NAME) {
        if let Ok(Some(other)) = source.look(wanted)
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
        // What cannot be kept is found again next time.
        let _ = cache.keep_machine(
            wanted.cluster,
            MachineOrigin::Discovered,
            &found.source,
            text,
        );
    }
    Ok(Discovery { found, notes })
}

/// The first of `hosts` that the machine does not know.
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
