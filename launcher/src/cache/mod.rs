//! What earlier runs have found out, under the user's cache directory: maps with the profiles they
//! come from, and machines.
//!
//! ```text
//! $XDG_CACHE_HOME/rankfold/1/        1 is the version of all that is in it
//!     lock                           held by whoever reads or changes the rest
//!     maps/NAME/entry.json           one for every program, arguments' shape, number of ranks and machine
//!     maps/NAME/profile.rfp
//!     machines/CLUSTER-HASH.toml     machine files, found or measured; the first lines say how
//!     machines/CLUSTER.json          how much longer than predicted communication takes there
//! ```
//!
//! Whatever is written appears at once or not at all. Several jobs may use it at the same time.
//! What was not used for the longest time goes when there is too much.

mod entry;
mod key;
mod machines;
mod maps;

pub(crate) use entry::{Entry, Host, Measured, Predicted};
pub(crate) use key::{Key, cluster};
pub(crate) use machines::{Correction, MachineOrigin};
pub(crate) use maps::Lookup;

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The version of the layout, and of every entry.
pub(crate) const VERSION: u32 = 1;

/// For so long another job is waited for; nobody holds the lock for longer than it takes to write a
/// few files.
const PATIENCE: Duration = Duration::from_secs(2);

/// Names the size above which entries go, in MiB.
pub(crate) const LIMIT: &str = "RANKFOLD_CACHE_LIMIT";

/// What [`LIMIT`] is unless it is set.
const USUAL: u64 = 256;

/// The cache of this user.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    /// The directory of this version.
    root: PathBuf,
    /// Bytes.
    limit: u64,
}

impl Cache {
    /// The cache in the directory the environment tells.
    ///
    /// # Errors
    /// There is no such directory, and none can be made.
    pub(crate) fn open() -> io::Result<Self> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let parent = set("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))
            .ok_or_else(|| io::Error::other("neither XDG_CACHE_HOME nor HOME is set"))?;
        let limit = std::env::var(LIMIT).ok().and_then(|text| text.parse().ok());
        Self::at(&parent.join("rankfold"), limit.unwrap_or(USUAL) << 20)
    }

    /// The cache in `directory`, with at most `limit` bytes.
    pub(crate) fn at(directory: &Path, limit: u64) -> io::Result<Self> {
        let root = directory.join(VERSION.to_string());
        fs::create_dir_all(root.join("maps"))?;
        fs::create_dir_all(root.join("machines"))?;
        Ok(Self { root, limit })
    }

    /// The directory of all versions.
    pub(crate) fn directory(&self) -> &Path {
        self.root.parent().unwrap_or(&self.root)
    }

    /// Directories of other versions, which this one neither reads nor changes.
    pub(crate) fn others(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.directory()).into_iter().flatten();
        let mut others: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| *path != self.root && path.is_dir())
            .collect();
        others.sort();
        others
    }

    /// Does `work` while no other job reads or changes the cache.
    fn locked<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let lock = File::create(self.root.join("lock"))?;
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

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

/// How long ago that was, in words.
pub(crate) fn age(seconds: u64) -> String {
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
        let told = [0, 300, 7300, 864_000].map(|passed| age(now() - passed));
        assert_eq!(
            told,
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
