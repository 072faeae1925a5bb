//! Clusters made of namespaces by `scripts/cluster`.

mod availability;
mod pool;

use crate::mpi;
use crate::process::{self, Finished};
use crate::rankfold;
use anyhow::{Context, Result};
use pool::Lease;
pub use pool::directory as pool_directory;
use rustix::process::Pid;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use tempfile::TempDir;

/// A cluster that one test uses, and a scratch directory for that test.
#[derive(Debug)]
pub struct Cluster {
    owner: Owner,
}

/// Who removes a cluster.
#[derive(Debug)]
enum Owner {
    /// The test. The directory is the cluster's, and the scratch directory as well.
    Test(TempDir),
    /// The command `scripts/test`, which lends the cluster to one test after another. The scratch
    /// directory belongs to the test.
    Run { lease: Lease, scratch: TempDir },
}

impl Cluster {
    /// Makes a cluster for this test alone: `fake:8`, `torus:4x4@2.5e6,2.5e6` or
    /// `tree:4x4@1e6,2e6`, each with `slurm+` or `slurm+affinity+` before it.
    ///
    /// # Errors
    /// The system refuses the namespaces, or the specification is wrong.
    pub fn up(spec: &str) -> Result<Self> {
        Self::up_with(spec, &[])
    }

    /// Makes a cluster whose hosts have a `/dev/shm` and a directory `private` of their own.
    ///
    /// # Errors
    /// As [`Cluster::up`].
    pub fn up_private(spec: &str) -> Result<Self> {
        Self::up_with(spec, &["--private"])
    }

    /// Borrows a cluster from the pool of `scripts/test`. Where there is no pool, as under a plain
    /// `cargo test`, the test gets a cluster of its own.
    ///
    /// # Errors
    /// As [`Cluster::up`].
    pub fn shared(spec: &str) -> Result<Self> {
        let Some(pool) = pool::directory() else {
            return Self::up(spec);
        };
        let lease = Lease::take(&pool, spec)?;
        let scratch = tempfile::tempdir()?;
        for name in ["agent", "hosts"] {
            symlink(lease.directory().join(name), scratch.path().join(name))?;
        }
        let owner = Owner::Run { lease, scratch };
        Ok(Self { owner })
    }

    fn up_with(spec: &str, options: &[&str]) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        make(directory.path(), spec, options)?;
        let owner = Owner::Test(directory);
        Ok(Self { owner })
    }

    /// Why clusters of this kind cannot be made on this machine.
    #[must_use]
    pub fn missing(spec: &str) -> Option<String> {
        availability::missing(spec)
    }

    /// A path in the scratch directory. `agent` and `hosts` there are the cluster's remote shell
    /// and its list of hosts.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        match &self.owner {
            Owner::Test(directory) => directory.path().join(name),
            Owner::Run { scratch, .. } => scratch.path().join(name),
        }
    }

    /// The file of host names in node order.
    #[must_use]
    pub fn hosts_file(&self) -> PathBuf {
        self.path("hosts")
    }

    /// Host names in node order.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn hosts(&self) -> Result<Vec<String>> {
        Ok(fs::read_to_string(self.hosts_file())?
            .lines()
            .map(str::to_owned)
            .collect())
    }

    /// The command `WORDS` on the login node, not started yet.
    #[must_use]
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(script());
        command.arg("run").arg(self.directory()).args(words);
        mpi::with_network(mpi::environment(&mut command));
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// The process inside the cluster that a started [`command`](Self::command) waits for. A signal
    /// to the waiting process would end that process first.
    ///
    /// # Errors
    /// The process has ended.
    pub fn inside(waiting: &Child) -> Result<Pid> {
        let pid = waiting.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
        let inside = children.split_whitespace().next();
        let inside = inside.and_then(|pid| Pid::from_raw(pid.parse().ok()?));
        inside.context("nothing runs in the cluster")
    }

    /// Runs `rankfold ARGS` on the login node to its end.
    ///
    /// # Errors
    /// The command does not start or does not end. A bad exit status is no error.
    pub fn rankfold(&self, args: &[&str]) -> Result<Finished> {
        let binary = rankfold::binary();
        let mut command = self.command(&[&*binary.to_string_lossy()]);
        command.args(args);
        process::run(&mut command, "")
    }

    /// The directory that `scripts/cluster` is given.
    fn directory(&self) -> &Path {
        match &self.owner {
            Owner::Test(directory) => directory.path(),
            Owner::Run { lease, .. } => lease.directory(),
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Owner::Test(directory) = &self.owner {
            remove(directory.path());
        }
    }
}

/// Runs `scripts/cluster up`.
fn make(directory: &Path, spec: &str, options: &[&str]) -> Result<()> {
    let mut command = Command::new(script());
    command.arg("up").args(options).arg(directory).arg(spec);
    process::run(&mut command, "")?
        .success()
        .with_context(|| format!("cluster up {spec}"))?;
    Ok(())
}

/// Runs `scripts/cluster down`. A failure is printed, since a destructor cannot return one.
fn remove(directory: &Path) {
    let mut command = Command::new(script());
    command.arg("down").arg(directory);
    if let Err(error) = process::run(&mut command, "") {
        let directory = directory.display();
        eprintln!("cannot remove the cluster in {directory}: {error:#}");
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/cluster")
}
