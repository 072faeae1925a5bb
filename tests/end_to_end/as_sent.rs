//! What MPI libraries report that they send inside collectives, and the parameters by which they
//! choose how to.

use crate::fact::{Fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::program;
use rankfold_tests::rankfold::{self, Profiled};
use rankfold_wire::Profile;
use std::collections::BTreeMap;
use std::path::Path;

type Check = fn(Mpi) -> Result<()>;

#[rustfmt::skip]
const FACTS: &[(&str, &str, &[Mpi], Check)] = &[
    ("what_open_mpi_sends_inside_collectives_is_recorded_and_others_say_that_they_do_not_report_it", "what the library sends inside collectives, where it reports that", &Mpi::KINDS, transpose),
    ("neighbourhood_collectives_are_not_counted_twice_when_the_library_reports", "neighbourhood collectives while the library reports", &Mpi::KINDS_BUT_MPICH_4, neighbours),
    ("programs_with_intercommunicators_and_freed_communicators_run_while_the_library_reports", "intercommunicators while the library reports", &Mpi::KINDS, every_form),
    ("messages_after_a_free_are_counted_while_the_library_reports", "objects freed while the library reports", &Mpi::KINDS, freed),
    ("parameters_of_collectives_are_in_the_profile", "parameters of collectives", &Mpi::KINDS, parameters),
];

pub(crate) fn facts() -> Vec<Fact> {
    let facts = FACTS.iter().flat_map(|&(name, feature, mpis, check)| {
        let name = format!("as_sent::{name}");
        under(mpis, ("C", feature), &name, check)
    });
    facts.collect()
}

/// Upper bound of the bytes between two ranks that making communicators takes.
const SMALL: u64 = 1000;

/// Profiles a run in which the library is asked to report what it sends inside collectives.
fn measured(mpi: Mpi, ranks: u32, program: &Path, args: &[&str]) -> Result<(Profile, Finished)> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let mut command = rankfold::command(&["profile", "--collectives", "measured", "-o"]);
    command
        .arg(&output)
        .arg("--")
        .args(mpi.launch(ranks, program, args));
    let finished = process::run(&mut command, "")?.success()?;
    let profile = Profile::read(&output).context(finished.stderr.clone())?;
    Ok((profile, finished))
}

/// Bytes of the pairs of different ranks that have more than [`SMALL`] inside collectives.
fn large(profile: &Profile) -> BTreeMap<(u32, u32), u64> {
    let rows = (0..).zip(&profile.as_sent);
    let pairs = rows.flat_map(|(from, row)| {
        let peers = row.peers.iter();
        peers.map(move |peer| ((from, peer.rank), peer.bytes))
    });
    pairs
        .filter(|&((from, to), bytes)| from != to && bytes > SMALL)
        .collect()
}

/// The exchanges of blocks of this size go directly from rank to rank under Open MPI.
fn transpose(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "transpose")?;
    let (profile, finished) = measured(mpi, 12, &program, &["4"])?;
    ensure!(!profile.collectives.is_empty(), "{}", finished.stderr);
    let refused = "does not report what it sends inside collectives";
    if !mpi.is_open_mpi() {
        ensure!(profile.as_sent.is_empty(), "{:?}", profile.as_sent);
        let lines = finished.stderr.matches(refused).count();
        ensure!(lines == 1, "{lines} lines: {}", finished.stderr);
        return Ok(());
    }
    ensure!(!finished.stderr.contains(refused), "{}", finished.stderr);
    let (recorded, said) = (large(&profile), Matrix::of_program(&finished.stdout)?);
    for (pair, bytes) in said.bytes() {
        let is = recorded.get(&pair).copied().unwrap_or(0);
        let expected = bytes..bytes + SMALL;
        ensure!(expected.contains(&is), "{pair:?}: {is}, not {expected:?}");
    }
    ensure!(recorded.len() == said.pairs(), "other pairs: {recorded:?}");
    Ok(())
}

fn neighbours(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "neighbours")?;
    let (profile, finished) = measured(mpi, 4, &program, &[])?;
    Matrix::of_profile(&profile).must_equal(&Matrix::of_program(&finished.stdout)?)?;
    let recorded = large(&profile);
    ensure!(recorded.is_empty(), "{recorded:?}");
    Ok(())
}

/// Open MPI's own component for collectives would end the program.
fn every_form(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "collectives")?;
    let (profile, _) = measured(mpi, 5, &program, &[])?;
    ensure!(profile.as_sent.is_empty() != mpi.is_open_mpi());
    Ok(())
}

fn freed(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "freed")?;
    let (profile, finished) = measured(mpi, 4, &program, &[])?;
    Matrix::of_profile(&profile).must_equal(&Matrix::of_program(&finished.stdout)?)
}

fn parameters(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "transpose")?;
    let Profiled { profile, .. } =
        rankfold::profile_launch(&mpi.launch(4, &program, &["2"]), |command| {
            command
                .env("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")
                .env("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial")
                .env("I_MPI_ADJUST_BCAST", "1")
        })?;
    let expected = match mpi {
        Mpi::OpenMpi | Mpi::OpenMpi5 => ("coll_tuned_use_dynamic_rules", "1"),
        Mpi::Intel | Mpi::IntelAbi => ("I_MPI_ADJUST_BCAST", "1"),
        _ => ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"),
    };
    let set = profile.parameters.iter();
    let mut set = set.map(|set| (set.name.as_str(), set.value.as_str()));
    ensure!(
        set.any(|set| set == expected),
        "{:?}, expected {expected:?}",
        profile.parameters
    );
    Ok(())
}
