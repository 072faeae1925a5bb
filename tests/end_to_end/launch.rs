//! rankfold stands between the user and the launcher: streams, exit status and signals pass through
//! it.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use rankfold_wire::{Profile, Surroundings};
use rustix::process::{Signal, kill_process, kill_process_group};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The MPI libraries whose launcher passes standard input on. Open MPI 5.0.11 never tells rank 0
/// that standard input has ended.
const PASS_INPUT: [Mpi; 4] = [Mpi::OpenMpi, Mpi::Mpich, Mpi::Mpich5, Mpi::Intel];

pub(crate) fn facts() -> Vec<Fact> {
    let input = PASS_INPUT.map(|mpi| {
        fact(
            format!("launch::standard_input_reaches_rank_0_under_{}", mpi.name()),
            &[Need::Mpi(mpi)],
            move || input_reaches_rank_0(mpi),
        )
    });
    let others = Mpi::KINDS.into_iter().flat_map(|mpi| {
        let name = |fact: &str| format!("launch::{fact}_under_{}", mpi.name());
        [
            fact(
                name("the_exit_status_is_the_programs"),
                &[Need::Mpi(mpi)],
                move || status_is_the_programs(mpi),
            ),
            fact(
                name("several_programs_are_one_world"),
                &[Need::Mpi(mpi)],
                move || several_programs(mpi),
            ),
            fact(
                name("sigterm_ends_the_job_and_keeps_the_profile"),
                &[Need::Mpi(mpi)],
                move || signal_ends_the_job(mpi, Signal::TERM),
            ),
            fact(
                name("sigint_ends_the_job_and_keeps_the_profile"),
                &[Need::Mpi(mpi)],
                move || signal_ends_the_job(mpi, Signal::INT),
            ),
        ]
    });
    let once = [
        fact(
            "launch::a_signal_to_the_process_group_reaches_the_launcher_once",
            &[],
            signals_arrive_once,
        ),
        fact(
            "launch::a_signal_that_is_ignored_from_the_start_stays_ignored",
            &[],
            ignored_signals,
        ),
        fact(
            "launch::a_launch_that_cannot_be_placed_better_is_started_as_it_is",
            &[Need::Mpi(Mpi::OpenMpi)],
            indifferent,
        ),
        fact(
            "launch::a_profile_names_the_user_unless_the_user_says_no",
            &[Need::Mpi(Mpi::OpenMpi)],
            user_name,
        ),
        fact(
            "launch::a_job_killed_after_its_walltime_leaves_a_profile",
            &[Need::Mpi(Mpi::OpenMpi)],
            walltime,
        ),
        fact(
            "launch::a_pipe_named_like_a_journal_is_not_waited_for",
            &[Need::Mpi(Mpi::OpenMpi)],
            pipe_among_journals,
        ),
    ];
    input.into_iter().chain(others).chain(once).collect()
}

/// Writes a shell script into `scratch` that poses as the launcher of Open MPI 4.
fn launcher(scratch: &Path, body: &str) -> Result<PathBuf> {
    let path = scratch.join("mpirun");
    let version = "[ \"$1\" = --version ] && { echo 'mpirun (Open MPI) 4.1.4'; exit 0; }";
    fs::write(&path, format!("#!/bin/sh\n{version}\n{body}\n"))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

/// rankfold passes a signal on to the launcher if the signal was sent to rankfold alone, and does
/// not if it was sent to the process group of both.
fn signals_arrive_once() -> Result<()> {
    const PAUSE: Duration = Duration::from_millis(500);
    let scratch = tempfile::tempdir()?;
    let counts = "n=0; trap 'n=$((n+1))' USR1; trap 'echo $n; exit 0' USR2; echo ready; while :; do sleep 0.02; done";
    let launcher = launcher(scratch.path(), counts)?;
    let mut command = rankfold::command(&["profile", "-o"]);
    command
        .arg(scratch.path().join("out.rfp"))
        .arg("--")
        .arg(launcher)
        .arg("true");
    let mut child = process::start(&mut command)?;
    let mut lines = BufReader::new(child.stdout.take().context("no standard output")?).lines();
    ensure!(lines.next().context("nothing said")?? == "ready");
    let pid = process::pid(&child);
    thread::sleep(PAUSE);
    kill_process_group(pid, Signal::USR1)?;
    thread::sleep(PAUSE);
    kill_process(pid, Signal::USR1)?;
    thread::sleep(PAUSE);
    kill_process(pid, Signal::USR2)?;
    let counted = lines.next().context("nothing counted")??;
    process::wait(&mut child)?;
    ensure!(counted == "2", "two signals were sent, {counted} arrived");
    Ok(())
}

/// `nohup` makes a command ignore SIGHUP, and a shell makes commands in its background ignore
/// SIGINT and SIGQUIT. Such a signal does not reach the job, not even a launcher that would end by
/// it.
fn ignored_signals() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let wait = "echo ready; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2; done; exit 7";
    let ends = format!("trap 'exit 3' HUP INT QUIT; {wait}");
    let body = format!("exec env --default-signal=HUP,INT,QUIT sh -c \"{ends}\"");
    let launcher = launcher(scratch.path(), &body)?;
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' HUP INT QUIT; exec \"$@\"", "sh"])
        .arg(rankfold::binary())
        .args(["profile", "-o"])
        .arg(scratch.path().join("out.rfp"))
        .arg("--")
        .arg(launcher)
        .arg("true");
    let mut child = process::start(&mut command)?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
    ensure!(line == "ready\n", "the launcher said {line:?}");
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT] {
        kill_process(process::pid(&child), signal)?;
    }
    let status = process::as_shell(process::wait(&mut child)?);
    ensure!(status == 7, "the job ended with status {status}");
    Ok(())
}

