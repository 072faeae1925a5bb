//! Ranks that are lost, or lose something, while the run goes on or the system ends it.

use super::loading::{RANKS, preloaded_program};
use anyhow::{Context, Result, ensure};
use rankfold_profile::{Outcome, Profile, recover};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// The name of the run in these tests.
const RUN: &str = "loss";

/// `odd HOW` with its journals in `scratch`, and `options` of the launcher.
fn odd(mpi: Mpi, how: &str, scratch: &Path, options: &[&str]) -> Result<Command> {
    let program = program::compile(mpi, "odd")?;
    let run = preloaded_program(mpi, RANKS, &program, &[how], &scratch.join("run.rfp"));
    let mut command = Command::new("timeout");
    command
        .args(["-k", "2", "20"])
        .arg(run.get_program())
        .args(options)
        .args(run.get_args());
    let set = run
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    command
        .envs(set)
        .env("RANKFOLD_RUN", RUN)
        .env("RANKFOLD_JOURNALS", scratch)
        .env("RANKFOLD_PATIENCE", "1");
    Ok(command)
}

/// What the journals hold is what the ranks have sent before the end.
fn is_recovered(scratch: &Path, messages: u64) -> Result<Profile> {
    let recovery = recover(scratch, RUN)?.context("no journal was left")?;
    Matrix::of_profile(&recovery.profile).must_equal(&Matrix::ring(RANKS, 1000, messages))?;
    ensure!(
        recovery.profile.manifest.outcome == Outcome::Recovered { missing: vec![] },
        "{:?}",
        recovery.profile.manifest.outcome
    );
    Ok(recovery.profile)
}

/// A program that outlives a rank ends as it would without us.
pub(super) fn outlives_a_rank(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let recovering = ["--mca", "orte_enable_recovery", "1"];
    let mut command = odd(mpi, "killed", scratch.path(), &recovering)?;
    let run = process::run(&mut command, "")?.success()?;
    let ended = run.stdout.lines().filter(|line| *line == "ends");
    ensure!(ended.count() == 2, "{}", run.stdout);
    ensure!(
        run.stderr.contains("the counters stay in the journals"),
        "{}",
        run.stderr
    );
    is_recovered(scratch.path(), 50).map(drop)
}

/// MPI itself waits for ever in `MPI_Finalize`; we do not.
pub(super) fn outwaits_an_aborted_rank(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let option: &[&str] = if mpi.is_open_mpi() {
        &["--mca", "orte_enable_recovery", "1"]
    } else {
        &["-disable-auto-cleanup"]
    };
    let mut command = odd(mpi, "aborted", scratch.path(), option)?;
    let run = process::run(&mut command, "")?;
    ensure!(
        run.stderr.contains("the counters stay in the journals"),
        "we were waiting in the end: {}",
        run.stderr
    );
    is_recovered(scratch.path(), 50).map(drop)
}

/// What no memory was left to count is told, by number.
pub(super) fn tells_what_is_not_counted(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "odd")?;
    let profiled = rankfold::profile(mpi, RANKS, &program, &["memory"])?;
    let stderr = &profiled.finished.stderr;
    for rank in 0..RANKS {
        let line = format!("rank {rank} had no memory to count 7 messages");
        ensure!(stderr.contains(&line), "no {line:?} in {stderr}");
    }
    let missing = (0..RANKS).collect();
    let outcome = &profiled.profile.manifest.outcome;
    ensure!(*outcome == Outcome::Recovered { missing }, "{outcome:?}");
    Matrix::of_profile(&profiled.profile)
        .must_equal(&Matrix::of_program(&profiled.finished.stdout)?)
}

/// A batch system ends a job that has used up its time: SIGTERM to every process, then SIGKILL.
pub(super) fn survives_the_walltime(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut command = odd(mpi, "walltime", scratch.path(), &[])?;
    let mut child = process::start(&mut command)?;
    let lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let number = |line: String| {
        line.strip_prefix("pid ")?
            .parse()
            .ok()
            .and_then(Pid::from_raw)
    };
    let ranks: Vec<Pid> = lines
        .map_while(Result::ok)
        .filter_map(number)
        .take(RANKS as usize)
        .collect();
    for signal in [Signal::TERM, Signal::KILL] {
        for &process in ranks.iter().chain([&process::pid(&child)]) {
            // One that has ended is what is wanted.
            let _ = kill_process(process, signal);
        }
        thread::sleep(Duration::from_secs(1));
    }
    process::wait(&mut child)?;
    ensure!(ranks.len() == RANKS as usize, "{} ranks", ranks.len());
    is_recovered(scratch.path(), 50).map(drop)
}
