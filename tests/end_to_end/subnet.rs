//! Compares the importer's routes, read from the forwarding tables of a running subnet manager,
//! with those that `ibtracert` finds.

use crate::fact::{Fact, Need, fact};
use crate::made::root;
use anyhow::{Context, Result, ensure};
use rankfold_importers::{Source, Subnet, traces};
use rankfold_tests::process;
use std::process::Command;

const NEEDS: [Need; 4] = [
    Need::Tool("ibsim"),
    Need::Tool("opensm"),
    Need::Tool("ibnetdiscover"),
    Need::Tool("ibtracert"),
];

/// Leaf switches, hosts at each leaf, spines, cables between a leaf and a spine, and rails; then
/// the routing engine.
const FABRICS: [([&str; 5], &str); 3] = [
    (["4", "8", "2", "2", "1"], "ftree"),
    (["6", "4", "3", "1", "1"], "updn"),
    (["4", "3", "2", "2", "2"], "minhop"),
];

pub(crate) fn facts() -> Vec<Fact> {
    let of_trees = FABRICS.into_iter().map(|(shape, engine)| {
        let name = format!("subnet::routes_are_those_ibtracert_finds::{engine}");
        let mut netlist = Command::new(root().join("scripts/subnet"));
        netlist.arg("tree").args(shape);
        fact(name, &NEEDS, move || routes(netlist, engine, 40))
    });
    // Of the roots that OpenSM guesses here, some pairs of hosts have no route.
    let of_a_core_switch = fact(
        "subnet::routes_through_a_core_switch_go_up_and_down",
        &NEEDS,
        || {
            let mut netlist = Command::new("python3");
            netlist.arg(root().join("scripts/lib/bench/papers_machines.py"));
            netlist.arg("gpc");
            routes(netlist, "updn", 2)
        },
    );
    of_trees.chain([of_a_core_switch]).collect()
}

/// Compares the routes of up to so many pairs of hosts in the fabric whose netlist the command
/// prints.
fn routes(mut netlist: Command, engine: &str, pairs: usize) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let printed = process::run(&mut netlist, "")?.success()?;
    let netlist = scratch.path().join("net");
    std::fs::write(&netlist, printed.stdout)?;
    let out = scratch.path().join("out");
    let mut capture = Command::new(root().join("scripts/subnet"));
    capture.arg(&out).arg(engine).arg(&netlist);
    process::run(capture.arg(pairs.to_string()), "")?.success()?;

    let read = |name: &str| Source::read(&out.join(name));
    let network = read("ibnetdiscover.txt")?;
    let traced = traces(&read("ibtracert.txt")?.text);
    ensure!(
        traced.len() > pairs * 3 / 4,
        "{} pairs were traced",
        traced.len()
    );
    for tables in ["opensm-lfts.dump", "dump_lfts.txt"] {
        let subnet = Subnet::new(&[network.clone(), read(tables)?])?;
        for trace in &traced {
            let path = subnet.path(&trace.from, &trace.to);
            let path = path.with_context(|| format!("{trace:?} is of unknown hosts"))?;
            ensure!(
                path == trace.path,
                "{tables} lead by {path:?}, not as {trace:?}"
            );
        }
    }
    Ok(())
}
