//! Compares the profiler's matrix with what programs say they have sent, and with what Open MPI's
//! monitoring component counts.

use crate::fact::{Fact, Need, fact, under};
use anyhow::{Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{monitoring, program, rankfold};
use rankfold_wire::Outcome;

/// A program with a known communication pattern.
#[derive(Clone, Copy)]
struct Case {
    label: &'static str,
    program: &'static str,
    ranks: u32,
    args: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        label: "periodic_stencil2d",
        program: "stencil2d",
        ranks: 8,
        args: &["2", "4", "1000", "5", "1"],
    },
    Case {
        label: "open_stencil2d",
        program: "stencil2d",
        ranks: 6,
        args: &["3", "2", "70000", "3", "0"],
    },
    Case {
        label: "halo3d_of_26_neighbours",
        program: "halo3d",
        ranks: 12,
        args: &["3", "2", "2", "65536", "2", "26"],
    },
    Case {
        label: "open_halo3d_of_6_neighbours",
        program: "halo3d",
        ranks: 8,
        args: &["2", "2", "2", "4096", "3", "6", "0"],
    },
    Case {
        label: "irregular_graph",
        program: "irregular",
        ranks: 10,
        args: &["5", "100000", "3"],
    },
    Case {
        label: "subcommunicators",
        program: "subcomm",
        ranks: 8,
        args: &["4", "1000", "3"],
    },
    Case {
        label: "subcommunicators_of_odd_sizes",
        program: "subcomm",
        ranks: 10,
        args: &["3", "500", "2"],
    },
];

/// A program that prints what it sends, and its arguments.
struct Telling {
    fact: &'static str,
    feature: &'static str,
    program: &'static str,
    ranks: u32,
    mpis: &'static [Mpi],
}

const TELLING: &[Telling] = &[
    Telling {
        fact: "every_kind_of_send_is_counted_once",
        feature: "every kind of send; `MPI_PROC_NULL`, to oneself, zero bytes",
        program: "everything",
        ranks: 4,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "ranks_that_send_nothing_have_empty_rows",
        feature: "ranks that only receive",
        program: "one_way",
        ranks: 4,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "receivers_beyond_an_intercommunicator_are_world_ranks",
        feature: "intercommunicators",
        program: "intercomm",
        ranks: 4,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "what_mpi_io_moves_between_ranks_is_not_counted",
        feature: "MPI-IO is not counted",
        program: "files",
        ranks: 4,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "every_kind_of_remote_memory_access_is_counted_once",
        feature: "every kind of remote memory access",
        program: "onesided",
        ranks: 4,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "every_neighbourhood_collective_is_counted_as_its_topology_says",
        feature: "every neighbourhood collective",
        program: "neighbours",
        ranks: 4,
        mpis: &Mpi::ALL_BUT_MPICH_4,
    },
    Telling {
        fact: "threads_that_send_at_once_lose_nothing",
        feature: "`MPI_THREAD_MULTIPLE`, four threads a rank",
        program: "threads",
        ranks: 3,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "reused_handles_mean_their_new_object",
        feature: "handles reused after free; freed datatypes",
        program: "reuse",
        ranks: 4,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "communicators_of_groups_mean_their_own_ranks",
        feature: "communicators made in every way, and their duplicates",
        program: "grouped",
        ranks: 5,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "handles_freed_by_another_thread_mean_their_new_object",
        feature: "handles freed by one thread and reused by others",
        program: "recycled",
        ranks: 4,
        mpis: &Mpi::ALL,
    },
    Telling {
        fact: "messages_beyond_2_gib_are_counted_whole",
        feature: "counts and messages beyond 2^31",
        program: "huge",
        ranks: 2,
        mpis: &Mpi::KINDS,
    },
];

pub(crate) fn facts() -> Vec<Fact> {
    let monitored = CASES.iter().map(|case| {
        fact(
            format!("matrix::{}_equals_open_mpi_monitoring", case.label),
            &[Need::Mpi(Mpi::OpenMpi)],
            || equals_monitoring(*case, Mpi::OpenMpi),
        )
    });
    let mpich = CASES.iter().map(|case| {
        fact(
            format!("matrix::{}_is_the_same_under_mpich", case.label),
            &[Need::Mpi(Mpi::OpenMpi), Need::Mpi(Mpi::Mpich)],
            || equals_monitoring(*case, Mpi::Mpich),
        )
    });
    let telling = TELLING.iter().flat_map(|case| {
        let name = format!("matrix::{}", case.fact);
        under(case.mpis, ("C", case.feature), &name, |mpi| {
            let program = program::compile(mpi, case.program)?;
            rankfold::profile(mpi, case.ranks, &program, &[])?.must_equal_what_it_says()
        })
    });
    monitored.chain(mpich).chain(telling).collect()
}

fn equals_monitoring(case: Case, profiled_under: Mpi) -> Result<()> {
    let expected = monitored(case)?;
    let program = program::compile(profiled_under, case.program)?;
    let profile = rankfold::profile(profiled_under, case.ranks, &program, case.args)?.profile;
    ensure!(
        profile.rows.len() == case.ranks as usize,
        "{} rows",
        profile.rows.len()
    );
    ensure!(
        profile.manifest.outcome == Outcome::Finalized,
        "the run ended well, the profile says {:?}",
        profile.manifest.outcome
    );
    Matrix::of_profile(&profile).must_equal(&expected)
}

/// The matrix that Open MPI's monitoring component counts in a run without rankfold.
fn monitored(case: Case) -> Result<Matrix> {
    let program = program::compile(Mpi::OpenMpi, case.program)?;
    let scratch = tempfile::tempdir()?;
    monitoring::run(scratch.path(), case.ranks, &program, case.args)?;
    let matrix = Matrix::of_monitoring(scratch.path())?;
    ensure!(
        matrix.pairs() >= case.ranks as usize,
        "hardly any traffic: {matrix:?}"
    );
    Ok(matrix)
}
