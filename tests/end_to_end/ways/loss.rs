//! Runs that lose a rank, or that the system ends.

use super::loading::{RANKS, preloaded_program};
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use rankfold_wire::{Outcome, Profile, recover};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// Seconds after which a launch is ended that hangs in MPI itself. The ranks need about four: they
/// wait one second for each other, and as long for the lost rank.
const LIMIT: &str = "15";

/// The exit status of `timeout` when the limit has passed.
const TIMED_OUT: i32 = 124;

/// The name of the run whose journals are in `scratch`, a directory with a unique name.
fn run_name(scratch: &Path) -> String {
    let name = scratch.file_name().unwrap_or_default().to_string_lossy();
    name.trim_start_matches('.').to_owned()
}

/// The command `odd HOW` with its journals in `scratch`, and with `options` of the launcher. A time
/// limit ends a launch that hangs.
fn odd(mpi: Mpi, how: &str, scratch: &Path, options: &[&str]) -> Result<Command> {
    let program = program::compile(mpi, "odd")?;
    let run = preloaded_program(mpi, RANKS, &program, &[how], &scratch.join("run.rfp"));
    let mut command = Command::new("timeout");
    command
        .args(["-k", "2", LIMIT])
        .arg(run.get_program())
        .args(options)
        .args(run.get_args());
    let set = run
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    command
        .envs(set)
        .env("RANKFOLD_RUN", run_name(scratch))
        .env("RANKFOLD_JOURNALS", scratch)
        .env("RANKFOLD_PATIENCE", "1");
    Ok(command)
}

/// Fails unless the journals hold the `messages` that every rank has sent before the end. Returns
/// the profile made from them.
fn is_recovered(scratch: &Path, messages: u64) -> Result<Profile> {
    let recovery = recover(scratch, &run_name(scratch))?.context("no journal was left")?;
    Matrix::of_profile(&recovery.profile).must_equal(&Matrix::ring(RANKS, 1000, messages))?;
    ensure!(
        recovery.profile.manifest.outcome == Outcome::Recovered { missing: vec![] },
        "{:?}",
        recovery.profile.manifest.outcome
    );
    Ok(recovery.profile)
}

/// One rank is killed, and the others run on. rankfold does not wait for the killed rank.
pub(super) fn outlives_a_rank(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let recovering = ["--mca", "orte_enable_recovery", "1"];
    let mut command = odd(mpi, "killed", scratch.path(), &recovering)?;
    let run = process::run(&mut command, "")?;
    // Without rankfold, Open MPI 4.1 hung in MPI_Finalize in 4 of 12 runs of this program. Whether
    // it does so is not in our hands.
    if run.status != TIMED_OUT {
        ensure!(run.status == 0, "status {}: {}", run.status, run.stderr);
        let ended = run.stdout.lines().filter(|line| *line == "ends");
        ensure!(ended.count() == 2, "{}", run.stdout);
    }
    ensure!(
        run.stderr.contains("the counters stay in the journals"),
        "{}",
        run.stderr
    );
    is_recovered(scratch.path(), 50).map(drop)
}

/// MPI waits for the aborted rank in `MPI_Finalize` for ever. The library does not wait.
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

/// A message says how many messages of each rank were not counted for lack of memory. The journals
/// have no place, so the counters are in memory from the start.
pub(super) fn tells_what_is_not_counted(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "odd")?;
    let launch = mpi.launch(RANKS, &program, &["memory"]);
    let profiled = rankfold::profile_launch(&launch, |command| {
        command.env("RANKFOLD_JOURNALS", "/proc/self")
    })?;
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

/// The pairs that a rank has when its memory of counters reaches its bound stay exact, on every
/// communicator. Calls and messages that would need more are counted, and a line names them.
pub(super) fn counts_what_is_beyond_the_bound(mpi: Mpi) -> Result<()> {
    const RANKS: u32 = 4;
    let program = program::compile(mpi, "beyond")?;
    let launch = mpi.launch(RANKS, &program, &[]);
    let with =
        |mib| rankfold::profile_launch(&launch, |command| command.env("RANKFOLD_MEMORY", mib));
    let calls = |profile: &Profile| profile.collectives.iter().map(|row| row.calls).sum::<u64>();
    let (all, bounded) = (with("16")?, with("0.03")?);
    ensure!(all.profile.others.is_empty(), "{:?}", all.profile.others);
    let mut pairs = Matrix::ring(RANKS, 1000, 34);
    Matrix::of_profile(&bounded.profile).must_equal(&pairs)?;
    let lost = calls(&all.profile) - calls(&bounded.profile);
    ensure!(lost > 100, "{lost} calls have no counters");
    for (rank, other) in (0..RANKS).zip(&bounded.profile.others) {
        ensure!(
            other.rank == rank && other.messages == lost + 5,
            "{other:?}, {lost} calls"
        );
        pairs.add(rank, (rank + 2) % RANKS, 3500, 5);
    }
    Matrix::of_profile(&all.profile).must_equal(&pairs)?;
    let stderr = &bounded.finished.stderr;
    let line = format!("in no pair: {} calls and messages", 4 * (lost + 5));
    ensure!(stderr.contains(&line), "no {line:?} in {stderr}");
    Ok(())
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
            // A process that has ended already is fine.
            let _ = kill_process(process, signal);
        }
        thread::sleep(Duration::from_secs(1));
    }
    process::wait(&mut child)?;
    ensure!(ranks.len() == RANKS as usize, "{} ranks", ranks.len());
    is_recovered(scratch.path(), 50).map(drop)
}
