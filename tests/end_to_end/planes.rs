//! Phases, times, sessions, and messages to processes outside of `MPI_COMM_WORLD`.

use crate::fact::{Fact, under};
use anyhow::{Context, Result, ensure};
use rankfold_tests::matrix::Matrix;
use rankfold_tests::mpi::{self, Mpi};
use rankfold_tests::{process, program, rankfold};
use rankfold_wire::{CallClass, Outcome, Phase, Profile};

struct Plane {
    fact: &'static str,
    feature: &'static str,
    mpis: &'static [Mpi],
    check: fn(Mpi) -> Result<()>,
}

const PLANES: &[Plane] = &[
    Plane {
        fact: "pcontrol_names_starts_and_stops_phases_for_all_threads",
        feature: "phases by `MPI_Pcontrol`",
        mpis: &Mpi::KINDS,
        check: phases,
    },
    Plane {
        fact: "bytes_to_spawned_processes_are_foreign_and_the_children_do_not_disturb",
        feature: "bytes that leave the world",
        // Debian's MPICH has no `MPI_Comm_spawn`.
        mpis: &[Mpi::OpenMpi, Mpi::OpenMpi5, Mpi::Mpich5, Mpi::Intel],
        check: foreign,
    },
    Plane {
        fact: "time_goes_to_the_class_of_the_call_that_waited",
        feature: "time inside MPI",
        mpis: &Mpi::KINDS,
        check: times,
    },
    Plane {
        fact: "a_program_with_sessions_only_has_a_whole_profile",
        feature: "sessions without `MPI_Init`",
        // Open MPI 4 has neither sessions nor partitioned messages. In Open MPI 5 partitioned
        // messages end in a segmentation fault without `MPI_Init`.
        mpis: &[Mpi::Mpich, Mpi::Mpich5, Mpi::Intel],
        check: |mpi| sessions(mpi, &[], &[(1000, 10), (768, 6)]),
    },
    Plane {
        fact: "what_sessions_send_after_finalize_is_counted",
        feature: "sessions that go on after `MPI_Finalize`",
        // Intel MPI lets no program call `MPI_Init` after it has opened a session.
        mpis: &[Mpi::OpenMpi5, Mpi::Mpich, Mpi::Mpich5],
        check: |mpi| sessions(mpi, &["after"], &[(1500, 15)]),
    },
];

pub(crate) fn facts() -> Vec<Fact> {
    let facts = PLANES.iter().flat_map(|plane| {
        let name = format!("planes::{}", plane.fact);
        under(plane.mpis, ("C", plane.feature), &name, plane.check)
    });
    facts.collect()
}

fn ring(of: &[(u64, u64)]) -> Matrix {
    let mut matrix = Matrix::default();
    for rank in 0..4 {
        for &(bytes, messages) in of {
            matrix.add(rank, (rank + 1) % 4, bytes, messages);
        }
    }
    matrix
}

fn phases(mpi: Mpi) -> Result<()> {
    let program = program::build(&mpi.compiler().with("-pthread"), "phases.c", mpi.name())?;
    let profile = rankfold::profile(mpi, 4, &program, &[])?.profile;
    let names: Vec<&str> = profile.phases.iter().map(|p| p.name.as_str()).collect();
    ensure!(names == ["7", "solve"], "{names:?}");
    let of = |phase: &Phase| {
        Matrix::of_profile(&Profile {
            rows: phase.rows.clone(),
            ..Profile::default()
        })
    };
    of(&profile.phases[0]).must_equal(&ring(&[(300, 1)]))?;
    of(&profile.phases[1]).must_equal(&ring(&[(10, 1), (20, 1), (40, 1)]))?;
    let whole = [(1, 1), (10, 1), (20, 1), (300, 1), (40, 1), (2, 1)];
    Matrix::of_profile(&profile).must_equal(&ring(&whole))?;
    let calls = |rows: &[rankfold_wire::Collective]| rows.iter().map(|row| row.calls).sum();
    let (in_solve, in_all): (u64, u64) = (
        calls(&profile.phases[1].collectives),
        calls(&profile.collectives),
    );
    ensure!((in_solve, in_all) == (2, 3), "{in_solve} of {in_all} calls");
    Ok(())
}

