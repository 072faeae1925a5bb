//! Launches that cannot work are refused before anything runs. A launch that runs but leaves no
//! profile keeps the exit status of its program.

use crate::bad_input::refused;
use crate::fact::{Fact, Need, fact};
use crate::full_disk;
use anyhow::{Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::program::{self, Compiler};
use rankfold_tests::rankfold;
use rankfold_wire::{Outcome, Profile};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

pub(crate) fn facts() -> Vec<Fact> {
    let once = [
        fact(
            "bad_launch::a_missing_launcher_is_named",
            &[],
            missing_launcher,
        ),
        fact(
            "bad_launch::no_launch_command_at_all_is_explained",
            &[],
            no_launch,
        ),
        fact(
            "bad_launch::a_profile_that_cannot_be_written_is_named_before_the_run",
            &[Need::Mpi(Mpi::OpenMpi)],
            unwritable_profile,
        ),
        fact(
            "bad_launch::a_static_program_is_explained",
            &[Need::Mpi(Mpi::OpenMpi), Need::Tool("cc")],
            static_program,
        ),
        fact(
            "bad_launch::a_library_that_cannot_be_loaded_keeps_no_program_from_running",
            &[Need::Mpi(Mpi::OpenMpi)],
            unloadable_library,
        ),
        fact(
            "bad_launch::a_missing_journal_directory_keeps_no_program_from_running",
            &[Need::Mpi(Mpi::OpenMpi)],
            missing_journals,
        ),
        fact(
            "bad_launch::a_launcher_that_takes_no_words_is_refused_with_the_recipe",
            &[],
            by_hand,
        ),
        fact(
            "bad_launch::what_starts_no_program_runs_as_given_and_without_a_word",
            &[Need::Mpi(Mpi::OpenMpi), Need::Mpi(Mpi::Mpich)],
            starts_nothing,
        ),
        fact(
            "bad_launch::a_run_that_is_not_understood_runs_as_given",
            &[Need::Mpi(Mpi::OpenMpi)],
            not_understood,
        ),
        fact(
            "bad_launch::a_directory_that_cannot_be_written_to_keeps_no_program_from_running",
            &[Need::Mpi(Mpi::OpenMpi), Need::Root],
            read_only,
        ),
        fact(
            "bad_launch::a_full_journal_directory_keeps_no_program_from_running",
            &[Need::Mpi(Mpi::OpenMpi), Need::Root],
            full_disk::full_journals,
        ),
        fact(
            "bad_launch::a_profile_without_space_is_kept_elsewhere",
            &[Need::Mpi(Mpi::OpenMpi), Need::Root],
            full_disk::full_output,
        ),
        fact(
            "bad_launch::a_program_runs_where_every_file_system_is_full",
            &[Need::Mpi(Mpi::OpenMpi), Need::Root],
            full_disk::full_everywhere,
        ),
    ];
    let silent = Mpi::KINDS.into_iter().flat_map(|mpi| {
        [
            ("no_mpi", "a_program_without_mpi"),
            ("never_init", "a_program_that_never_calls_init"),
        ]
        .map(|(program, name)| {
            fact(
                format!("bad_launch::{name}_is_explained_under_{}", mpi.name()),
                &[Need::Mpi(mpi)],
                move || silent_program(mpi, program),
            )
        })
    });
    let relaunched = Mpi::KINDS.into_iter().map(|mpi| {
        fact(
            format!(
                "bad_launch::a_relaunched_program_that_never_calls_init_is_explained_under_{}",
                mpi.name()
            ),
            &[Need::Mpi(mpi)],
            move || silent_relaunch(mpi),
        )
    });
    once.into_iter().chain(silent).chain(relaunched).collect()
}

/// Fails unless rankfold ended with status 0, as the program did, and the message says with every
/// text of `named` why there is no `output`.
fn is_refused(run: &Finished, named: &[&str], output: &Path) -> Result<()> {
    ensure!(run.status == 0, "status {}\n{}", run.status, run.stderr);
    for word in named {
        ensure!(
            run.stderr.contains(word),
            "{word:?} is not said: {}",
            run.stderr
        );
    }
    ensure!(!output.exists(), "{} was left behind", output.display());
    Ok(())
}

fn missing_launcher() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    let run = rankfold::run(&[
        "profile",
        "-o",
        &output.to_string_lossy(),
        "--",
        "mpirun.nowhere",
        "-n",
        "2",
        "true",
    ])?;
    refused(&run, &["mpirun.nowhere"], &output)
}

