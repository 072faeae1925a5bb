//! The remembered runs: a directory for each, which holds the entry and the profile.

use super::entry::Entry;
use super::key::Key;
use super::{Cache, VERSION, now, own_place};
use rankfold_wire::Profile;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The files in the directory of one run.
const ENTRY: &str = "entry.json";
const PROFILE: &str = "profile.rfp";

/// What is stored under a name.
#[derive(Debug)]
pub enum Lookup {
    /// Nothing.
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
    pub fn find(&self, name: &str) -> io::Result<Lookup> {
        self.locked(|| Ok(read(&self.entry_file(name))))
    }

    /// The entry of runs with this key.
    ///
    /// # Errors
    /// Another process holds the lock for too long.
    pub fn find_run(&self, key: &Key) -> io::Result<Lookup> {
        Ok(match self.find(&key.name())? {
            // The names of two keys may have one checksum.
            Lookup::Entry(entry) if !entry.is_of(key) => Lookup::Nothing,
            found => found,
        })
    }

    /// The profile of the run of this name.
    pub fn profile(&self, name: &str) -> anyhow::Result<Profile> {
        let path = self.profile_file(name);
        own_place::verify(&path)?;
        Ok(Profile::read(&path)?)
    }

    /// The file with the profile of the run of this name.
    pub fn profile_file(&self, name: &str) -> PathBuf {
        self.maps().join(name).join(PROFILE)
    }

    /// Stores an entry and its profile in place of those of the same name.
    pub fn keep(&self, entry: &Entry, profile: &Profile) -> io::Result<()> {
        let new = tempfile::Builder::new()
            .prefix(".new-")
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(self.maps())?;
        let written = profile.write(&new.path().join(PROFILE));
        written.map_err(io::Error::other)?;
        own_place::replace(&new.path().join(ENTRY), text(entry)?.as_bytes())?;
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
    pub fn change(&self, name: &str, change: impl FnOnce(&mut Entry)) -> io::Result<Option<Entry>> {
        let path = self.entry_file(name);
        self.locked(|| {
            let Lookup::Entry(mut entry) = read(&path) else {
                return Ok(None);
            };
            change(&mut entry);
            entry.used = now();
            own_place::replace(&path, text(&entry)?.as_bytes())?;
            Ok(Some(*entry))
        })
    }

    /// Every entry with its name, the last used first; an error is the reason why an entry cannot
    /// be used.
    pub fn all(&self) -> io::Result<Vec<(String, Result<Entry, String>)>> {
        let mut all = self.locked(|| Ok(self.read_all()))?;
        all.sort_by_key(|(name, entry)| (std::cmp::Reverse(used(entry)), name.clone()));
        Ok(all)
    }

    /// Removes an entry and its profile; returns whether there was one.
    pub fn forget(&self, name: &str) -> io::Result<bool> {
        let place = self.maps().join(name);
        self.locked(|| {
            let was = place.is_dir();
            remove(&place)?;
            Ok(was)
        })
    }

    /// The size of an entry and its profile, in bytes.
    pub fn size(&self, name: &str) -> u64 {
        size(&self.maps().join(name))
    }

    /// The names of all entries.
    fn names(&self) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(self.maps()).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| !name.starts_with('.'))
    }

    fn read_all(&self) -> Vec<(String, Result<Entry, String>)> {
        self.names()
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
    let text = match own_place::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Lookup::Nothing,
        Err(error) => return Lookup::Unusable(format!("{}: {error}", path.display())),
    };
    match read_entry(&text) {
        Ok(entry) => Lookup::Entry(entry),
        Err(why) => Lookup::Unusable(format!("{}: {why}", path.display())),
    }
}

/// The entry that a file holds.
///
/// # Errors
/// Why it cannot be used, in words.
pub fn read_entry(text: &[u8]) -> Result<Box<Entry>, String> {
    let head: Head = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if head.version != VERSION {
        let version = head.version;
        return Err(format!(
            "version {version} of the cache, and this rankfold has version {VERSION}"
        ));
    }
    serde_json::from_slice(text).map_err(|error| error.to_string())
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
mod tests;
