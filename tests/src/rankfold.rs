//! The `rankfold` command under test.

use crate::matrix::Matrix;
use crate::mpi::{self, Mpi};
use crate::process::{self, Finished};
use crate::sizes;
use anyhow::{Context, Result, ensure};
use rankfold_wire::{Outcome, Profile};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The directory into which cargo has built, for instance `target/release`.
///
/// # Panics
/// The test binary does not stand in a cargo target directory.
#[must_use]
pub fn build_directory() -> PathBuf {
    let exe = std::env::current_exe().expect("a running program has a path");
    let deps = exe.parent().expect("an executable stands in a directory");
    deps.parent()
        .expect("deps stands in the target directory")
        .to_owned()
}

/// The binary `rankfold`.
#[must_use]
pub fn binary() -> PathBuf {
    build_directory().join("rankfold")
}

/// The preload library `librankfold.so`.
#[must_use]
pub fn library() -> PathBuf {
    build_directory().join("librankfold.so")
}

/// Why no test can run: the binary or the library is not built.
#[must_use]
pub fn missing() -> Option<String> {
    ["rankfold", "librankfold.so"]
        .into_iter()
        .map(|name| build_directory().join(name))
        .find(|path| !path.exists())
        .map(|path| {
            format!(
                "{} is not built: run cargo build --workspace first",
                path.display()
            )
        })
}

/// `rankfold ARGS`, not started yet.
#[must_use]
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(args);
    mpi::environment(&mut command);
    command
}

/// Runs `rankfold ARGS` to its end.
///
/// # Errors
/// It does not start or does not end; a bad exit status is none.
pub fn run(args: &[&str]) -> Result<Finished> {
    process::run(&mut command(args), "")
}

/// `rankfold profile -o OUTPUT -- mpirun -n RANKS PROGRAM ARGS`, not started yet.
#[must_use]
pub fn profile_command(
    mpi: Mpi,
    output: &Path,
    ranks: u32,
    program: &Path,
    args: &[&str],
) -> Command {
    let mut command = command(&["profile", "-o"]);
    command
        .arg(output)
        .arg("--")
        .args(mpi.launch(ranks, program, args));
    command
}

/// A name for `RANKFOLD_RUN` that no other run of the tests has. Ranks of two runs with one name
/// would take each other's files in `/dev/shm` for their own.
#[must_use]
pub fn run_name() -> String {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    format!("test-{}-{run}", std::process::id())
}

/// A successful run, and its profile.
#[derive(Debug)]
pub struct Profiled {
    /// The profile.
    pub profile: Profile,
    /// The output of the program and of rankfold.
    pub finished: Finished,
}

/// Profiles a run, which must succeed, and reads the profile.
///
/// # Errors
/// The run failed, or left no readable profile.
pub fn profile(mpi: Mpi, ranks: u32, program: &Path, args: &[&str]) -> Result<Profiled> {
    profile_launch(&mpi.launch(ranks, program, args), |command| command)
}

/// Profiles the launch `LAUNCH`, which must succeed. `prepare` may change the environment of
/// rankfold.
///
/// # Errors
/// The run failed, or left no readable profile.
pub fn profile_launch(
    launch: &[String],
    prepare: impl FnOnce(&mut Command) -> &mut Command,
) -> Result<Profiled> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let mut command = command(&["profile", "-o"]);
    command.arg(&output).arg("--").args(launch);
    let finished = process::run(prepare(&mut command), "")?.success()?;
    let profile = Profile::read(&output).context("reading the profile of a run that succeeded")?;
    sizes::must_be_those_of_the_pairs(&profile)?;
    ensure!(
        profile.cores.len() == profile.rows.len(),
        "the cores of {} ranks",
        profile.cores.len()
    );
    Ok(Profiled { profile, finished })
}

impl Profiled {
    /// Fails unless the program reached `MPI_Finalize` and the profile holds what the program says
    /// it has sent.
    ///
    /// # Errors
    /// They differ.
    pub fn must_equal_what_it_says(&self) -> Result<()> {
        ensure!(
            self.profile.manifest.outcome == Outcome::Finalized,
            "the run ended well, the profile says {:?}",
            self.profile.manifest.outcome
        );
        Matrix::of_profile(&self.profile).must_equal(&Matrix::of_program(&self.finished.stdout)?)
    }
}
