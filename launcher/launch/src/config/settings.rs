//! The values of [`SETTINGS`](super::SETTINGS) in the types that the commands use.

use super::{GivenValue, Origin, Variables};
use rankfold_importers::Rule;
use rankfold_machine::Oversubscription;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Limit of the cache where nothing else is said, in MiB. Chosen by hand; not measured.
const DEFAULT_LIMIT: u64 = 256;

/// Largest value of the limit of the cache, in MiB: a pebibyte.
const LARGEST_LIMIT: u64 = 1 << 30;

/// The values that count.
#[derive(Clone, Debug, Default)]
pub struct SiteSettings {
    /// Where rankfold is switched off; `None` where it is on.
    pub off: Option<Origin>,
    /// The files that describe the network, and where they are named.
    pub topology: (Vec<PathBuf>, Origin),
    /// How host names tell the position of a host.
    pub rule: Option<Rule>,
    /// The capacities between switches of machines that do not tell them.
    pub oversubscription: Option<Oversubscription>,
    /// The name of the cluster.
    pub cluster: Option<String>,
    /// Where the cache is.
    pub cache: CachePlace,
    /// Where a `TaskProlog` leaves profiles of this user; `None` where it leaves none.
    pub fleet: Option<PathBuf>,
}

/// Where the cache is, and how large it may become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachePlace {
    /// The directory above those of all versions; `None` for the directory of this user.
    pub directory: Option<PathBuf>,
    /// Bytes that all entries may take together.
    pub limit: u64,
}

impl Default for CachePlace {
    fn default() -> Self {
        Self {
            directory: None,
            limit: DEFAULT_LIMIT << 20,
        }
    }
}

impl SiteSettings {
    /// The name of the cluster: the configured one, or else that of `found`.
    pub fn cluster_or(&self, found: impl FnOnce() -> String) -> String {
        self.cluster.clone().unwrap_or_else(found)
    }

    /// The values among those `given`, which have been checked.
    pub(super) fn of(given: &BTreeMap<String, GivenValue>, variables: Variables) -> Self {
        // An empty text in a file takes back what a file that counts less says.
        let value = |name: &str| given.get(name).filter(|value| !value.text.is_empty());
        let text = |name: &str| value(name).map(|value| value.text.as_str());
        let off = value("off").filter(|value| truth(&value.text) == Ok(true));
        let paths = text("topology").unwrap_or_default();
        let paths = std::env::split_paths(paths).filter(|path| !path.as_os_str().is_empty());
        let paths = paths.filter_map(|path| expanded(path.to_str()?, variables).ok());
        let origin = value("topology").map(|value| value.origin.clone());
        let place = |name| Some(PathBuf::from(expanded(text(name)?, variables).ok()?));
        let limit = text("cache.limit").and_then(|text| limit(text).ok());
        Self {
            off: off.map(|value| value.origin.clone()),
            topology: (
                paths.map(PathBuf::from).collect(),
                origin.unwrap_or_default(),
            ),
            rule: text("rule").and_then(|text| rule(text).ok()),
            oversubscription: text("oversubscription").and_then(|text| ratios(text).ok()),
            cluster: text("cluster").map(str::to_owned),
            fleet: place("fleet"),
            cache: CachePlace {
                directory: place("cache.directory"),
                limit: limit.unwrap_or(DEFAULT_LIMIT) << 20,
            },
        }
    }
}

/// Reads a truth value.
pub(super) fn truth(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("{text:?} is neither true nor false")),
    }
}

/// Reads a limit of the cache, in MiB.
pub(super) fn limit(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number <= LARGEST_LIMIT);
    number.ok_or_else(|| format!("{text:?} is no number of MiB from 0 to {LARGEST_LIMIT}"))
}

/// Reads a rule for host names.
pub(super) fn rule(text: &str) -> Result<Rule, String> {
    text.parse()
}

/// Reads how much less bandwidth switches have upwards than downwards, such as `1:1,2:1`.
pub(super) fn ratios(text: &str) -> Result<Oversubscription, String> {
    text.parse()
}

/// Refuses a relative path: in a configuration file it would depend on where a job is started.
pub(super) fn absolute(path: &Path) -> Result<(), String> {
    if path.is_absolute() {
        Ok(())
    } else {
        Err(format!("{} is no absolute path", path.display()))
    }
}

/// The text with the values of environment variables in place of `$NAME` and `${NAME}`.
///
/// # Errors
/// A variable that is not set, or a `$` that begins no name.
pub(super) fn expanded(text: &str, variables: Variables) -> Result<String, String> {
    let mut parts = text.split('$');
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = match part.strip_prefix('{') {
            Some(braced) => braced
                .split_once('}')
                .ok_or_else(|| format!("{text:?}: a brace is never closed"))?,
            None => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                part.split_at(part.find(|c| !is_name(c)).unwrap_or(part.len()))
            }
        };
        if name.is_empty() {
            return Err(format!("{text:?}: no name follows a $"));
        }
        let value = variables(name).and_then(|value| value.into_string().ok());
        whole += &value.ok_or_else(|| format!("the variable {name} is not set"))?;
        whole += rest;
    }
    Ok(whole)
}
