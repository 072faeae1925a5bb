//! `mpirun -n P rankfold-map map --mpi` finds the same placement with every number of processes P.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{mapper, rankfold};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Ranks of a graph that is no grid.
const RANKS: usize = 24;

/// A check under one MPI library.
type Check = fn(Mpi) -> Result<()>;

pub(crate) fn facts() -> Vec<Fact> {
    let mut facts = vec![fact(
        "a_program_without_mpi_says_how_to_get_one_with_it",
        &[],
        without_mpi,
    )];
    for mpi in Mpi::DEBIAN {
        let checks: [(&str, Check); 3] = [
            ("any_number_of_processes_writes_the_same_map", same_bytes),
            ("processes_that_do_not_fit_are_refused", refused),
            ("a_process_that_dies_ends_the_others", death),
        ];
        facts.extend(checks.map(|(name, check)| {
            let needs = [Need::Mpi(mpi), Need::Tool("clang")];
            fact(format!("{name}_under_{}", mpi.name()), &needs, move || {
                check(mpi)
            })
        }));
    }
    let [one, other] = Mpi::DEBIAN;
    let needs = [Need::Mpi(one), Need::Mpi(other), Need::Tool("clang")];
    facts.push(fact(
        "a_launcher_of_another_mpi_is_refused",
        &needs,
        move || {
            other_launcher(one, other)?;
            other_launcher(other, one)
        },
    ));
    facts
}

/// Makes a scratch directory that holds the graph and the machine file.
fn scratch() -> Result<tempfile::TempDir> {
    let scratch = tempfile::tempdir()?;
    let entries = (0..RANKS).flat_map(|from| {
        [1, 5, 7].map(|step| {
            let to = (from * step + step) % RANKS;
            (from, to, 1 + from * to % 13)
        })
    });
    let entries: Vec<String> = entries
        .filter(|(from, to, _)| from != to)
        .map(|(from, to, bytes)| format!("{} {} {bytes}\n", from + 1, to + 1))
        .collect();
    let head = "%%MatrixMarket matrix coordinate integer general";
    let count = entries.len();
    let text = format!("{head}\n{RANKS} {RANKS} {count}\n{}", entries.concat());
    fs::write(scratch.path().join("graph.mtx"), text)?;
    fs::write(
        scratch.path().join("machine.toml"),
        "network = \"torus:4x3x2\"\n",
    )?;
    Ok(scratch)
}

/// The words of a call of `map` in a scratch directory.
fn words(scratch: &Path, more: &[&str]) -> Vec<String> {
    let path = |name: &str| scratch.join(name).display().to_string();
    let mut words = vec![
        "map".into(),
        path("graph.mtx"),
        "--machine".into(),
        path("machine.toml"),
    ];
    words.extend(["--threads", "1", "-o"].map(str::to_owned));
    words.push(path("map"));
    words.extend(more.iter().map(|&word| word.to_owned()));
    words
}

fn start(mpi: Mpi, processes: u32, program: &Path, words: &[String]) -> Result<Finished> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    mpi.run(processes, program, &words)
}

fn same_bytes(mpi: Mpi) -> Result<()> {
    let program = mapper::with_mpi(mpi)?;
    for more in [
        &["--effort", "fast"][..],
        &["--heuristic", "ptram", "--no-refine"],
    ] {
        let scratch = scratch()?;
        let (map, json) = (scratch.path().join("map"), scratch.path().join("json"));
        let json_flags = ["--json", &json.display().to_string()].map(str::to_owned);
        let alone = [words(scratch.path(), more), json_flags.to_vec()].concat();
        let mut serial = Command::new(rankfold::binary());
        process::run(serial.args(&alone), "")?.success()?;
        let expected = (fs::read(&map)?, figures(&json)?);
        for processes in [1, 2, 3, 7] {
            fs::remove_file(&map)?;
            let mut words = alone.clone();
            words.push("--mpi".into());
            start(mpi, processes, &program, &words)?.success()?;
            let found = (fs::read(&map)?, figures(&json)?);
            ensure!(
                found == expected,
                "{processes} processes, {more:?}: {found:?}, not {expected:?}"
            );
            let report: serde_json::Value = serde_json::from_slice(&fs::read(&json)?)?;
            let report = report["processes"].as_array().context("no key processes")?;
            ensure!(report.len() == processes as usize, "{report:?}");
        }
    }
    Ok(())
}

/// The figures that depend neither on time nor on which process did the work.
fn figures(json: &Path) -> Result<Vec<String>> {
    let figures: serde_json::Value = serde_json::from_slice(&fs::read(json)?)?;
    let keys = [
        "heuristic",
        "hop_bytes",
        "max_congestion",
        "max_congestion_amp",
        "predicted_time",
    ];
    Ok(keys.map(|key| format!("{key} {}", figures[key])).to_vec())
}

