//! The JSON of every command is as its published schema says, whatever the machine and the pattern.

mod valid_json;

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn rankfold_map(directory: &Path, line: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(line.split_whitespace())
        .current_dir(directory)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {text}");
    String::from_utf8(output.stdout).unwrap()
}

/// The document that the command `line` writes.
#[track_caller]
fn written(directory: &Path, line: &str) -> Value {
    rankfold_map(directory, &format!("{line} --json out.json"));
    valid_json::document(&directory.join("out.json"))
}

fn generated(directory: &Path, program: &str) {
    rankfold_map(directory, &format!("generate {program} -o in.mtx"));
}

#[test]
fn machines_of_every_shape_are_described_as_the_schema_says() {
    let scratch = tempfile::tempdir().unwrap();
    for machine in [
        "torus:4x4x2@5GB/s+1us/ties=source,order=2,0,1",
        "mesh:5",
        "hypercube:4",
        "tree:4x4@2,1",
        "fattree:4/routes=spread",
        "dragonfly:2,4,2,9",
    ] {
        let described = written(scratch.path(), &format!("machine {machine}"));
        assert_eq!(described["format"]["name"], "rankfold-machine");
    }
}

#[test]
fn patterns_placements_and_reports_are_as_the_schemas_say() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    for (program, machine) in [
        ("npb-bt 16", "torus:4x4@1GB/s+1us"),
        ("npb-cg 16", "tree:4x4@1GB/s+1us"),
        ("gadget-surrogate 32", "dragonfly:2,4,2,9"),
    ] {
        generated(directory, program);
        written(directory, "analyze in.mtx");
        let map = format!("map in.mtx --machine {machine} --effort fast --to nodes -o out.map");
        let figures = written(directory, &map);
        let time = &figures["predicted_time"];
        assert_eq!(time["at_stake"], time["still_to_gain"]);
        if !machine.starts_with("dragonfly") {
            // The bounds of the dragonfly take long.
            let eval = format!("eval in.mtx --machine {machine} --placement out.map --estimate");
            written(directory, &eval);
        }
        let mapfile = format!("map in.mtx --machine {machine} --effort fast --to json -o out.json");
        rankfold_map(directory, &mapfile);
        valid_json::document(&directory.join("out.json"));
        let report = format!("report in.mtx --machine {machine} --effort fast");
        written(directory, &report);
        written(directory, "report in.mtx");
        written(
            directory,
            &format!("{report} --diff out.map out.map").replace("--effort fast", ""),
        );
    }
}

#[test]
fn reports_on_networks_too_large_to_draw_are_as_the_schema_says() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    generated(directory, "sweep3d 4096");
    for (machine, folded) in [
        ("torus:16x16x16", "carpets"),
        ("tree:16x16x16", "rows"),
        ("dragonfly:4,8,16,128", "groups"),
    ] {
        let report = format!("report in.mtx --machine {machine} --heuristic block --no-refine");
        let report = written(directory, &report);
        let loads = &report["sides"][0]["loads"];
        assert_eq!(loads["folded"]["kind"], folded, "{machine}");
    }
}

#[test]
fn the_schemas_are_listed_and_printed() {
    let scratch = tempfile::tempdir().unwrap();
    let listed = rankfold_map(scratch.path(), "schema");
    let names: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        names,
        ["figures", "pattern", "machine", "report", "mapfile"]
    );
    for name in names {
        let text = rankfold_map(scratch.path(), &format!("schema rankfold-{name}"));
        let schema: Value = serde_json::from_str(&text).unwrap();
        jsonschema::meta::validate(&schema).unwrap();
        assert_eq!(schema["additionalProperties"], false);
    }
    let wrong = Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(["schema", "figure"])
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    let printed = String::from_utf8(wrong.stderr).unwrap();
    assert!(printed.contains("figures"), "{printed}");
}
