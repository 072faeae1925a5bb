//! The maps: an entry and a profile each.

use super::{Cache, Entry, VERSION, now};
use rankfold_profile::Profile;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of one map.
const ENTRY: &str = "entry.json";
const PROFILE: &str = "profile.rfp";

/// What is under a name.
#[derive(Debug)]
pub(crate) enum Lookup {
    Nothing,
    /// Boxed, as it is much larger than the rest.
    Entry(Box<Entry>),
    /// Something that cannot be used: why.
    Unusable(String),
}

/// Only what every version writes the same.
#[derive(serde::Deserialize)]
struct Head {
    version: u32,
}

impl Cache {
    fn maps(&self) -> PathBuf {
        self.root.join("maps")
    }

    /// What is remembered under a name.
    ///
    /// # Errors
    /// The lock cannot be had.
    pub(crate) fn find(&self, name: &str) -> io::Result<Lookup> {
        let path = self.maps().join(name).join(ENTRY);
        self.locked(|| Ok(read(&path)))
    }

    /// The profile beside an entry.
    pub(crate) fn profile(&self, name: &str) -> anyhow::Result<Profile> {
        Ok(Profile::read(&self.profile_file(name))?)
    }

    /// The file it is in.
    pub(crate) fn profile_file(&self, name: &str) -> PathBuf {
        self.maps().join(name).join(PROFILE)
    }

    /// Keeps an entry and its profile in the place of what was there.
    pub(crate) fn keep(&self, entry: &Entry, profile: &Profile) -> io::Result<()> {
        let new = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(self.maps())?;
        let written = profile.write(&new.path().join(PROFILE));
        written.map_err(io::Error::other)?;
        rankfold_profile::replace(&new.path().join(ENTRY), text(entry)?.as_bytes())?;
        let place = self.maps().join(&entry.name);
        self.locked(|| {
            // A directory takes the place of another one only if that is empty; whoever looks in
            // between holds no lock.
            remove(&place)?;
            fs::rename(new.path(), &place)
        })?;
        // Its directory is another's now.
        let _ = new.keep();
        self.shrink(&entry.name)
    }

    /// Changes the entry of this name as it is now, if it is still there; what it is then.
    pub(crate) fn change(
        &self,
        name: &str,
        change: impl FnOnce(&mut Entry),
    ) -> io::Result<Option<Entry>> {
        let path = self.maps().join(name).join(ENTRY);
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

    /// Every map there is by name, the last one used first.
    pub(crate) fn all(&self) -> io::Result<Vec<(String, Result<Entry, String>)>> {
        let mut all = self.locked(|| Ok(self.read_all()))?;
        all.sort_by_key(|(name, entry)| (std::cmp::Reverse(used(entry)), name.clone()));
        Ok(all)
    }

    /// Forgets a map; whether there was one.
    pub(crate) fn forget(&self, name: &str) -> io::Result<bool> {
        let place = self.maps().join(name);
        self.locked(|| {
            let was = place.is_dir();
            remove(&place)?;
            Ok(was)
        })
    }

    /// Bytes of the map of this name.
    pub(crate) fn size(&self, name: &str) -> u64 {
        size(&self.maps().join(name))
    }

    fn read_all(&self) -> Vec<(String, Result<Entry, String>)> {
        let entries = fs::read_dir(self.maps()).into_iter().flatten().flatten();
        let named = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let visible = named.filter(|name| !name.starts_with('.'));
        visible
            .filter_map(|name| match read(&self.maps().join(&name).join(ENTRY)) {
                Lookup::Nothing => None,
                Lookup::Entry(entry) => Some((name, Ok(*entry))),
                Lookup::Unusable(why) => Some((name, Err(why))),
            })
            .collect()
    }

    /// Removes what was not used for the longest time while there is too much; not what `but`
    /// names, unless that alone is.
    fn shrink(&self, but: &str) -> io::Result<()> {
        self.locked(|| {
            let mut all = self.read_all();
            all.sort_by_key(|(name, entry)| (name == but, used(entry)));
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
    use super::super::entry::tests::entry;
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
            ranks: 9,
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
                        cache.change("a", |entry| entry.ranks += 1).unwrap();
                    }
                })
            })
            .collect();
        jobs.into_iter().for_each(|job| job.join().unwrap());
        let Lookup::Entry(found) = cache.find("a").unwrap() else {
            panic!("it is there");
        };
        assert_eq!(found.ranks, 2 + 40);
    }
}
