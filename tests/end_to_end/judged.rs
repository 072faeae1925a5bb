//! The objective `time` judged by real packets: an irregular graph in a shaped torus and a shaped
//! tree, its ranks placed for time, for hop-bytes and in order. What is predicted to be clearly
//! faster is faster.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, bail, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// One network, and the seed of a graph whose placements by hop-bytes and by time differ on it.
struct Case {
    /// For `scripts/cluster`: in bytes per second.
    cluster: &'static str,
    /// The same with its unit.
    machine: &'static str,
    seed: u64,
}

/// 5 Mbit/s a link: slow enough that links, not processors that have other work, too, are the
/// bottleneck.
const TORUS: Case = Case {
    cluster: "torus:4x4@6.25e5,6.25e5",
    machine: "torus:4x4@625kB/s",
    seed: 4,
};
/// Uplinks of 5 Mbit/s, hosts of 10.
const TREE: Case = Case {
    cluster: "tree:4x4@6.25e5,1.25e6",
    machine: "tree:4x4@625kB/s,1250kB/s",
    seed: 26,
};

const RANKS: usize = 16;
const PARTNERS: usize = 4;
/// Below Open MPI's eager limit.
const MEAN_BYTES: f64 = 24_576.0;
const LARGEST: f64 = 60_000.0;
const ROUNDS: usize = 7;
const ITERATIONS: usize = 2;

/// Predictions that differ by less may come out either way.
const CLEARLY: f64 = 1.3;

/// How the ranks of `programs/replay.c` exchange their messages.
const EXCHANGE: &str = "all";

/// The one that is judged, and the one it has to beat.
const OBJECTIVES: [&str; 2] = ["time", "hop-bytes"];

pub(crate) fn facts() -> Vec<Fact> {
    vec![
        case(
            "judged::placing_for_time_beats_hop_bytes_on_a_real_torus_as_predicted",
            &TORUS,
        ),
        case(
            "judged::placing_for_time_beats_hop_bytes_on_a_real_tree_as_predicted",
            &TREE,
        ),
        fact(
            "judged::a_tree_of_switches_comes_up",
            &[Need::Cluster(TREE.cluster)],
            a_tree_comes_up,
        ),
    ]
}

fn case(name: &str, case: &'static Case) -> Fact {
    let needs = [Need::Mpi(Mpi::OpenMpi), Need::Cluster(case.cluster)];
    fact(name, &needs, || as_predicted(case))
}

/// A placement: its file, and the seconds an exchange is predicted to take, and measured to in
/// every round.
struct Placement {
    file: String,
    predicted: f64,
    measured: Vec<f64>,
}

fn as_predicted(case: &Case) -> Result<()> {
    let cluster = Cluster::up(case.cluster)?;
    let graph = cluster.path("graph.mtx").display().to_string();
    fs::write(&graph, matrix_market(&geometric(case.seed)))?;
    let mut placements = vec![block(&cluster, case.machine, &graph)?];
    for objective in OBJECTIVES {
        placements.push(mapped(&cluster, case.machine, &graph, objective)?);
    }
    measure(&cluster, &graph, &mut placements)?;
    let told = placements
        .iter()
        .map(|p| {
            format!(
                "{}: {} s predicted, {:?} s measured",
                p.file, p.predicted, p.measured
            )
        })
        .collect::<Vec<_>>()
        .join("\n");
    let [_, by_time, by_hop_bytes] = &placements[..] else {
        bail!("{} placements", placements.len());
    };
    let gain = by_hop_bytes.predicted / by_time.predicted;
    ensure!(gain > CLEARLY, "the case tells nothing:\n{told}");
    for (fast, slow) in pairs(&placements) {
        if slow.predicted > CLEARLY * fast.predicted {
            // Of the same round, so that other work of the machine hits both alike.
            let rounds = slow.measured.iter().zip(&fast.measured);
            let ratio = median(rounds.map(|(slow, fast)| slow / fast).collect());
            ensure!(ratio > 1.0, "{told}");
        }
    }
    for placement in &placements {
        let ratio = median(placement.measured.clone()) / placement.predicted;
        ensure!(ratio > 0.8, "links cannot beat the model:\n{told}");
    }
    Ok(())
}

/// Every two of them, in both orders.
fn pairs(placements: &[Placement]) -> impl Iterator<Item = (&Placement, &Placement)> {
    let with_all = |a| placements.iter().map(move |b| (a, b));
    placements.iter().flat_map(with_all)
}

