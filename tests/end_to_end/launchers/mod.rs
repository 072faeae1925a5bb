//! Placements under every launcher and MPI library, in several layouts: a placement takes effect
//! and the MPI library sees the right ranks on each host, or rankfold says why not.

mod cores;
mod help;
mod job;
mod options;
mod seats;

use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use job::{Job, Starter};
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use std::fs;

const HOSTS: &str = "slurm+fake:4";
/// Seconds that the mapper may take inside `MPI_Init`: other tests use the machine as well.
const PATIENT: (&str, &str) = ("RANKFOLD_BUDGET", "20");
/// Layouts of eight ranks, two on each of four hosts, as the index of each rank's host.
const LAYOUTS: [(&str, [usize; 8]); 3] = [
    ("block", [0, 0, 1, 1, 2, 2, 3, 3]),
    ("cyclic", [0, 1, 2, 3, 0, 1, 2, 3]),
    ("random", [3, 1, 0, 2, 3, 0, 1, 2]),
];

/// The layout under which `rankfold doctor` examines the MPI library's own launcher: the least
/// regular one, under which launchers and MPI libraries go wrong if they ever do. `srun` is
/// examined under the mapper's own placement. So every MPI library gets both placements, and
/// `doctor`, which costs as much as six launches, runs once in each test.
const DOCTORED: &str = "random";

/// How ranks are placed if a host has as many ranks as the map wants.
const WAY: &str = "by renumbering in MPI_Init";

pub(crate) fn facts() -> Vec<Fact> {
    let mut facts = under_all("every_layout_takes_effect", HOSTS, |starter, mpi| {
        takes_effect(&Job::new(starter, mpi)?)
    });
    facts.extend(under_all(
        "odd_characters_come_through",
        HOSTS,
        |starter, mpi| odd_characters(&Job::new(starter, mpi)?),
    ));
    facts.extend(cores::facts());
    facts.extend(seats::facts());
    facts.extend(options::facts());
    facts.extend([
        fact(
            "launchers::every_launch_of_a_job_script_is_profiled",
            &[Need::Mpi(Mpi::OpenMpi), Need::Mpi(Mpi::Mpich)],
            job_script,
        ),
        fact(
            "launchers::a_launcher_of_another_mpi_is_told",
            &[Need::Mpi(Mpi::OpenMpi), Need::Mpi(Mpi::Mpich)],
            other_mpi,
        ),
        fact(
            "launchers::a_map_serves_other_hosts_of_the_same_shape",
            &[Need::Mpi(Mpi::Mpich), Need::Cluster(HOSTS)],
            other_hosts,
        ),
        fact(
            "launchers::a_map_serves_hosts_that_turn_out_to_be_others",
            &[Need::Mpi(Mpi::Mpich), Need::Cluster(HOSTS)],
            other_shape,
        ),
    ]);
    facts
}

/// One test `launchers::WHAT_under_STARTER_MPI` for every starter and every kind of MPI library, on
/// a cluster `hosts`.
fn under_all(what: &str, hosts: &'static str, check: fn(Starter, Mpi) -> Result<()>) -> Vec<Fact> {
    let cases = Starter::ALL
        .into_iter()
        .flat_map(|starter| Mpi::KINDS.map(|mpi| (starter, mpi)));
    let one = |(starter, mpi): (Starter, Mpi)| {
        let name = format!("launchers::{what}_under_{}_{}", starter.name(), mpi.name());
        let needs = [Need::Mpi(mpi), Need::Cluster(hosts)];
        fact(name, &needs, move || check(starter, mpi))
    };
    cases.map(one).collect()
}

fn takes_effect(job: &Job) -> Result<()> {
    for (layout, hosts) in LAYOUTS {
        let map = job.map(layout, &hosts)?;
        let dry = job
            .rankfold(&["run", "--map", &map, "--dry-run"])?
            .success()?;
        ensure!(dry.stderr.contains(WAY), "{layout}: {}", dry.stderr);
        let run = job.rankfold(&["run", "--map", &map])?.success()?;
        verified(&run, layout)?;
        let seats = "cores as launched 8/8";
        // Outside of a job Slurm has no hosts yet that could be asked.
        let is_asked = job.starter == Starter::Own;
        // Open MPI 5 does not end every launch in time that is asked on several hosts.
        let may_be_silent = job.mpi == Mpi::OpenMpi5;
        ensure!(
            run.stderr.contains(seats) == is_asked || may_be_silent,
            "{layout}: {}",
            run.stderr
        );
        if layout == DOCTORED && job.starter == Starter::Own {
            healthy(job, &map, WAY)?;
        }
        // The user may ask for the other way of placing ranks.
        let native = job.rankfold(&["run", "--map", &map, "--how", "native"])?;
        let phrases = ["verified 8/8", "not as planned", "cores that the launch"];
        let is_told = phrases
            .iter()
            .any(|phrases| native.stderr.contains(phrases));
        ensure!(is_told, "{layout}: {}", native.stderr);
    }
    let map = job.own_map()?;
    verified(&job.rankfold(&["run", "--map", &map])?.success()?, "own")?;
    match job.starter {
        Starter::Own => Ok(()),
        Starter::Srun => healthy(job, &map, WAY),
    }
}

/// `rankfold doctor` places the ranks as `rankfold run` does, and finds nothing wrong.
fn healthy(job: &Job, map: &str, way: &str) -> Result<()> {
    let patient = format!("LD_PRELOAD={}", program::patient()?.display());
    let around = ["env", &*patient];
    let found = job.rankfold_in(&around, &["doctor", "--time", "60", "--map", map], "")?;
    for phrase in [
        way,
        "placement verified 8/8",
        "every one of 8 roots",
        "healthy",
    ] {
        ensure!(
            found.words().contains(phrase),
            "{map}: no {phrase:?}: {found:?}"
        );
    }
    ensure!(found.status == 0, "{map}: {found:?}");
    Ok(())
}

