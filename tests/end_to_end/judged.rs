//! The objective `time` against the objective `hop-bytes`, on a torus and a tree where the fastest
//! placement is not the one with the fewest hop-bytes. The same cases are measured on shaped links
//! by `scripts/bench gain --parts replayed`.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::rankfold;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// One network, and the seed of a graph whose placements by hop-bytes and by time differ on it.
struct Case {
    machine: &'static str,
    seed: u64,
}

/// The seeds were chosen so that the predictions differ clearly. How they were found is not
/// recorded.
const TORUS: Case = Case {
    machine: "torus:4x4@625kB/s/ties=+",
    seed: 4,
};
const TREE: Case = Case {
    machine: "tree:4x4@625kB/s,1250kB/s",
    seed: 26,
};

const RANKS: usize = 16;
const PARTNERS: usize = 4;
const MEAN_BYTES: f64 = 24_576.0;
/// Below Open MPI's eager limit on TCP, which is 64 KiB.
const LARGEST: f64 = 60_000.0;

/// Predictions that differ by less may come out either way when they are measured.
const CLEARLY: f64 = 1.3;

/// How the ranks of `programs/replay.c` exchange their messages.
const EXCHANGE: &str = "all";

/// The objective in question, and the one whose placements it has to beat.
const OBJECTIVES: [&str; 2] = ["time", "hop-bytes"];

pub(crate) fn facts() -> Vec<Fact> {
    vec![
        case(
            "judged::placing_for_time_beats_hop_bytes_on_a_torus_by_prediction",
            &TORUS,
        ),
        case(
            "judged::placing_for_time_beats_hop_bytes_on_a_tree_by_prediction",
            &TREE,
        ),
        fact(
            "judged::a_tree_of_switches_comes_up",
            &[Need::Cluster("tree:3x2@1e6,1e6")],
            a_tree_comes_up,
        ),
    ]
}

fn case(name: &str, case: &'static Case) -> Fact {
    fact(name, &[], || is_faster(case))
}

fn is_faster(case: &Case) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let graph = path("graph.mtx");
    fs::write(&graph, matrix_market(&geometric(case.seed)))?;
    let predicted = |objective: &str| -> Result<f64> {
        let (map, figures) = (path(objective), path("figures.json"));
        let machine = ["--machine", case.machine, "--exchange", EXCHANGE];
        let output = ["--to", "nodes", "-o", &map, "--json", &figures];
        let words = [
            &["map", &graph, "--objective", objective][..],
            &machine,
            &output,
        ];
        rankfold::run(&words.concat())?.success()?;
        let figures: Value = serde_json::from_str(&fs::read_to_string(figures)?)?;
        let time = &figures["predicted_time"];
        ensure!(time["unit"] == "seconds", "{time}");
        let total = time["total"].as_f64();
        total.with_context(|| format!("no total in {time}"))
    };
    let [by_time, by_hop_bytes] = OBJECTIVES.map(predicted);
    let (by_time, by_hop_bytes) = (by_time?, by_hop_bytes?);
    ensure!(
        by_hop_bytes > CLEARLY * by_time,
        "{by_time} s by time, {by_hop_bytes} s by hop-bytes"
    );
    Ok(())
}

/// Bytes by sender and receiver. The ranks are random points in a square, and each exchanges
/// messages with its nearest ones.
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
