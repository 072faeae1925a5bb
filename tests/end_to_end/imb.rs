//! The Intel MPI Benchmarks, which come as binaries without source.

use crate::fact::{Fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{process, program, rankfold};
use std::process::Command;

/// A benchmark, the binary that contains it, and the ranks that send.
const BENCHMARKS: &[(&str, &str, &[u32])] = &[
    ("PingPong", "IMB-MPI1", &[0, 1]),
    ("Unidir_put", "IMB-RMA", &[0]),
];

pub(crate) fn facts() -> Vec<Fact> {
    let facts = BENCHMARKS.iter().flat_map(|(benchmark, binary, senders)| {
        let name = format!("imb::{}_is_counted_exactly", benchmark.to_lowercase());
        let row = (
            "closed binaries",
            "Intel MPI Benchmarks: PingPong, Unidir_put",
        );
        under(&[Mpi::Intel], row, &name, |mpi| {
            is_counted_exactly(mpi, benchmark, binary, senders)
        })
    });
    facts.collect()
}

/// A PMPI tool counts the messages in a run without rankfold. The table that the benchmark prints
/// tells their sizes; the benchmark sends each size equally often.
fn is_counted_exactly(mpi: Mpi, benchmark: &str, binary: &str, senders: &[u32]) -> Result<()> {
    let environment = mpi.environment().context("not from a wheel")?;
    let binary = environment.join("bin").join(binary);
    let args = [
        benchmark,
        "-iter",
        "100",
        "-iter_policy",
        "off",
        "-msglog",
        "4:8",
    ];
    let launch = mpi.launch(2, &binary, &args);
    let libraries = environment.join("lib");

    let mut command = Command::new(&launch[0]);
    command
        .args(&launch[1..])
        .env("LD_LIBRARY_PATH", &libraries)
        .env("LD_PRELOAD", program::compile_shared(mpi, "pmpi_tool")?);
    let alone = process::run(mpi::environment(&mut command), "")?.success()?;
    let profiled = rankfold::profile_launch(&launch, |command| {
        command.env("LD_LIBRARY_PATH", &libraries)
    })?;

    let sizes = sizes(&profiled.finished.stdout);
    // The benchmark prints one table for each of its modes.
    ensure!(
        !sizes.is_empty()
            && sizes
                .chunks(6)
                .all(|table| table == [0, 16, 32, 64, 128, 256]),
        "sizes {sizes:?}"
    );
    let mut expected = Matrix::default();
    for &rank in senders {
        let text = format!("tool {rank} ");
        let line = alone
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix(&text));
        let messages: u64 = line.context("the tool said nothing")?.parse()?;
        let each = messages / sizes.len() as u64;
        ensure!(
            each >= 100 && each * sizes.len() as u64 == messages,
            "{messages} messages"
        );
        expected.add(rank, 1 - rank, sizes.iter().sum::<u64>() * each, messages);
    }
    Matrix::of_profile(&profiled.profile).must_equal(&expected)
}

/// The first column, bytes, of the table whose second column is the requested number of
/// repetitions.
fn sizes(stdout: &str) -> Vec<u64> {
    let rows = stdout.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let size = words.next()?.parse().ok()?;
        (words.next()? == "100").then_some(size)
    });
    rows.collect()
}