fn foreign(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "spawn")?;
    let launch = mpi.launch(3, &program, &[]);
    let profile = rankfold::profile_launch(&launch, mpi::with_network)?.profile;
    let mut expected = Matrix::default();
    for rank in 0..3 {
        expected.add(rank, (rank + 1) % 3, 10, 1);
    }
    Matrix::of_profile(&profile).must_equal(&expected)?;
    let foreign: Vec<(u32, u64, u64)> = profile
        .foreign
        .iter()
        .map(|from| (from.rank, from.bytes, from.messages))
        .collect();
    ensure!(
        foreign == [(0, 200, 2), (1, 200, 2), (2, 200, 2)],
        "{foreign:?}"
    );
    let [reduced] = &profile.collectives[..] else {
        anyhow::bail!("{:?}", profile.collectives);
    };
    let members = &profile.communicators[reduced.comm as usize].members;
    let outside = members.iter().filter(Option::is_none).count();
    ensure!((members.len(), outside) == (5, 2), "{members:?}");
    Ok(())
}

fn times(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "times")?;
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("run.rfp");
    let mut command = rankfold::command(&["profile", "--time", "-o"]);
    command.arg(&output).arg("--");
    command.args(mpi.launch(2, &program, &[]));
    let text = process::run(&mut command, "")?.success()?.stderr;
    let profile = Profile::read(&output)?;
    ensure!(profile.times.len() == 2, "{:?}", profile.times);
    for class in [
        CallClass::Receive,
        CallClass::Wait,
        CallClass::Collective,
        CallClass::OneSided,
    ] {
        let spent = profile.times[1].iter().find(|time| time.class == class);
        let spent = spent.with_context(|| format!("no {}", class.name()))?;
        // The program waits for 0.45 s, less what the scheduler wakes rank 1 late.
        ensure!(spent.seconds() > 0.25, "{}: {spent:?}", class.name());
        ensure!(
            text.contains(class.name()),
            "{} is not told:\n{text}",
            class.name()
        );
    }
    functions_add_up(&profile)?;
    let run = profile.times[0]
        .iter()
        .find(|time| time.class == CallClass::Run)
        .context("no run")?;
    ensure!(run.seconds() > 1.2, "{run:?}");
    let plain = rankfold::profile(mpi, 2, &program, &[])?.profile;
    ensure!(plain.times.is_empty(), "timed without --time");
    Ok(())
}

/// The functions of every class take the time and the calls of that class, and those that the
/// program waits in are named.
fn functions_add_up(profile: &Profile) -> Result<()> {
    for class in CallClass::ALL.into_iter().filter(|&c| c != CallClass::Run) {
        let ranks = profile.times.iter().flatten();
        let of_ranks = ranks.filter(|time| time.class == class);
        let by_rank = of_ranks.fold((0, 0), |sum, time| {
            (sum.0 + time.nanoseconds, sum.1 + time.calls)
        });
        let functions = profile.function_times.iter();
        let of_functions = functions.filter(|time| time.class == class);
        let by_function = of_functions.fold((0, 0), |sum, time| {
            (sum.0 + time.nanoseconds, sum.1 + time.calls)
        });
        ensure!(by_rank == by_function, "{}: {by_rank:?}", class.name());
    }
    for name in ["MPI_Recv", "MPI_Wait", "MPI_Allreduce", "MPI_Win_fence"] {
        let mut functions = profile.function_times.iter();
        let time = functions.find(|time| time.function == name);
        let time = time.with_context(|| format!("no {name}"))?;
        ensure!(
            time.longest_rank == 1 && time.longest > 250_000_000,
            "{time:?}"
        );
    }
    Ok(())
}

fn sessions(mpi: Mpi, args: &[&str], sent: &[(u64, u64)]) -> Result<()> {
    let program = program::compile(mpi, "sessions")?;
    let profile = rankfold::profile(mpi, 4, &program, args)?.profile;
    ensure!(
        profile.manifest.outcome == Outcome::Finalized,
        "{:?}",
        profile.manifest.outcome
    );
    Matrix::of_profile(&profile).must_equal(&ring(sent))
}
