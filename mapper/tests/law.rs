//! The law: `eval` of a written placement, on the same machine, gives the figures that were
//! published with it, by the same predictor.

use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Figures of a placement that must be the same to the last digit.
const FIGURES: [&str; 9] = [
    "ranks",
    "hop_bytes",
    "hops_per_byte",
    "avg_dilation",
    "max_dilation",
    "max_congestion",
    "nz_avg",
    "nz_var",
    "hybrid",
];

/// Parts of the predicted time that must be the same to the last digit.
const TIMES: [&str; 6] = [
    "total",
    "predicted_by",
    "busiest_link",
    "latency",
    "overhead",
    "mean_transfer",
];

/// Efforts that take next to no time for few ranks.
const SHORT: [&str; 2] = ["hurried", "fast"];
const OBJECTIVES: [&str; 4] = ["time", "hop-bytes", "congestion", "hybrid"];

/// Machines with a speed and without, with several ranks a node, and one whose nodes send more
/// messages than links can hide.
const MACHINES: [&[&str]; 4] = [
    &["--machine", "mesh:16@1GB/s+1us"],
    &["--machine", "torus:4x4@1GB/s+1us/ties=source"],
    &["--machine", "tree:4x4"],
    &["--machine", "dragonfly:2,2,1,2@1GB/s+1us", "--cores", "4"],
];

/// What 16 ranks send each other, in an order that no machine likes.
fn graph() -> String {
    let mut text = "src,dst,bytes,messages\n".to_owned();
    for at in 0..16_u32 {
        let (from, to) = (at * 7 % 16, (at + 1) * 7 % 16);
        let far = (at * 5 + 3) % 16;
        writeln!(text, "{from},{to},{},{}", 100_000 + 1000 * at, 1 + at % 4).unwrap();
        if from != far {
            writeln!(text, "{from},{far},{},2", 5_000 * (1 + at % 3)).unwrap();
        }
    }
    text
}

/// Runs the mapper in a folder, and returns what it has written to `figures.json`.
fn figures(folder: &Path, args: &[&str]) -> Value {
    let out = Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(args)
        .args(["--json", "figures.json"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(out.status.success(), "{args:?}: {out:?}");
    serde_json::from_slice(&std::fs::read(folder.join("figures.json")).unwrap()).unwrap()
}

/// Asserts that two documents have the same figures; `how` says of what.
#[track_caller]
fn assert_same(published: &Value, again: &Value, how: &str) {
    for name in FIGURES {
        assert_eq!(published[name], again[name], "{name}: {how}");
    }
    let [one, other] = [published, again].map(|document| &document["predicted_time"]);
    for name in TIMES {
        assert_eq!(one[name], other[name], "predicted_time.{name}: {how}");
    }
}

/// Maps with these options, evaluates the mapfile, and compares.
#[track_caller]
fn law(folder: &Path, machine: &[&str], options: &[&str]) -> Value {
    let map = [
        &["map", "graph.csv", "-o", "out.map", "--threads", "1"],
        machine,
        options,
    ]
    .concat();
    let published = figures(folder, &map);
    let eval = [&["eval", "graph.csv", "--placement", "out.map"], machine].concat();
    let again = figures(folder, &eval);
    let how = format!("{machine:?} {options:?}");
    assert_same(&published, &again, &how);
    // The figures of block order are comparable, too.
    assert_same_block(&published, &again, &how);
    published
}

#[track_caller]
fn assert_same_block(published: &Value, again: &Value, how: &str) {
    let [one, other] = [published, again].map(|document| &document["baseline"]);
    assert_eq!(one["hop_bytes"], other["hop_bytes"], "{how}");
    let total = |side: &Value| side["predicted_time"]["total"].clone();
    assert_eq!(total(one), total(other), "block order: {how}");
}

fn scratch() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("graph.csv"), graph()).unwrap();
    scratch
}

#[test]
fn the_figures_of_map_are_those_of_its_mapfile() {
    let scratch = scratch();
    for (number, machine) in MACHINES.into_iter().enumerate() {
        for objective in OBJECTIVES {
            let effort = SHORT[number % 2];
            let options = ["--effort", effort, "--objective", objective];
            law(scratch.path(), machine, &options);
        }
    }
}

#[test]
fn the_figures_of_a_longer_search_are_those_of_its_mapfile() {
    let scratch = scratch();
    for objective in ["time", "hop-bytes"] {
        let options = ["--effort", "balanced", "--objective", objective];
        law(scratch.path(), MACHINES[1], &options);
    }
}

/// Tasks of weights 1 to 3, two or three to a slot.
#[test]
fn the_figures_of_tasks_are_those_of_their_parts() {
    let scratch = scratch();
    let weights: String = (0..16).map(|task| format!("{}\n", 1 + task % 3)).collect();
    std::fs::write(scratch.path().join("weights"), weights).unwrap();
    let machine = ["--machine", "tree:2x3@1GB/s+1us", "--imbalance", "0.2"];
    let map = ["map", "graph.csv", "-o", "out.map", "--effort", "fast"];
    for weights in ["1", "weights"] {
        let tasks = [&machine[..], &["--weights", weights]].concat();
        let published = figures(scratch.path(), &[&map[..], &tasks[..]].concat());
        let read = ["eval", "graph.csv", "--placement", "out.map"];
        let again = figures(scratch.path(), &[&read[..], &tasks[..]].concat());
        assert_same(&published, &again, weights);
        assert_same_block(&published, &again, weights);
        assert_eq!(published["parts"], again["parts"], "{weights}");
        assert_eq!(published["parts"]["tasks"], 16);
        assert!(published["parts"]["imbalance"].as_f64().unwrap() <= 0.2);
    }
}

