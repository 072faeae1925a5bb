//! Clusters that `scripts/test` lends to one test after another: a cluster with Slurm or with
//! shaped links takes seconds to make. The pool is a directory. A test locks a cluster while it
//! uses that cluster; the kernel releases the lock when the process of the test ends.
//!
//! ```text
//! POOL/lifeline                 a named pipe: see LIFELINE
//! POOL/slurm-fake-4-0/lock      locked by the test that uses the cluster
//! POOL/slurm-fake-4-0/cluster/  the directory of scripts/cluster
//! POOL/slurm-fake-4-0/made      the processes of the new cluster
//! POOL/slurm-fake-4-0/idle      there if the cluster was given back
//! ```

use super::{make, remove};
use anyhow::{Context, Result};
use rustix::fs::{FlockOperation, flock};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The variable that names the directory of the pool.
const POOL: &str = "RANKFOLD_TEST_CLUSTERS";

/// The named pipe in the pool that `scripts/test` has open. The kernel closes the pipe when
/// `scripts/test` ends, however it ends, and the clusters end then.
const LIFELINE: &str = "lifeline";

/// How long processes of the test may still run in a cluster that the test gives back. Slurm's
/// `slurmstepd` outlives its job step for a moment.
const GRACE: Duration = Duration::from_secs(2);

/// The directory of the pool, if there is one: what all tests of one run of `scripts/test` share.
#[must_use]
pub fn directory() -> Option<PathBuf> {
    std::env::var_os(POOL).map(PathBuf::from)
}

/// A cluster that one test has borrowed.
#[derive(Debug)]
pub(super) struct Lease {
    /// The directory of this cluster in the pool.
    place: PathBuf,
    /// The directory of `scripts/cluster`, in `place`.
    cluster: PathBuf,
    _lock: File,
}

impl Lease {
    /// Takes the first cluster like `spec` that nobody uses, and makes one more if all are in use.
    pub(super) fn take(pool: &Path, spec: &str) -> Result<Self> {
        // Open MPI takes a colon in a path for the end of that path.
        let kind = spec.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        for number in 0.. {
            let place = pool.join(format!("{kind}-{number}"));
            fs::create_dir_all(&place)?;
            let lock = File::create(place.join("lock"))?;
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(rustix::io::Errno::WOULDBLOCK) => continue,
                Err(error) => return Err(io::Error::from(error).into()),
            }
            let lease = Self {
                cluster: place.join("cluster"),
                place,
                _lock: lock,
            };
            lease.make_ready(spec)?;
            return Ok(lease);
        }
        unreachable!("there is a number that nobody uses")
    }

    /// The directory of `scripts/cluster`.
    pub(super) fn directory(&self) -> &Path {
        &self.cluster
    }

    /// Keeps a cluster that was given back unused, and replaces any other.
    fn make_ready(&self, spec: &str) -> Result<()> {
        let idle = self.idle_file();
        let is_idle = fs::read_to_string(&idle)
            .is_ok_and(|idle| !idle.is_empty() && idle == self.processes_text());
        // A test that is killed while it uses the cluster must not leave the file.
        let _ = fs::remove_file(idle);
        if !is_idle {
            remove(&self.cluster);
            let _ = fs::remove_dir_all(&self.cluster);
            fs::create_dir(&self.cluster)?;
            let lifeline = self.place.with_file_name(LIFELINE).display().to_string();
            make(&self.cluster, spec, &["--while", &lifeline])?;
            fs::write(self.place.join("made"), self.processes_text())?;
        }
        Ok(())
    }

    fn idle_file(&self) -> PathBuf {
        self.place.join("idle")
    }

    /// The processes of the cluster, one line each.
    fn processes_text(&self) -> String {
        let lines = processes(&self.cluster).unwrap_or_default();
        lines.into_iter().map(|line| line + "\n").collect()
    }
}

impl Drop for Lease {
    /// Gives the cluster back if only the processes run in it that ran there from the start.
    fn drop(&mut self) {
        let Ok(made) = fs::read_to_string(self.place.join("made")) else {
            return;
        };
        let begun = Instant::now();
        while begun.elapsed() < GRACE {
            if self.processes_text() == made {
                // Without the file the next test makes a new cluster.
                let _ = fs::write(self.idle_file(), made);
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Process number and name of everything that runs in the cluster's process namespace.
fn processes(cluster: &Path) -> Result<BTreeSet<String>> {
    let holder = fs::read_to_string(cluster.join("pid"))?;
    let namespace = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/pid"));
    let of_cluster = namespace(holder.trim()).context("the cluster has ended")?;
    let mut found = BTreeSet::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if namespace(&name).is_ok_and(|other| other == of_cluster) {
            let command = fs::read_to_string(format!("/proc/{name}/comm")).unwrap_or_default();
            found.insert(format!("{name} {}", command.trim()));
        }
    }
    Ok(found)
}
