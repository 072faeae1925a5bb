//! Compares collectives and topologies in a profile with what the program says it called.

use crate::fact::{Fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::rankfold::Profiled;
use rankfold_tests::{process, program, rankfold};
use rankfold_wire::{Communicator, Members, Operation, Profile, TopologyShape};
use std::collections::BTreeMap;

type Check = fn(Mpi) -> Result<()>;

#[rustfmt::skip]
const FACTS: &[(&str, &str, Check)] = &[
    ("every_collective_in_every_form_is_counted_once_with_its_bytes", "every collective: blocking, nonblocking, persistent, between two groups", counted_as_said),
    ("large_count_forms_are_counted_and_work_where_the_library_lacks_them", "large-count collectives, where the library lacks them too", large_counts),
    ("collectives_that_mpi_io_calls_are_not_counted", "MPI-IO calls collectives that are not counted", files),
    ("topologies_are_recorded_as_the_program_made_them", "virtual topologies", topologies),
    ("blocks_of_different_sizes_are_recorded_by_member", "blocks of different sizes, by member", blocks),
    ("a_killed_run_keeps_its_collectives_and_communicators", "collectives of a run that was killed", killed),
];

pub(crate) fn facts() -> Vec<Fact> {
    let facts = FACTS.iter().flat_map(|&(name, feature, check)| {
        under(
            &Mpi::KINDS,
            ("C", feature),
            &format!("collectives::{name}"),
            check,
        )
    });
    facts.collect()
}

/// Operation, members, remote members, root, and bit length of the bytes of one call. The last is 0
/// where one row holds calls of all sizes.
type Row = (String, String, String, i64, u32);
/// Bytes and calls.
type Calls = BTreeMap<Row, (u64, u64)>;

fn counted_as_said(mpi: Mpi) -> Result<()> {
    as_said(mpi, "collectives", 5)
}

fn large_counts(mpi: Mpi) -> Result<()> {
    as_said(mpi, "large_counts", 4)
}

/// The program calls two collectives itself. MPI-IO calls more of them inside the MPI library.
fn files(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "files")?;
    let Profiled { profile, .. } = rankfold::profile(mpi, 4, &program, &[])?;
    let rows = profile.collectives.iter();
    let mut calls: Vec<_> = rows.map(|row| (row.op.name(), row.calls)).collect();
    calls.sort_unstable();
    let expected = [("Barrier", 1), ("Bcast", 1)];
    ensure!(calls == expected, "{calls:?} instead of {expected:?}");
    Ok(())
}

fn as_said(mpi: Mpi, program: &str, ranks: u32) -> Result<()> {
    let program = program::compile(mpi, program)?;
    let Profiled { profile, finished } = rankfold::profile(mpi, ranks, &program, &[])?;
    let said = finished.stdout;
    let (is, should) = (of_profile(&profile), of_program(&said)?);
    let mut rows: Vec<&Row> = is.keys().chain(should.keys()).collect();
    rows.sort();
    rows.dedup();
    let wrong: Vec<String> = rows
        .into_iter()
        .filter(|row| is.get(row) != should.get(row))
        .map(|row| format!("{row:?}: {:?}, expected {:?}", is.get(row), should.get(row)))
        .collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    let exchanges = Profile {
        rows: profile.exchanges,
        ..Profile::default()
    };
    let pairs = said.replace("exchanged ", "sent ");
    Matrix::of_profile(&exchanges).must_equal(&Matrix::of_program(&pairs)?)
}

/// The calls in a profile. Calls in different forms are added.
fn of_profile(profile: &Profile) -> Calls {
    let mut calls = Calls::new();
    for row in &profile.collectives {
        let comm = &profile.communicators[row.comm as usize];
        let key = (
            row.op.name().to_owned(),
            members(&comm.members),
            members(&comm.remote),
            row.root.map_or(-1, i64::from),
            class(row.op, row.bytes, row.calls),
        );
        let sums = calls.entry(key).or_default();
        *sums = (sums.0 + row.bytes, sums.1 + row.calls);
    }
    calls
}

fn of_program(said: &str) -> Result<Calls> {
    let mut calls = Calls::new();
    for line in said.lines().filter_map(|line| line.strip_prefix("called ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let [op, members, remote, root, bytes, number] = words[..] else {
            anyhow::bail!("{line:?}");
        };
        let (bytes, number) = (bytes.parse()?, number.parse()?);
        let known = Operation::ALL.into_iter().find(|known| known.name() == op);
        let class = class(known.context("no such operation")?, bytes, number);
        let row = (
            op.to_owned(),
            members.to_owned(),
            remote.to_owned(),
            root.parse()?,
            class,
        );
        let sums = calls.entry(row).or_default();
        *sums = (sums.0 + bytes, sums.1 + number);
    }
    ensure!(!calls.is_empty(), "the program said nothing: {said}");
    Ok(calls)
}