fn no_launch() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    refused(
        &rankfold::run(&["profile", "-o", &output.to_string_lossy()])?,
        &[],
        &output,
    )
}

fn unwritable_profile() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("no/such/directory/out.rfp");
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 2, &program, &[]);
    let run = process::run(&mut command, "the program ran\n")?;
    refused(&run, &["no/such/directory"], &output)?;
    ensure!(
        run.stdout.is_empty(),
        "the program ran although its profile had no place to go"
    );
    Ok(())
}

fn silent_program(mpi: Mpi, name: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    let program = program::compile(mpi, name)?;
    let mut command = rankfold::profile_command(mpi, &output, 2, &program, &[]);
    let run = process::run(&mut command, "")?;
    is_refused(&run, &["no profile was written", "MPI_Init"], &output)
}

/// As [`silent_program`] with `rankfold run --map`: no rank reports where it runs.
fn silent_relaunch(mpi: Mpi) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let map = scratch.path().join("seq.map");
    // Open MPI's sequential mapper does not accept `localhost` as the name of the launching host.
    let host = fs::read_to_string("/proc/sys/kernel/hostname")?;
    fs::write(&map, host.repeat(2))?;
    let program = program::compile(mpi, "never_init")?;
    let mut command = rankfold::command(&["run", "--map"]);
    command
        .arg(&map)
        .arg("--")
        .args(mpi.launch(2, &program, &[]));
    let run = process::run(&mut command, "")?;
    is_refused(
        &run,
        &["not verified", "MPI_Init"],
        &scratch.path().join("none"),
    )
}

fn static_program() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    let program = program::build(&Compiler::plain("cc").with("-static"), "no_mpi.c", "static")?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 2, &program, &[]);
    let run = process::run(&mut command, "")?;
    is_refused(&run, &["static"], &output)
}

/// The path of the library contains a space, at which the loader would split it into two paths.
fn unloadable_library() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let library = scratch.path().join("my tools/librankfold.so");
    fs::create_dir(scratch.path().join("my tools"))?;
    fs::copy(rankfold::library(), &library)?;
    let name = library.display().to_string();
    runs_unprofiled("RANKFOLD_LIBRARY", &name, &[&name, "space"])?;
    runs_unprofiled("RANKFOLD_LIBRARY", "/no/such.so", &["/no/such.so"])?;
    // A link to the library at another path can be loaded.
    let link = scratch.path().join("link.so");
    std::os::unix::fs::symlink(&library, &link)?;
    let output = scratch.path().join("out.rfp");
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 2, &program, &[]);
    process::run(command.env("RANKFOLD_LIBRARY", &link), "")?.success()?;
    ensure!(output.exists(), "no profile by a link");
    Ok(())
}

/// The counters are in memory, so the profile of a run that ends well is whole.
fn missing_journals() -> Result<()> {
    let (run, output, _scratch) = seventh("RANKFOLD_JOURNALS", "/no/such/place")?;
    let number = run.stderr.matches("/no/such/place").count();
    ensure!(number == 1, "told {number} times: {}", run.stderr);
    ensure!(Profile::read(&output)?.manifest.outcome == Outcome::Finalized);
    Ok(())
}

