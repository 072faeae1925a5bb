//! Programs that do something unusual between their messages, and go on.

use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{program, rankfold};

/// The profile of `survive HOW` holds what the program says it has sent.
pub(super) fn goes_on(mpi: Mpi, how: &str) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let launch = mpi.launch(3, &program, &[how]);
    let profiled = rankfold::profile_launch(&launch, |command| match how {
        "spawn" => mpi::with_network(command),
        _ => command,
    })?;
    let number = profiled
        .finished
        .stderr
        .matches("MPI_Comm_spawn: the ranks")
        .count();
    ensure!(
        number == usize::from(how == "spawn"),
        "children are told {number} times: {}",
        profiled.finished.stderr
    );
    profiled.must_equal_what_it_says()
}

/// Memory that a communicator takes is returned when the communicator is freed. A leak of one
/// pointer for each communicator would be 7 MiB.
pub(super) fn churns(mpi: Mpi) -> Result<()> {
    const MOST_KIB: i64 = 4096;
    let program = program::compile(mpi, "churn")?;
    let profiled = rankfold::profile(mpi, 1, &program, &[])?;
    profiled.must_equal_what_it_says()?;
    let mut lines = profiled.finished.stdout.lines();
    let grown = lines.find_map(|line| line.strip_prefix("grew "));
    let grown: i64 = grown.context("no line of growth")?.parse()?;
    ensure!(grown <= MOST_KIB, "grew by {grown} KiB");
    Ok(())
}