fn class(op: Operation, bytes: u64, calls: u64) -> u32 {
    if op.is_exchange() {
        0
    } else {
        u64::BITS - (bytes / calls).leading_zeros()
    }
}

fn members(members: &Members) -> String {
    if members.is_empty() {
        return "-".to_owned();
    }
    let ranks = members.iter().map(|rank| match rank {
        Some(rank) => rank.to_string(),
        None => "outside".to_owned(),
    });
    ranks.collect::<Vec<_>>().join(",")
}

/// Bytes by operation, members and rank.
type RankBlocks = BTreeMap<(String, String, u32), u64>;

fn blocks(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "collectives")?;
    let Profiled { profile, finished } = rankfold::profile(mpi, 5, &program, &[])?;
    let mut recorded = RankBlocks::new();
    for blocks in &profile.blocks {
        let row = &profile.collectives[blocks.collective as usize];
        let own = &profile.communicators[row.comm as usize].members;
        for (rank, bytes) in own.iter().zip(&blocks.bytes) {
            let rank = rank.context("a member outside the world")?;
            let key = (row.op.name().to_owned(), members(own), rank);
            *recorded.entry(key).or_default() += bytes;
        }
    }
    let mut said = RankBlocks::new();
    let lines = finished.stdout.lines();
    for line in lines.filter_map(|line| line.strip_prefix("block ")) {
        let [op, members, rank, bytes] = line.split(' ').collect::<Vec<_>>()[..] else {
            anyhow::bail!("{line:?}");
        };
        let key = (op.to_owned(), members.to_owned(), rank.parse()?);
        *said.entry(key).or_default() += bytes.parse::<u64>()?;
    }
    ensure!(!said.is_empty(), "the program said nothing");
    ensure!(recorded == said, "{recorded:?}, expected {said:?}");
    Ok(())
}

fn topologies(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "topologies")?;
    let profile = rankfold::profile(mpi, 6, &program, &[])?.profile;
    let mut text: Vec<String> = profile
        .topologies
        .iter()
        .map(|topology| {
            let comm: &Communicator = &profile.communicators[topology.comm as usize];
            let reorder = if topology.reorder { "reorder" } else { "fixed" };
            let shape = match &topology.shape {
                TopologyShape::Cart(dimensions) => {
                    let one = |d: &rankfold_wire::Dimension| {
                        format!("{}{}", d.extent, if d.periodic { "p" } else { "" })
                    };
                    let all: Vec<String> = dimensions.iter().map(one).collect();
                    format!("cart {}", all.join("x"))
                }
                TopologyShape::Graph(lists) => format!("graph {lists:?}"),
                TopologyShape::DistGraph(lists) => format!("dist_graph {lists:?}"),
            };
            format!("{} {reorder} {shape}", members(&comm.members))
        })
        .collect();
    text.sort();
    let ring = "[[1, 5], [2, 0], [3, 1], [4, 2], [5, 3], [0, 4]]";
    let onward = "[[1], [2], [3], [4], [5], [0]]";
    let mut expected = vec![
        "0,1,2,3 fixed cart 2px2".to_owned(),
        "0,1,2,3,4,5 fixed cart 3x2p".to_owned(),
        "0,2,4 fixed cart 3".to_owned(),
        "1,3,5 fixed cart 3".to_owned(),
        format!("0,1,2,3,4,5 fixed graph {ring}"),
        format!("0,1,2,3,4,5 fixed dist_graph {onward}"),
    ];
    expected.sort();
    ensure!(text == expected, "{text:#?}, expected {expected:#?}");
    Ok(())
}

fn killed(mpi: Mpi) -> Result<()> {
    const RANKS: u32 = 4;
    let program = program::compile(mpi, "collective_death")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let mut command = rankfold::profile_command(mpi, &output, RANKS, &program, &[]);
    let finished = process::run(&mut command, "")?;
    ensure!(finished.status != 0, "it was not killed");
    let profile = Profile::read(&output).context(finished.stderr)?;
    let calls = of_profile(&profile);
    let row = |op: &str, members: &str, root| {
        (op.to_owned(), members.to_owned(), "-".to_owned(), root, 10)
    };
    let expected = Calls::from([
        (row("Bcast", "0,2", 1), (10_000, 10)),
        (row("Bcast", "1,3", 1), (10_000, 10)),
        (row("Allreduce", "0,1,2,3", -1), (8000, 10)),
    ]);
    ensure!(calls == expected, "{calls:?}, expected {expected:?}");
    Ok(())
}