/// `rankfold run` preloads nothing into one rank, nor into the ranks of one host whose cores are
/// all alike, and prints one line, and for several ranks the two commands that show something.
fn indifferent() -> Result<()> {
    let host = fs::read_to_string("/proc/sys/kernel/hostname")?;
    let inside = Surroundings::of_process(host.trim());
    let alike = inside.levels.is_empty();
    if !alike {
        eprintln!("NOT TESTED HERE: several ranks on one host, whose cores are grouped");
    }
    for ranks in 1..=1 + u32::from(alike) {
        let words = ["-c", "echo \"preloaded: $LD_PRELOAD\""];
        let launch = Mpi::OpenMpi.launch(ranks, Path::new("sh"), &words);
        let mut command = rankfold::command(&["run", "--"]);
        let run = process::run(command.args(launch), "")?.success()?;
        ensure!(
            run.stdout == "preloaded: \n".repeat(ranks as usize),
            "{}",
            run.stdout
        );
        let lines = run.stderr.lines().filter(|line| line.contains("rankfold"));
        let expected = if ranks == 1 { 1 } else { 3 };
        ensure!(lines.count() == expected, "{}", run.stderr);
    }
    // The launcher takes the place of rankfold, so nothing waits beside it.
    let scratch = tempfile::tempdir()?;
    let launcher = launcher(scratch.path(), "echo $$")?;
    let mut command = rankfold::command(&["run", "--"]);
    let mut child = process::start(command.arg(launcher).args(["-n", "1", "true"]))?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
    ensure!(line == format!("{}\n", child.id()), "{line}");
    ensure!(process::wait(&mut child)?.success());
    Ok(())
}

fn user_name() -> Result<()> {
    let program = program::compile(Mpi::OpenMpi, "echo")?;
    let launch = Mpi::OpenMpi.launch(2, &program, &[]);
    for (left_out, expected) in [(false, "ada"), (true, "")] {
        let profiled = rankfold::profile_launch(&launch, |command| {
            command.env("LOGNAME", "ada");
            if left_out {
                command.env("RANKFOLD_NO_USER", "1");
            }
            command
        })?;
        let user = profiled.profile.user;
        ensure!(user == expected, "left out: {left_out}: {user:?}");
    }
    Ok(())
}

/// The job ignores SIGTERM, and SIGKILL follows soon after, as batch systems do it.
fn walltime() -> Result<()> {
    const RANKS: u32 = 2;
    const MOST: Duration = Duration::from_secs(20);
    let program = program::compile(Mpi::OpenMpi, "wait")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("ended.rfp");
    let deaf = format!("trap '' TERM; {} \"$@\" & wait", Mpi::OpenMpi.launcher());
    let launcher = launcher(scratch.path(), &deaf)?;
    let mut command = rankfold::command(&["profile", "-o"]);
    command.arg(&output).arg("--").arg(launcher);
    command.args(&Mpi::OpenMpi.launch(RANKS, &program, &[])[1..]);
    let mut child = process::start(&mut command)?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
    ensure!(line == "waiting\n", "the program said {line:?}");
    let pid = process::pid(&child);
    kill_process(pid, Signal::TERM)?;
    let start = Instant::now();
    while !output.exists() && start.elapsed() < MOST {
        thread::sleep(Duration::from_millis(50));
    }
    kill_process_group(pid, Signal::KILL)?;
    process::wait(&mut child)?;
    let mut expected = Matrix::default();
    expected.add(RANKS - 1, 0, 8, 1);
    Matrix::of_profile(&Profile::read(&output)?).must_equal(&expected)
}

