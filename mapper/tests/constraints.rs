//! Constraints on the command line: what is asked for holds in the mapfile, and what cannot be is
//! refused with its reason.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

const MACHINE: [&str; 6] = [
    "--machine",
    "tree:2x4@1GB/s+1us",
    "--cores",
    "4",
    "--hosts",
    "a,b,c,d,e,f,g,h",
];

fn scratch() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().unwrap();
    let mut text = "src,dst,bytes,messages\n".to_owned();
    for at in 0..32_u32 {
        let (one, other) = (at * 7 % 32, (at + 1) * 7 % 32);
        writeln!(text, "{one},{other},{},{}", 100_000 + 1000 * at, 1 + at % 4).unwrap();
    }
    std::fs::write(scratch.path().join("graph.csv"), text).unwrap();
    scratch
}

fn map(folder: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(["map", "graph.csv", "-o", "out.map", "--to", "seq"])
        .args(MACHINE)
        .args(options)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// The host of every rank.
fn hosts(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("out.map")).unwrap();
    let hosts = text.lines().filter(|line| !line.starts_with('#'));
    hosts.map(str::to_owned).collect()
}

#[test]
fn constraints_hold_in_the_mapfile_and_a_line_says_so() {
    let scratch = scratch();
    std::fs::write(
        scratch.path().join("rules"),
        "# servers\napart 0::8\n\ntogether 1,30 # a pair\n",
    )
    .unwrap();
    for effort in ["hurried", "fast"] {
        let options = [
            "--pin",
            "3=h",
            "--pin",
            "4=G",
            "--stay",
            "20-21",
            "--constraints",
            "rules",
        ];
        let out = map(
            scratch.path(),
            &[&options[..], &["--effort", effort]].concat(),
        );
        assert!(out.status.success(), "{out:?}");
        let text = String::from_utf8(out.stderr).unwrap();
        assert!(text.contains("constraints kept: 6 rules"), "{text}");
        let hosts = hosts(scratch.path());
        assert_eq!(
            [&hosts[3], &hosts[4], &hosts[20], &hosts[21]],
            ["h", "g", "f", "f"]
        );
        assert_eq!(hosts[1], hosts[30]);
        let mut apart: Vec<&String> = hosts.iter().step_by(8).collect();
        apart.sort();
        apart.dedup();
        assert_eq!(apart.len(), 4, "{hosts:?}");
    }
}

#[test]
fn threads_change_nothing_within_constraints() {
    let scratch = scratch();
    let with = |threads| {
        let options = [
            "--apart",
            "0::5",
            "--together",
            "1-3",
            "--effort",
            "fast",
            "--threads",
            threads,
        ];
        assert!(map(scratch.path(), &options).status.success());
        std::fs::read(scratch.path().join("out.map")).unwrap()
    };
    assert_eq!(with("1"), with("3"));
}

#[test]
fn few_ranks_leave_a_map_to_begin_from() {
    let scratch = scratch();
    let out = map(scratch.path(), &["--heuristic", "block", "--no-refine"]);
    assert!(out.status.success(), "{out:?}");
    let block = hosts(scratch.path());
    std::fs::copy(
        scratch.path().join("out.map"),
        scratch.path().join("old.map"),
    )
    .unwrap();
    let mut moved = 0;
    for moves in ["0", "2", "6"] {
        let out = map(
            scratch.path(),
            &["--effort", "fast", "--start", "old.map", "--moves", moves],
        );
        assert!(out.status.success(), "{out:?}");
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(
            text.contains(&format!("of at most {moves} ranks moved")),
            "{text}"
        );
        let now = hosts(scratch.path());
        moved = now
            .iter()
            .zip(&block)
            .filter(|(now, then)| now != then)
            .count();
        assert!(moved <= moves.parse().unwrap(), "{moved} of {moves}");
    }
    assert!(moved > 0, "six moves are worth something");
    let pinned = ["--start", "old.map", "--moves", "1", "--pin", "0=h"];
    let out = map(scratch.path(), &pinned);
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(
        text.contains("--start old.map --moves 1: the other constraints need 2 ranks"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_is_refused_by_flag_or_line_with_ranks_and_hosts() {
    let scratch = scratch();
    let file = |text| std::fs::write(scratch.path().join("rules"), text).unwrap();
    let refused = |options: &[&str], words: &[&str]| {
        let out = map(scratch.path(), options);
        let printed = String::from_utf8_lossy(&out.stderr).replace('\n', " ");
        assert_eq!(out.status.code(), Some(2), "{options:?}: {printed}");
        assert!(
            words.iter().all(|word| printed.contains(word)),
            "{options:?}: {printed}"
        );
        assert!(!scratch.path().join("out.map").exists());
    };
    refused(&["--pin", "0=x"], &["--pin 0=x", "no host x"]);
    refused(
        &["--pin", "0=a:4"],
        &["--pin 0=a:4", "no slot 4", "4 slots"],
    );
    refused(&["--pin", "99=a"], &["--pin 99=a", "no rank 99"]);
    refused(&["--stay", "30-40"], &["--stay 30-40", "no rank 40"]);
    refused(&["--keep", "30-40"], &["--stay 30-40", "no rank 40"]);
    refused(&["--pin", "0"], &["--pin", "RANK=HOST"]);
    refused(&["--apart", "3-1"], &["--apart", "no list of ranks"]);
    refused(
        &["--apart", "0-8"],
        &["ranks 0-8 on different hosts (--apart 0-8)"],
    );
    refused(
        &[
            "--pin", "0=a", "--pin", "9=b", "--pin", "1=a", "--apart", "0,1",
        ],
        &["rank 0 on host a", "--pin 0=a", "--pin 1=a", "--apart 0,1"],
    );
    refused(&["--moves", "3"], &["--start"]);
    refused(&["--start", "none", "--moves", "3"], &["none"]);
    file("apart 0,1\ntogether 2-7\n");
    refused(
        &["--constraints", "rules"],
        &["ranks 2-7 on one host (rules:2: together 2-7)"],
    );
    file("pin 0=a\nfix 3\n");
    refused(&["--constraints", "rules"], &["rules:2: fix: not one of"]);
    refused(
        &["--constraints", "missing"],
        &["'missing' for '--constraints"],
    );
}
