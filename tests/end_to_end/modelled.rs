//! Compares modelled collectives with the bytes that the MPI library sends.

use crate::fact::{Fact, Need, fact};
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, program, rankfold};
use std::collections::BTreeMap;
use std::fs;

const RANKS: u32 = 6;
/// Operations whose messages have no datatypes that cannot be counted below MPICH.
const OPERATIONS: &str = "Bcast,Reduce,Allreduce,Allgather,Allgatherv,Alltoall,Alltoallv,Scatter,Reduce_scatter,\
                          Reduce_scatter_block,Scan,Exscan";
const SIZES: &str = "64,16384";
const ROOT: &str = "1";

/// Variables with which the program counts what the library sends, see
/// `programs/collective_sends.c`.
const COUNTED: &[(&str, &str)] = &[
    ("OMPI_MCA_pml", "^ucx,cm"),
    ("OMPI_MCA_pml_monitoring_enable", "1"),
    ("MPIR_CVAR_NOLOCAL", "1"),
    ("MPIR_CVAR_CH4_NETMOD", "ucx"),
];

/// From a phase to the bytes of every pair.
type Phases = BTreeMap<String, BTreeMap<(u32, u32), u64>>;

pub(crate) fn facts() -> Vec<Fact> {
    let under = |mpi: Mpi| {
        fact(
            format!(
                "modelled::collectives_are_on_the_pairs_that_the_library_sends_to_under_{}",
                mpi.name()
            ),
            &[Need::Mpi(mpi)],
            move || as_sent(mpi),
        )
    };
    [Mpi::OpenMpi, Mpi::OpenMpi5, Mpi::Mpich, Mpi::Mpich5]
        .map(under)
        .into()
}

fn as_sent(mpi: Mpi) -> Result<()> {
    let program = program::compile_exporting(mpi, "collective_sends")?;
    let scratch = tempfile::tempdir()?;
    let profile = scratch.path().join("run.rfp");
    let args = [OPERATIONS, SIZES, ROOT];
    let mut command = rankfold::profile_command(mpi, &profile, RANKS, &program, &args);
    command.envs(COUNTED.iter().copied());
    let sent = sent(&process::run(&mut command, "")?.success()?.stdout)?;
    let phases = OPERATIONS.split(',').count() * SIZES.split(',').count();
    ensure!(sent.len() == phases, "{} phases of {phases}", sent.len());
    for (phase, pairs) in sent {
        let csv = scratch.path().join("modelled.csv");
        let (from, to) = (profile.display().to_string(), csv.display().to_string());
        let words = [
            "convert",
            "--phase",
            &phase,
            "--collectives",
            "auto",
            &from,
            &to,
        ];
        rankfold::run(&words)?.success()?;
        let modelled = modelled(&fs::read_to_string(&csv)?)?;
        ensure!(
            modelled == pairs,
            "{phase}: modelled {modelled:?}, sent {pairs:?}"
        );
    }
    Ok(())
}

/// Reads the lines `sent OPERATION BYTES SOURCE DESTINATION BYTES` of the program.
fn sent(stdout: &str) -> Result<Phases> {
    let mut phases = Phases::new();
    for line in stdout.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        ensure!(words.first() != Some(&"unseen"), "{line}");
        let ["sent", operation, size, source, destination, bytes] = words[..] else {
            continue;
        };
        let pairs = phases.entry(format!("{operation} {size}")).or_default();
        pairs.insert((source.parse()?, destination.parse()?), bytes.parse()?);
    }
    Ok(phases)
}

/// Reads the pairs of different ranks from a matrix in CSV.
fn modelled(csv: &str) -> Result<BTreeMap<(u32, u32), u64>> {
    let mut pairs = BTreeMap::new();
    for line in csv.lines().skip(1) {
        let mut numbers = line.split(',').map(|word| word.trim().parse::<u64>());
        let mut next = || numbers.next().context(line.to_owned());
        let (source, destination, bytes) = (next()??, next()??, next()??);
        if source != destination {
            pairs.insert((source.try_into()?, destination.try_into()?), bytes);
        }
    }
    Ok(pairs)
}
