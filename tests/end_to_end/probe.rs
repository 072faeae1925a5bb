//! `rankfold probe` on known networks, which are shaped links between network namespaces.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_base::{ChannelId, NodeId};
use rankfold_machine::{Machine, load};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, rankfold};
use rustix::process::{Signal, kill_process_group};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

const TORUS: &str = "torus:4x4@2.5e6,2.5e6";
const MESH: &str = "mesh:4x4@2.5e6,2.5e6";
const TREE: &str = "tree:4x4@5e6,2.5e6";
const HOSTS: &str = "fake:4";

pub(crate) fn facts() -> Vec<Fact> {
    let needs = |cluster| {
        [
            Need::Mpi(Mpi::OpenMpi),
            Need::Cluster(cluster),
            // Real-time priority, for a core that no other process takes.
            Need::Root,
            Need::Tool("chrt"),
        ]
    };
    vec![
        fact(
            "probe::a_torus_is_found_link_by_link",
            &needs(TORUS),
            || is_found(TORUS, ring_of_4_by_4, &[2.5e6]),
        ),
        fact("probe::a_mesh_is_found_link_by_link", &needs(MESH), || {
            is_found(MESH, mesh_of_4_by_4, &[2.5e6])
        }),
        fact(
            "probe::a_tree_is_found_with_its_levels",
            &needs(TREE),
            || is_found(TREE, leaves_of_4, &[2.5e6, 5e6]),
        ),
        fact(
            "probe::capacities_of_a_known_tree_are_measured",
            &needs(TREE),
            capacities,
        ),
        fact(
            "probe::an_interrupt_keeps_what_is_known",
            &[Need::Mpi(Mpi::OpenMpi), Need::Cluster(HOSTS)],
            interrupt_keeps,
        ),
        fact(
            "probe::input_that_is_bad_is_refused_with_status_2",
            &[Need::Mpi(Mpi::OpenMpi)],
            bad_input,
        ),
    ]
}

/// Number of links between two nodes of the torus.
fn ring_of_4_by_4(a: usize, b: usize) -> u32 {
    let ring = |a: usize, b: usize| a.abs_diff(b).min(4 - a.abs_diff(b));
    (ring(a / 4, b / 4) + ring(a % 4, b % 4)) as u32
}

/// Number of links between two nodes of the mesh.
fn mesh_of_4_by_4(a: usize, b: usize) -> u32 {
    ((a / 4).abs_diff(b / 4) + (a % 4).abs_diff(b % 4)) as u32
}

/// Number of links between two nodes of the tree.
fn leaves_of_4(a: usize, b: usize) -> u32 {
    match (a == b, a / 4 == b / 4) {
        (true, _) => 0,
        (_, true) => 2,
        _ => 4,
    }
}

/// Probes the network on one core with real-time priority, so that no other process disturbs
/// latencies of microseconds. Fails unless the machine file has the number of `links` between all
/// hosts, and only bandwidths near one of `speeds`.
fn is_found(spec: &str, links: fn(usize, usize) -> u32, speeds: &[f64]) -> Result<()> {
    let cluster = Cluster::up(spec)?;
    let hosts = cluster.hosts()?;
    // Hosts in an order from which the structure cannot be guessed.
    let listed = (0..hosts.len()).map(|at| format!("{} slots=1\n", hosts[at * 7 % hosts.len()]));
    let (list, file) = (cluster.path("scattered"), cluster.path("machine.toml"));
    fs::write(&list, listed.collect::<String>())?;
    let binary = rankfold::binary();
    let words = format!(
        "chrt -r 1 taskset -c 0 {} probe --time 45 -o {} -- {} -n {} --hostfile {}",
        binary.display(),
        file.display(),
        Mpi::OpenMpi.launcher(),
        hosts.len(),
        list.display()
    );
    let words: Vec<&str> = words.split(' ').collect();
    let start = Instant::now();
    let found = process::run(&mut cluster.command(&words), "")?.success()?;
    let took = start.elapsed();
    let printed = format!("{}\n{}", found.stdout, found.stderr);
    ensure!(took < Duration::from_secs(60), "{took:?}: {printed}");
    let text = fs::read_to_string(&file)?;
    ensure!(
        text.contains("Measured, not read from the fabric"),
        "{text}"
    );
    let machine = Machine::new(load(&file.display().to_string())?, 1, None)?;
    let names = machine.hosts().context("the machine file names no hosts")?;
    let place = |host: &String| names.iter().position(|name| name == host);
    let topology = machine.topology();
    for (a, one) in hosts.iter().enumerate() {
        for (b, other) in hosts.iter().enumerate() {
            let (from, to) = (
                place(one).context(printed.clone())?,
                place(other).context(printed.clone())?,
            );
            let hops = topology.hops(NodeId::at(from), NodeId::at(to));
            ensure!(
                hops == links(a, b),
                "{one} to {other}: {hops} hops\n{printed}\n{text}"
            );
        }
    }
    for channel in 0..topology.channels() {
        let speed = topology.bandwidth(ChannelId::at(channel));
        let near = |known: &&f64| (speed / **known - 1.0).abs() < 0.2;
        ensure!(
            speeds.iter().any(|known| near(&known)),
            "{speed} bytes/s\n{text}"
        );
    }
    Ok(())
}

