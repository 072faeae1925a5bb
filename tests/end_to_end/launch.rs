//! rankfold between the user and the launcher: streams, exit status and signals go through.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_profile::Profile;
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use rustix::process::{Signal, kill_process};
use std::io::{BufRead, BufReader};

/// Open MPI 5.0.11 never tells rank 0 that standard input has ended.
const PASS_INPUT: [Mpi; 4] = [Mpi::OpenMpi, Mpi::Mpich, Mpi::Mpich5, Mpi::Intel];

pub(crate) fn facts() -> Vec<Fact> {
    let input = PASS_INPUT.map(|mpi| {
        fact(
            format!("launch::standard_input_reaches_rank_0_under_{}", mpi.name()),
            &[Need::Mpi(mpi)],
            move || input_reaches_rank_0(mpi),
        )
    });
    let others = Mpi::KINDS.into_iter().flat_map(|mpi| {
        let name = |fact: &str| format!("launch::{fact}_under_{}", mpi.name());
        [
            fact(
                name("the_exit_status_is_the_programs"),
                &[Need::Mpi(mpi)],
                move || status_is_the_programs(mpi),
            ),
            fact(
                name("sigterm_ends_the_job_and_keeps_the_profile"),
                &[Need::Mpi(mpi)],
                move || signal_ends_the_job(mpi, Signal::TERM),
            ),
            fact(
                name("sigint_ends_the_job_and_keeps_the_profile"),
                &[Need::Mpi(mpi)],
                move || signal_ends_the_job(mpi, Signal::INT),
            ),
        ]
    });
    input.into_iter().chain(others).collect()
}

fn input_reaches_rank_0(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "echo")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("echo.rfp");
    let mut command = rankfold::profile_command(mpi, &output, 2, &program, &[]);
    let text = "first line\nsecond line\n";
    let finished = process::run(&mut command, text)?.success()?;
    ensure!(
        finished.stdout == text,
        "standard output was {:?}",
        finished.stdout
    );
    Ok(())
}

fn status_is_the_programs(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "echo")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("echo.rfp");
    let plain = mpi.run(2, &program, &["7"])?;
    let profiled = process::run(
        &mut rankfold::profile_command(mpi, &output, 2, &program, &["7"]),
        "",
    )?;
    ensure!(plain.status == 7, "without rankfold: {plain:?}");
    ensure!(profiled.status == 7, "with rankfold: {profiled:?}");
    Profile::read(&output).context("a program that finalized and returned 7 has a profile")?;
    Ok(())
}

/// The signal goes to rankfold alone, as from a batch system that knows only its own child.
fn signal_ends_the_job(mpi: Mpi, signal: Signal) -> Result<()> {
    const RANKS: u32 = 3;
    let program = program::compile(mpi, "wait")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("interrupted.rfp");
    let mut command = rankfold::profile_command(mpi, &output, RANKS, &program, &[]);
    let mut child = process::start(&mut command)?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
    ensure!(line == "waiting\n", "the program said {line:?}");
    kill_process(process::pid(&child), signal)?;
    let status = process::as_shell(process::wait(&mut child)?);
    // Hydra's own status after SIGTERM is 15 or 0, whichever of its processes is faster.
    if mpi.is_open_mpi() {
        ensure!(status != 0, "an interrupted job counts as a success");
    }

    let mut expected = Matrix::default();
    expected.add(RANKS - 1, 0, 8, 1);
    Matrix::of_profile(&Profile::read(&output)?).must_equal(&expected)
}
