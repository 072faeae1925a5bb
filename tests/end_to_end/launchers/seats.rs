//! Every rank keeps its seat: a map moves numbers, never what the launch line gives a process.

use super::job::{Job, Starter};
use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::Finished;
use rankfold_wire::Profile;
use std::fs;

/// Four hosts whose Slurm binds tasks to cores.
const HOSTS: &str = "slurm+affinity+fake:4";

/// Runs a command, which may begin with variables, in a job of whole hosts.
const IN_JOB: [&str; 5] = ["salloc", "--quiet", "--nodes=4", "--exclusive", "env"];

/// Two ranks on each of four hosts, as the index of each rank's host.
const LAYOUT: [usize; 8] = [3, 1, 0, 2, 3, 0, 1, 2];

const KEPT: &str = "placement verified 8/8; cores as launched 8/8";

/// What a test runs.
type Check = fn() -> Result<()>;

pub(super) fn facts() -> Vec<Fact> {
    let needs = [Need::Mpi(Mpi::OpenMpi), Need::Cluster(HOSTS)];
    let all: [(&str, Check); 4] = [
        (
            "launchers::open_mpi_places_by_its_own_rankfile_in_the_seats_of_the_launch",
            rankfile,
        ),
        (
            "launchers::a_line_of_srun_that_deals_out_cores_starts_with_a_map",
            second_level,
        ),
        (
            "launchers::a_map_reaches_ranks_of_srun_beside_what_the_user_preloads",
            preloaded,
        ),
        (
            "launchers::a_launch_by_its_own_ranks_is_not_renumbered",
            early_ranks,
        ),
    ];
    let facts = all
        .into_iter()
        .map(|(name, check)| fact(name, &needs, check));
    let unequal = fact(
        "launchers::ranks_keep_the_number_of_cores_that_the_launch_chooses",
        &[Need::Mpi(Mpi::Mpich), Need::Cluster(HOSTS)],
        unequal,
    );
    facts.chain([unequal]).collect()
}

/// On every host, the first process has two cores, as for two threads, and the second has one.
fn unequal() -> Result<()> {
    const BINDING: &str = "-bind-to user:0+1,1";
    let job = Job::on(HOSTS, Starter::Own, Mpi::Mpich)?;
    // Ranks 3 and 7 have one core each, and no host has two such seats.
    let mixed = job.map("mixed", &LAYOUT)?;
    let run = job.rankfold_in(&["env"], &["run", "--map", &mixed], BINDING)?;
    tells(&run, "run as launched: the map gives ranks seats of other")?;
    let kept = job.cluster.path("unequal");
    let keep = kept.display().to_string();
    let machine = job.path("mesh.toml");
    // Hosts that exchange most are far from each other.
    let hosts = job.cluster.hosts()?;
    let hosts = [0, 3, 1, 2].map(|number| &hosts[number]);
    fs::write(
        &machine,
        format!("network = \"mesh:4\"\nslots = 2\nhosts = {hosts:?}\n"),
    )?;
    let args = ["run", "--machine", &machine, "--keep", &keep];
    let run = job.rankfold_in(&["env"], &args, BINDING)?.success()?;
    tells(&run, KEPT)?;
    let mapped = Profile::read(&kept.join("stencil2d.c.mpich-mapped.rfp"))?;
    let cores = mapped.cores.iter().map(|cores| cores.numbers().len());
    let cores: Vec<usize> = cores.collect();
    ensure!(cores == [2, 1, 2, 1, 2, 1, 2, 1], "{cores:?}");
    Ok(())
}

fn tells(run: &Finished, words: &str) -> Result<()> {
    ensure!(run.stderr.contains(words), "no {words:?}: {}", run.stderr);
    Ok(())
}

/// Without these variables Open MPI binds ranks to cores, and the ranks of a host have different
/// ones.
fn rankfile() -> Result<()> {
    let free = ["env", "-u", "OMPI_MCA_hwloc_base_binding_policy"];
    let job = Job::on(HOSTS, Starter::Own, Mpi::OpenMpi)?;
    let map = job.map("seats", &LAYOUT)?;
    for options in [
        "",
        "--map-by ppr:2:node:PE=1",
        "--cpu-set 0,1 --bind-to core",
    ] {
        for how in ["native", "renumber"] {
            let args = ["run", "--map", &map, "--how", how];
            tells(&job.rankfold_in(&free, &args, options)?.success()?, KEPT)?;
        }
    }
    Ok(())
}

fn second_level() -> Result<()> {
    let job = Job::on(HOSTS, Starter::Srun, Mpi::OpenMpi)?;
    let map = job.map("seats", &LAYOUT)?;
    for options in [
        "-m block:block",
        "-m block:cyclic",
        "--distribution=*:block",
        "-m plane=1",
    ] {
        let run = job.rankfold_in(&IN_JOB, &["run", "--map", &map], options)?;
        tells(&run.success()?, KEPT)?;
    }
    let outside = job.rankfold_in(&["env"], &["run", "--map", &map], "-m block:block")?;
    tells(&outside.success()?, "placement verified 8/8")
}

fn preloaded() -> Result<()> {
    let job = Job::on(HOSTS, Starter::Srun, Mpi::OpenMpi)?;
    let map = job.map("seats", &LAYOUT)?;
    let theirs = "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libm.so.6";
    let around = [&IN_JOB[..], &[theirs]].concat();
    tells(
        &job.rankfold_in(&around, &["run", "--map", &map], "")?
            .success()?,
        KEPT,
    )
}

/// Programs that are named by rank stay with their ranks: srun places them, or nobody does.
fn early_ranks() -> Result<()> {
    let job = Job::on(HOSTS, Starter::Srun, Mpi::OpenMpi)?;
    let map = job.map("seats", &LAYOUT)?;
    let dry = ["run", "--map", &map, "--dry-run"];
    let finished = job.rankfold_in(&IN_JOB, &dry, "--multi-prog")?;
    tells(
        &finished.success()?,
        "by the launcher itself: --multi-prog uses",
    )?;
    let finished = job.rankfold_in(&IN_JOB, &dry, "--multi-prog -m block:block")?;
    tells(&finished.success()?, "run as launched: --multi-prog uses")
}
