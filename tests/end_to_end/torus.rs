//! The promise itself: on a torus of real shaped links the mapped job communicates faster, by about as
//! much as predicted.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// 20 Mbit/s a link: slow enough that the links, not the processors, are the bottleneck.
const TORUS: &str = "torus:4x4@2.5e6,2.5e6";
/// Odd and without a common factor with 16: host r * STEP takes rank r, and no neighbours stay neighbours.
const STEP: usize = 7;
const RANKS: usize = 16;
const RUNS: usize = 3;

pub(crate) fn facts() -> Vec<Fact> {
    vec![fact(
        "torus::a_mapped_stencil_communicates_faster_and_as_predicted",
        &[Need::Mpi(Mpi::OpenMpi), Need::Cluster(TORUS)],
        faster_as_predicted,
    )]
}

fn faster_as_predicted() -> Result<()> {
    let cluster = Cluster::up(TORUS)?;
    let path = |name: &str| cluster.path(name).display().to_string();
    let hosts = cluster.hosts()?;
    let scattered: String = (0..RANKS).fold(String::new(), |mut text, r| {
        let _ = writeln!(text, "{} slots=1", hosts[r * STEP % RANKS]);
        text
    });
    fs::write(path("scattered"), scattered)?;
    let program = program::compile(Mpi::OpenMpi, "stencil2d")?
        .display()
        .to_string();
    let hostfile = path("scattered");
    let launch = [
        "mpirun.openmpi",
        "-n",
        "16",
        "--hostfile",
        &hostfile,
        &program,
        "4",
        "4",
        "32768",
        "10",
    ];
    let (profile, map, figures) = (
        path("stencil.rfp"),
        path("stencil.map"),
        path("stencil.json"),
    );

    let words = [&["profile", "-o", &profile, "--"][..], &launch].concat();
    let exchanges = field(&cluster.rankfold(&words)?.success()?, "exchanges")?;
    rankfold::run(&[
        "map",
        &profile,
        "--machine",
        TORUS,
        "--hosts",
        &path("hosts"),
        "--to",
        "openmpi4",
        "-o",
        &map,
        "--json",
        &figures,
    ])?
    .success()?;
    let predicted = max_congestion(Path::new(&figures))? / exchanges;

    let (mut before, mut after) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let plain = process::run(&mut cluster.command(&launch), "")?.success()?;
        before.push(field(&plain, "seconds_per_exchange")?);
        let words = [&["run", "--map", &map, "--"][..], &launch].concat();
        let mapped = cluster.rankfold(&words)?.success()?;
        ensure!(
            mapped.stderr.contains("placement verified 16/16"),
            "{}",
            mapped.stderr
        );
        after.push(field(&mapped, "seconds_per_exchange")?);
    }
    let (before, after) = (median(before), median(after));
    ensure!(
        before / after >= 1.3,
        "before {before} s, after {after} s: hardly faster"
    );
    // The links cannot beat the model; headers, acknowledgements and a busy machine add to it.
    ensure!(
        after > 0.8 * predicted && after < 2.0 * predicted,
        "predicted {predicted} s, measured {after} s"
    );
    Ok(())
}

/// The number behind `name=` in the line the program printed.
fn field(run: &Finished, name: &str) -> Result<f64> {
    run.stdout
        .split_whitespace()
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        .with_context(|| format!("no {name} in {:?}", run.stdout))?
        .parse()
        .context(name.to_owned())
}

fn max_congestion(path: &Path) -> Result<f64> {
    let figures: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    figures["max_congestion"]["dor"]
        .as_f64()
        .or(figures["max_congestion"].as_f64())
        .with_context(|| format!("no max_congestion in {figures}"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
