//! The order in which ranks send to their partners: from programs whose source says it to the
//! profile.

use crate::fact::{Fact, under};
use anyhow::{Result, ensure};
use rankfold_profile::{Profile, Row};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{program, rankfold};

pub(crate) fn facts() -> Vec<Fact> {
    let feature = ("C", "the order in which a rank sends to its partners");
    let name = "partner_order::partners_are_in_the_order_of_the_source";
    under(&Mpi::ALL, feature, name, |mpi| {
        stencil(mpi)?;
        halo(mpi)?;
        every_order(mpi)
    })
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

/// The order in a row itself, where the source does not say one.
fn row_order(rows: &[Row], rank: i64) -> Vec<i64> {
    let row = usize::try_from(rank).ok().and_then(|rank| rows.get(rank));
    let order = row.into_iter().flat_map(|row| &row.order);
    order.map(|&to| to.into()).collect()
}
