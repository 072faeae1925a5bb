//! Topologies that a program lets MPI reorder, answered by the mapper.

use super::{RANKS, Renumbered, compile, under};
use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process;
use rankfold_tests::rankfold::{binary, build_directory};
use std::fmt::Write;
use std::fs;

/// 20 Mbit/s a link: slow enough that the links, not the processors, are the bottleneck.
const TORUS: &str = "torus:4x4@2.5e6,2.5e6";
/// Odd and without a common factor with 16: host r * STEP takes rank r, and no neighbours stay
/// neighbours.
const STEP: usize = 7;
const HOSTS: usize = 16;
/// What is measured is the program, not how soon a mapper starts on a machine that others use.
const PATIENT: &str = "RANKFOLD_BUDGET=14";

pub(super) fn facts() -> Vec<Fact> {
    let faster = fact(
        "world::a_scattered_ring_is_faster_without_relaunch",
        &[Need::Mpi(Mpi::OpenMpi), Need::Cluster(TORUS)],
        faster,
    );
    let one_host = under(
        &Mpi::KINDS,
        "topologies_on_one_host_are_as_declared",
        one_host,
    );
    one_host.into_iter().chain([faster]).collect()
}

/// What tells the library of the mapper.
fn mapper(machine: &str, hosts: &[String]) -> String {
    let map = build_directory().join("rankfold-map");
    let words = format!("{}\nmap\n--machine\n{machine}\n\n", map.display());
    hosts.iter().fold(words, |text, host| text + host + "\n")
}

/// There is nothing to gain, and the neighbours are right with a renumbered world underneath.
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

fn faster() -> Result<()> {
    let cluster = Cluster::up(TORUS)?;
    let path = |name: &str| cluster.path(name).display().to_string();
    let hosts = cluster.hosts()?;
    let scattered: String = (0..HOSTS).fold(String::new(), |mut text, r| {
        let _ = writeln!(text, "{} slots=1", hosts[r * STEP % HOSTS]);
        text
    });
    fs::write(path("scattered"), scattered)?;
    let program = compile(Mpi::OpenMpi, "reordered")?.display().to_string();
    let (hostfile, in_order) = (path("scattered"), path("hosts"));
    let run = [
        "run",
        "--reorder-topologies",
        "--machine",
        "torus:4x4",
        "--hosts",
        &in_order,
        "--",
    ];
    let time = |kind: &str, reordered: bool| -> Result<f64> {
        // What Open MPI itself has for reordered graphs aborts where there is one slot a host.
        let mut words = vec!["mpirun.openmpi", "--mca", "topo", "^treematch"];
        words.extend(["-n", "16", "--hostfile", &hostfile]);
        words.extend([&program, kind, "262144", "4"]);
        let finished = match reordered {
            true => {
                let binary = binary().display().to_string();
                let words = [&["env", PATIENT, &binary], &run[..], &words].concat();
                process::run(&mut cluster.command(&words), "")?
            }
            false => process::run(&mut cluster.command(&words), "")?,
        };
        let finished = finished.success()?;
        ensure!(
            !finished.stderr.contains("not reordered"),
            "{}",
            finished.stderr
        );
        finished.stdout.trim().parse().context("no time")
    };
    for kind in ["adjacent", "grid"] {
        let (plain, reordered) = (time(kind, false)?, time(kind, true)?);
        let factor = plain / reordered;
        println!("{kind}: {plain:.0} ms scattered, {reordered:.0} ms reordered, {factor:.1} times");
        ensure!(
            factor >= 2.0,
            "{kind}: {plain} ms, reordered {reordered} ms"
        );
    }
    Ok(())
}
