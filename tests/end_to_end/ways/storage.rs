//! Journals whose directory cannot be used, or whose file system is full.

use super::loading::{RANKS, preloaded};
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::{process, rankfold};
use rankfold_wire::{Outcome, Profile};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Messages to each partner where a program sends in many phases or threads: every exchange is a
/// wait, and what is tested is the number of tables.
const FEW: &str = "5";

/// The launcher would refuse this directory before the start. Here the ranks meet it, as they would
/// on another host.
pub(super) fn no_place(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let mut command = preloaded(mpi, &output)?;
    // Not even root can create files in `/proc`.
    counts_in_memory(command.env("RANKFOLD_JOURNALS", "/proc/self"), &output)
}

/// The journals' file system is full from the start. It is mounted for this test alone.
pub(super) fn full(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let journals = scratch.path().join("journals");
    let output = scratch.path().join("run.rfp");
    fs::create_dir(&journals)?;
    let run = preloaded(mpi, &output)?;
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c"])
        .arg("mount -t tmpfs -o size=4k small \"$0\" && exec env LD_PRELOAD=\"$RANKS_PRELOAD\" \"$@\"")
        .arg(&journals)
        .arg(run.get_program())
        .args(run.get_args());
    for (name, value) in run.get_envs() {
        let name = if name == "LD_PRELOAD" {
            "RANKS_PRELOAD".as_ref()
        } else {
            name
        };
        command.env(name, value.unwrap_or_default());
    }
    counts_in_memory(command.env("RANKFOLD_JOURNALS", &journals), &output)
}

/// Fails unless the run is profiled and prints once that its journals are in memory.
fn counts_in_memory(command: &mut Command, output: &Path) -> Result<()> {
    let run = process::run(command, "")?.success()?;
    let lines = run.stderr.lines();
    let warnings = lines.filter(|line| line.contains("counters are in memory"));
    ensure!(warnings.count() == 1, "told not once: {}", run.stderr);
    let profile = Profile::read(output)?;
    ensure!(profile.manifest.outcome == Outcome::Finalized);
    Matrix::of_profile(&profile).must_equal(&Matrix::of_program(&run.stdout)?)
}

/// Every rank is process 1 of a container of its own. All containers have the same host name.
pub(super) fn containers(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let program = program::compile(mpi, "survive")?;
    let script = scratch.path().join("rank.sh");
    let start = "exec unshare --pid --fork --kill-child";
    fs::write(
        &script,
        format!("#!/bin/sh\n{start} {} none\n", program.display()),
    )?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    rankfold::profile(mpi, RANKS, &script, &[])?.must_equal_what_it_says()
}

/// A shim makes the library believe that memory pages have 64 KiB. In the second run the program
/// truncates the journals: what was counted before that is kept.
pub(super) fn large_pages(mpi: Mpi) -> Result<()> {
    let shim = Compiler::plain("cc")
        .with("-shared")
        .with("-fPIC")
        .with("-ldl");
    let shim = program::build(&shim, "large_pages.c", "so")?;
    let program = program::compile(mpi, "survive")?;
    for how in ["none", "truncate"] {
        let launch = mpi.launch(RANKS, &program, &[how]);
        let profiled = rankfold::profile_launch(&launch, |command| {
            // The memory hooks of UCX would call the system past the shim.
            command.env("LD_PRELOAD", &shim).env("UCX_MEM_EVENTS", "no")
        })?;
        let stderr = &profiled.finished.stderr;
        ensure!(!stderr.contains("cannot grow"), "no large pages: {stderr}");
        if how == "none" {
            profiled.must_equal_what_it_says()?;
        } else {
            Matrix::of_profile(&profiled.profile).must_equal(&Matrix::ring(RANKS, 1000, 50))?;
        }
    }
    Ok(())
}

