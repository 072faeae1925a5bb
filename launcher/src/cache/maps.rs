//! The remembered runs: a directory for each, which holds the entry and the profile.

use super::entry::{Entry, State};
use super::key::Key;
use super::{Cache, VERSION, now, old_key};
use rankfold_profile::Profile;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files in the directory of one run.
const ENTRY: &str = "entry.json";
const PROFILE: &str = "profile.rfp";

/// What is stored under a name.
#[derive(Debug)]
pub(crate) enum Lookup {
    Nothing,
    /// Boxed, as an entry is much larger than the other variants.
    Entry(Box<Entry>),
    /// An entry that cannot be used, and why.
    Unusable(String),
}

/// The part of an entry that every version writes alike.
#[derive(serde::Deserialize)]
struct Head {
    version: u32,
}

impl Cache {
    fn maps(&self) -> PathBuf {
        self.root.join("maps")
    }

    fn entry_file(&self, name: &str) -> PathBuf {
        self.maps().join(name).join(ENTRY)
    }

    /// The entry of this name.
    ///
    /// # Errors
    /// Another process holds the lock for too long.
    pub(crate) fn find(&self, name: &str) -> io::Result<Lookup> {
        self.locked(|| Ok(read(&self.entry_file(name))))
    }

    /// The entry of runs with this key; `threads` is the value of `--threads`. An entry that an
    /// older version has stored under one of its names for such runs moves to the name of today.
    ///
    /// # Errors
    /// Another process holds the lock for too long, or an entry cannot be moved.
    pub(crate) fn find_run(&self, key: &Key, threads: Option<u16>) -> io::Result<Lookup> {
        self.locked(|| match read(&self.entry_file(&key.name())) {
            Lookup::Nothing => self.adopt(key, threads),
            // The names of two keys may have one checksum.
            Lookup::Entry(entry) if !entry.is_of(key) => Ok(Lookup::Nothing),
            found => Ok(found),
        })
    }

    /// Moves the entry that an older version has stored for such runs to the name of today. An
    /// entry that cannot be read stays where it is.
    fn adopt(&self, key: &Key, threads: Option<u16>) -> io::Result<Lookup> {
        for old_name in old_key::names(key, threads) {
            let mut entry = match read(&self.entry_file(&old_name)) {
                Lookup::Nothing => continue,
                Lookup::Entry(entry) => entry,
                unusable => return Ok(unusable),
            };
            entry.name = key.name();
            entry.key = Some(key.json());
            if key.options.has_newer() {
                // Older versions did not tell runs with these options apart: the map may have been
                // made without them. The profile holds all the same.
                let part = entry.state.is_of_part();
                entry.state = State::Profiled { part };
                entry.measured.retain(|run| !run.mapped);
            }
            fs::rename(self.maps().join(&old_name), self.maps().join(&entry.name))?;
            rankfold_profile::replace(&self.entry_file(&entry.name), text(&entry)?.as_bytes())?;
            return Ok(Lookup::Entry(entry));
        }
        Ok(Lookup::Nothing)
    }

    /// The profile of the run of this name.
    pub(crate) fn profile(&self, name: &str) -> anyhow::Result<Profile> {
        Ok(Profile::read(&self.profile_file(name))?)
    }

    /// The file with the profile of the run of this name.
    pub(crate) fn profile_file(&self, name: &str) -> PathBuf {
        self.maps().join(name).join(PROFILE)
    }

    /// Stores an entry and its profile in place of those of the same name.
    pub(crate) fn keep(&self, entry: &Entry, profile: &Profile) -> io::Result<()> {
        let new = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(self.maps())?;
        let written = profile.write(&new.path().join(PROFILE));
        written.map_err(io::Error::other)?;
        rankfold_profile::replace(&new.path().join(ENTRY), text(entry)?.as_bytes())?;
        let place = self.maps().join(&entry.name);
        self.locked(|| {
            // A directory can be renamed to the path of an empty directory only. Nobody sees the
            // moment without either, since every reader takes the lock.
            remove(&place)?;
            fs::rename(new.path(), &place)
        })?;
        // The directory has its final path now and must not be removed.
        let _ = new.keep();
        self.shrink(&entry.name)
    }

    /// Changes the entry of this name as it is stored now, and returns the changed entry; `None`
    /// where there is no such entry any more.
    pub(crate) fn change(
        &self,
        name: &str,
        change: impl FnOnce(&mut Entry),
    ) -> io::Result<Option<Entry>> {
        let path = self.entry_file(name);
        self.locked(|| {
            let Lookup::Entry(mut entry) = read(&path) else {
                return Ok(None);
            };
            change(&mut entry);
            entry.used = now();
            rankfold_profile::replace(&path, text(&entry)?.as_bytes())?;
            Ok(Some(*entry))
        })
    }

