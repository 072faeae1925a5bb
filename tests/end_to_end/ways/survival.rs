//! Programs that do something unusual between their messages, and go on.

use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{program, rankfold};

/// `survive HOW` sends as much as it says.
pub(super) fn goes_on(mpi: Mpi, how: &str) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    rankfold::profile(mpi, 3, &program, &[how])?.must_equal_what_it_says()
}

/// What one communicator costs must go with it: a leak of one pointer each would be 7 MiB.
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
