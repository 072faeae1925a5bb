//! Communication patterns that programs declare by MPI topologies, from the run through the
//! analyser to the mapper.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

pub(crate) fn facts() -> Vec<Fact> {
    type Check = fn(&Run) -> Result<()>;
    let all: [(&str, &str, u32, Check); 2] = [
        (
            "a_permuted_cartesian_grid_is_named_as_the_program_made_it",
            "cartesian",
            12,
            cartesian,
        ),
        (
            "graphs_without_traffic_are_told_and_change_nothing",
            "topologies",
            6,
            silent_graphs,
        ),
    ];
    let under = |mpi: Mpi| {
        all.map(|(name, program, ranks, check)| {
            let name = format!("declared::{name}_under_{}", mpi.name());
            fact(name, &[Need::Mpi(mpi)], move || {
                check(&Run::of(mpi, program, ranks)?)
            })
        })
    };
    Mpi::KINDS.into_iter().flat_map(under).collect()
}

/// A directory that holds the profile of a run, `run.rfp`.
struct Run {
    scratch: TempDir,
    said: String,
}

impl Run {
    fn of(mpi: Mpi, name: &str, ranks: u32) -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        let program = program::compile(mpi, name)?;
        let output = scratch.path().join("run.rfp");
        let mut command = rankfold::profile_command(mpi, &output, ranks, &program, &[]);
        let said = process::run(&mut command, "")?.success()?.stdout;
        Ok(Self { scratch, said })
    }

    /// `rankfold ARGS` in the directory of the files.
    fn rankfold(&self, args: &[&str]) -> Result<Finished> {
        let mut command = rankfold::command(args);
        process::run(command.current_dir(self.scratch.path()), "")?.success()
    }

    /// Runs `rankfold ARGS --json`. Returns the JSON and the text for people.
    fn figures(&self, args: &[&str]) -> Result<(Value, String)> {
        let finished = self.rankfold(&[args, &["--json", "figures"]].concat())?;
        let figures = fs::read_to_string(self.scratch.path().join("figures"))?;
        Ok((serde_json::from_str(&figures)?, finished.stdout))
    }
}

fn cartesian(run: &Run) -> Result<()> {
    let (figures, text) = run.figures(&["analyze", "run.rfp"])?;
    let best = &figures["pattern"]["best"];
    let found = json!({
        "source": best["source"], "dims": best["dims"], "periodic": best["periodic"],
        "points": best["points"], "cells": best["numbering"]["cells"],
    });
    let expected = json!({
        "source": "declared", "dims": [3, 4], "periodic": [false, true],
        "points": 5, "cells": cells(&run.said)?,
    });
    ensure!(found == expected, "{found}, expected {expected}");
    ensure!(text.contains("MPI_Cart_create"), "{text}");

    // In both directions: 2 x 4 pairs across the grid, and 3 x 4 pairs along its rings.
    let graph = &figures["declared_graphs"];
    let expected = json!([{
        "call": "MPI_Dist_graph_create", "ranks": 12, "pairs": 40, "used": 40, "bytes": 40_000,
    }]);
    ensure!(*graph == expected, "{graph}, expected {expected}");

    let (figures, _) = run.figures(&["map", "run.rfp", "--machine", "torus:3x4", "-o", "map"])?;
    ensure!(figures["hops_per_byte"] == 1.0, "{figures}");

    // Without the declaration the same messages fit more than one grid, since a ring of four ranks
    // is also a square of 2 x 2.
    run.rankfold(&["convert", "run.rfp", "out.csv"])?;
    let (figures, _) = run.figures(&["analyze", "out.csv"])?;
    let best = &figures["pattern"]["best"];
    ensure!(
        best["source"] == "traffic" && best["dims"] != json!([3, 4]),
        "{best}"
    );
    Ok(())
}

/// The cell of every rank in the grid, as the program printed them.
fn cells(said: &str) -> Result<Vec<u32>> {
    let lines = said.lines().filter_map(|line| line.strip_prefix("cell "));
    let cells = lines.zip(0..).map(|(line, rank): (_, u32)| {
        let (who, cell) = line.split_once(' ').context("two numbers")?;
        ensure!(who.parse() == Ok(rank), "{line:?} is not about rank {rank}");
        Ok(cell.parse()?)
    });
    cells.collect()
}

fn silent_graphs(run: &Run) -> Result<()> {
    let (figures, text) = run.figures(&["analyze", "run.rfp"])?;
    let silent =
        |call, pairs| json!({"call": call, "ranks": 6, "pairs": pairs, "used": 0, "bytes": 0});
    let mut found = figures["declared_graphs"]
        .as_array()
        .context("a list")?
        .clone();
    found.sort_by_key(|graph| graph["pairs"].as_u64());
    let expected = [
        silent("MPI_Dist_graph_create", 6),
        silent("MPI_Graph_create", 12),
    ];
    ensure!(found == expected, "{found:?}, expected {expected:?}");
    ensure!(
        text.contains("(MPI_Graph_create), 12 pairs of neighbours, none with traffic"),
        "{text}"
    );
    ensure!(figures["pattern"]["kind"] == "irregular", "{figures}");
    let (figures, _) = run.figures(&["map", "run.rfp", "--machine", "torus:2x3", "-o", "map"])?;
    ensure!(figures["hop_bytes"] == 0, "{figures}");
    Ok(())
}
