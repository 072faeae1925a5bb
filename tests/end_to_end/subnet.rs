//! Compares the importer's routes, read from the forwarding tables of a running subnet manager,
//! with those that `ibtracert` finds.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_importers::{Source, Subnet, traces};
use rankfold_tests::process;
use std::path::Path;
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
    FABRICS
        .into_iter()
        .map(|(shape, engine)| {
            let name = format!("subnet::routes_are_those_ibtracert_finds::{engine}");
            fact(name, &NEEDS, move || routes(shape, engine))
        })
        .collect()
}

fn routes(shape: [&str; 5], engine: &str) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let netlist = scratch.path().join("net");
    let mut tree = script();
    let printed = process::run(tree.arg("tree").args(shape), "")?.success()?;
    std::fs::write(&netlist, printed.stdout)?;
    let out = scratch.path().join("out");
    let mut capture = script();
    capture.arg(&out).arg(engine).arg(&netlist).arg("40");
    process::run(&mut capture, "")?.success()?;

    let read = |name: &str| Source::read(&out.join(name));
    let network = read("ibnetdiscover.txt")?;
    let traced = traces(&read("ibtracert.txt")?.text);
    ensure!(traced.len() > 30, "{} pairs were traced", traced.len());
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

fn script() -> Command {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/subnet"))
}
