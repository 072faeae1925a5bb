//! Calls with invalid handles or missing arrays, which MPI refuses or accepts, end as without the
//! library.

use super::loading::preloaded_program;
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};

/// Every call of `refused handles` returns the same value, and calls error handlers as often, as
/// without the library.
pub(super) fn handles(mpi: Mpi) -> Result<()> {
    same(mpi, "handles").map(drop)
}

pub(super) fn arrays(mpi: Mpi) -> Result<()> {
    let calls = [
        "allgatherv",
        "alltoallv",
        "alltoallw",
        "reduce_scatter",
        "scatterv",
        "gatherv",
    ];
    calls.iter().try_for_each(|call| same(mpi, call).map(drop))
}

/// Runs `refused WHAT` with the library and without. Fails unless both print the same and both end
/// well or neither does.
fn same(mpi: Mpi, what: &str) -> Result<Finished> {
    let program = program::compile(mpi, "refused")?;
    let plain = mpi.run(1, &program, &[what])?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let mut command = preloaded_program(mpi, 1, &program, &[what], &output);
    let run = process::run(&mut command, "")?;
    ensure!(
        warnings(&run) == warnings(&plain) && (run.status == 0) == (plain.status == 0),
        "{what}: {:?} and status {} instead of {:?} and {}\n{}",
        warnings(&run),
        run.status,
        warnings(&plain),
        plain.status,
        run.stderr
    );
    Ok(run)
}

/// The lines that `refused` itself prints. Launchers add lines on standard output when a program
/// dies.
fn warnings(run: &Finished) -> Vec<&str> {
    let lines = run.stdout.lines();
    let is_told = |line: &&str| {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let numbers = words.filter(|word| word.parse::<i32>().is_ok()).count();
        numbers == 2 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    };
    lines.filter(is_told).collect()
}

/// `refused missing` calls a function that only newer versions of MPI have. Where the function is
/// missing, the error handler is called and nothing is counted.
pub(super) fn missing(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "refused")?;
    let profiled = rankfold::profile(mpi, 1, &program, &["missing"])?;
    let said = profiled.finished.stdout.trim();
    let expected = if mpi == Mpi::OpenMpi {
        ("isendrecv refused", 0)
    } else {
        ("isendrecv fine", 1)
    };
    let row = profiled.profile.rows.first().context("no rank")?;
    let counted: u64 = row.peers.iter().map(|peer| peer.messages).sum();
    ensure!(
        (said, counted) == expected,
        "{said:?}, {counted} messages counted"
    );
    Ok(())
}