/// A named pipe lies among the journals, as anybody may make one in a directory for everybody.
/// Opening the pipe for reading would wait for a writer.
fn pipe_among_journals() -> Result<()> {
    const RANKS: u32 = 2;
    let program = program::compile(Mpi::OpenMpi, "die")?;
    let scratch = tempfile::tempdir()?;
    let (output, script) = (
        scratch.path().join("out.rfp"),
        scratch.path().join("rank.sh"),
    );
    let text = format!(
        "#!/bin/sh\nmkfifo -m 666 \"$RANKFOLD_JOURNALS/rankfold-$RANKFOLD_RUN-trap-0.rfj\" 2> /dev/null\nexec {} sigkill 1 100 1000\n",
        program.display()
    );
    fs::write(&script, text)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, RANKS, &script, &[]);
    command.env("RANKFOLD_JOURNALS", scratch.path());
    let run = process::run(&mut command, "")?;
    let profile = Profile::read(&output).with_context(|| run.stderr.clone())?;
    Matrix::of_profile(&profile).must_equal(&Matrix::ring(RANKS, 1000, 100))
}

/// One launch starts two programs, on the command line or from a file. Ranks are numbered across
/// both, and each rank is profiled.
fn several_programs(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?.display().to_string();
    let copy = tempfile::tempdir()?;
    let other = copy.path().join("other");
    fs::copy(&program, &other)?;
    let other = other.display().to_string();
    let mut launch = mpi.launch(2, Path::new(&program), &["none"]);
    launch.extend([":", "-n", "1", &*other, "none"].map(String::from));
    rankfold::profile_launch(&launch, |command| command)?.must_equal_what_it_says()?;

    let file = copy.path().join("programs");
    fs::write(&file, format!("-n 2 {program} none\n-n 1 {other} none\n"))?;
    let option = if mpi.is_open_mpi() {
        "--app"
    } else {
        "-configfile"
    };
    let mut launch = mpi.launch(1, Path::new(option), &[&*file.to_string_lossy()]);
    let number = launch
        .iter()
        .position(|word| word == "-n")
        .context("no number of ranks")?;
    launch.drain(number..number + 2);
    rankfold::profile_launch(&launch, |command| command)?.must_equal_what_it_says()
}

fn input_reaches_rank_0(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "echo")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("echo.rfp");
    let mut command = rankfold::profile_command(mpi, &output, 2, &program, &[]);
    let text = "first line\nsecond line\n";
    let finished = process::run(&mut command, text)?.success()?;
    ensure!(
        finished.stdout == text,
        "standard output was {:?}",
        finished.stdout
    );
    Ok(())
}

fn status_is_the_programs(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "echo")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("echo.rfp");
    let plain = mpi.run(2, &program, &["7"])?;
    let profiled = process::run(
        &mut rankfold::profile_command(mpi, &output, 2, &program, &["7"]),
        "",
    )?;
    ensure!(plain.status == 7, "without rankfold: {plain:?}");
    ensure!(profiled.status == 7, "with rankfold: {profiled:?}");
    Profile::read(&output).context("a program that finalized and returned 7 has a profile")?;
    Ok(())
}

/// The command with the default action for all signals: the tests may run in the background of a
/// shell, which makes them ignore some.
fn hearing_signals(command: &Command) -> Command {
    let mut hearing = Command::new("env");
    hearing
        .arg("--default-signal")
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => hearing.env(name, value),
            None => hearing.env_remove(name),
        };
    }
    hearing
}

/// Sends the signal to rankfold alone, as a batch system does that knows only its own child.
fn signal_ends_the_job(mpi: Mpi, signal: Signal) -> Result<()> {
    const RANKS: u32 = 3;
    let program = program::compile(mpi, "wait")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("interrupted.rfp");
    let profile = rankfold::profile_command(mpi, &output, RANKS, &program, &[]);
    let mut command = hearing_signals(&profile);
    let mut child = process::start(&mut command)?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
    ensure!(line == "waiting\n", "the program said {line:?}");
    kill_process(process::pid(&child), signal)?;
    let status = process::as_shell(process::wait(&mut child)?);
    // After SIGTERM Hydra ends with status 15 or 0, whichever of its processes is faster.
    if mpi.is_open_mpi() {
        ensure!(status != 0, "an interrupted job counts as a success");
    }

    let mut expected = Matrix::default();
    expected.add(RANKS - 1, 0, 8, 1);
    Matrix::of_profile(&Profile::read(&output)?).must_equal(&expected)
}