fn verified(run: &Finished, layout: &str) -> Result<()> {
    ensure!(
        run.stderr.contains("placement verified 8/8"),
        "{layout}: {}",
        run.stderr
    );
    ensure!(
        run.stdout.contains("stencil2d ranks=8"),
        "{layout}: {}",
        run.stdout
    );
    Ok(())
}

/// The profile goes to a directory whose name contains commas, quotes and spaces, which separate
/// values in lists of variables.
fn odd_characters(job: &Job) -> Result<()> {
    let directory = job.cluster.path("a, 'b\" c;d");
    fs::create_dir(&directory)?;
    let output = directory.join("run.rfp");
    let run = job
        .rankfold(&["profile", "-o", &output.to_string_lossy()])?
        .success()?;
    ensure!(output.exists(), "{}", run.stderr);
    ensure!(run.stderr.contains("8 ranks on 4 hosts"), "{}", run.stderr);
    Ok(())
}

fn job_script() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let of = |mpi| -> Result<String> {
        let program = program::compile(mpi, "stencil2d")?;
        Ok(format!("{} 2 1 100 2", program.display()))
    };
    let script = format!(
        "export PATH=/usr/bin:$PATH\nmpirun.openmpi --oversubscribe -x A=1 -n 2 {}\nfor i in 1 2; do mpirun.mpich -n 2 {}; done\nexit 7\n",
        of(Mpi::OpenMpi)?,
        of(Mpi::Mpich)?
    );
    fs::write(scratch.path().join("job.sh"), script)?;
    let mut command =
        rankfold::command(&["profile", "-o", "job.rfp", "--", "nice", "bash", "job.sh"]);
    let run = process::run(command.current_dir(scratch.path()), "")?;
    ensure!(run.status == 7, "status {}: {}", run.status, run.stderr);
    for name in ["job.rfp", "job-2.rfp", "job-3.rfp"] {
        ensure!(
            scratch.path().join(name).exists(),
            "no {name}: {}",
            run.stderr
        );
    }
    Ok(())
}

fn other_mpi() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let program = program::compile(Mpi::Mpich, "stencil2d")?;
    let args = ["1", "1", "100", "1"];
    let mut command = rankfold::profile_command(Mpi::OpenMpi, &output, 3, &program, &args);
    let run = process::run(&mut command, "")?.success()?;
    ensure!(run.stderr.contains("a world of its own"), "{}", run.stderr);
    let map = scratch.path().join("map");
    let host = fs::read_to_string("/proc/sys/kernel/hostname")?;
    let ranks = (0..3).map(|rank| format!("rank {rank}={host}"));
    fs::write(&map, ranks.collect::<String>())?;
    let (map, program) = (map.display().to_string(), program.display().to_string());
    let mut command = rankfold::command(&["run", "--map", &map, "--how", "renumber", "--"]);
    command.args(Mpi::OpenMpi.launch(3, program.as_ref(), &args));
    let run = process::run(mpi::environment(&mut command), "")?;
    ensure!(run.status == 1, "status {}: {}", run.status, run.stderr);
    let expected = "3 ranks were planned, 1 ran: each process is a world of its own";
    ensure!(run.stderr.contains(expected), "{}", run.stderr);
    Ok(())
}

fn other_hosts() -> Result<()> {
    let job = Job::new(Starter::Srun, Mpi::Mpich)?;
    let map = job.path("map");
    fs::write(&map, "x3.site\nx1\nx0\nx2\nx3.site\nx0\nx1\nx2\n")?;
    let run = job.rankfold(&["run", "--map", &map])?.success()?;
    verified(&run, "other hosts")?;
    ensure!(
        run.stderr.contains("on other hosts than the map names"),
        "{}",
        run.stderr
    );
    Ok(())
}

/// The hosts are not known before the launch, and Slurm allocates other hosts than last time, with
/// as many ranks each. Ranks notice that in `MPI_Init`.
fn other_shape() -> Result<()> {
    let job = Job::new(Starter::Srun, Mpi::Mpich)?;
    let (program, hosts) = (job.program.display().to_string(), job.path("hosts"));
    let first = job.cluster.hosts()?[0].clone();
    let run = |without: &[&str]| -> Result<Finished> {
        let machine = [
            "run",
            "--machine",
            "torus:2x2",
            "--cores",
            "4",
            "--hosts",
            &hosts,
            "--",
        ];
        let srun = [
            "srun",
            "--quiet",
            "--mpi=pmi2",
            "--ntasks-per-node=4",
            "-n",
            "8",
            "-N",
            "2",
        ];
        let job_of = [&*program, "2", "4", "1000", "3"];
        let words = [&machine[..], &srun, without, &job_of].concat();
        let mut command = job
            .cluster
            .command(&[&*rankfold::binary().to_string_lossy()]);
        process::run(command.args(&words).env(PATIENT.0, PATIENT.1), "")?.success()
    };
    verified(&run(&[])?, "the first hosts")?;
    let other = run(&["-x", &first])?;
    verified(&other, "without the first host")?;
    let phrases = [
        "of a map solved anew for these hosts",
        "on other hosts than the map names, of the same shape",
    ];
    let is_told = phrases.iter().any(|phrases| other.stderr.contains(phrases));
    ensure!(is_told, "{}", other.stderr);
    Ok(())
}
