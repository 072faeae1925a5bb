//! `map --to torchrun` searches for an order of hosts, because `torchrun` takes no other order.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// Two pairs of ranks, each of which would like to share a host: no order of hosts allows that.
const ACROSS: &str = "src,dst,bytes,messages\n0,2,1000000,1\n1,3,1000000,1\n";

/// Sends of hosts 0 and 1 to hosts 2 and 3, which share the middle link of a line in block order.
/// The last host has one rank.
const SHARED: &str = "src,dst,bytes,messages\n0,4,1000000,1\n2,6,1000000,1\n";

fn mapped(folder: &Path, graph: &str, to: &str) -> Output {
    std::fs::write(folder.join("graph.csv"), graph).unwrap();
    std::fs::write(folder.join("hosts"), "a\nb\nc\nd\n").unwrap();
    Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(["map", "graph.csv", "--machine", "mesh:4", "--cores", "2"])
        .args(["--hosts", "hosts", "--to", to, "-o", "out.map"])
        .args(["--json", "figures.json"])
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn ranks_of_a_host_stay_together_where_a_mapfile_holds_hosts_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let free = mapped(scratch.path(), ACROSS, "torch");
    let text = String::from_utf8_lossy(&free.stdout).into_owned();
    assert!(
        text.contains("% less"),
        "ranks may be moved one by one: {text}"
    );
    for to in ["torchrun", "deepspeed", "mpi-operator"] {
        let out = mapped(scratch.path(), ACROSS, to);
        assert!(out.status.success(), "{to}: {out:?}");
        let note = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(note.contains("2 ranks in a row stay on one host"), "{note}");
    }
}

#[test]
fn the_first_node_of_a_list_may_be_one_that_the_job_cannot_use() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("graph.csv"), "0,1,5\n1,2,7\n").unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_rankfold-map"))
        .args(["map", "graph.csv", "--machine", "mesh:4", "--to", "seq"])
        .args(["--hosts", "-,b,c,d"])
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    let hosts: BTreeSet<&str> = text.lines().collect();
    assert_eq!(hosts, BTreeSet::from(["b", "c", "d"]));
}

#[test]
fn an_order_of_hosts_is_found_and_its_figures_are_those_of_all_ranks() {
    let scratch = tempfile::tempdir().unwrap();
    let out = mapped(scratch.path(), SHARED, "deepspeed");
    assert!(out.status.success(), "{out:?}");
    let read = |name: &str| std::fs::read_to_string(scratch.path().join(name)).unwrap();
    let order = read("out.map");
    let lines = order.lines().filter(|line| !line.starts_with('#'));
    let hosts: BTreeSet<&str> = lines.map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(hosts, BTreeSet::from(["a", "b", "c", "d"]));
    let figures: serde_json::Value = serde_json::from_str(&read("figures.json")).unwrap();
    assert_eq!(figures["ranks"], 7);
    assert_eq!(figures["max_congestion"], 1_000_000.0);
    assert_eq!(figures["baseline"]["max_congestion"], 2_000_000.0);
}
