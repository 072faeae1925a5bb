//! Ranks bound to the cores that the plan chooses inside hosts. Where the launcher cannot bind
//! them, rankfold says why.

use super::job::{Job, Starter};
use super::under_all;
use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::Finished;
use std::fs;

/// Four hosts whose Slurm binds tasks to cores.
const HOSTS: &str = "slurm+affinity+fake:4";

/// Runs a command without the variables that keep the ranks of other tests unbound.
const FREE: [&str; 7] = [
    "env",
    "-u",
    "OMPI_MCA_hwloc_base_binding_policy",
    "-u",
    "PRTE_MCA_hwloc_default_binding_policy",
    "-u",
    "I_MPI_PIN",
];

const BOUND: &str = "each is bound to its cores";
const SHARED: &str = "renumbering in MPI_Init: srun binds ranks";
const OPEN: &str = "renumbering in MPI_Init: the batch system chooses the hosts";

/// Runs a command in a job that has all hosts of the cluster. An option about sharing follows.
const IN_JOB: [&str; 3] = ["salloc", "--quiet", "--nodes=4"];

pub(super) fn facts() -> Vec<Fact> {
    let mut facts = under_all("ranks_run_on_the_cores_of_the_plan", HOSTS, are_bound);
    let needs = [Need::Mpi(Mpi::OpenMpi), Need::Cluster(HOSTS)];
    facts.extend([
        fact(
            "launchers::srun_binds_ranks_only_in_a_job_of_whole_hosts",
            &needs,
            whole_hosts,
        ),
        fact(
            "launchers::ranks_that_the_user_binds_otherwise_are_renumbered",
            &needs,
            users_come_first,
        ),
    ]);
    facts
}

/// Writes a machine file whose hosts have two packages of one core each, which suits the hosts of
/// the cluster.
fn machine(job: &Job) -> Result<String> {
    let hosts = job.cluster.hosts()?;
    let path = job.path("machine.toml");
    let text = format!(
        "network = \"torus:2x2\"\nhosts = {hosts:?}\n[[inside]]\ncores = 2\nlevels = [{{ name = \"package\", cores = [1, 1] }}]\n"
    );
    fs::write(&path, text)?;
    Ok(path)
}

/// Runs the job with a map, and asks by a dry run how the same launch would be placed again.
fn mapped(job: &Job, around: &[&str], options: &str) -> Result<(Finished, Finished)> {
    let machine = machine(job)?;
    let run = ["run", "--machine", &machine];
    let first = job.rankfold_in(around, &run, options)?.success()?;
    let again = [&run[..], &["--dry-run"]].concat();
    Ok((first, job.rankfold_in(around, &again, options)?.success()?))
}

fn are_bound(starter: Starter, mpi: Mpi) -> Result<()> {
    let mut job = Job::on(HOSTS, starter, mpi)?;
    if mpi == Mpi::Mpich {
        // MPICH 4 can place ranks itself only in blocks.
        job.grid = "4 2";
    }
    let around = match starter {
        Starter::Own => FREE.to_vec(),
        Starter::Srun => [&IN_JOB[..], &["--exclusive"], &FREE].concat(),
    };
    let (run, again) = mapped(&job, &around, "")?;
    match (starter, mpi) {
        (Starter::Srun, Mpi::Mpich | Mpi::Mpich5 | Mpi::Intel) => {
            tells(&run, "placement verified 8/8")?;
            tells(&again, "PMI tells MPICH that every rank is alone")
        }
        _ => {
            tells(&run, "bound to their planned cores 8/8")?;
            tells(&again, BOUND)
        }
    }
}

fn tells(run: &Finished, words: &str) -> Result<()> {
    ensure!(run.stderr.contains(words), "no {words:?}: {}", run.stderr);
    Ok(())
}

/// Slurm lets no rank run on cores outside of its job step, so ranks can be bound only where the
/// step has whole hosts. Outside of a job Slurm chooses the hosts, and ranks are renumbered.
fn whole_hosts() -> Result<()> {
    for (of_job, options, told) in [
        (None, "--exclusive", OPEN),
        (Some("--exclusive"), "", BOUND),
        (Some("--exclusive"), "--exact", SHARED),
        (Some("--ntasks-per-node=2"), "", SHARED),
    ] {
        let job = Job::on(HOSTS, Starter::Srun, Mpi::OpenMpi)?;
        let job_options = of_job.map(|option| [&IN_JOB[..], &[option]].concat());
        let around = [job_options.unwrap_or_default(), FREE.to_vec()].concat();
        let (run, again) = mapped(&job, &around, options)?;
        tells(&run, "placement verified 8/8")?;
        tells(&again, told)?;
    }
    Ok(())
}

fn users_come_first() -> Result<()> {
    for (around, options) in [(&FREE[..], "--bind-to none"), (&["env"], "")] {
        // Each case needs a new cache: a second run in the same cache could drop the map.
        let job = Job::on(HOSTS, Starter::Own, Mpi::OpenMpi)?;
        let (run, again) = mapped(&job, around, options)?;
        tells(&run, "bound to their planned cores 0/8")?;
        tells(&again, "renumbering in MPI_Init: your options or variables")?;
    }
    Ok(())
}
