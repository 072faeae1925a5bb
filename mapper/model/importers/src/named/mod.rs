//! Machines whose structure is published: by name, or by the name that the batch system gives its
//! cluster.
//!
//! Each is a file beside this one, which `FILES` lists: what is published of its capacities and
//! routes, how the names of hosts tell their places where they do, the sources, and what is unsure.

use super::layers::{self, PlacedHost};
use super::technology::Technology;
use super::{Source, SourceLine};
use rankfold_machine::hosts::expand;
use rankfold_machine::{Description, Oversubscription};
use regex_lite::Regex;
use serde::Deserialize;

/// All files, by the name of the machine.
const FILES: &[(&str, &str)] = &[
    ("alps", include_str!("alps.toml")),
    ("archer2", include_str!("archer2.toml")),
    ("frontier", include_str!("frontier.toml")),
    ("jupiter", include_str!("jupiter.toml")),
    ("leonardo", include_str!("leonardo.toml")),
    ("lumi", include_str!("lumi.toml")),
    ("narval", include_str!("narval.toml")),
    ("perlmutter", include_str!("perlmutter.toml")),
    ("summit", include_str!("summit.toml")),
];

/// A machine of which something is published.
#[derive(Clone, Debug)]
pub struct NamedMachine {
    /// The name in `--machine NAME`.
    pub name: &'static str,
    file: File,
}

/// The contents of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Names that the batch system may give the cluster.
    clusters: Vec<String>,
    sources: Vec<String>,
    unsure: Vec<String>,
    /// In the syntax of [`Oversubscription`].
    oversubscription: String,
    routes: Option<Routes>,
    places: Option<Places>,
}

/// The word for routes that adapt to the load. Others are told by nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Routes {
    Spread,
}

/// How the names of hosts tell their places.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Places {
    /// All hosts, as Slurm lists them.
    hosts: String,
    /// A regular expression for the whole name of a host.
    pattern: String,
    /// The switches above a host, from the outermost in.
    levels: Vec<Level>,
}

/// Hosts at one switch have equal numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Level {
    name: String,
    of: Vec<Part>,
}

/// A group of the pattern, or which of so many consecutive numbers it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    group: usize,
    by: Option<u64>,
    #[serde(default)]
    from: u64,
}

/// The machine of a name; `None` if there is no file of it.
#[must_use]
pub fn named(name: &str) -> Option<NamedMachine> {
    let (name, text) = FILES.iter().find(|(known, _)| *known == name)?;
    let file = toml::from_str(text).expect("a test reads all files");
    Some(NamedMachine { name, file })
}

/// The names of all machines.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The machine whose batch system calls its cluster so.
#[must_use]
pub fn of_cluster(cluster: &str) -> Option<NamedMachine> {
    let cluster = cluster.to_ascii_lowercase();
    let mut all = names().filter_map(named);
    all.find(|machine| machine.file.clusters.contains(&cluster))
}

impl NamedMachine {
    /// The capacities between its switches.
    ///
    /// # Panics
    /// If the file is wrong, which a test excludes.
    #[must_use]
    pub fn oversubscription(&self) -> Oversubscription {
        let ratios = self.file.oversubscription.parse();
        ratios.expect("a test reads all files")
    }

    /// Whether its routes adapt to the load.
    #[must_use]
    pub fn routes_adapt(&self) -> bool {
        self.file.routes == Some(Routes::Spread)
    }

    /// What is published of it, and what is not, in a sentence.
    #[must_use]
    pub fn origin(&self) -> String {
        let sources = self.file.sources.join(", ");
        let unsure = match &self.file.unsure[..] {
            [] => String::new(),
            unsure => format!("; unsure: {}", unsure.join(", ")),
        };
        format!("what is published of {} ({sources}{unsure})", self.name)
    }

    /// The machine with all its hosts.
    ///
    /// # Errors
    /// A message where the names of hosts do not tell their places.
    pub fn describe(&self) -> Result<Description, String> {
        let Some(places) = &self.file.places else {
            return Err(format!(
                "the names of the hosts of {} do not tell their places: give the scheduler's tree, as from \
                 `scontrol show topology`, with --oversubscription {}",
                self.name, self.file.oversubscription
            ));
        };
        self.of_hosts(&places.hosts)
            .ok_or_else(|| format!("{} has hosts of other names", self.name))
    }

