//! The turns in which ranks exchange messages: from programs whose source says it to the profile
//! and to the predicted time.

use crate::fact::{Fact, Need, fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{program, rankfold};
use rankfold_wire::{Cycle, Profile, Row, Turns};
use serde_json::Value;
use std::fs;

/// The messages that a rank sends and receives in a turn.
type Exchanged = (u32, u32);

/// Patterns of `programs/turns.c`, the grid of ranks, and the turns of rank 1.
const PATTERNS: &[(&str, &str, &[Exchanged])] = &[
    ("all", "2x4", &[(4, 4)]),
    ("dimensions", "2x4", &[(2, 2), (2, 2)]),
    ("dimensions", "2x4o", &[(1, 1), (2, 2)]),
    ("dimensions", "2x2x2", &[(2, 2), (2, 2), (2, 2)]),
    ("shift", "2x4", &[(1, 1), (1, 1), (1, 1), (1, 1)]),
    ("shift", "2x4o", &[(0, 1), (1, 0), (1, 1), (1, 1)]),
    ("persistent", "2x4", &[(2, 2), (2, 2)]),
    ("posted", "2x4", &[(2, 4), (2, 0)]),
    ("blocking", "2x4", &[(2, 2), (2, 2)]),
    ("rows", "2x4", &[(1, 1), (1, 1), (1, 1)]),
    ("stages", "2x4", &[(3, 3), (1, 1)]),
    ("sweep", "3x3o", &[(0, 1), (1, 0), (1, 0)]),
    ("graph", "2x4", &[(1, 1), (1, 1), (1, 1), (1, 1)]),
];

const ROUNDS: u64 = 12;

pub(crate) fn facts() -> Vec<Fact> {
    let feature = ("C", "the turns in which ranks exchange messages");
    let name = "turns::turns_are_those_of_the_source";
    let mut facts = under(&Mpi::ALL, feature, name, |mpi| {
        PATTERNS
            .iter()
            .try_for_each(|&(pattern, grid, turns)| follows(mpi, pattern, grid, turns))?;
        differs(mpi)
    });
    let name = "turns::a_halo_in_two_turns_takes_two_messages";
    let mpi = Mpi::ALL[0];
    facts.push(fact(name, &[Need::Mpi(mpi)], move || halo(mpi)));
    facts
}

fn profile(mpi: Mpi, pattern: &str, grid: &str, bytes: &str, rounds: u64) -> Result<Profile> {
    let ranks = grid.trim_end_matches('o').split('x').map(str::parse::<u32>);
    let ranks = ranks.product::<Result<u32, _>>()?;
    let program = program::compile(mpi, "turns")?;
    let args = [pattern, grid, bytes, &rounds.to_string()];
    Ok(rankfold::profile(mpi, ranks, &program, &args)?.profile)
}

fn cycle<'a>(profile: &'a Profile, what: &str) -> Result<&'a Cycle> {
    match &profile.rows[1].turns {
        Turns::Cycle(cycle) => Ok(cycle),
        other => anyhow::bail!("{what}: {other:?}"),
    }
}

/// Fails unless rank 1 of a pattern has these turns, in this order or in one that begins later.
fn follows(mpi: Mpi, pattern: &str, grid: &str, expected: &[Exchanged]) -> Result<()> {
    let what = format!("{pattern} on {grid}");
    let profile = profile(mpi, pattern, grid, "1000", ROUNDS).context(what.clone())?;
    let turns = cycle(&profile, &what)?.turns.iter();
    let found: Vec<Exchanged> = turns
        .map(|turn| {
            (
                turn.sends.iter().map(|sent| sent.messages).sum(),
                turn.receives.iter().map(|received| received.messages).sum(),
            )
        })
        .collect();
    ensure!(found == expected, "{what}: {found:?}, not {expected:?}");
    let has_cycle = |row: &Row| matches!(row.turns, Turns::Cycle(_));
    let missing = profile.rows.iter().position(|row| !has_cycle(row));
    ensure!(missing.is_none(), "{what}: rank {missing:?} has no cycle");
    Ok(())
}

/// Fails unless turns in an order that changes have no cycle, and the user is told.
fn differs(mpi: Mpi) -> Result<()> {
    let profile = profile(mpi, "differing", "2x4", "1000", 40)?;
    ensure!(
        profile.rows[1].turns == Turns::Differing,
        "{:?}",
        profile.rows[1].turns
    );
    let scratch = tempfile::tempdir()?;
    let path = scratch.path().join("run.rfp");
    profile.write(&path)?;
    let finished = rankfold::run(&["analyze", &path.display().to_string()])?.success()?;
    ensure!(
        finished.stderr.contains("differ from exchange to exchange"),
        "{}",
        finished.stderr
    );
    Ok(())
}

/// A halo whose ranks lie where their neighbours are: each link carries one message of 100 kB in
/// each of two turns.
fn halo(mpi: Mpi) -> Result<()> {
    let profile = profile(mpi, "dimensions", "4x4", "100000", 10)?;
    let scratch = tempfile::tempdir()?;
    let path = scratch.path().join("run.rfp");
    profile.write(&path)?;
    let path = path.display().to_string();
    let report = scratch.path().join("report.json");
    let report = report.display().to_string();
    let block = scratch.path().join("block.nodes");
    fs::write(
        &block,
        (0..16).map(|node| format!("{node}\n")).collect::<String>(),
    )?;
    let block = block.display().to_string();
    let machine = "torus:4x4@10MB/s/ties=+";
    let places = ["--machine", machine, "--placement", &block];
    let finished = rankfold::run(&[&["eval", &path, "--json", &report], &places[..]].concat())?;
    let finished = finished.success()?;
    ensure!(
        finished
            .stdout
            .contains("messages are exchanged in 2 turns\n"),
        "{}",
        finished.stdout
    );
    let report: Value = serde_json::from_str(&fs::read_to_string(&report)?)?;
    let time = &report["predicted_time"];
    let total = time["total"].as_f64().context("no time")?;
    ensure!((total / 0.2 - 1.0).abs() < 0.01, "{total} s, not 0.2 s");
    let gain = time["still_to_gain"].as_f64().context("no bound")?;
    ensure!(gain < 0.01, "{gain} of it still to gain");
    let finished = rankfold::run(&["analyze", &path])?.success()?;
    ensure!(
        finished
            .stdout
            .contains("messages are exchanged in 2 turns\n"),
        "{}",
        finished.stdout
    );
    Ok(())
}
