//! The cache of `rankfold run`, in the user's cache directory: maps with the profiles that they
//! were made from, and machine files.
//!
//! ```text
//! $XDG_CACHE_HOME/rankfold/2/        2 is the version of the layout
//!     lock                           held by every process that reads or changes the rest
//!     maps/NAME/entry.json           the map of one kind of run; NAME comes from the `Key`
//!     maps/NAME/profile.rfp          the profile that the map was made from
//!     machines/CLUSTER-HASH.toml     machine files, found or measured; the first lines say which
//!     machines/CLUSTER-HASH.times    what collectives take on renumbered ranks under a launcher
//!     machines/CLUSTER.given.json    what `--machine` has named for that cluster last
//!     carried-CHECKSUM/              preload libraries that the program carries inside of it
//! ```
//!
//! Version 1 told clusters apart by the names of their hosts alone, and kept no digest of the
//! machine with a map. What lies in its directory is not read.
//!
//! Nobody else may write there: what others could have put there is not believed
//! (`own_place`). Every file is replaced in one step, and several jobs may use the cache at the
//! same time. Beyond a limit of bytes, the entries that were not used for the longest time are
//! removed.
#![forbid(unsafe_code)]

mod carried;
mod cluster;
mod entry;
mod given_machine;
mod host;
mod key;
mod machines;
mod maps;
mod measured;
mod own_place;
mod predicted;
pub mod samples;
pub mod statistics;
mod stored;
mod stored_machines;
mod world_times;

pub use cluster::cluster;
pub use entry::{Entry, RankMap, Solution, State};
pub use given_machine::GivenMachine;
pub use host::Host;
pub use key::{Key, MapOptions, RanksAndHosts};
pub use machines::MachineOrigin;
pub use maps::{Lookup, read_entry};
pub use measured::{BothOrders, Circumstances, Measured, counted};
pub use predicted::{Predicted, Promise, in_seconds};
pub use world_times::{Unjudged, WorldVerdict};

use rankfold_launch::config::CachePlace;
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The version of the layout, and of every entry.
pub const VERSION: u32 = 2;

/// The file that a process locks while it uses the cache.
const LOCK: &str = "lock";

/// Longest wait for the lock. Chosen by hand; not measured. A process holds the lock only
/// while it reads or writes a few files.
const PATIENCE: Duration = Duration::from_secs(2);

/// Makes a directory for this user alone, or checks that the one there is this user's and that
/// nobody else may write to it.
///
/// # Errors
/// It cannot be made, or others may write there.
pub fn private_directory(path: &Path) -> io::Result<()> {
    own_place::directory(path, true)
}

/// The cache of this user.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The directory of this version.
    root: PathBuf,
    /// Bytes that the entries may take together.
    limit: u64,
}

impl Cache {
    /// The cache at the configured place, or else below `XDG_CACHE_HOME`, or else below `.cache` in
    /// the home directory.
    ///
    /// # Errors
    /// No place is configured and neither variable is set, or the directory cannot be made.
    pub fn open(place: &CachePlace) -> io::Result<Self> {
        if let Some(directory) = &place.directory {
            return Self::at(directory, place.limit);
        }
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let parent = set("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))
            .ok_or_else(|| io::Error::other("neither XDG_CACHE_HOME nor HOME is set"))?;
        Self::at(&parent.join("rankfold"), place.limit)
    }

    /// The cache in `directory`, limited to `limit` bytes of entries.
    pub fn at(directory: &Path, limit: u64) -> io::Result<Self> {
        let root = directory.join(VERSION.to_string());
        let cannot = |error| {
            let problem = format!("the cache {} cannot be used: {error}", root.display());
            io::Error::other(problem)
        };
        own_place::directory(directory, true).map_err(cannot)?;
        for part in [&root, &root.join("maps"), &root.join("machines")] {
            own_place::directory(part, false).map_err(cannot)?;
        }
        // Whoever uses the cache changes it.
        own_place::lock(&root.join(LOCK)).map_err(cannot)?;
        Ok(Self { root, limit })
    }

    /// The directory above those of all versions.
    pub fn directory(&self) -> &Path {
        self.root.parent().unwrap_or(&self.root)
    }

    /// The directories of other versions of the layout, which this version neither reads nor
    /// changes.
    pub fn others(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.directory()).into_iter().flatten();
        let mut others: Vec<PathBuf> = entries
            .flatten()
            .filter(|entry| is_version(&entry.file_name()))
            .map(|entry| entry.path())
            .filter(|path| *path != self.root && path.is_dir() && !path.is_symlink())
            .collect();
        others.sort();
        others
    }

    /// Does `work` while this process holds the lock.
    ///
    /// # Errors
    /// Those of `work`, or another process holds the lock for too long.
    fn locked<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let lock = own_place::lock(&self.root.join(LOCK))?;
        let start = Instant::now();
        while let Err(error) = flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            if error != rustix::io::Errno::WOULDBLOCK || start.elapsed() > PATIENCE {
                let problem = format!("{}: another job holds the lock", self.root.display());
                return Err(io::Error::other(problem));
            }
            thread::sleep(Duration::from_millis(10));
        }
        work()
    }
}

/// Whether a directory of this name is that of a version. Others are not ours to remove.
fn is_version(name: &OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| name.parse::<u32>().is_ok())
}

/// Seconds since 1970.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

/// The time since `seconds` after 1970, in words.
pub fn age(seconds: u64) -> String {
    let passed = now().saturating_sub(seconds);
    let (number, unit) = match passed {
        0..120 => return "just now".into(),
        120..7200 => (passed / 60, "minutes"),
        7200..172_800 => (passed / 3600, "hours"),
        _ => (passed / 86_400, "days"),
    };
    format!("{number} {unit} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_unit_people_use() {
        let ages = [0, 300, 7300, 864_000].map(|passed| age(now() - passed));
        assert_eq!(
            ages,
            ["just now", "5 minutes ago", "2 hours ago", "10 days ago"]
        );
    }

    #[test]
    fn who_holds_the_lock_is_waited_for_and_no_longer() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path(), 1 << 20).unwrap();
        let held = cache.clone();
        let (begun, started) = std::sync::mpsc::channel();
        let other = thread::spawn(move || {
            held.locked(|| {
                begun.send(()).unwrap();
                thread::sleep(Duration::from_millis(200));
                Ok(())
            })
        });
        started.recv().unwrap();
        let start = Instant::now();
        cache.locked(|| Ok(())).unwrap();
        assert!(start.elapsed() >= Duration::from_millis(100));
        other.join().unwrap().unwrap();
    }
}
