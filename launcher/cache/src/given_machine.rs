//! The machine that `--machine` has named for a cluster last. Later runs on the cluster use it.

use super::machines::clean;
use super::{Cache, now, own_place};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// The ending of the file names.
pub(super) const ENDING: &str = ".given.json";

/// A value of `--machine`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenMachine {
    /// The value, with the absolute path of a file. The file is read again by every run.
    pub machine: String,
    /// The names of the hosts in node order, where `--hosts` has told them and not the machine.
    pub hosts: Option<Vec<String>>,
    /// When the user has given it last, in seconds since 1970.
    pub when: u64,
}

impl GivenMachine {
    /// A machine that the user gives now.
    pub fn now(machine: String, hosts: Option<Vec<String>>) -> Self {
        let when = now();
        Self {
            machine,
            hosts,
            when,
        }
    }
}

impl Cache {
    /// The machine that was given for a cluster last.
    pub fn given_machine(&self, cluster: &str) -> Option<GivenMachine> {
        let text = own_place::read(&self.given_machine_file(cluster)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Remembers the machine that is given for a cluster; returns whether that is news.
    pub fn remember_given(&self, cluster: &str, given: &GivenMachine) -> io::Result<bool> {
        let before = self.given_machine(cluster);
        let text = serde_json::to_vec_pretty(given)?;
        self.locked(|| own_place::replace(&self.given_machine_file(cluster), &text))?;
        let is_same =
            |before: GivenMachine| before.machine == given.machine && before.hosts == given.hosts;
        Ok(!before.is_some_and(is_same))
    }

    fn given_machine_file(&self, cluster: &str) -> PathBuf {
        self.machines().join(clean(cluster) + ENDING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_that_was_given_last_is_remembered_for_its_cluster() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        assert_eq!(cache.given_machine("c"), None);
        let hosts = vec!["n0".to_owned(), "n1".to_owned()];
        let first = GivenMachine::now("torus:2".into(), Some(hosts));
        assert!(cache.remember_given("c", &first).unwrap());
        assert!(!cache.remember_given("c", &first).unwrap());
        let second = GivenMachine::now("/site.toml".into(), None);
        assert!(cache.remember_given("c", &second).unwrap());
        assert_eq!(cache.given_machine("c"), Some(second));
        assert_eq!(cache.given_machine("other"), None);
    }
}
