//! Ways in which the library gets into a process, and reasons why it does not.

use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::rankfold::{self, Profiled};
use rankfold_wire::Profile;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

pub(super) const RANKS: u32 = 3;

/// Number of messages that each rank of `survive none` sends.
const MESSAGES: u32 = 100;

/// A program without MPI loads a plugin that brings MPI, hidden by `RTLD_LOCAL`.
pub(super) fn hidden(mpi: Mpi) -> Result<()> {
    let plugin = program::compile_shared(mpi, "survive")?
        .display()
        .to_string();
    let host = program::build(&Compiler::plain("cc").with("-ldl"), "plugin_host.c", "host")?;
    rankfold::profile(mpi, RANKS, &host, &[&plugin, "none"])?.must_equal_what_it_says()
}

/// The launcher starts a script that starts the program.
pub(super) fn script(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    started_by(mpi, "ls > /dev/null; exec", &program)?.must_equal_what_it_says()
}

/// The user preloads a tool. rankfold puts its library before that tool.
pub(super) fn tool_behind(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let tool = program::compile_shared(mpi, "pmpi_tool")?;
    let launch = mpi.launch(RANKS, &program, &["none"]);
    let profiled = rankfold::profile_launch(&launch, |command| command.env("LD_PRELOAD", &tool))?;
    saw_everything(&profiled)
}

/// A script puts the tool before rankfold's library.
pub(super) fn tool_before(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let tool = program::compile_shared(mpi, "pmpi_tool")?;
    let start = format!("LD_PRELOAD={}:$LD_PRELOAD exec", tool.display());
    saw_everything(&started_by(mpi, &start, &program)?)
}

/// The tool is linked into the program, so calls reach the tool first. What the tool itself sends
/// does not belong to the program.
pub(super) fn tool_inside(mpi: Mpi) -> Result<()> {
    let tool = program::sources().join("linked_tool.c");
    let compiler = mpi.compiler().with(&tool.display().to_string());
    let variant = format!("{}.tool", mpi.name());
    let program = program::build(&compiler, "survive.c", &variant)?;
    let profiled = rankfold::profile(mpi, RANKS, &program, &["none"])?;
    profiled.must_equal_what_it_says()?;
    let line = format!("tool {}", RANKS * MESSAGES);
    let stdout = &profiled.finished.stdout;
    ensure!(
        stdout.lines().any(|printed| printed == line),
        "no {line:?} in {stdout}"
    );
    let collectives = &profiled.profile.collectives;
    ensure!(collectives.is_empty(), "the tool's own: {collectives:?}");
    Ok(())
}

/// The variables are set for the launcher and everything that it starts, without `rankfold
/// profile`.
pub(super) fn exported(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let finished = process::run(&mut preloaded(mpi, &output)?, "")?.success()?;
    let profile = Profile::read(&output)
        .with_context(|| format!("rank 0 wrote no profile\n{}", finished.stderr))?;
    Matrix::of_profile(&profile).must_equal(&Matrix::of_program(&finished.stdout)?)
}

/// The recipe in the documentation for launchers that rankfold does not know.
pub(super) fn by_hand(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let scratch = tempfile::tempdir()?;
    let (script, output) = (
        scratch.path().join("rank.sh"),
        scratch.path().join("run.rfp"),
    );
    let variables = [
        format!("LD_PRELOAD={}", rankfold::library().display()),
        format!("RANKFOLD_PROFILE={}", output.display()),
        format!("RANKFOLD_RUN={}", rankfold::run_name()),
    ];
    let text = format!(
        "#!/bin/sh\nexport {}\nexec {} \"$@\"\n",
        variables.join(" "),
        program.display()
    );
    fs::write(&script, text)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let run = mpi.run(RANKS, &script, &["none"])?.success()?;
    let profile = Profile::read(&output).with_context(|| run.stderr.clone())?;
    Matrix::of_profile(&profile).must_equal(&Matrix::of_program(&run.stdout)?)
}

/// The command `mpirun survive none` with the library preloaded into the launcher as well, which
/// writes the profile `output`.
pub(super) fn preloaded(mpi: Mpi, output: &Path) -> Result<Command> {
    let program = program::compile(mpi, "survive")?;
    Ok(preloaded_program(mpi, RANKS, &program, &["none"], output))
}

/// The command `mpirun -n RANKS PROGRAM ARGS` with the library preloaded into the launcher as well,
/// which writes the profile `output`.
pub(super) fn preloaded_program(
    mpi: Mpi,
    ranks: u32,
    program: &Path,
    args: &[&str],
    output: &Path,
) -> Command {
    let words = mpi.launch(ranks, program, args);
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env("LD_PRELOAD", rankfold::library())
        .env("RANKFOLD_PROFILE", output)
        .env("RANKFOLD_RUN", rankfold::run_name());
    mpi::environment(&mut command);
    command
}

/// Ranks start a program that fails if it is told to load our library, as one linked with musl
/// does. The user's own library stays.
pub(super) fn children(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let child = scratch.path().join("child.sh");
    let own = program::compile_shared(mpi, "pmpi_tool")?;
    let text = format!("#!/bin/sh\n[ \"$LD_PRELOAD\" = {} ]\n", own.display());
    fs::write(&child, text)?;
    fs::set_permissions(&child, fs::Permissions::from_mode(0o755))?;
    let program = program::compile(mpi, "child")?;
    let launch = mpi.launch(RANKS, &program, &[&child.to_string_lossy()]);
    rankfold::profile_launch(&launch, |command| command.env("LD_PRELOAD", &own)).map(drop)
}

