//! Runs that do not reach their end, and runs of which only a part is counted.

use super::*;
use rankfold_wire::{Outcome, Profile};
use rustix::process::{Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

pub(super) fn crashed() -> Result<()> {
    let job = Job {
        program: program::compile(Mpi::OpenMpi, "die")?,
        arguments: vec!["exit".into()],
        ..Job::new()?
    };
    let first = job.run(&[])?;
    ensure!(first.status != 0, "{first:?}");
    must_say(&first, &["nothing is mapped"])?;
    ensure!(job.entry().is_err(), "a crash is remembered");
    // A mapped program fails later: the time of that run is not recorded.
    let job = Job {
        program: program::compile(Mpi::OpenMpi, "stencil2d")?,
        arguments: ["2", "4", "100000", "3"].map(str::to_owned).into(),
        ..job
    };
    job.run(&[])?.success()?;
    let flag = job.path("fail");
    let inner = job.program.display();
    let script = format!("{inner} \"$@\" || exit\n[ ! -e {flag} ] || exit 7\n");
    let job = mapped_as_script(job, &script)?;
    fs::write(&flag, "")?;
    let failed = job.run(&[])?;
    ensure!(failed.status == 7, "the program's own status: {failed:?}");
    must_say(
        &failed,
        &["the program failed (status 7): what it took does not count"],
    )
}

/// Replaces the program of the job by a shell script. A first run leaves a map for the script.
pub(super) fn mapped_as_script(job: Job, script: &str) -> Result<Job> {
    let job = as_script(job, script)?;
    job.run(&[])?.success()?;
    Ok(job)
}

/// Replaces the program of the job by a shell script.
pub(super) fn as_script(job: Job, script: &str) -> Result<Job> {
    let wrapper = job.path("wrapper");
    fs::write(&wrapper, format!("#!/bin/sh\n{script}"))?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
    Ok(Job {
        program: wrapper.into(),
        ..job
    })
}

/// A mapped program crashes when the launcher cannot start anything on its hosts any more.
pub(super) fn out_of_reach() -> Result<()> {
    let job = Job::new()?;
    let directory = job.cluster.path("here");
    fs::create_dir(&directory)?;
    let (flag, hosts) = (job.path("crash"), job.path("allocation"));
    let (whole, part) = (
        job.program.display(),
        program::compile(Mpi::OpenMpi, "die")?,
    );
    let script = format!(
        "[ -e {flag} ] || exec {whole} \"$@\"\nrm -f {hosts}\nexec {} exit\n",
        part.display()
    );
    let job = mapped_as_script(job, &script)?;
    fs::write(&flag, "")?;
    let crashed = process::run(job.command(&[]).current_dir(&directory), "")?;
    must_say(
        &crashed,
        &["what the run has left on its hosts is still there"],
    )?;
    let text = crashed.stderr.split_once("rankfold clean ");
    let run = text.and_then(|(_, rest)| rest.split(' ').next());
    let run = run.context("no line that removes it")?;
    job.allocate(0, 8)?;
    let binary = rankfold::binary().display().to_string();
    let mut clean = job.cluster.command(&[&binary, "clean", run]);
    let cleaned = process::run(clean.current_dir(&directory), "")?.success()?;
    let allocated = fs::read_to_string(job.path("allocation"))?;
    for host in allocated.lines().filter_map(|line| line.split(' ').next()) {
        ensure!(cleaned.stdout.contains(host), "no {host}: {cleaned:?}");
    }
    let left: Vec<_> = fs::read_dir(&directory)?.flatten().collect();
    ensure!(left.is_empty(), "left: {left:?}");
    Ok(())
}

pub(super) fn first_part() -> Result<()> {
    let job = Job {
        program: program::compile(Mpi::OpenMpi, "wait")?,
        arguments: Vec::new(),
        ..Job::new()?
    };
    let mut child = process::start(&mut job.command(&["--after", "0.2s"]))?;
    let begun = Instant::now();
    while job.entry().is_err() && begun.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(100));
    }
    let remembered = job.entry();
    let running = child.try_wait()?.is_none();
    kill_process(Cluster::inside(&child)?, Signal::TERM)?;
    process::wait(&mut child)?;
    let (path, entry) = remembered?;
    ensure!(
        running,
        "the program was still waiting when its map was made"
    );
    ensure!(entry["ranks"] == 8, "{entry}");
    let profile = Profile::read(&path.with_file_name("profile.rfp"))?;
    ensure!(profile.rows[7].peers.len() == 1, "{:?}", profile.rows);
    Ok(())
}