    /// The machine, if all these hosts of a job are among its hosts.
    #[must_use]
    pub fn with_hosts(&self, hosts: &[String]) -> Option<Description> {
        let whole = self.describe().ok()?;
        let has = |host: &String| whole.hosts.contains(&short(host).to_owned());
        hosts.iter().all(has).then_some(whole)
    }

    /// The machine of a list of hosts; `None` if a name is no such name.
    fn of_hosts(&self, list: &str) -> Option<Description> {
        let places = self.file.places.as_ref()?;
        let source = Source {
            file: self.name.to_owned(),
            text: String::new(),
        };
        let place = SourceLine {
            source: &source,
            line: 1,
        };
        let pattern = Regex::new(&format!("^(?:{})$", places.pattern)).ok()?;
        let hosts: Option<Vec<PlacedHost>> = expand(list)
            .ok()?
            .into_iter()
            .map(|host| {
                let above = places.above(&pattern, &host)?;
                Some((place, host, above))
            })
            .collect();
        let mut description = layers::describe(&hosts?, place).ok()?;
        let technology = if self.routes_adapt() {
            Technology::Adaptive
        } else {
            Technology::Credits
        };
        technology.complete(&mut description);
        description.oversubscribed(self.oversubscription()).ok()
    }
}

impl Places {
    /// The names of the switches above a host, from the outermost in.
    fn above(&self, pattern: &Regex, host: &str) -> Option<Vec<String>> {
        let found = pattern.captures(host)?;
        let part = |part: &Part| {
            let text = found.get(part.group)?.as_str();
            match part.by {
                None => Some(text.to_owned()),
                Some(by) => {
                    let number: u64 = text.parse().ok()?;
                    Some((number.checked_sub(part.from)? / by).to_string())
                }
            }
        };
        let level = |level: &Level| {
            let parts: Option<Vec<String>> = level.of.iter().map(part).collect();
            Some(format!("{}-{}", level.name, parts?.join("-")))
        };
        self.levels.iter().map(level).collect()
    }
}

/// A name without its domain.
fn short(host: &str) -> &str {
    host.split('.').next().unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_names_its_sources() {
        for name in names() {
            let machine = named(name).unwrap();
            assert!(
                !machine.file.sources.is_empty() && !machine.file.clusters.is_empty(),
                "{name}"
            );
            let _ = machine.oversubscription();
            assert_eq!(
                of_cluster(&machine.file.clusters[0].to_uppercase())
                    .unwrap()
                    .name,
                name
            );
            match machine.file.places {
                Some(_) => assert!(machine.describe().is_ok(), "{name}"),
                None => assert!(
                    machine
                        .describe()
                        .unwrap_err()
                        .contains("--oversubscription")
                ),
            }
        }
    }

    #[test]
    fn names_of_hosts_tell_cell_and_leaf() {
        let jupiter = named("jupiter").unwrap();
        let whole = jupiter.with_hosts(&["jpbo-006-17.site".into()]).unwrap();
        assert_eq!(
            (whole.hosts.len(), whole.switches.len()),
            (6000, 1 + 25 + 375)
        );
        let hops = |a: &str, b: &str| {
            let at = |name: &str| whole.hosts.iter().position(|host| host == name).unwrap();
            let network = whole.build("jupiter").unwrap().topology;
            network.hops(
                rankfold_base::NodeId::at(at(a)),
                rankfold_base::NodeId::at(at(b)),
            )
        };
        assert_eq!(hops("jpbo-006-17", "jpbo-006-32"), 2);
        assert_eq!(hops("jpbo-006-17", "jpbo-010-01"), 4);
        assert_eq!(hops("jpbo-006-17", "jpbo-005-17"), 6);
        assert!(jupiter.with_hosts(&["jpbo-006-49".into()]).is_none());
    }
}