pub(super) fn static_program(mpi: Mpi) -> Result<()> {
    let program = program::build(&Compiler::plain("cc").with("-static"), "no_mpi.c", "static")?;
    is_explained(mpi, &program, &[], "statically linked")
}

/// Debian's MPICH comes as a static library as well.
pub(super) fn static_mpi(mpi: Mpi) -> Result<()> {
    let mut compiler = mpi.compiler();
    compiler.flags = [
        "-Wl,-Bstatic",
        "-lmpich",
        "-Wl,-Bdynamic",
        "-lhwloc",
        "-lucp",
        "-luct",
        "-lucs",
        "-lucm",
        "-lm",
        "-lpthread",
        "-lrt",
    ]
    .map(str::to_owned)
    .into();
    compiler.command = "cc".into();
    compiler
        .flags
        .push("-I/usr/include/x86_64-linux-gnu/mpich".into());
    let program = program::build(&compiler, "survive.c", "static_mpich")?;
    is_explained(mpi, &program, &["none"], "statically linked into")
}

/// The program is compiled with AddressSanitizer, whose runtime asks to be loaded before any other
/// library. Options of the user stay in force: without his own one, the program would end with an
/// error, because MPI libraries leave memory behind.
pub(super) fn sanitized(mpi: Mpi) -> Result<()> {
    let compiler = mpi.compiler().with("-fsanitize=address");
    let variant = format!("{}.sanitized", mpi.name());
    let program = program::build(&compiler, "survive.c", &variant)?;
    let launch = mpi.launch(RANKS, &program, &["none"]);
    let profiled = rankfold::profile_launch(&launch, |command| {
        command.env("ASAN_OPTIONS", "detect_leaks=0")
    })?;
    profiled.must_equal_what_it_says()
}

/// Other sanitizers, and AddressSanitizer with its runtime inside the program, take any order of
/// libraries. ThreadSanitizer is tested under Open MPI 4.1 only: under the others a program with it
/// ends in a segmentation fault with nothing preloaded.
pub(super) fn other_sanitizers(mpi: Mpi) -> Result<()> {
    let mut sanitizers = vec![
        ("undefined", vec!["-fsanitize=undefined"]),
        ("static", vec!["-fsanitize=address", "-static-libasan"]),
    ];
    if mpi == Mpi::OpenMpi {
        sanitizers.push(("thread", vec!["-fsanitize=thread"]));
    }
    for (name, flags) in sanitizers {
        let compiler = flags.into_iter().fold(mpi.compiler(), Compiler::with);
        let variant = format!("{}.sanitized_{name}", mpi.name());
        let program = program::build(&compiler, "survive.c", &variant)?;
        let launch = mpi.launch(RANKS, &program, &["none"]);
        // MPI libraries leave memory behind, and synchronise by means that ThreadSanitizer does not
        // know.
        let profiled = rankfold::profile_launch(&launch, |command| {
            command
                .env("ASAN_OPTIONS", "detect_leaks=0")
                .env("TSAN_OPTIONS", "report_bugs=0")
        });
        profiled
            .and_then(|profiled| profiled.must_equal_what_it_says())
            .with_context(|| format!("{name} sanitizer"))?;
    }
    Ok(())
}

/// The system preloads no library into a program that runs with another user's rights.
pub(super) fn set_user_id(mpi: Mpi) -> Result<()> {
    const NOBODY: u32 = 65534;
    let scratch = tempfile::tempdir()?;
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755))?;
    let program = scratch.path().join("privileged");
    fs::copy(program::compile(mpi, "never_init")?, &program)?;
    chown(&program, Some(NOBODY), None)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755))?;
    is_explained(mpi, &program, &[], "set-user-ID")
}

/// Profiles a script that ends in `START survive none`.
fn started_by(mpi: Mpi, start: &str, program: &Path) -> Result<Profiled> {
    let scratch = tempfile::tempdir()?;
    let script = scratch.path().join("rank.sh");
    fs::write(
        &script,
        format!("#!/bin/sh\n{start} {} none\n", program.display()),
    )?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    rankfold::profile(mpi, RANKS, &script, &[])
}

/// Fails unless the matrix is exact and the tool has seen every message of every rank.
fn saw_everything(profiled: &Profiled) -> Result<()> {
    profiled.must_equal_what_it_says()?;
    for rank in 0..RANKS {
        let line = format!("tool {rank} {MESSAGES}");
        ensure!(
            profiled
                .finished
                .stdout
                .lines()
                .any(|printed| printed == line),
            "no line {line:?} in {}",
            profiled.finished.stdout
        );
    }
    Ok(())
}

/// Fails unless the program prints what it prints without rankfold, and rankfold gives `reason` for
/// the missing profile.
fn is_explained(mpi: Mpi, program: &Path, args: &[&str], reason: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let plain = mpi.run(2, program, args)?.success()?;
    let mut command = rankfold::profile_command(mpi, &output, 2, program, args);
    let run = process::run(&mut command, "")?;
    ensure!(
        sorted(&run) == sorted(&plain),
        "{:?} instead of {:?}",
        run.stdout,
        plain.stdout
    );
    ensure!(
        run.status == 0 && run.stderr.contains(reason),
        "status {}: {}",
        run.status,
        run.stderr
    );
    ensure!(!output.exists(), "a profile of nothing");
    Ok(())
}

/// The lines of standard output, sorted: lines of several ranks arrive in any order.
fn sorted(run: &Finished) -> Vec<&str> {
    let mut lines: Vec<&str> = run.stdout.lines().collect();
    lines.sort_unstable();
    lines
}