/// Ranks in order on the hosts in order.
fn block(cluster: &Cluster, machine: &str, graph: &str) -> Result<Placement> {
    let file = cluster.path("block").display().to_string();
    let nodes: String = (0..RANKS).map(|rank| format!("{rank}\n")).collect();
    fs::write(&file, nodes)?;
    let words = [
        "eval",
        graph,
        "--machine",
        machine,
        "--exchange",
        EXCHANGE,
        "--placement",
        &file,
    ];
    told(&words, file.clone())
}

fn mapped(cluster: &Cluster, machine: &str, graph: &str, objective: &str) -> Result<Placement> {
    let file = cluster.path(objective).display().to_string();
    let words = [
        "map",
        graph,
        "--machine",
        machine,
        "--exchange",
        EXCHANGE,
        "--objective",
        objective,
        "--to",
        "nodes",
        "-o",
        &file,
    ];
    told(&words, file.clone())
}

/// The placement in `file` with what a command says of it.
fn told(words: &[&str], file: String) -> Result<Placement> {
    let figures = format!("{file}.json");
    rankfold::run(&[words, &["--json", &figures]].concat())?.success()?;
    Ok(Placement {
        file,
        predicted: predicted(&figures)?,
        measured: Vec::new(),
    })
}

fn predicted(figures: &str) -> Result<f64> {
    let report: Value = serde_json::from_str(&fs::read_to_string(figures)?)?;
    let time = &report["predicted_time"];
    ensure!(time["unit"] == "seconds", "{time}");
    let total = time["total"].as_f64();
    total.with_context(|| format!("no total in {time}"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Fills in what real exchanges take in every round.
fn measure(cluster: &Cluster, graph: &str, placements: &mut [Placement]) -> Result<()> {
    let hosts = cluster.hosts_file().display().to_string();
    let program = program::compile(Mpi::OpenMpi, "replay")?
        .display()
        .to_string();
    let (ranks, rounds, iterations) = (
        RANKS.to_string(),
        ROUNDS.to_string(),
        ITERATIONS.to_string(),
    );
    let mut words = vec![
        "mpirun.openmpi",
        "-n",
        &ranks,
        "--hostfile",
        &hosts,
        "--map-by",
        "node",
    ];
    words.extend([&*program, graph, &rounds, &iterations]);
    words.extend(placements.iter().map(|p| &*p.file));
    let finished = process::run(&mut cluster.command(&words), "")?.success()?;
    let mut seconds: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for line in finished.stdout.lines() {
        let (number, spent) = line
            .split_once(' ')
            .with_context(|| format!("line {line:?}"))?;
        seconds
            .entry(number.parse()?)
            .or_default()
            .push(spent.parse()?);
    }
    ensure!(seconds.len() == placements.len(), "{}", finished.stdout);
    for (placement, spent) in placements.iter_mut().zip(seconds.into_values()) {
        ensure!(spent.len() == ROUNDS, "{}", finished.stdout);
        placement.measured = spent;
    }
    Ok(())
}

/// Random points in a square, each with its nearest ones: {(from, to): bytes}.
fn geometric(seed: u64) -> BTreeMap<(usize, usize), u64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // Marsaglia's xorshift64, as a number from 0 to 1.
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let points: Vec<[f64; 2]> = (0..RANKS).map(|_| [draw(), draw()]).collect();
    let mut weights = BTreeMap::new();
    for (i, from) in points.iter().enumerate() {
        let distance = |j: &usize| (from[0] - points[*j][0]).hypot(from[1] - points[*j][1]);
        let mut others: Vec<usize> = (0..RANKS).filter(|&j| j != i).collect();
        others.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        for &j in &others[..PARTNERS] {
            let weight = 8_f64.powf(draw());
            weights.insert((i, j), weight);
            weights.insert((j, i), weight);
        }
    }
    let mean = weights.values().sum::<f64>() / weights.len() as f64;
    let bytes = |weight: f64| (weight / mean * MEAN_BYTES).min(LARGEST) as u64;
    weights
        .into_iter()
        .map(|(pair, weight)| (pair, bytes(weight)))
        .collect()
}

fn matrix_market(messages: &BTreeMap<(usize, usize), u64>) -> String {
    let header = "%%MatrixMarket matrix coordinate integer general";
    let entries = messages
        .iter()
        .map(|((from, to), bytes)| format!("{} {} {bytes}\n", from + 1, to + 1));
    format!(
        "{header}\n{RANKS} {RANKS} {}\n{}",
        messages.len(),
        entries.collect::<String>()
    )
}

fn a_tree_comes_up() -> Result<()> {
    let cluster = Cluster::up("tree:3x2@1e6,1e6")?;
    let hosts = cluster.hosts()?;
    ensure!(hosts.len() == 6, "{hosts:?}");
    Ok(())
}
