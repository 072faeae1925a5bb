//! Worlds too large for any test machine: one process plays rank 0 on top of a stub of MPI that
//! sends nothing.

use anyhow::{Context, Result, ensure};
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::{mpi, process, rankfold};
use rankfold_wire::recover;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

const RANKS: u32 = 100_000;

/// The command `PROGRAM ARGS` with the stub as its MPI library, in a world of [`RANKS`] ranks,
/// profiled as run `stub` with its journal in `directory`.
pub(super) fn stub(program: &str, args: &[&str], directory: &Path) -> Result<Command> {
    let compiler = Compiler::plain("cc").with("-shared").with("-fPIC");
    let library = program::build(&compiler, "stub_mpi.c", "so")?;
    let compiler = Compiler::plain("cc")
        .with(&library.display().to_string())
        .with("-pthread");
    let mut command = Command::new(program::build(&compiler, program, "stub")?);
    command
        .args(args)
        .env("LD_PRELOAD", rankfold::library())
        .env("STUB_RANKS", RANKS.to_string())
        .env("RANKFOLD_RUN", "stub")
        .env("RANKFOLD_PROFILE", directory.join("run.rfp"))
        .env("RANKFOLD_JOURNALS", directory);
    mpi::environment(&mut command);
    Ok(command)
}

/// A rank with 10^5 partners has one table of partners. The smaller tables before it, which are
/// free for other threads, take no more than that table.
pub(super) fn many_partners() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let number = RANKS.to_string();
    let args = [&number, "1", &number, "1"];
    process::run(&mut stub("calls.c", &args, scratch.path())?, "")?.success()?;
    let recovery = recover(scratch.path(), "stub")?.context("no journal was left")?;
    let row = recovery.profile.rows.first().context("no rank 0")?;
    let messages: u64 = row.peers.iter().map(|peer| peer.messages).sum();
    ensure!(
        row.peers.len() as u64 == u64::from(RANKS) && messages == u64::from(RANKS),
        "{} partners, {messages} messages",
        row.peers.len()
    );
    // 2^18 slots, half of them empty, of 32 bytes.
    let most = 2 * (1 << 18) * 32 + (256 << 10);
    let path = recovery.journals.first().context("no journal")?;
    let bytes = fs::metadata(path)?.blocks() * 512;
    ensure!(bytes <= most, "the journal takes {bytes} bytes");
    Ok(())
}

/// The stub does not say which ranks share memory. The profile is written without the seats of the
/// ranks.
pub(super) fn unknown_seats() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let seats = scratch.path().join("seats");
    let mut command = stub("calls.c", &["1", "1", "1", "1"], scratch.path())?;
    let run = process::run(command.env("RANKFOLD_SEATS", &seats), "")?.success()?;
    recover(scratch.path(), "stub")?.with_context(|| format!("no journal: {}", run.stderr))?;
    ensure!(!seats.exists(), "seats nobody knows were recorded");
    let number = run.stderr.matches("where the ranks sit").count();
    ensure!(number == 1, "{}", run.stderr);
    Ok(())
}

/// In a communicator of 10^5 ranks, only the one rank that receives a message is translated to its
/// rank in the world.
pub(super) fn fresh_communicator() -> Result<()> {
    const SENDS: u64 = 1000;
    let scratch = tempfile::tempdir()?;
    let (ranks, sends) = (RANKS.to_string(), SENDS.to_string());
    let mut command = stub("fresh.c", &[&ranks, &sends], scratch.path())?;
    let run = process::run(&mut command, "")?.success()?;
    let (_, translated) = run.stdout.trim().split_once(' ').context("one figure")?;
    let translated: u64 = translated.parse()?;
    ensure!(
        translated == SENDS,
        "{translated} ranks were translated for {SENDS} sends"
    );
    let recovery = recover(scratch.path(), "stub")?.context("no journal was left")?;
    let row = recovery.profile.rows.first().context("no rank 0")?;
    ensure!(
        row.peers.len() as u64 == SENDS
            && row.peers.last().is_some_and(|last| last.rank == RANKS - 1),
        "{} partners",
        row.peers.len()
    );
    Ok(())
}
