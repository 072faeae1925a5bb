//! Bytes and messages by the function that sends or fetches them.

use crate::fact::{Fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use rankfold_wire::Profile;

/// A program, and functions with which it sends or fetches under every MPI.
struct Sending {
    fact: &'static str,
    feature: &'static str,
    program: &'static str,
    functions: &'static [&'static str],
    mpis: &'static [Mpi],
}

const SENDING: &[Sending] = &[
    Sending {
        fact: "sends_of_every_kind_add_up_to_the_matrix",
        feature: "bytes by function: sends",
        program: "everything",
        functions: &[
            "MPI_Bsend",
            "MPI_Ibsend",
            "MPI_Irsend",
            "MPI_Isend",
            "MPI_Issend",
            "MPI_Rsend",
            "MPI_Send",
            "MPI_Sendrecv",
            "MPI_Sendrecv_replace",
            "MPI_Ssend",
            "MPI_Start",
            "MPI_Startall",
        ],
        mpis: &Mpi::KINDS,
    },
    Sending {
        fact: "remote_memory_accesses_add_up_to_the_matrix",
        feature: "bytes by function: remote memory access",
        program: "onesided",
        functions: &["MPI_Accumulate", "MPI_Fetch_and_op", "MPI_Get", "MPI_Put"],
        mpis: &Mpi::KINDS,
    },
    Sending {
        fact: "neighbourhood_collectives_add_up_to_the_matrix",
        feature: "bytes by function: neighbourhood collectives",
        program: "neighbours",
        functions: &["MPI_Ineighbor_alltoallw", "MPI_Neighbor_alltoallv"],
        mpis: &Mpi::KINDS_BUT_MPICH_4,
    },
];

pub(crate) fn facts() -> Vec<Fact> {
    let facts = SENDING.iter().flat_map(|case| {
        let name = format!("by_function::{}", case.fact);
        under(case.mpis, ("C", case.feature), &name, move |mpi| {
            add_up(mpi, case)
        })
    });
    facts.collect()
}

/// The bytes and messages of all functions are those of the matrix, and the functions that the
/// program sends with are among them. Without `--time` none is counted.
fn add_up(mpi: Mpi, case: &Sending) -> Result<()> {
    let program = program::compile(mpi, case.program)?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let mut command = rankfold::command(&["profile", "--time", "-o"]);
    command.arg(&output).arg("--");
    command.args(mpi.launch(4, &program, &[]));
    process::run(&mut command, "")?.success()?;
    let profile = Profile::read(&output)?;
    let pairs = profile.rows.iter().flat_map(|row| &row.peers);
    let pairs = pairs.fold((0, 0), |sum, peer| {
        (sum.0 + peer.bytes, sum.1 + peer.messages)
    });
    let counted = &profile.function_messages;
    let functions = counted
        .iter()
        .fold((0, 0), |sum, of| (sum.0 + of.bytes, sum.1 + of.messages));
    ensure!(
        pairs == functions && pairs.1 > 0,
        "bytes and messages are {pairs:?} in pairs, {functions:?} in {counted:?}"
    );
    for name in case.functions {
        let mut named = counted.iter().filter(|of| of.function == *name);
        let of = named.next().with_context(|| format!("no {name}"))?;
        ensure!(of.messages > 0 && named.next().is_none(), "{counted:?}");
    }
    let plain = rankfold::profile(mpi, 4, &program, &[])?.profile;
    ensure!(plain.function_messages.is_empty(), "counted without --time");
    Ok(())
}
