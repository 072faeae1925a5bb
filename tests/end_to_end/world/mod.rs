//! `librankfold_world.so`: ranks renumbered in place.

mod anew;
mod functions;
mod handwritten;
mod intercomms;
mod misfit;
mod reorder;
mod stacked;

use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::rankfold::{self, build_directory};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const RANKS: u32 = 4;

/// A plan that moves every rank but 0: rank r is process `ORDER[r]`.
const ORDER: [u32; RANKS as usize] = [0, 3, 1, 2];

pub(crate) fn facts() -> Vec<Fact> {
    [
        anew::facts(),
        functions::facts(),
        handwritten::facts(),
        intercomms::facts(),
        misfit::facts(),
        stacked::facts(),
        reorder::facts(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// One test `world::NAME_under_MPI` for every MPI library in `mpis`.
fn under(
    mpis: &[Mpi],
    name: &str,
    check: impl Fn(Mpi) -> Result<()> + Copy + Send + 'static,
) -> Vec<Fact> {
    let one = |&mpi: &Mpi| {
        let name = format!("world::{name}_under_{}", mpi.name());
        fact(name, &[Need::Mpi(mpi)], move || check(mpi))
    };
    mpis.iter().map(one).collect()
}

/// The path of the library.
fn library() -> PathBuf {
    build_directory().join("librankfold_world.so")
}

/// Compiles `programs/world/NAME.c` for `mpi`.
fn compile(mpi: Mpi, name: &str) -> Result<PathBuf> {
    program::compile(mpi, &format!("world/{name}"))
}

/// The text of a plan in which rank r is process `order[r]`.
fn plan(order: &[u32]) -> String {
    let ranks = order
        .iter()
        .enumerate()
        .map(|(rank, process)| format!("rank {rank} 0 - {process}\n"));
    let ranks: String = ranks.collect();
    format!("rankfold-plan 1 {}\nhost 0 +\n{ranks}", order.len())
}

/// A launch whose processes all load the library.
struct Renumbered {
    scratch: tempfile::TempDir,
    command: Command,
}

impl Renumbered {
    /// The launch `WORDS` with the plan `text`.
    fn launch(words: &[String], text: &str) -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        let plan = scratch.path().join("plan");
        fs::write(&plan, text)?;
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env("LD_PRELOAD", library())
            .env("RANKFOLD_WORLD", plan)
            .env("RANKFOLD_SEATS", scratch.path().join("seats"))
            .env("RANKFOLD_RUN", rankfold::run_name());
        mpi::environment(&mut command);
        Ok(Self { scratch, command })
    }

    /// The launch `mpirun -n 4 PROGRAM ARGS` with the plan [`ORDER`].
    fn program(mpi: Mpi, program: &Path, args: &[&str]) -> Result<Self> {
        Self::launch(&mpi.launch(RANKS, program, args), &plan(&ORDER))
    }

    /// The file into which the library writes the seats of the ranks.
    fn seats(&self) -> PathBuf {
        self.scratch.path().join("seats")
    }

    fn run(&mut self) -> Result<Finished> {
        process::run(&mut self.command, "")
    }

    /// Runs the launch. Fails unless it succeeds without a message of rankfold on standard error.
    fn run_well(&mut self) -> Result<Finished> {
        let finished = self.run()?.success()?;
        ensure!(
            !finished.stderr.contains("rankfold"),
            "it has something to say: {}",
            finished.stderr
        );
        Ok(finished)
    }
}

/// Compiles a program as a plugin, and the host program without MPI that loads the plugin hidden by
/// `RTLD_LOCAL`.
fn hidden(mpi: Mpi, name: &str) -> Result<(PathBuf, PathBuf)> {
    let plugin = program::compile_shared(mpi, &format!("world/{name}"))?;
    let host = program::build(&Compiler::plain("cc").with("-ldl"), "plugin_host.c", "host")?;
    Ok((host, plugin))
}

/// Fails unless the program has printed a line `RANK PROCESS` for every rank of `order`.
fn must_be_in_order(finished: &Finished, order: &[u32]) -> Result<()> {
    let text = sorted(finished);
    let expected: Vec<String> = order
        .iter()
        .enumerate()
        .map(|(rank, process)| format!("{rank} {process}"))
        .collect();
    ensure!(text == expected, "{text:?} instead of {expected:?}");
    Ok(())
}

/// The lines of standard output, sorted: lines of several ranks arrive in any order.
fn sorted(run: &Finished) -> Vec<&str> {
    let mut lines: Vec<&str> = run.stdout.lines().collect();
    lines.sort_unstable();
    lines
}
