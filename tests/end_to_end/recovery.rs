//! Files that runs leave on hosts without a shared directory are found, collected and removed.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::program;
use rankfold_wire::{Outcome, Profile};
use rustix::process::{Signal, kill_process_group};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Host names suffice, since nothing is measured.
const HOSTS: &str = "fake:3";
const RANKS: u32 = 6;

pub(crate) fn facts() -> Vec<Fact> {
    let needs = [Need::Cluster(HOSTS), Need::Root, Need::Mpi(Mpi::OpenMpi)];
    let mut facts = vec![
        fact(
            "recovery::a_crash_over_several_hosts_keeps_everything_sent",
            &needs,
            crash,
        ),
        fact(
            "recovery::a_killed_launch_is_recovered_and_cleaned_by_name",
            &needs,
            killed,
        ),
    ];
    facts.extend([Mpi::OpenMpi, Mpi::Mpich].map(|mpi| {
        fact(
            format!(
                "recovery::a_profile_comes_back_without_a_shared_directory_under_{}",
                mpi.name()
            ),
            &[Need::Cluster(HOSTS), Need::Root, Need::Mpi(mpi)],
            move || finished(mpi),
        )
    }));
    facts
}

/// Three hosts, each with a `/dev/shm` and a directory `private` that the other hosts do not see.
struct Hosts {
    cluster: Cluster,
    mpi: Mpi,
}

impl Hosts {
    fn up(mpi: Mpi) -> Result<Self> {
        let cluster = Cluster::up_private(HOSTS)?;
        Ok(Self { cluster, mpi })
    }

    fn output(&self) -> PathBuf {
        self.cluster.path("private/out.rfp")
    }

    /// A launch with one rank on each host.
    fn launch(&self, program: &Path, args: &[&str]) -> Vec<String> {
        let hosts = self.cluster.hosts_file().display().to_string();
        let words = if self.mpi.is_open_mpi() {
            vec!["--oversubscribe", "--hostfile", &hosts, "--map-by", "node"]
        } else {
            vec!["-f", &hosts, "-ppn", "2"]
        };
        let mut launch = vec![self.mpi.launcher()];
        launch.extend(words.into_iter().map(str::to_owned));
        launch.extend([
            "-n".to_owned(),
            RANKS.to_string(),
            program.display().to_string(),
        ]);
        launch.extend(args.iter().map(ToString::to_string));
        launch
    }

    fn profile_words(&self, launch: &[String]) -> Vec<String> {
        let output = self.output().display().to_string();
        let head = ["profile", "-o", &*output, "--"].map(str::to_owned);
        [&head[..], launch].concat()
    }

    fn rankfold(&self, words: &[String]) -> Result<Finished> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.cluster.rankfold(&words)
    }

    /// Fails if a file of rankfold is left in the `/dev/shm` of any host.
    fn must_be_clean(&self) -> Result<()> {
        let list = "ls /dev/shm | grep rankfold- || true";
        for host in self.cluster.hosts()? {
            let agent = self.cluster.path("agent").display().to_string();
            let run =
                process::run(&mut self.cluster.command(&[&agent, &host, list]), "")?.success()?;
            ensure!(run.stdout.is_empty(), "left on {host}: {}", run.stdout);
        }
        Ok(())
    }
}

/// The host of rank 0 does not see the directory in which the profile is to be written.
fn finished(mpi: Mpi) -> Result<()> {
    let hosts = Hosts::up(mpi)?;
    let program = program::compile(mpi, "survive")?;
    let launch = hosts.launch(&program, &["none"]);
    let run = hosts.rankfold(&hosts.profile_words(&launch))?.success()?;
    ensure!(
        run.stderr.contains("the profile is /dev/shm/"),
        "the directory is shared after all: {}",
        run.stderr
    );
    let profile = Profile::read(&hosts.output()).with_context(|| run.stderr.clone())?;
    ensure!(profile.manifest.outcome == Outcome::Finalized);
    let named: Vec<&str> = profile.manifest.hosts.iter().map(String::as_str).collect();
    ensure!(
        named.contains(&"n000") && named.contains(&"n002"),
        "{named:?}"
    );
    Matrix::of_profile(&profile).must_equal(&Matrix::of_program(&run.stdout)?)?;
    hosts.must_be_clean()
}

/// One rank is killed. The journals of all ranks lie in the `/dev/shm` of three hosts.
fn crash() -> Result<()> {
    let hosts = Hosts::up(Mpi::OpenMpi)?;
    let program = program::compile(Mpi::OpenMpi, "die")?;
    let launch = hosts.launch(&program, &["sigkill", "1", "100", "1000"]);
    let run = hosts.rankfold(&hosts.profile_words(&launch))?;
    ensure!(run.status != 0, "a crash counts as a success");
    let profile = Profile::read(&hosts.output()).with_context(|| run.stderr.clone())?;
    let outcome = &profile.manifest.outcome;
    ensure!(
        *outcome == Outcome::Recovered { missing: vec![] },
        "{outcome:?}\n{}",
        run.stderr
    );
    Matrix::of_profile(&profile).must_equal(&Matrix::ring(RANKS, 1000, 100))?;
    hosts.must_be_clean()
}

/// rankfold and the launcher are killed together, as a batch system does at its time limit.
fn killed() -> Result<()> {
    let hosts = Hosts::up(Mpi::OpenMpi)?;
    let program = program::compile(Mpi::OpenMpi, "wait")?;
    let launch = hosts.launch(&program, &[]);
    let binary = rankfold_tests::rankfold::binary().display().to_string();
    let words = hosts.profile_words(&launch);
    let words: Vec<&str> = std::iter::once(&*binary)
        .chain(words.iter().map(String::as_str))
        .collect();
    let directory = hosts.cluster.path("private");
    let mut child = process::start(hosts.cluster.command(&words).current_dir(&directory))?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut line)?;
    ensure!(line == "waiting\n", "the program said {line:?}");
    kill_process_group(process::pid(&child), Signal::KILL)?;
    process::wait(&mut child)?;
    // The launcher's daemons on the hosts notice that the launcher has ended, and end the ranks.
    thread::sleep(Duration::from_secs(2));

    let here = |words: &[&str]| {
        let mut command = hosts.cluster.command(&[&[&*binary], words].concat());
        process::run(command.current_dir(&directory), "")
    };
    let listed = here(&["recover"])?.success()?.stdout;
    let run = listed.split(' ').next().unwrap_or_default().to_owned();
    ensure!(
        listed.contains("ended") && listed.contains("mpirun"),
        "listed: {listed:?}"
    );
    let recovered = here(&["recover", &run])?.success()?;
    let mut expected = Matrix::default();
    expected.add(RANKS - 1, 0, 8, 1);
    let profile = Profile::read(&hosts.output()).with_context(|| recovered.stderr.clone())?;
    ensure!(
        profile.manifest.outcome == Outcome::Recovered { missing: vec![] },
        "{}",
        recovered.stderr
    );
    Matrix::of_profile(&profile).must_equal(&expected)?;

    here(&["clean", &run])?.success()?;
    hosts.must_be_clean()?;
    let left = here(&["recover"])?.success()?;
    ensure!(left.stdout.is_empty(), "left: {}", left.stdout);
    let unknown = here(&["recover", &run, "-o", "again.rfp"])?;
    ensure!(
        unknown.status == 2 && unknown.stderr.contains(&run),
        "{}",
        unknown.stderr
    );
    Ok(())
}
