//! `map` prints a verdict on the figure that was minimised, whichever it was.

use rankfold_search::objective::OBJECTIVES;
use std::process::Command;

/// A ring of 16 ranks that block order does not place well.
fn ring() -> String {
    let messages = (0..16).map(|at| (at * 7 % 16, (at + 1) * 7 % 16));
    let lines = messages.map(|(from, to)| format!("{from},{to},10000,10\n"));
    format!("src,dst,bytes,messages\n{}", lines.collect::<String>())
}

#[test]
fn every_objective_gets_a_certified_verdict() {
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
