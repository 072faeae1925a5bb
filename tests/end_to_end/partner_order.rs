//! The order in which ranks send to their partners: from programs whose source says it to the
//! profile and to the predicted time.

use crate::fact::{Fact, Need, fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use rankfold_wire::{Profile, Row};
use serde_json::Value;
use std::fs;
use std::path::Path;

pub(crate) fn facts() -> Vec<Fact> {
    let feature = ("C", "the order in which a rank sends to its partners");
    let name = "partner_order::partners_are_in_the_order_of_the_source";
    let mut facts = under(&Mpi::ALL, feature, name, |mpi| {
        stencil(mpi)?;
        halo(mpi)?;
        every_order(mpi)
    });
    let name = "partner_order::a_replay_follows_the_order_of_the_source";
    let mpi = Mpi::ALL[0];
    facts.push(fact(name, &[Need::Mpi(mpi)], move || shift(mpi)));
    facts
}

/// Fails unless each row has the order that `expected` returns for its rank.
fn must_be(what: &str, rows: &[Row], expected: impl Fn(i64) -> Vec<i64>) -> Result<()> {
    for (rank, row) in (0..).zip(rows) {
        let order: Vec<i64> = row.order.iter().map(|&to| to.into()).collect();
        let expected = expected(rank);
        ensure!(
            order == expected,
            "{what}: rank {rank} sends to {order:?}, by its source to {expected:?}"
        );
    }
    Ok(())
}

fn profile(mpi: Mpi, name: &str, ranks: u32, args: &[&str]) -> Result<Profile> {
    let program = program::compile(mpi, name)?;
    let profile = rankfold::profile(mpi, ranks, &program, args)?.profile;
    ensure!(profile.rows.len() == ranks as usize, "{name}: rows");
    Ok(profile)
}

/// `programs/stencil2d.c` sends north, south, west, east.
fn stencil(mpi: Mpi) -> Result<()> {
    let profile = profile(mpi, "stencil2d", 9, &["3", "3", "1000", "2"])?;
    must_be("stencil2d", &profile.rows, |rank| {
        let (row, column) = (rank / 3, rank % 3);
        let at = |row: i64, column: i64| row.rem_euclid(3) * 3 + column.rem_euclid(3);
        vec![
            at(row - 1, column),
            at(row + 1, column),
            at(row, column - 1),
            at(row, column + 1),
        ]
    })
}

/// `programs/halo3d.c` sends along the offsets in lexicographic order, over an open box.
fn halo(mpi: Mpi) -> Result<()> {
    let profile = profile(mpi, "halo3d", 8, &["2", "2", "2", "4096", "2", "6", "0"])?;
    must_be("halo3d", &profile.rows, |rank| {
        let offsets = [(0, -1), (1, -1), (2, -1), (2, 1), (1, 1), (0, 1)];
        let neighbour = |&(dimension, step): &(u32, i64)| {
            let stride = 4 >> dimension;
            let place = rank / stride % 2 + step;
            (0..2).contains(&place).then_some(rank + step * stride)
        };
        offsets.iter().filter_map(neighbour).collect()
    })
}

/// Every phase of `programs/bursts.c` sends to the next ranks in ascending distance, by calls of
/// every kind. The threads of one phase send at the same time, and in another each rank sends to
/// one other only.
fn every_order(mpi: Mpi) -> Result<()> {
    const RANKS: i64 = 6;
    let profile = profile(mpi, "bursts", 6, &["1000", "4", "2"])?;
    ensure!(profile.phases.len() > 10, "{} phases", profile.phases.len());
    for phase in &profile.phases {
        let name = phase.name.as_str();
        must_be(name, &phase.rows, |rank| match name {
            "threads" => row_order(&phase.rows, rank),
            "relay" => vec![(rank + 1) % RANKS],
            // Forwards to the next two ranks, then back.
            "wavefront" => [1, 2, -1, -2]
                .map(|step| rank + step)
                .into_iter()
                .filter(|to| (0..RANKS).contains(to))
                .collect(),
            _ => (1..=4).map(|step| (rank + step) % RANKS).collect(),
        })?;
    }
    Ok(())
}

/// The program `programs/bursts.c` has an order of messages `sendrecv`: every rank sends to the
/// next rank and receives from the previous rank, and then does the same with the ranks at distance
/// two. If each node has a link of its own, an exchange takes as long as two messages. A matrix of
/// the same bytes does not tell this order: the replay then lets ranks exchange in pairs, and no
/// schedule of the pairs of a ring is as short.
fn shift(mpi: Mpi) -> Result<()> {
    const BYTES: u32 = 1_000_000;
    const ROUNDS: u32 = 3;
    let scratch = tempfile::tempdir()?;
    let profile = scratch.path().join("run.rfp");
    let program = program::compile(mpi, "bursts")?;
    let args = [&BYTES.to_string(), "2", &ROUNDS.to_string(), "sendrecv"];
    let mut command = rankfold::profile_command(mpi, &profile, 6, &program, &args);
    process::run(&mut command, "")?.success()?;
    let matrix = scratch.path().join("run.csv");
    rankfold::run(&["convert", text(&profile)?, text(&matrix)?])?.success()?;
    let message = f64::from(BYTES) / 1e9;
    let (ordered, unordered) = (predicted(&profile)?, predicted(&matrix)?);
    let expected = f64::from(ROUNDS) * 2.0 * message;
    ensure!(
        (ordered / expected - 1.0).abs() < 1e-6,
        "{ordered} s with the order, not {expected} s"
    );
    ensure!(
        unordered > 1.9 * expected,
        "{unordered} s without the order, {ordered} s with it"
    );
    Ok(())
}

/// The predicted seconds of six ranks that exchange partner by partner, each on a node with a link
/// of its own.
fn predicted(input: &Path) -> Result<f64> {
    let scratch = tempfile::tempdir()?;
    let (placement, figures) = (scratch.path().join("nodes"), scratch.path().join("json"));
    fs::write(&placement, "0\n1\n2\n3\n4\n5\n")?;
    let machine = ["--machine", "tree:6@1GB/s", "--exchange", "pairwise"];
    let files = ["--placement", text(&placement)?, "--json", text(&figures)?];
    let command = [&["eval", text(input)?], &machine[..], &files].concat();
    rankfold::run(&command)?.success()?;
    let figures: Value = serde_json::from_slice(&fs::read(&figures)?)?;
    let time = &figures["predicted_time"];
    ensure!(time["predicted_by"] == "replay", "predicted by {time}");
    time["total"].as_f64().context("no predicted time")
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is no text")
}

/// The order in a row itself, where the source does not say one.
fn row_order(rows: &[Row], rank: i64) -> Vec<i64> {
    let row = usize::try_from(rank).ok().and_then(|rank| rows.get(rank));
    let order = row.into_iter().flat_map(|row| &row.order);
    order.map(|&to| to.into()).collect()
}
