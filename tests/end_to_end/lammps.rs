//! An application that was not written for these tests: LAMMPS, as Debian builds it.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process;
use rankfold_tests::{program, rankfold};
use serde_json::Value;
use std::fs;

pub(crate) fn facts() -> Vec<Fact> {
    vec![fact(
        "lammps::a_melt_on_16_ranks_is_profiled_analysed_and_mapped",
        &[Need::Mpi(Mpi::OpenMpi), Need::Tool("lmp")],
        melt,
    )]
}

fn melt() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let path = |name: &str| scratch.path().join(name).display().to_string();
    let (profile, analysis, map, figures) = (
        path("melt.rfp"),
        path("pattern.json"),
        path("melt.map"),
        path("melt.json"),
    );
    let input = program::sources().join("melt.lmp").display().to_string();
    let mut command = rankfold::command(&[
        "profile",
        "-o",
        &profile,
        "--",
        "mpirun.openmpi",
        "--oversubscribe",
        "-n",
        "16",
        "lmp",
        "-in",
        &input,
        "-log",
        "none",
    ]);
    command.env("OMP_NUM_THREADS", "1");
    process::run(&mut command, "")?.success()?;

    rankfold::run(&["analyze", &profile, "--json", &analysis])?.success()?;
    let pattern: Value = serde_json::from_str(&fs::read_to_string(&analysis)?)?;
    ensure!(pattern.is_object(), "{pattern}");
    // LAMMPS cuts a cube for 16 ranks into 2 x 2 x 4 boxes or a permutation of that.
    let text = pattern.to_string();
    ensure!(
        text.contains("regular") || text.contains("stencil"),
        "LAMMPS was not recognised: {text}"
    );

    // LAMMPS exchanges messages with one neighbour after the other: it posts a receive, sends, and
    // waits for the receive.
    ensure!(
        pattern["exchange"].as_f64().is_some_and(|s| s > 0.99),
        "{}",
        pattern["exchange"]
    );

    rankfold::run(&[
        "map",
        &profile,
        "--machine",
        "torus:4x4",
        "--objective",
        "hop-bytes",
        "--to",
        "nodes",
        "-o",
        &map,
        "--json",
        &figures,
    ])?
    .success()?;
    let figures: Value = serde_json::from_str(&fs::read_to_string(&figures)?)?;
    let mapped = figures["hop_bytes"].as_f64().context("no hop_bytes")?;
    let block = figures["baseline"]["hop_bytes"]
        .as_f64()
        .context("no baseline hop_bytes")?;
    ensure!(
        mapped > 0.0 && mapped <= block,
        "mapped {mapped}, block order {block}"
    );
    ensure!(
        fs::read_to_string(&map)?.lines().count() == 16,
        "a line for each rank"
    );
    Ok(())
}