/// Measures known trees of four leaf switches of four hosts, whose links up are shaped. Ratios are
/// right within 10 % in one of a few measurements: other processes disturb some.
fn capacities() -> Result<()> {
    const TRIES: usize = 4;
    for (spec, ratio) in [
        ("tree:4x4@1e7,2.5e6", 1.0),
        (TREE, 2.0),
        ("tree:4x4@2.5e6,2.5e6", 4.0),
    ] {
        let cluster = Cluster::up(spec)?;
        let mut text = Vec::new();
        let is_right = |text: f64| (text / ratio - 1.0).abs() < 0.1;
        while text.len() < TRIES && !text.last().is_some_and(|&it| is_right(it)) {
            text.push(ratio_of(&cluster)?);
        }
        ensure!(
            text.last().is_some_and(|&it| is_right(it)),
            "{spec}: {text:?}"
        );
    }
    Ok(())
}

/// The ratio that a probe of the known tree of a cluster writes.
fn ratio_of(cluster: &Cluster) -> Result<f64> {
    let hosts = cluster.hosts()?;
    let leaves = hosts.chunks(4).enumerate();
    let mut tree: String = leaves
        .map(|(leaf, hosts)| format!("SwitchName=l{leaf} Nodes={}\n", hosts.join(",")))
        .collect();
    tree += "SwitchName=top Switches=l[0-3]\n";
    let [known, list, file] = ["tree.conf", "list", "machine.toml"].map(|it| cluster.path(it));
    fs::write(&known, tree)?;
    let lines = hosts.iter().map(|host| format!("{host} slots=1\n"));
    fs::write(&list, lines.collect::<String>())?;
    let words = format!(
        "{} probe --machine {} -o {} -- {} -n {} --hostfile {}",
        rankfold::binary().display(),
        known.display(),
        file.display(),
        Mpi::OpenMpi.launcher(),
        hosts.len(),
        list.display()
    );
    let words: Vec<&str> = words.split(' ').collect();
    process::run(&mut cluster.command(&words), "")?.success()?;
    let text = fs::read_to_string(&file)?;
    let number = text.lines().find_map(|line| {
        let ratio = line
            .strip_prefix("oversubscription = [\"")?
            .strip_suffix(":1\"]")?;
        ratio.parse::<f64>().ok()
    });
    number.context(text)
}

fn interrupt_keeps() -> Result<()> {
    let cluster = Cluster::up(HOSTS)?;
    let (hosts, file) = (cluster.path("slots"), cluster.path("machine.toml"));
    let lines = cluster
        .hosts()?
        .into_iter()
        .map(|host| format!("{host} slots=1\n"));
    fs::write(&hosts, lines.collect::<String>())?;
    let words = format!(
        "{} probe --time 600 -o {} -- {} -n 4 --hostfile {}",
        rankfold::binary().display(),
        file.display(),
        Mpi::OpenMpi.launcher(),
        hosts.display()
    );
    let words: Vec<&str> = words.split(' ').collect();
    let mut child = process::start(&mut cluster.command(&words))?;
    // Enough time for eight passes over the six pairs of hosts. The probe writes what it has
    // measured by then.
    thread::sleep(Duration::from_secs(25));
    kill_process_group(process::pid(&child), Signal::INT)?;
    process::wait(&mut child)?;
    // The process that entered the cluster's namespaces may end before the process that it started
    // there.
    let start = Instant::now();
    while !file.exists() && start.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(100));
    }
    let text = fs::read_to_string(&file).context("no machine file was written")?;
    ensure!(
        text.contains("Measured, not read from the fabric"),
        "{text}"
    );
    let machine = Machine::new(load(&file.display().to_string())?, 1, None)?;
    ensure!(
        machine.hosts().is_some_and(|hosts| hosts.len() == 4),
        "{text}"
    );
    Ok(())
}

fn bad_input() -> Result<()> {
    let launch = Mpi::OpenMpi.launch(2, "program".as_ref(), &[]);
    let cases: [(&[&str], &[String], &str); 3] = [
        (&[], &["nobody".into()], "nobody: there is no such command"),
        (&["-o", "/no/such/file"], &launch, "/no/such/file"),
        (&["--time", "0"], &launch, "--time"),
    ];
    for (args, launch, expected) in cases {
        let mut command = rankfold::command(&["probe"]);
        command.args(args).arg("--").args(launch);
        let found = process::run(&mut command, "")?;
        ensure!(found.status == 2, "status {}: {found:?}", found.status);
        ensure!(
            found.stderr.contains(expected),
            "no {expected:?}: {found:?}"
        );
    }
    // With all ranks on one host there is no network to measure, and no file is written.
    let scratch = tempfile::tempdir()?;
    let file = scratch.path().join("machine.toml");
    let mut command = rankfold::command(&["probe", "--time", "5", "-o"]);
    command.arg(&file).arg("--").args(launch);
    let found = process::run(&mut command, "")?;
    ensure!(found.status == 1 && !file.exists(), "{found:?}");
    ensure!(found.stderr.contains("no network to measure"), "{found:?}");
    Ok(())
}