fn refused(mpi: Mpi) -> Result<()> {
    let program = mapper::with_mpi(mpi)?;
    let too_many = RANKS as u32 + 1;
    for (processes, more, named) in [
        (too_many, &["--mpi"][..], "at most one process per rank"),
        (2, &["--mpi", "--time", "1"], "--time"),
        (2, &["--mpi", "--heuristic", "nobody"], "nobody"),
        (2, &["--mpi", "--cores", "0"], "--cores"),
    ] {
        let scratch = scratch()?;
        let end = start(mpi, processes, &program, &words(scratch.path(), more))?;
        ensure!(end.status == 2, "{more:?}: {end:?}");
        ensure!(end.stderr.contains(named), "{more:?}: {end:?}");
        ensure!(
            !scratch.path().join("map").exists(),
            "{more:?}: a map was written"
        );
    }
    let scratch = scratch()?;
    let mut command = Command::new(mpi.launcher());
    if mpi.is_open_mpi() {
        command.arg("--oversubscribe");
    }
    for (number, seed) in ["1", "2"].into_iter().enumerate() {
        if number > 0 {
            command.arg(":");
        }
        command.args(["-n", "1"]).arg(&program);
        command.args(words(scratch.path(), &["--mpi", "--seed", seed]));
    }
    mpi::environment(&mut command);
    let end = mpi::until_the_launcher_survives(|| process::run(&mut command, ""))?;
    ensure!(
        end.status == 2 && end.stderr.contains("other arguments"),
        "{end:?}"
    );
    ensure!(!scratch.path().join("map").exists(), "a map was written");
    Ok(())
}

fn other_launcher(mpi: Mpi, other: Mpi) -> Result<()> {
    let program = mapper::with_mpi(mpi)?;
    let scratch = scratch()?;
    // Each is a job of its own: two of Open MPI would make one directory for jobs at a time.
    let alone = r#"TMPDIR=$(mktemp -d -p "$0") exec "$@""#;
    let shell = [
        "-c".into(),
        alone.into(),
        scratch.path().display().to_string(),
    ];
    let command = [program.display().to_string()];
    let command = [&shell[..], &command, &words(scratch.path(), &["--mpi"])].concat();
    let end = start(other, 2, Path::new("/bin/sh"), &command)?;
    ensure!(end.status == 2, "{end:?}");
    ensure!(
        end.stderr.contains("each alone in its MPI_COMM_WORLD"),
        "{end:?}"
    );
    ensure!(!scratch.path().join("map").exists(), "a map was written");
    Ok(())
}

/// Kills the second process in the middle of a long search.
fn death(mpi: Mpi) -> Result<()> {
    let program = mapper::with_mpi(mpi)?;
    let scratch = scratch()?;
    let more = ["--mpi", "--effort", "best"];
    let words = words(scratch.path(), &more);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = mpi.launch(3, &program, &words);
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    let mut launcher = mpi::environment(&mut command).spawn()?;
    let victim = second_process(&program, Duration::from_secs(60))?;
    rustix::process::kill_process(victim, rustix::process::Signal::KILL)?;
    let status = ended(&mut launcher, &program, Duration::from_secs(120))?;
    ensure!(
        status.is_none_or(|status| !status.success()),
        "the launcher ended well"
    );
    ensure!(!scratch.path().join("map").exists(), "a map was written");
    Ok(())
}

/// The process of `program` whose environment says that it is rank 1. Waits until this process
/// searches, because its death while MPI starts would end no search.
fn second_process(program: &Path, patience: Duration) -> Result<rustix::process::Pid> {
    let begun = Instant::now();
    let is_second = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|it| it == b"OMPI_COMM_WORLD_RANK=1" || it == b"PMI_RANK=1")
    };
    while begun.elapsed() < patience {
        let mut found = running(program)?.into_iter().filter(is_second);
        let found = found.find(|&pid| processor_ticks(pid) >= SEARCHING);
        if let Some(pid) = found.and_then(rustix::process::Pid::from_raw) {
            return Ok(pid);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    anyhow::bail!(
        "no second process of {} searches within {patience:?}",
        program.display()
    )
}

/// The processor time, in hundredths of a second, after which a process searches. `MPI_Init` takes
/// less.
const SEARCHING: u64 = 50;

/// The status of the launcher once it ends. `None` if all processes of `program` have ended, and
/// the launcher has not ended 20 seconds later: mpirun of Open MPI 4.1 sometimes waits for a lock
/// of its own for ever when it ends after the death of a process.
fn ended(launcher: &mut Child, program: &Path, patience: Duration) -> Result<Option<ExitStatus>> {
    const ALONE: Duration = Duration::from_secs(20);
    let begun = Instant::now();
    let mut alone_since = None;
    while begun.elapsed() < patience {
        if let Some(status) = launcher.try_wait()? {
            return Ok(Some(status));
        }
        if !running(program)?.is_empty() {
            alone_since = None;
        } else if alone_since.get_or_insert_with(Instant::now).elapsed() >= ALONE {
            process::end(launcher)?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    process::end(launcher)?;
    anyhow::bail!("the other processes still run after {patience:?}")
}

/// The processes that run `program`.
fn running(program: &Path) -> Result<Vec<i32>> {
    let names =
        fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let runs =
        |pid: &i32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program);
    Ok(names
        .filter_map(|name| name.parse().ok())
        .filter(runs)
        .collect())
}

/// The processor time that a process has used, in the kernel's ticks of a hundredth of a second.
fn processor_ticks(pid: i32) -> u64 {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Behind the name in brackets: the state is the first word, user and system time are the 12th
    // and 13th.
    let words = line.rsplit(')').next().unwrap_or("").split_whitespace();
    let times = words.skip(11).take(2);
    times.filter_map(|time| time.parse::<u64>().ok()).sum()
}

fn without_mpi() -> Result<()> {
    let scratch = scratch()?;
    let mut command = Command::new(rankfold::binary());
    let end = process::run(command.args(words(scratch.path(), &["--mpi"])), "")?;
    ensure!(end.status == 2, "{end:?}");
    ensure!(end.stderr.contains("--features mpi"), "{end:?}");
    ensure!(!scratch.path().join("map").exists(), "a map was written");
    Ok(())
}