/// The system sends SIGXFSZ to a process that writes beyond the limit. Journals are not written, so
/// they grow under any limit.
pub(super) fn limited(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let profiled = rankfold::profile(mpi, RANKS, &program, &["limit", FEW])?;
    let stderr = &profiled.finished.stderr;
    ensure!(!stderr.contains("in memory"), "{stderr}");
    profiled.must_equal_what_it_says()
}

/// Rank 0 may write no file at all in `MPI_Finalize`. The profile is made of the journals, and
/// nothing is said to be missing.
pub(super) fn no_file_grows(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let profiled = rankfold::profile(mpi, RANKS, &program, &["nofiles", FEW])?;
    let stderr = &profiled.finished.stderr;
    ensure!(!stderr.contains("did not reach"), "{stderr}");
    ensure!(!stderr.contains("partial"), "{stderr}");
    profiled.must_equal_what_it_says()
}

/// The program closes whatever descriptor leads to a journal. Its next file gets the lowest free
/// number.
pub(super) fn closed(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let profiled = rankfold::profile(mpi, RANKS, &program, &["close", FEW])?;
    let stdout = &profiled.finished.stdout;
    let intact = stdout.matches("intact").count();
    ensure!(intact == RANKS as usize, "{intact} files: {stdout}");
    profiled.must_equal_what_it_says()
}

/// The program has a file of its own in the place of standard error. A warning would go there.
pub(super) fn muted(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let profiled = rankfold::profile(mpi, RANKS, &program, &["mute"])?;
    let stdout = &profiled.finished.stdout;
    let intact = stdout.matches("intact").count();
    ensure!(intact == RANKS as usize, "{intact} files: {stdout}");
    Ok(())
}

/// A filter of system calls kills the program at calls that the program itself does not make.
pub(super) fn filtered(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let bare = mpi.run(RANKS, &program, &["filter", FEW])?;
    bare.success().context("the MPI library makes such calls")?;
    rankfold::profile(mpi, RANKS, &program, &["filter", FEW])?.must_equal_what_it_says()
}

/// The ranks become another user, who may neither write the profile nor remove the journals.
pub(super) fn another_user(mpi: Mpi) -> Result<()> {
    let journals = tempfile::tempdir()?;
    fs::set_permissions(journals.path(), fs::Permissions::from_mode(0o1777))?;
    let program = program::compile(mpi, "survive")?;
    let launch = mpi.launch(RANKS, &program, &["user", FEW]);
    let profiled = rankfold::profile_launch(&launch, |command| {
        command.env("RANKFOLD_JOURNALS", journals.path())
    })?;
    profiled.must_equal_what_it_says()?;
    let left: Vec<_> = fs::read_dir(journals.path())?.collect();
    ensure!(left.is_empty(), "{left:?}");
    Ok(())
}

/// The journal is truncated before the next message is counted. The access ends in SIGBUS, for
/// which the program has a handler of its own.
pub(super) fn truncated(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    // Intel's `MPI_Init` replaces the handlers of a program.
    let how = if mpi == Mpi::Intel {
        "truncate"
    } else {
        "fault"
    };
    let profiled = rankfold::profile(mpi, RANKS, &program, &[how])?;
    let stderr = &profiled.finished.stderr;
    ensure!(
        stderr.contains("was truncated by another process"),
        "nothing was lost: {stderr}"
    );
    let missing = (0..RANKS).collect();
    let outcome = &profiled.profile.manifest.outcome;
    ensure!(
        *outcome == Outcome::Recovered { missing },
        "it ended as {outcome:?}"
    );
    // A rank sends a hundred messages. The first fifty were counted in the journal.
    Matrix::of_profile(&profiled.profile).must_equal(&Matrix::ring(RANKS, 1000, 50))
}

/// The journals are on a small file system, mounted for this test alone, which the program fills to
/// the last byte before it goes on. The program has a handler for SIGBUS that would end it.
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
        run.stderr.contains("further counters are in memory"),
        "the journals had room: {}",
        run.stderr
    );
    let profile = Profile::read(&output)?;
    Matrix::of_profile(&profile).must_equal(&Matrix::of_program(&run.stdout)?)
}