    /// Every entry with its name, the last used first; an error is the reason why an entry cannot be
    /// used.
    pub(crate) fn all(&self) -> io::Result<Vec<(String, Result<Entry, String>)>> {
        let mut all = self.locked(|| Ok(self.read_all()))?;
        all.sort_by_key(|(name, entry)| (std::cmp::Reverse(used(entry)), name.clone()));
        Ok(all)
    }

    /// Removes an entry and its profile; returns whether there was one.
    pub(crate) fn forget(&self, name: &str) -> io::Result<bool> {
        let place = self.maps().join(name);
        self.locked(|| {
            let was = place.is_dir();
            remove(&place)?;
            Ok(was)
        })
    }

    /// The size of an entry and its profile, in bytes.
    pub(crate) fn size(&self, name: &str) -> u64 {
        size(&self.maps().join(name))
    }

    fn read_all(&self) -> Vec<(String, Result<Entry, String>)> {
        let entries = fs::read_dir(self.maps()).into_iter().flatten().flatten();
        let named = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let visible = named.filter(|name| !name.starts_with('.'));
        visible
            .filter_map(|name| match read(&self.entry_file(&name)) {
                Lookup::Nothing => None,
                Lookup::Entry(entry) => Some((name, Ok(*entry))),
                Lookup::Unusable(why) => Some((name, Err(why))),
            })
            .collect()
    }

    /// Removes the entries that were not used for the longest time until the rest is below the
    /// limit. The entry named `last` goes last.
    fn shrink(&self, last: &str) -> io::Result<()> {
        self.locked(|| {
            let mut all = self.read_all();
            all.sort_by_key(|(name, entry)| (name == last, used(entry)));
            let mut total: u64 = all.iter().map(|(name, _)| self.size(name)).sum();
            for (name, _) in &all {
                if total <= self.limit {
                    break;
                }
                total -= self.size(name).min(total);
                remove(&self.maps().join(name))?;
            }
            Ok(())
        })
    }
}

fn used(entry: &Result<Entry, String>) -> u64 {
    entry.as_ref().map_or(0, |entry| entry.used)
}

fn read(path: &Path) -> Lookup {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Lookup::Nothing,
        Err(error) => return Lookup::Unusable(format!("{}: {error}", path.display())),
    };
    match serde_json::from_slice::<Head>(&text) {
        Ok(head) if head.version != VERSION => Lookup::Unusable(format!(
            "{}: version {} of the cache, and this rankfold has version {VERSION}",
            path.display(),
            head.version
        )),
        Ok(_) => match serde_json::from_slice::<Entry>(&text) {
            Ok(entry) => Lookup::Entry(Box::new(entry)),
            Err(error) => Lookup::Unusable(format!("{}: {error}", path.display())),
        },
        Err(error) => Lookup::Unusable(format!("{}: {error}", path.display())),
    }
}

fn text(entry: &Entry) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(entry)? + "\n")
}

fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::{entry, map, solution};
    use super::super::key::tests::ring;
    use super::super::old_key;
    use super::*;
    use std::thread;

    fn cache(limit: u64) -> (tempfile::TempDir, Cache) {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), limit).unwrap();
        (directory, cache)
    }

    #[test]
    fn what_is_kept_is_found_and_can_be_replaced_and_forgotten() {
        let (_directory, cache) = cache(1 << 20);
        let profile = Profile::default();
        assert!(matches!(cache.find("a").unwrap(), Lookup::Nothing));
        cache.keep(&entry("a"), &profile).unwrap();
        let other = Entry {
            fullest: 9,
            ..entry("a")
        };
        cache.keep(&other, &profile).unwrap();
        let Lookup::Entry(found) = cache.find("a").unwrap() else {
            panic!("it is there");
        };
        assert_eq!(*found, other);
        assert_eq!(cache.profile("a").unwrap(), Profile::default());
        assert!(cache.forget("a").unwrap() && !cache.forget("a").unwrap());
        assert_eq!(cache.all().unwrap().len(), 0);
    }

    #[test]
    fn entries_of_another_version_and_torn_ones_are_told_apart_from_none() {
        let (_directory, cache) = cache(1 << 20);
        cache.keep(&entry("a"), &Profile::default()).unwrap();
        let path = cache.maps().join("a").join(ENTRY);
        for (text, expected) in [
            (
                r#"{"version": 99, "future": []}"#,
                "version 99 of the cache",
            ),
            (r#"{"version": 1}"#, "missing field"),
            ("{", "EOF"),
        ] {
            fs::write(&path, text).unwrap();
            let Lookup::Unusable(why) = cache.find("a").unwrap() else {
                panic!("{text} is no entry");
            };
            assert!(why.contains(expected), "{why}");
            assert!(cache.change("a", |_| ()).unwrap().is_none());
            assert_eq!(cache.all().unwrap().len(), 1);
        }
    }

    #[test]
    fn the_longest_unused_go_first_when_there_is_too_much() {
        let (_directory, cache) = cache(0);
        let profile = Profile::default();
        cache.keep(&entry("a"), &profile).unwrap();
        assert_eq!(cache.all().unwrap().len(), 0, "it alone is too much");
        let room = Cache {
            limit: 1 << 20,
            ..cache.clone()
        };
        for (name, used) in [("old", 1), ("new", 3), ("mid", 2)] {
            let entry = Entry {
                used,
                ..entry(name)
            };
            room.keep(&entry, &profile).unwrap();
        }
        let tight = Cache {
            limit: 3 * room.size("old"),
            ..cache
        };
        tight.keep(&entry("end"), &profile).unwrap();
        let names: Vec<String> = tight
            .all()
            .unwrap()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["end", "new", "mid"]);
    }

    #[test]
    fn several_jobs_change_one_entry_and_nothing_is_lost() {
        let (_directory, cache) = cache(1 << 20);
        cache.keep(&entry("a"), &Profile::default()).unwrap();
        let jobs: Vec<_> = (0..8)
            .map(|_| {
                let cache = cache.clone();
                thread::spawn(move || {
                    for _ in 0..5 {
                        cache.change("a", |entry| entry.fullest += 1).unwrap();
                    }
                })
            })
            .collect();
        jobs.into_iter().for_each(|job| job.join().unwrap());
        let Lookup::Entry(found) = cache.find("a").unwrap() else {
            panic!("it is there");
        };
        assert_eq!(found.fullest, 1 + 40);
    }

    #[test]
    fn runs_with_other_threads_find_the_same_entry() {
        let (_directory, cache) = cache(1 << 20);
        let (key, none) = ring("");
        let stored = Entry {
            key: Some(key.json()),
            ..entry(&key.name())
        };
        cache.keep(&stored, &Profile::default()).unwrap();
        let (threaded, four) = ring("--threads 4");
        for (key, threads) in [(key, none), (threaded, four)] {
            let Lookup::Entry(found) = cache.find_run(&key, threads).unwrap() else {
                panic!("it is there");
            };
            assert_eq!(*found, stored);
        }
        let (other, _) = ring("--seed 1");
        assert!(matches!(
            cache.find_run(&other, None).unwrap(),
            Lookup::Nothing
        ));
    }

    #[test]
    fn entries_under_names_of_older_versions_are_found_and_moved() {
        for (stored_with, asked_with) in [
            ("", ""),
            ("", "--threads 4"),
            ("--threads 4", "--threads 4"),
        ] {
            let (_directory, cache) = cache(1 << 20);
            let (key, threads) = ring(stored_with);
            let old_name = old_key::names(&key, threads).pop().unwrap();
            cache.keep(&entry(&old_name), &Profile::default()).unwrap();
            let (key, threads) = ring(asked_with);
            let Lookup::Entry(found) = cache.find_run(&key, threads).unwrap() else {
                panic!("{stored_with:?} is found by {asked_with:?}");
            };
            assert_eq!(found.name, key.name());
            assert_eq!(found.state, State::Mapped(solution(), map()));
            assert_eq!(cache.profile(&key.name()).unwrap(), Profile::default());
            let names: Vec<String> = cache
                .all()
                .unwrap()
                .into_iter()
                .map(|(name, _)| name)
                .collect();
            assert_eq!(names, [key.name()], "one entry, and it has moved");
            let again = cache.find_run(&key, None).unwrap();
            assert!(matches!(again, Lookup::Entry(entry) if entry.is_of(&key)));
        }
    }

    #[test]
    fn a_map_of_an_older_version_is_made_anew_for_options_that_its_key_did_not_hold() {
        let (_directory, cache) = cache(1 << 20);
        let (mut key, threads) = ring("");
        let old_name = old_key::names(&key, threads).remove(0);
        cache.keep(&entry(&old_name), &Profile::default()).unwrap();
        key.options.cores = Some(2);
        let Lookup::Entry(found) = cache.find_run(&key, threads).unwrap() else {
            panic!("its profile is of use");
        };
        assert_eq!(found.state, State::Profiled { part: false });
    }

    #[test]
    fn an_entry_of_an_older_version_that_cannot_be_read_is_told() {
        let (_directory, cache) = cache(1 << 20);
        let (key, threads) = ring("");
        let old_name = old_key::names(&key, threads).remove(0);
        cache.keep(&entry(&old_name), &Profile::default()).unwrap();
        fs::write(cache.entry_file(&old_name), "{").unwrap();
        let found = cache.find_run(&key, threads).unwrap();
        assert!(matches!(found, Lookup::Unusable(why) if why.contains(&old_name)));
    }

    #[test]
    fn an_entry_of_another_key_with_the_same_name_is_not_taken_for_this_one() {
        let (_directory, cache) = cache(1 << 20);
        let (key, threads) = ring("");
        let (other, _) = ring("--seed 1");
        let stored = Entry {
            key: Some(other.json()),
            ..entry(&key.name())
        };
        cache.keep(&stored, &Profile::default()).unwrap();
        let found = cache.find_run(&key, threads).unwrap();
        assert!(matches!(found, Lookup::Nothing));
    }
}
