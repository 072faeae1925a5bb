//! Clusters made of namespaces by `scripts/cluster`.

use crate::mpi;
use crate::process::{self, Finished};
use crate::rankfold;
use anyhow::{Context, Result};
use rustix::process::Pid;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::OnceLock;
use tempfile::TempDir;

/// A cluster that goes with this value.
#[derive(Debug)]
pub struct Cluster {
    directory: TempDir,
}

impl Cluster {
    /// Brings one up: `fake:8`, `torus:4x4@2.5e6,2.5e6`, `tree:4x4@1e6,2e6`, each with `slurm+` or
    /// `slurm+affinity+` before it.
    ///
    /// # Errors
    /// The system refuses the namespaces, or the specification is wrong.
    pub fn up(spec: &str) -> Result<Self> {
        Self::up_with(spec, &[])
    }

    /// The same, with a `/dev/shm` and a directory `private` of its own on every host.
    ///
    /// # Errors
    /// As [`Cluster::up`].
    pub fn up_private(spec: &str) -> Result<Self> {
        Self::up_with(spec, &["--private"])
    }

    fn up_with(spec: &str, options: &[&str]) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let mut command = Command::new(script());
        command
            .arg("up")
            .args(options)
            .arg(directory.path())
            .arg(spec);
        process::run(&mut command, "")?
            .success()
            .with_context(|| format!("cluster up {spec}"))?;
        Ok(Self { directory })
    }

    /// Why clusters of this kind cannot be had here. One is tried out, once.
    #[must_use]
    pub fn missing(spec: &'static str) -> Option<String> {
        static FAKE: OnceLock<Option<String>> = OnceLock::new();
        static SHAPED: OnceLock<Option<String>> = OnceLock::new();
        static SLURM: OnceLock<Option<String>> = OnceLock::new();
        let (tried, trial) = if spec.starts_with("slurm+") {
            (&SLURM, "slurm+fake:1")
        } else if spec.starts_with("fake") {
            (&FAKE, "fake:1")
        } else {
            (&SHAPED, "torus:2x1@1e6,1e6")
        };
        tried
            .get_or_init(|| {
                Self::up(trial)
                    .err()
                    .map(|error| format!("no such cluster here: {error:#}"))
            })
            .clone()
    }

    /// A path in the cluster's scratch directory.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The file of host names in node order.
    #[must_use]
    pub fn hosts_file(&self) -> PathBuf {
        self.path("hosts")
    }

    /// Host names in node order.
    ///
    /// # Errors
    /// The file has gone.
    pub fn hosts(&self) -> Result<Vec<String>> {
        Ok(fs::read_to_string(self.hosts_file())?
            .lines()
            .map(str::to_owned)
            .collect())
    }

    /// `WORDS` on the login node, not started yet.
    #[must_use]
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(script());
        command.arg("run").arg(self.directory.path()).args(words);
        mpi::environment(&mut command);
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// The process inside the cluster that a started [`command`](Self::command) waits for: who is
    /// signalled in its place is gone before it.
    ///
    /// # Errors
    /// It has ended.
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
    /// It does not start or does not end; a bad exit status is none.
    pub fn rankfold(&self, args: &[&str]) -> Result<Finished> {
        let binary = rankfold::binary();
        let mut command = self.command(&[&*binary.to_string_lossy()]);
        command.args(args);
        process::run(&mut command, "")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mut command = Command::new(script());
        command.arg("down").arg(self.directory.path());
        if let Err(error) = process::run(&mut command, "") {
            eprintln!(
                "cannot remove the cluster in {}: {error:#}",
                self.directory.path().display()
            );
        }
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/cluster")
}
