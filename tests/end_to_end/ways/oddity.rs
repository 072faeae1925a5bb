//! Programs that do something unusual with MPI.

use super::loading::preloaded_program;
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process;
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::rankfold::{self, Profiled};
use rankfold_wire::{Outcome, Profile, Unseen};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};

const RANKS: u32 = 3;

/// The profile of `leave HOW` holds what the program says it has sent.
pub(super) fn leaves(mpi: Mpi, how: &str) -> Result<()> {
    let program = program::build(&mpi.compiler().with("-lstdc++"), "leave.cpp", mpi.name())?;
    rankfold::profile(mpi, RANKS, &program, &[how])?.must_equal_what_it_says()
}

/// The profile of `fibers HOW` holds what the program says it has sent.
pub(super) fn switches(mpi: Mpi, how: &str) -> Result<()> {
    let program = program::compile_exporting(mpi, "fibers")?;
    let yielding = program::compile_shared(mpi, "yielding")?;
    let launch = mpi.launch(RANKS, &program, &[how]);
    let profiled = rankfold::profile_launch(&launch, |command| match how {
        "waits" => command.env("LD_PRELOAD", &yielding),
        _ => command,
    })?;
    profiled.must_equal_what_it_says()
}

/// The profile of `odd HOW` holds what the program says it has sent.
pub(super) fn goes_on(mpi: Mpi, how: &str) -> Result<()> {
    odd(mpi, how)?.must_equal_what_it_says()
}

fn odd(mpi: Mpi, how: &str) -> Result<Profiled> {
    let program = program::compile(mpi, "odd")?;
    rankfold::profile(mpi, RANKS, &program, &[how])
}

/// The numbers in the lines of standard output that begin with `word`.
fn numbers(profiled: &Profiled, word: &str) -> Result<Vec<f64>> {
    let lines = profiled.finished.stdout.lines();
    let numbers = lines.filter_map(|line| line.strip_prefix(word)?.trim().parse().ok());
    let numbers: Vec<f64> = numbers.collect();
    ensure!(!numbers.is_empty(), "no line of {word}");
    Ok(numbers)
}

/// A thread that ends leaves its tables of counters to a later thread.
pub(super) fn threads(mpi: Mpi) -> Result<()> {
    let profiled = odd(mpi, "threads")?;
    let mappings = numbers(&profiled, "mappings")?;
    ensure!(
        mappings.iter().all(|&number| number < 10.0),
        "{mappings:?} mappings of the journals"
    );
    profiled.must_equal_what_it_says()
}

/// A program may begin a phase in every time step. The number of phases in a profile has a limit;
/// later phases are added up in one.
pub(super) fn steps(mpi: Mpi) -> Result<()> {
    const STEPS: u64 = 400;
    const LIMIT: u64 = 256;
    let profiled = odd(mpi, "steps")?;
    let phases = &profiled.profile.phases;
    ensure!(phases.len() as u64 == LIMIT + 1, "{} phases", phases.len());
    let more = phases.iter().find(|phase| phase.name == "more");
    let more = more.context("no phase of the rest")?;
    let messages = more.rows.iter().flat_map(|row| &row.peers);
    let messages: u64 = messages.map(|peer| peer.messages).sum();
    let expected = (STEPS - LIMIT) * u64::from(RANKS);
    ensure!(
        messages == expected,
        "{messages} messages in the rest instead of {expected}"
    );
    profiled.must_equal_what_it_says()
}

/// Freeing all requests took 48 seconds when every free searched the whole table of requests.
pub(super) fn requests(mpi: Mpi) -> Result<()> {
    let profiled = odd(mpi, "requests")?;
    let seconds = numbers(&profiled, "freed")?;
    ensure!(
        seconds.iter().all(|&seconds| seconds < 5.0),
        "{seconds:?} s"
    );
    profiled.must_equal_what_it_says()
}

/// One rank comes to `MPI_Finalize` after the patience of the others has ended. rankfold then makes
/// the profile from the journals.
pub(super) fn late(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "odd")?;
    let launch = mpi.launch(RANKS, &program, &["late", "1"]);
    let profiled =
        rankfold::profile_launch(&launch, |command| command.env("RANKFOLD_PATIENCE", "1"))?;
    let stderr = &profiled.finished.stderr;
    ensure!(
        stderr.contains("rank 1 has not answered in time"),
        "nobody was late: {stderr}"
    );
    // Every rank has written its journal to the end, so the journals are complete.
    profiled.must_equal_what_it_says()
}

