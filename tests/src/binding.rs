//! Packages that bind an MPI library by `mpi-sys`: nobody who builds the project needs them, so
//! tests build them on demand.

use crate::mpi::{self, Mpi};
use crate::rankfold::build_directory;
use anyhow::{Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package, and the right to build it: one process at a time has that, or the bindings of one MPI
/// would be taken for those of another.
#[derive(Debug)]
pub struct Binding {
    manifest: PathBuf,
    /// Cargo's directory for it.
    pub target: PathBuf,
    _turn: File,
}

impl Binding {
    /// The package in `directory`, as seen from this crate, built in `target/NAME`. Waits for
    /// whoever builds it, with no limit but the test runner's.
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

    /// What `cargo WORDS` prints, with the bindings of `mpi` built anew: their build script does
    /// not look for another MPI by itself. `set` adds to the environment.
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
            // They would come before it.
            .env_remove("MPI_PKG_CONFIG")
            .env_remove("CRAY_MPICH_DIR");
        set(mpi::environment(&mut command));
        let output = command.output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command:?}\n{stderr}");
        Ok(String::from_utf8(output.stdout)?)
    }
}
