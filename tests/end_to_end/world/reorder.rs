//! Topologies whose ranks MPI may reorder. The mapper finds the order.

use super::{RANKS, Renumbered, compile, under};
use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process;
use rankfold_tests::rankfold::{binary, build_directory};
use std::fmt::Write;
use std::fs;

const TORUS: &str = "torus:4x4@2.5e6,2.5e6";
/// Host r * STEP modulo HOSTS takes rank r. The step has no factor in common with HOSTS, so that
/// every host gets a rank, and neighbours in the ring are no neighbours in the network.
const STEP: usize = 7;
const HOSTS: usize = 16;
/// Seconds that the mapper may take: other tests use the machine as well.
const PATIENT: &str = "RANKFOLD_BUDGET=14";

pub(super) fn facts() -> Vec<Fact> {
    let hosts = fact(
        "world::a_ring_on_scattered_hosts_is_reordered",
        &[Need::Mpi(Mpi::OpenMpi), Need::Cluster(TORUS)],
        hosts,
    );
    let one_host = under(
        &Mpi::KINDS,
        "topologies_on_one_host_are_as_declared",
        one_host,
    );
    one_host.into_iter().chain([hosts]).collect()
}

/// The text of the file by which the library finds the mapper and the machine.
fn mapper(machine: &str, hosts: &[String]) -> String {
    let map = build_directory().join("rankfold-map");
    let words = format!("{}\nmap\n--machine\n{machine}\n\n", map.display());
    hosts.iter().fold(words, |text, host| text + host + "\n")
}

/// On one host no order is better than another. The neighbours must be right on top of a renumbered
/// world.
fn one_host(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "reordered")?;
    for kind in ["adjacent", "graph", "list", "grid"] {
        let mut run = Renumbered::program(mpi, &program, &[kind, "8", "1"])?;
        let file = run.scratch.path().join("mapper");
        fs::write(&file, mapper("torus:4", &["here".to_owned()]))?;
        run.command.env("RANKFOLD_REORDER", file);
        run.run_well().with_context(|| kind.to_owned())?;
    }
    ensure!(RANKS == 4, "a ring of as many hosts");
    Ok(())
}

/// Ranks scattered over a torus: the mapper answers every topology that the program declares.
fn hosts() -> Result<()> {
    let cluster = Cluster::shared(TORUS)?;
    let path = |name: &str| cluster.path(name).display().to_string();
    let hosts = cluster.hosts()?;
    let scattered: String = (0..HOSTS).fold(String::new(), |mut text, r| {
        let _ = writeln!(text, "{} slots=1", hosts[r * STEP % HOSTS]);
        text
    });
    fs::write(path("scattered"), scattered)?;
    let program = compile(Mpi::OpenMpi, "reordered")?.display().to_string();
    let (hostfile, in_order) = (path("scattered"), path("hosts"));
    let binary = binary().display().to_string();
    for kind in ["adjacent", "grid"] {
        let mut words = vec!["env", PATIENT, &binary, "run", "--reorder-topologies"];
        words.extend(["--machine", "torus:4x4", "--hosts", &in_order, "--"]);
        // Open MPI's own component for reordered graphs aborts where every host has one slot.
        words.extend(["mpirun.openmpi", "--mca", "topo", "^treematch"]);
        words.extend(["-n", "16", "--hostfile", &hostfile]);
        words.extend([&program, kind, "1024", "1"]);
        let finished = process::run(&mut cluster.command(&words), "")?.success()?;
        ensure!(
            !finished.stderr.contains("not reordered"),
            "{kind}: {}",
            finished.stderr
        );
    }
    Ok(())
}