/// rankfold is killed and cannot remove anything. The files that are left are found by the name of
/// the run, and removed.
pub(super) fn killed() -> Result<()> {
    let job = Job {
        program: program::compile(Mpi::OpenMpi, "wait")?,
        arguments: Vec::new(),
        ..Job::new()?
    };
    let directory = job.cluster.path("here");
    fs::create_dir(&directory)?;
    let mut child = process::start(job.command(&[]).current_dir(&directory))?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
    ensure!(line == "waiting\n", "the program said {line:?}");
    kill_process(Cluster::inside(&child)?, Signal::KILL)?;
    process::wait(&mut child)?;
    let here = |words: &[&str]| {
        let binary = rankfold::binary().display().to_string();
        let mut command = job.cluster.command(&[&[&*binary], words].concat());
        process::run(command.current_dir(&directory), "")?.success()
    };
    let begun = Instant::now();
    let listed = loop {
        let listed = here(&["recover"])?.stdout;
        if listed.contains(" ended, ") || begun.elapsed() > Duration::from_secs(30) {
            break listed;
        }
        thread::sleep(Duration::from_millis(200));
    };
    ensure!(
        listed.contains("ended") && listed.contains("mpirun"),
        "listed: {listed:?}"
    );
    let run = listed.split(' ').next().unwrap_or_default();
    here(&["recover", run, "-o", "wait.rfp"])?;
    let profile = Profile::read(&directory.join("wait.rfp"))?;
    let whole = Outcome::Recovered { missing: vec![] };
    ensure!(
        profile.manifest.outcome == whole,
        "{:?}",
        profile.manifest.outcome
    );
    here(&["clean", run])?;
    fs::remove_file(directory.join("wait.rfp"))?;
    let left: Vec<_> = fs::read_dir(&directory)?.flatten().collect();
    ensure!(left.is_empty(), "left: {left:?}");
    Ok(())
}

/// Ctrl-C arrives while the mapper searches. The profile is kept, and the next run makes the map
/// from it.
pub(super) fn interrupted() -> Result<()> {
    let job = Job::new()?;
    let options = ["--effort", "best", "--time", "6"];
    let directory = job.cluster.path("here");
    fs::create_dir(&directory)?;
    let mut child = process::start(job.command(&options).current_dir(&directory))?;
    let begun = Instant::now();
    let unsolved = || {
        job.entry()
            .is_ok_and(|(_, entry)| entry["unsolved"] == true)
    };
    let rankfold = loop {
        ensure!(begun.elapsed() < Duration::from_secs(60), "nothing is kept");
        if unsolved() && job_has_ended(&child)? {
            break Cluster::inside(&child)?;
        }
        thread::sleep(Duration::from_millis(20));
    };
    kill_process(rankfold, Signal::INT)?;
    let status = process::as_shell(process::wait(&mut child)?);
    let mut text = String::new();
    let mut stderr = child.stderr.take().context("no standard error")?;
    stderr.read_to_string(&mut text)?;
    ensure!(
        status == 130 && text.contains("the profile is kept"),
        "status {status}: {text}"
    );
    ensure!(unsolved(), "the map was made all the same");
    let left: Vec<_> = fs::read_dir(&directory)?.flatten().collect();
    ensure!(left.is_empty(), "left: {left:?}");
    let listed = job.cluster.rankfold(&["cache", "list"])?.success()?.words();
    ensure!(listed.contains("its map is still to be made"), "{listed}");
    let second = job.run(&options)?.success()?;
    must_say(
        &second,
        &[
            "it is made now",
            "placement verified 8/8",
            "x in communication",
        ],
    )?;
    let (_, entry) = job.entry()?;
    ensure!(entry["unsolved"] == false, "{entry}");
    Ok(())
}

/// Whether the launcher below the `rankfold` that runs in the cluster has ended.
fn job_has_ended(waiting: &Child) -> Result<bool> {
    let pid = Cluster::inside(waiting)?.as_raw_nonzero();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    let names = children
        .split_whitespace()
        .map(|pid| fs::read_to_string(format!("/proc/{pid}/comm")));
    Ok(!names
        .flatten()
        .any(|name| name.starts_with("orterun") || name.starts_with("mpirun")))
}

/// The time of a part of a run must not be compared with the time of a whole run: the map would
/// seem to lose.
pub(super) fn part_is_no_measure() -> Result<()> {
    let job = Job {
        arguments: ["2", "4", "1000", "1500"].map(str::to_owned).into(),
        ..Job::new()?
    };
    job.run(&["--after", "0.2s"])?.success()?;
    let (_, entry) = job.entry()?;
    let measured = entry["measured"].as_array().context("no list")?;
    ensure!(measured.is_empty(), "{entry}");
    ensure!(entry["predicted"]["part"] == true, "{entry}");
    let second = job.run(&[])?.success()?;
    must_say(&second, &["placement verified 8/8", "was not measured"])
}

pub(super) fn counting_ends() -> Result<()> {
    const EXCHANGES: u64 = 30_000;
    let program = program::compile(Mpi::OpenMpi, "stencil2d")?;
    let number = EXCHANGES.to_string();
    let launch = Mpi::OpenMpi.launch(4, &program, &["2", "2", "8", &number, "1", "0"]);
    let profiled =
        rankfold::profile_launch(&launch, |command| command.env("RANKFOLD_UNTIL", "0.05"))?;
    let sent: u64 = profiled
        .profile
        .rows
        .iter()
        .flat_map(|row| &row.peers)
        .map(|peer| peer.messages)
        .sum();
    let all = 4 * 4 * EXCHANGES;
    ensure!(
        sent > 0 && sent < all,
        "{sent} of {all} messages were counted"
    );
    Ok(())
}