#[test]
fn the_figures_of_a_named_heuristic_are_those_of_its_mapfile() {
    let scratch = scratch();
    for heuristic in ["block", "rcm", "multisection", "round-robin"] {
        let options = ["--effort", "fast", "--heuristic", heuristic];
        law(scratch.path(), MACHINES[0], &options);
    }
}

#[test]
fn the_figures_beside_ranks_that_have_started_are_those_of_the_mapfile() {
    let scratch = scratch();
    for (machine, cores) in MACHINES.into_iter().zip([1, 1, 1, 4]) {
        for (turn, effort) in [3, 11].into_iter().zip(SHORT) {
            let nodes = (0..16).map(|rank| format!("{}\n", (rank + turn) % 16 / cores));
            let started: String = nodes.collect();
            std::fs::write(scratch.path().join("started"), &started).unwrap();
            let options = ["--effort", effort, "--started", "started"];
            let published = law(scratch.path(), machine, &options);
            let total = |side: &Value| side["predicted_time"]["total"].as_f64().unwrap();
            assert!(
                total(&published) <= total(&published["launched"]),
                "{published}"
            );
            let read = std::fs::read_to_string(scratch.path().join("out.map")).unwrap();
            let first = read.lines().find(|line| !line.starts_with('#'));
            assert_eq!(first, started.lines().next(), "rank 0 stays: {machine:?}");
        }
    }
}

#[test]
fn the_figures_within_constraints_are_those_of_the_mapfile() {
    let scratch = scratch();
    for machine in &MACHINES[..3] {
        let rules = ["--pin", "3=2", "--apart", "0::5", "--stay", "1"];
        let options = [&["--effort", "hurried"], &rules[..]].concat();
        law(scratch.path(), machine, &options);
        let read = std::fs::read_to_string(scratch.path().join("out.map")).unwrap();
        let mut nodes = read.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(nodes.nth(3), Some("2"), "{machine:?}");
    }
}

#[test]
fn the_figures_of_an_order_of_hosts_are_those_of_its_ranks() {
    let scratch = scratch();
    std::fs::write(scratch.path().join("hosts"), "a\nb\nc\nd\n").unwrap();
    let machine = [
        "--machine",
        "mesh:4@1GB/s+1us",
        "--cores",
        "4",
        "--hosts",
        "hosts",
    ];
    for effort in SHORT {
        for to in ["torchrun", "deepspeed"] {
            let options = ["--effort", effort, "--to", to];
            law(scratch.path(), &machine, &options);
        }
    }
}

#[test]
fn a_search_without_replays_is_repeated_by_the_formula() {
    let scratch = tempfile::tempdir().unwrap();
    let ring = (0..1100_u32).map(|at| (at * 7 % 1100, (at + 1) * 7 % 1100));
    let lines: String = ring
        .map(|(from, to)| format!("{from},{to},1000,1\n"))
        .collect();
    let text = format!("src,dst,bytes,messages\n{lines}");
    std::fs::write(scratch.path().join("graph.csv"), text).unwrap();
    let machine = ["--machine", "mesh:1100@1GB/s+1us"];
    let published = law(scratch.path(), &machine, &["--effort", "fast"]);
    assert_eq!(published["predicted_time"]["predicted_by"], "T");
    let eval = [
        &[
            "eval",
            "graph.csv",
            "--placement",
            "out.map",
            "--predictor",
            "formula",
        ],
        &machine[..],
    ];
    let again = figures(scratch.path(), &eval.concat());
    assert_same(&published, &again, "--predictor formula");
}

#[test]
fn eval_repeats_either_predictor() {
    let scratch = scratch();
    let published = law(scratch.path(), MACHINES[0], &["--effort", "fast"]);
    let by = |predictor: &str| {
        let eval = [
            "eval",
            "graph.csv",
            "--placement",
            "out.map",
            "--predictor",
            predictor,
        ];
        figures(scratch.path(), &[&eval[..], MACHINES[0]].concat())
    };
    assert_same(&published, &by("replay"), "--predictor replay");
    assert_eq!(by("formula")["predicted_time"]["predicted_by"], "T");
}

#[test]
fn the_figures_of_a_report_are_those_of_its_mapfile() {
    let scratch = scratch();
    for effort in SHORT {
        let report = [
            &["report", "graph.csv", "-o", "out.html", "--effort", effort],
            MACHINES[1],
        ];
        let shown = figures(scratch.path(), &report.concat());
        let mapfile = &shown["mapfile"]["files"][0][1];
        std::fs::write(scratch.path().join("out.map"), mapfile.as_str().unwrap()).unwrap();
        let eval = [
            &["eval", "graph.csv", "--placement", "out.map"],
            MACHINES[1],
        ];
        let again = figures(scratch.path(), &eval.concat());
        for (side, again) in [(0, &again["baseline"]), (1, &again)] {
            let side = &shown["sides"][side]["figures"];
            assert_eq!(side["hop_bytes"], again["hop_bytes"], "{effort}");
            let time = &again["predicted_time"];
            assert_eq!(side["predicted_time"], time["total"], "{effort}");
            assert_eq!(side["predicted_by"], time["predicted_by"], "{effort}");
        }
    }
}
