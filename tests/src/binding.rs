//! Packages that bind an MPI library through `mpi-sys`. Tests build them on demand, since a build
//! of the project does not need them.

use crate::mpi::{self, Mpi};
use crate::rankfold::build_directory;
use anyhow::{Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package, and a lock that lets one process at a time build it. Two processes would mix the
/// bindings of their MPI libraries.
#[derive(Debug)]
pub struct Binding {
    manifest: PathBuf,
    /// Cargo's target directory for this package.
    pub target: PathBuf,
    _turn: File,
}

impl Binding {
    /// The package in `directory`, relative to this crate, which is built in `target/NAME`. Waits
    /// until no other process builds the package; only the test runner limits that wait.
    ///
    /// # Errors
    /// The system.
    pub fn of(directory: &str, name: &str) -> Result<Self> {
        let target = build_directory().with_file_name(name);
        fs::create_dir_all(&target)?;
        let turn = File::create(target.join("turn"))?;
        rustix::fs::flock(&turn, rustix::fs::FlockOperation::LockExclusive)?;
        Ok(Self {
            manifest: Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(directory)
                .join("Cargo.toml"),
            target,
            _turn: turn,
        })
    }

    /// Runs `cargo WORDS` with new bindings of `mpi`, and returns what cargo prints. The build
    /// script of `mpi-sys` does not notice that the MPI library has changed. `set` adds variables
    /// to the environment.
    ///
    /// # Errors
    /// Cargo fails.
    pub fn cargo(&self, mpi: Mpi, words: &[&str], set: impl Fn(&mut Command)) -> Result<String> {
        self.run(mpi, &["clean", "--package", "mpi-sys"], &set)?;
        self.run(mpi, words, &set)
    }

    fn run(&self, mpi: Mpi, words: &[&str], set: impl Fn(&mut Command)) -> Result<String> {
        let mut command = Command::new("cargo");
        command
            .args(words)
            .arg("--quiet")
            .arg("--manifest-path")
            .arg(&self.manifest)
            .arg("--target-dir")
            .arg(&self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("MPICC", mpi.wrapper())
            // These variables would take precedence over MPICC.
            .env_remove("MPI_PKG_CONFIG")
            .env_remove("CRAY_MPICH_DIR");
        set(mpi::environment(&mut command));
        let output = command.output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command:?}\n{stderr}");
        Ok(String::from_utf8(output.stdout)?)
    }
}
