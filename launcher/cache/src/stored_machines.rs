//! The machines of all clusters in the cache: they are listed, and forgotten one by one or by
//! cluster.

use super::given_machine::{ENDING, GivenMachine};
use super::machines::{clean, read_head};
use super::{Cache, State, own_place, world_times};
use std::fs;
use std::io;
use std::path::Path;

/// A machine in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMachine {
    /// The name by which it is forgotten: that of its file.
    pub name: String,
    /// The source of the machine, in words.
    pub source: String,
    /// When it was stored, in seconds since 1970.
    pub when: u64,
}

impl Cache {
    /// The machines of all clusters, by name.
    pub fn all_machines(&self) -> Vec<StoredMachine> {
        let mut all: Vec<StoredMachine> = self
            .machine_files()
            .filter_map(|file| read(&self.machines().join(&file), &file))
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Forgets the machine of this name, or all machines of the cluster of this name. The maps of
    /// runs on that cluster are made anew by their next run. Returns the number of files that are
    /// removed.
    pub fn forget_machine(&self, name: &str) -> io::Result<usize> {
        let files: Vec<String> = self
            .machine_files()
            .filter(|file| without_ending(file) == name || cluster_of(file) == clean(name))
            .collect();
        self.locked(|| {
            let mut paths = files.iter().map(|file| self.machines().join(file));
            paths.try_for_each(fs::remove_file)
        })?;
        for (entry, found) in self.all()? {
            let cluster = found.map(|found| found.key["cluster"].as_str().map(clean));
            let Ok(Some(cluster)) = cluster else { continue };
            // No map is made of times.
            let mut machines = files
                .iter()
                .filter(|file| !file.ends_with(world_times::ENDING));
            if machines.any(|file| cluster_of(file) == cluster) {
                self.change(&entry, |entry| {
                    let part = entry.state.is_of_part();
                    entry.state = State::Profiled { part };
                    entry.measured.retain(|run| !run.mapped);
                })?;
            }
        }
        Ok(files.len())
    }
}

/// The machine in a file; `None` for a file of another kind.
fn read(path: &Path, file: &str) -> Option<StoredMachine> {
    let name = without_ending(file).to_owned();
    if file.ends_with(ENDING) {
        let given: GivenMachine = serde_json::from_slice(&own_place::read(path).ok()?).ok()?;
        return Some(StoredMachine {
            name,
            source: format!("--machine {}", given.machine),
            when: given.when,
        });
    }
    let head = read_head(&own_place::read_text(path).ok()?)?;
    Some(StoredMachine {
        name,
        source: head.source,
        when: head.when,
    })
}

/// A file name without the ending that says what kind of file it is.
fn without_ending(file: &str) -> &str {
    let stem = file
        .strip_suffix(".toml")
        .or_else(|| file.strip_suffix(world_times::ENDING))
        .or_else(|| file.strip_suffix(".json"));
    stem.unwrap_or(file)
}

/// The cluster of a file, as it is written in file names.
fn cluster_of(file: &str) -> &str {
    if let Some(cluster) = file.strip_suffix(ENDING) {
        return cluster;
    }
    let with_digest = file.strip_suffix(".toml");
    match with_digest.or_else(|| file.strip_suffix(world_times::ENDING)) {
        // The digest follows the name of the cluster.
        Some(stem) => stem.rsplit_once('-').map_or(stem, |(cluster, _)| cluster),
        None => without_ending(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::tests::entry;
    use crate::{Entry, Lookup, MachineOrigin};
    use rankfold_wire::Profile;
    use serde_json::json;

    #[test]
    fn machines_are_listed_and_forgotten_alone_or_by_cluster_with_the_maps_made_of_them() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        for (cluster, origin) in [
            ("n#-1f2e3d4c", MachineOrigin::Probed),
            ("n#-1f2e3d4c", MachineOrigin::Discovered),
            ("n#", MachineOrigin::Discovered),
        ] {
            let text = format!("network = \"torus:2\" # {origin:?}\n");
            cache
                .keep_machine(cluster, origin, "a source", &text)
                .unwrap();
        }
        let given = GivenMachine::now("torus:2".into(), None);
        cache.remember_given("n#-1f2e3d4c", &given).unwrap();
        let stored = Entry {
            key: json!({"cluster": "n#-1f2e3d4c"}),
            ..entry("ring")
        };
        cache.keep(&stored, &Profile::default()).unwrap();
        let names = || -> Vec<String> {
            let all = cache.all_machines().into_iter();
            all.map(|machine| machine.name).collect()
        };
        assert_eq!(names().len(), 4);
        let other = names().into_iter().find(|name| !name.contains("1f2e3d4c"));
        let other = other.unwrap();
        assert_eq!(cache.forget_machine(&other).unwrap(), 1);
        let Lookup::Entry(found) = cache.find("ring").unwrap() else {
            panic!("it is there");
        };
        assert_eq!(found.state, stored.state, "it is of another cluster");
        assert_eq!(cache.forget_machine("n#-1f2e3d4c").unwrap(), 3);
        assert!(names().is_empty());
        let Lookup::Entry(found) = cache.find("ring").unwrap() else {
            panic!("it is there");
        };
        assert_eq!(found.state, State::Profiled { part: false });
        assert_eq!(cache.forget_machine("n#").unwrap(), 0);
    }
}
