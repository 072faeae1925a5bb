//! `map` prints a verdict on the figure that was minimised, whichever it was.

use rankfold_problem::objective::OBJECTIVES;
use std::path::Path;
use std::process::Command;

/// A ring of 16 ranks that block order does not place well.
fn ring() -> String {
    let messages = (0..16).map(|at| (at * 7 % 16, (at + 1) * 7 % 16));
    let lines = messages.map(|(from, to)| format!("{from},{to},10000,10\n"));
    format!("src,dst,bytes,messages\n{}", lines.collect::<String>())
}

#[test]
fn every_objective_gets_a_certified_verdict_slow() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("ring.csv"), ring()).unwrap();
    for objective in OBJECTIVES {
        let name = objective.name();
        let out = Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
            .args(["map", "ring.csv", "--machine", "torus:4x4", "-o", "out.map"])
            .args(["--objective", name])
            .current_dir(scratch.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout);
        let figure = objective.figure();
        // 16 ranks are few enough for branch and bound.
        let how = if name == "hop-bytes" {
            "(proved)"
        } else {
            "(certified)"
        };
        let verdict = text.lines().find(|line| line.contains(how));
        assert!(
            verdict.is_some_and(|line| line.contains(figure)),
            "{name}: {text}"
        );
    }
}

/// Runs the mapper on the ring, and returns the JSON document that it wrote.
fn document(folder: &Path, args: &[&str]) -> serde_json::Value {
    let out = Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(args)
        .args(["--json", "figures.json"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(out.status.success(), "{args:?}: {out:?}");
    serde_json::from_slice(&std::fs::read(folder.join("figures.json")).unwrap()).unwrap()
}

#[test]
fn terminal_and_report_tell_one_time_and_one_bound_slow() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    std::fs::write(folder.join("ring.csv"), ring()).unwrap();
    let machine = ["--machine", "torus:4x4@1GB/s+1us/ties=source"];
    for (effort, predictor) in [("fast", "replay"), ("balanced", "replay")] {
        let searched = ["--effort", effort, "--objective", "time"];
        let map = ["map", "ring.csv", "-o", "out.map"];
        let map = document(folder, &[&map[..], &machine, &searched].concat());
        let report = ["report", "ring.csv", "-o", "out.html"];
        let report = document(folder, &[&report[..], &machine, &searched].concat());
        let figures = &map["predicted_time"];
        assert_eq!(figures["predicted_by"], predictor);
        let placed = &report["sides"][1]["figures"];
        let winner = &report["candidates"]["solved"][0];
        assert_eq!(winner["won"], true);
        for shown in [placed, winner] {
            assert_eq!(shown["predicted_by"], predictor);
        }
        for time in [&placed["predicted_time"], &winner["time"]] {
            assert_eq!(*time, figures["total"], "{effort}");
        }
        let bounds = &report["bounds"];
        assert_eq!(bounds["time"], figures["lower_bound"], "{effort}");
        assert_eq!(
            bounds["time_still_to_gain"], figures["still_to_gain"],
            "{effort}"
        );
    }
    let eval = [
        &["eval", "ring.csv", "--placement", "out.map"][..],
        &machine,
    ];
    let eval = document(folder, &eval.concat());
    let report = ["report", "ring.csv", "-o", "out.html", "--map", "out.map"];
    let report = document(folder, &[&report[..], &machine].concat());
    let figures = &eval["predicted_time"];
    assert_eq!(
        report["sides"][1]["figures"]["predicted_time"],
        figures["total"]
    );
    assert_eq!(report["bounds"]["time"], figures["lower_bound"]);
}

/// A Slurm tree of four leaf switches with four hosts each.
fn tree() -> String {
    let leaves = (0..4).map(|leaf| {
        let (first, last) = (4 * leaf, 4 * leaf + 3);
        format!("SwitchName=l{leaf} Nodes=n[{first}-{last}]\n")
    });
    format!(
        "SwitchName=top Switches=l[0-3]\n{}",
        leaves.collect::<String>()
    )
}

#[test]
fn terminal_and_report_tell_what_is_assumed_and_what_to_ask_the_scheduler_for() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    std::fs::write(folder.join("ring.csv"), ring()).unwrap();
    std::fs::write(folder.join("topology.conf"), tree()).unwrap();
    let words = |command: &str, output: &str, options: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
            .args([
                command,
                "ring.csv",
                "-o",
                output,
                "--machine",
                "topology.conf",
            ])
            .args(["--cores", "4", "--hosts", "n0,n4,n8,n12"])
            .args(["--effort", "hurried"])
            .args(options)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    let narrow = ["--oversubscription", "8:1"];
    for (options, beginning) in [(&[][..], "taken as 1:1"), (&narrow, "sbatch --switches=1")] {
        let printed = words("map", "out.map", options);
        words("report", "out.html", options);
        let page = std::fs::read_to_string(folder.join("out.html")).unwrap();
        let line = printed.lines().find(|line| line.contains(beginning));
        let line = line.unwrap_or_else(|| panic!("no {beginning:?} in {printed}"));
        assert!(page.contains(line), "the page lacks {line:?}");
    }
}
