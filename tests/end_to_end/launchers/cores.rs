//! Ranks that take the processes on the cores that the plan chooses inside hosts.

use super::job::{Job, Starter};
use super::under_all;
use crate::fact::Fact;
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

/// Runs a command in a job that has all hosts of the cluster. An option about sharing follows.
const IN_JOB: [&str; 3] = ["salloc", "--quiet", "--nodes=4"];

pub(super) fn facts() -> Vec<Fact> {
    under_all(
        "ranks_take_the_seats_on_the_cores_of_the_plan",
        HOSTS,
        are_home,
    )
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

/// The launch binds every process to a core. Each rank becomes the process on its core, and no
/// process gets another core.
fn are_home(starter: Starter, mpi: Mpi) -> Result<()> {
    let job = Job::on(HOSTS, starter, mpi)?;
    let (around, binding) = match starter {
        Starter::Own => (FREE.to_vec(), binding(mpi)),
        Starter::Srun => (
            [&IN_JOB[..], &["--exclusive"], &FREE].concat(),
            "--cpu-bind=cores",
        ),
    };
    let machine = machine(&job)?;
    let run = job.rankfold_in(&around, &["run", "--machine", &machine], binding)?;
    let run = run.success()?;
    tells(&run, "placement verified 8/8; cores as launched 8/8")?;
    tells(&run, "bound to their planned cores 8/8")
}

/// The option by which the MPI library's own launcher binds each process to a core.
fn binding(mpi: Mpi) -> &'static str {
    match mpi {
        Mpi::OpenMpi | Mpi::OpenMpi5 => "--bind-to core",
        Mpi::Mpich | Mpi::Mpich5 => "-bind-to core",
        _ => "",
    }
}

fn tells(run: &Finished, words: &str) -> Result<()> {
    ensure!(run.stderr.contains(words), "no {words:?}: {}", run.stderr);
    Ok(())
}