/// One rank does not load the library. The program runs as without rankfold, and a message names
/// the rank.
pub(super) fn partly_loaded(mpi: Mpi, rank: u32) -> Result<()> {
    const MOST: Duration = Duration::from_secs(60);
    let program = program::compile(mpi, "odd")?;
    let scratch = tempfile::tempdir()?;
    let script = scratch.path().join("rank.sh");
    let unset = format!(
        "#!/bin/sh\n[ \"${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\" = {rank} ] && unset LD_PRELOAD\nexec {} none\n",
        program.display()
    );
    fs::write(&script, unset)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let output = scratch.path().join("run.rfp");
    let mut command = preloaded_program(mpi, RANKS, &script, &[], &output);
    let start = Instant::now();
    let run = process::run(command.env("RANKFOLD_PATIENCE", "1"), "")?.success()?;
    ensure!(start.elapsed() < MOST, "it took {:?}", start.elapsed());
    Matrix::of_program(&run.stdout)?.must_equal(&Matrix::ring(RANKS, 1000, 100))?;
    let named = run
        .stderr
        .lines()
        .filter(|line| line.contains(&format!("rank {rank} ")) && line.contains("not profiled"));
    ensure!(named.count() == 1, "who is missing? {}", run.stderr);
    ensure!(!output.exists(), "a profile of some ranks only");
    Ok(())
}

/// The profile names the ways of moving data that it does not count.
pub(super) fn unseen(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let empty = Compiler::plain("cc").with("-shared").with("-fPIC");
    let empty = program::build(&empty, "stub_mpi.c", "so")?;
    let nccl = scratch.path().join("libnccl.so.2");
    fs::copy(empty, &nccl)?;
    let program = program::build(&mpi.compiler().with("-ldl"), "unseen.c", mpi.name())?;
    let alone = rankfold::profile(mpi, RANKS, &program, &[])?;
    ensure!(alone.profile.unseen == [Unseen::SharedWindows]);
    let both = rankfold::profile(mpi, RANKS, &program, &[&nccl.display().to_string()])?;
    ensure!(both.profile.unseen == [Unseen::SharedWindows, Unseen::Nccl]);
    let expected = "tells it: loads and stores in shared-memory windows, NCCL";
    let stderr = &both.finished.stderr;
    ensure!(stderr.contains(expected), "not told: {stderr}");
    Ok(())
}

/// The library stays out of a program whose MPI library belongs to no known family.
pub(super) fn unknown_mpi() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let stub = Compiler::plain("cc")
        .with("-shared")
        .with("-fPIC")
        .with("-DUNKNOWN_FAMILY");
    let library = program::build(&stub, "stub_mpi.c", "unknown.so")?;
    let program = Compiler::plain("cc")
        .with(&library.display().to_string())
        .with("-pthread");
    let program = program::build(&program, "calls.c", "unknown")?;
    let output = scratch.path().join("run.rfp");
    let mut command = Command::new(program);
    command
        .args(["1", "1", "10", "1"])
        .env("LD_PRELOAD", rankfold::library())
        .env("RANKFOLD_PROFILE", &output)
        .env("RANKFOLD_JOURNALS", scratch.path());
    let run = process::run(mpi::environment(&mut command), "")?.success()?;
    ensure!(
        run.stderr.lines().count() == 1 && run.stderr.contains("not profiled"),
        "{}",
        run.stderr
    );
    let left: Vec<_> = fs::read_dir(scratch.path())?.collect();
    ensure!(left.is_empty(), "{left:?}");
    Ok(())
}

/// The profiler calls no collective on the program's `MPI_COMM_WORLD`, where the call could be
/// taken for a part of a collective that the program never completes.
pub(super) fn unmatched(mpi: Mpi) -> Result<()> {
    let profiled = odd(mpi, "unmatched")?;
    profiled.must_equal_what_it_says()?;
    let profile: &Profile = &profiled.profile;
    ensure!(profile.manifest.outcome == Outcome::Finalized);
    Ok(())
}