/// Fails unless the program runs, with `variable` set to `value`, and the reason why it is not
/// profiled contains every text of `named`.
fn runs_unprofiled(variable: &str, value: &str, named: &[&str]) -> Result<()> {
    let (run, output, _scratch) = seventh(variable, value)?;
    for text in [&["this run is not profiled"], named].concat() {
        ensure!(run.stderr.contains(text), "no {text:?} in {}", run.stderr);
    }
    ensure!(!output.exists(), "a profile of nothing");
    Ok(())
}

/// Profiles `echo 7` with a variable of rankfold. Fails unless the status is that of the program.
/// Returns the run and the path of its profile, in a directory.
fn seventh(variable: &str, value: &str) -> Result<(Finished, PathBuf, TempDir)> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("out.rfp");
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 2, &program, &["7"]);
    let run = process::run(command.env(variable, value), "")?;
    ensure!(run.status == 7, "status {}\n{}", run.status, run.stderr);
    Ok((run, output, scratch))
}

/// Versions, help and launchers alone end and print as without rankfold.
fn starts_nothing() -> Result<()> {
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let launcher = mpi.launcher();
        for option in [&["--version"][..], &["-V"], &["--help"], &["-info"], &[]] {
            let mut plain = Command::new(&launcher);
            let plain = process::run(mpi::environment(plain.args(option)), "")?;
            for command in ["run", "profile"] {
                let words = [&[command, "--", &launcher], option].concat();
                let ours = rankfold::run(&words)?;
                let same = ours.status == plain.status
                    && ours.stdout == plain.stdout
                    && !ours.stderr.contains("rankfold");
                ensure!(same, "{words:?}: {ours:?} instead of {plain:?}");
            }
        }
    }
    Ok(())
}

fn not_understood() -> Result<()> {
    let launcher = Mpi::OpenMpi.launcher();
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let program = program.to_string_lossy();
    for (words, status) in [
        (vec!["sh", "-c", "exit 7"], 7),
        (vec!["true"], 0),
        (vec![&*launcher, "--no-such-option", "-n", "2", &program], 1),
    ] {
        let run = rankfold::run(&[&["run", "--"], &words[..]].concat())?;
        ensure!(run.status == status, "{words:?}: {run:?}");
    }
    let words = ["run", "--", &launcher, "--no-such-option", &program];
    let run = rankfold::run(&words)?;
    ensure!(run.stderr.contains("the launch runs as it is"), "{run:?}");
    // Who asks for more than a good order is told before anything runs.
    let asked = [&["run", "--machine", "torus:2"], &words[1..]].concat();
    refused(
        &rankfold::run(&asked)?,
        &["--no-such-option"],
        Path::new("none"),
    )
}

/// The directory is on a file system that nobody may write to.
fn read_only() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    for command in ["profile", "run"] {
        let script = "mount -t tmpfs -o ro none \"$0\" && cd \"$0\" && exec \"$@\"";
        let mut shell = Command::new("unshare");
        shell
            .args(["--mount", "sh", "-c", script])
            .arg(scratch.path())
            .arg(rankfold::binary())
            .args([command, "--"])
            .args(Mpi::OpenMpi.launch(2, &program, &["7"]));
        let run = process::run(mpi::environment(&mut shell), "")?;
        ensure!(run.status == 7, "{command}: {run:?}");
    }
    Ok(())
}

fn by_hand() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let parastation = scratch.path().join("mpirun");
    let script = "#!/bin/sh\necho 'psmgmt 5.1.55-0'\n";
    fs::write(&parastation, script)?;
    fs::set_permissions(
        &parastation,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )?;
    for (launcher, name) in [
        ("prun", "prun"),
        (&*parastation.to_string_lossy(), "ParaStation"),
    ] {
        let run = rankfold::run(&["profile", "--", launcher, "-n", "2", "true"])?;
        refused(
            &run,
            &[name, "RANKFOLD_PROFILE", "Without our launcher"],
            &scratch.path().join("none"),
        )?;
    }
    Ok(())
}
