//! Journals without a place, or without room.

use super::loading::{RANKS, preloaded};
use anyhow::{Result, ensure};
use rankfold_profile::Outcome;
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{process, program, rankfold};
use std::fs;
use std::process::Command;

/// The launcher would refuse before the start; here the ranks find out, as on another host.
pub(super) fn no_place(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let mut command = preloaded(mpi, &output)?;
    // Not even root can make files there.
    command.env("RANKFOLD_JOURNALS", "/proc/self");
    let run = process::run(&mut command, "")?.success()?;
    Matrix::of_program(&run.stdout)?.must_equal(&Matrix::ring(RANKS, 1000, 100))?;
    ensure!(
        run.stderr.contains("/proc/self") && run.stderr.contains("not profiled"),
        "the reason is missing: {}",
        run.stderr
    );
    ensure!(!output.exists(), "a profile without counters");
    Ok(())
}

/// The system sends SIGXFSZ to whoever writes beyond the limit.
pub(super) fn limited(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let profiled = rankfold::profile(mpi, RANKS, &program, &["limit"])?;
    ensure!(
        profiled.finished.stderr.contains("counting on in memory"),
        "the journals could grow: {}",
        profiled.finished.stderr
    );
    profiled.must_equal_what_it_says()
}

/// The pages of the journal are gone when the next message is counted: SIGBUS, which the program handles elsewhere.
pub(super) fn truncated(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    // Intel's MPI_Init leaves no program a handler of its own.
    let how = if mpi == Mpi::Intel {
        "truncate"
    } else {
        "fault"
    };
    let profiled = rankfold::profile(mpi, RANKS, &program, &[how])?;
    let stderr = &profiled.finished.stderr;
    ensure!(
        stderr.contains("was taken away"),
        "nothing was lost: {stderr}"
    );
    let missing = (0..RANKS).collect();
    let outcome = &profiled.profile.manifest.outcome;
    ensure!(
        *outcome == Outcome::Recovered { missing },
        "it ended as {outcome:?}"
    );
    // Of two times fifty messages each the first fifty were in the journal.
    Matrix::of_profile(&profiled.profile).must_equal(&Matrix::ring(RANKS, 1000, 50))
}

/// A small file system, seen by nobody else, that the program fills to the last byte before it goes on.
pub(super) fn fills_up(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let journals = scratch.path().join("journals");
    let output = scratch.path().join("run.rfp");
    fs::create_dir(&journals)?;
    let program = program::compile(mpi, "survive")?;
    let mut command = Command::new("unshare");
    command
        .args([
            "--mount",
            "sh",
            "-c",
            "mount -t tmpfs -o size=64k small \"$0\" && exec \"$@\"",
        ])
        .arg(&journals)
        .arg(rankfold::binary())
        .args(["profile", "-o"])
        .arg(&output)
        .arg("--")
        .args(mpi.launch(RANKS, &program, &["fill"]))
        .env("RANKFOLD_JOURNALS", &journals);
    let run = process::run(mpi::environment(&mut command), "")?.success()?;
    ensure!(
        run.stderr.contains("counting on in memory"),
        "the journals had room: {}",
        run.stderr
    );
    let profile = rankfold_profile::Profile::read(&output)?;
    Matrix::of_profile(&profile).must_equal(&Matrix::of_program(&run.stdout)?)
}
