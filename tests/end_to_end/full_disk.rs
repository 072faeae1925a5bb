//! Launches where a file system has no space left for what the profiler writes.

use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{process, program, rankfold};
use rankfold_wire::{Outcome, Profile};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The command `rankfold profile -o OUTPUT -- mpirun -n 2 PROGRAM 7`, after whose start the file
/// system at `full` has no space left. It is mounted for this command alone. The program ends with
/// status 7. `then` is a shell command that runs afterwards, with `$1` for rankfold.
fn with_full(full: &Path, output: &Path, then: &str) -> Result<Command> {
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let script = format!(
        "mount -t tmpfs -o size=64k full \"$0\" || exit 99\n\
         head -c 60k /dev/zero > \"$0/filler\"; cat /dev/zero >> \"$0/filler\" 2> /dev/null\n\
         \"$@\"\nstatus=$?\n{then}\nexit $status"
    );
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", &script])
        .arg(full)
        .arg(rankfold::binary())
        .args(["profile", "-o"])
        .arg(output)
        .arg("--")
        .args(Mpi::OpenMpi.launch(2, &program, &["7"]));
    mpi::environment(&mut command);
    Ok(command)
}

/// The journals have no space.
pub(crate) fn full_journals() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (journals, output) = (
        scratch.path().join("journals"),
        scratch.path().join("out.rfp"),
    );
    fs::create_dir(&journals)?;
    let mut command = with_full(&journals, &output, "")?;
    let run = process::run(command.env("RANKFOLD_JOURNALS", &journals), "")?;
    ensure!(run.status == 7, "status {}\n{}", run.status, run.stderr);
    let number = run.stderr.matches("counters are in memory").count();
    ensure!(number == 1, "told {number} times: {}", run.stderr);
    ensure!(Profile::read(&output)?.manifest.outcome == Outcome::Finalized);
    Ok(())
}

/// The directory of the profile has no space. The profile is written elsewhere as the message says.
pub(crate) fn full_output() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (full, elsewhere) = (
        scratch.path().join("full"),
        scratch.path().join("elsewhere.rfp"),
    );
    fs::create_dir(&full)?;
    let then = "\"$1\" recover \"$TMPDIR\"/.rankfold-* -o \"$TMPDIR/../elsewhere.rfp\"";
    let mut command = with_full(&full, &full.join("out.rfp"), then)?;
    let temporary = scratch.path().join("tmp");
    fs::create_dir(&temporary)?;
    let run = process::run(command.env("TMPDIR", &temporary), "")?;
    ensure!(run.status == 7, "status {}\n{}", run.status, run.stderr);
    ensure!(
        run.stderr.contains("No space left") && run.stderr.contains("rankfold recover"),
        "{}",
        run.stderr
    );
    let profile = Profile::read(&elsewhere).with_context(|| run.stderr.clone())?;
    ensure!(profile.manifest.outcome == Outcome::Finalized);
    Ok(())
}

/// Neither the directory of the profile nor that for temporary files has space.
pub(crate) fn full_everywhere() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let full = scratch.path().join("full");
    fs::create_dir(&full)?;
    // Open MPI keeps files of its own in TMPDIR, unless another directory is named.
    let mut command = with_full(&full, &full.join("out.rfp"), "")?;
    command
        .env("TMPDIR", &full)
        .env("OMPI_MCA_orte_tmpdir_base", scratch.path());
    let run = process::run(&mut command, "")?;
    ensure!(run.status == 7, "status {}\n{}", run.status, run.stderr);
    let number = run.stderr.matches("this run is not profiled").count();
    ensure!(number == 1, "told {number} times: {}", run.stderr);
    Ok(())
}
