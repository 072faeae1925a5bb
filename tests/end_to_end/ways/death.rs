//! Runs that end badly keep all counts up to their end.

use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use rankfold_wire::{Outcome, Profile};

const RANKS: u32 = 4;

/// One rank dies in the way `how` after a known amount of traffic. The profile is recovered from
/// the journals and holds all of that traffic.
pub(super) fn keeps_everything_sent(mpi: Mpi, how: &str) -> Result<()> {
    let args = &[how, "1", "100", "1000"];
    let program = program::compile(mpi, "die")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("crashed.rfp");
    let mut command = rankfold::profile_command(mpi, &output, RANKS, &program, args);
    let profiled = process::run(&mut command, "")?;

    if mpi.is_open_mpi() {
        let plain = mpi.run(RANKS, &program, args)?;
        ensure!(
            profiled.status == plain.status,
            "exit status {} with rankfold, {} without\n{}",
            profiled.status,
            plain.status,
            profiled.stderr
        );
    } else {
        // Hydra returns the status of the rank whose end it notices first, which differs from run
        // to run without rankfold as well: there is nothing to compare with.
        ensure!(profiled.status != 0, "exit status 0\n{}", profiled.stderr);
    }
    let profile = Profile::read(&output)
        .with_context(|| format!("no profile was recovered\n{}", profiled.stderr))?;
    ensure!(
        profile.manifest.outcome
            == Outcome::Recovered {
                missing: Vec::new()
            },
        "{:?}",
        profile.manifest.outcome
    );
    Matrix::of_profile(&profile).must_equal(&Matrix::ring(RANKS, 1000, 100))
}
