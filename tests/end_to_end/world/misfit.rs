//! Plans that do not fit, and ranks without the library: the program runs with the ranks of the
//! launcher, and a message says why.

use super::{ORDER, RANKS, Renumbered, compile, must_be_in_order, plan, under};
use crate::fact::Fact;
use anyhow::{Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::program;
use rankfold_wire::read_seats;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const AS_LAUNCHED: [u32; RANKS as usize] = [0, 1, 2, 3];
const SO: &str = "ranks keep the launcher's numbers";

pub(super) fn facts() -> Vec<Fact> {
    [
        under(
            &Mpi::KINDS,
            "a_plan_that_does_not_fit_changes_nothing",
            misfit,
        ),
        under(
            &Mpi::DEBIAN,
            "a_plan_that_cannot_be_read_changes_nothing",
            unreadable,
        ),
        under(
            &Mpi::KINDS,
            "a_rank_without_the_library_is_not_waited_for_long",
            missing,
        ),
        under(&Mpi::KINDS, "an_unknown_function_is_named", unknown),
        under(
            &Mpi::DEBIAN,
            "rank_0_changes_places_rather_than_processes",
            rank_0,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Runs `numbers` with a plan. Fails unless the ranks are those of the launcher and one message
/// gives the `reason`.
fn stays(mpi: Mpi, text: &str, reason: &str) -> Result<()> {
    let words = mpi.launch(RANKS, &compile(mpi, "numbers")?, &[]);
    let mut run = Renumbered::launch(&words, text)?;
    let finished = run.run()?.success()?;
    must_be_in_order(&finished, &AS_LAUNCHED)?;
    let number = finished.stderr.matches(SO).count();
    ensure!(
        number == 1 && finished.stderr.contains(reason),
        "told {number} times: {}",
        finished.stderr
    );
    let seats = read_seats(&run.seats())?;
    let processes = seats.iter().map(|seat| seat.launcher_rank);
    ensure!(processes.eq(AS_LAUNCHED), "{seats:?}");
    Ok(())
}

fn misfit(mpi: Mpi) -> Result<()> {
    stays(
        mpi,
        &plan(&[0, 2, 1]),
        "the plan is for 3 ranks, and there are 4",
    )?;
    let two = "rankfold-plan 1 4\nhost 0 a\nhost 1 b\nrank 0 0 - -\nrank 1 1 - -\nrank 2 0 - -\nrank 3 1 - -\n";
    stays(mpi, two, "2 ranks are planned on a")
}

fn unreadable(mpi: Mpi) -> Result<()> {
    stays(mpi, "0 1 2 3\n", "not a rankfold plan")?;
    stays(mpi, "rankfold-plan 1 1\nhost 0\n", "line 2: neither")
}

/// The plan has rank 0 in another process.
fn rank_0(mpi: Mpi) -> Result<()> {
    let words = mpi.launch(RANKS, &compile(mpi, "numbers")?, &[]);
    let finished = Renumbered::launch(&words, &plan(&[3, 0, 1, 2]))?.run_well()?;
    must_be_in_order(&finished, &[0, 3, 1, 2])
}

fn missing(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "numbers")?;
    let scratch = tempfile::tempdir()?;
    let script = scratch.path().join("rank.sh");
    let text = format!(
        "#!/bin/sh\n[ \"${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\" = 2 ] && unset LD_PRELOAD\nexec {}\n",
        program.display()
    );
    fs::write(&script, text)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let mut run = Renumbered::program(mpi, &script, &[])?;
    run.command.env("RANKFOLD_PATIENCE", "2");
    let begun = Instant::now();
    let finished = run.run()?.success()?;
    ensure!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    must_be_in_order(&finished, &AS_LAUNCHED)?;
    let number = finished.stderr.matches(SO).count();
    ensure!(
        number == 1 && finished.stderr.contains("rank 2 (its neighbours run on"),
        "told {number} times: {}",
        finished.stderr
    );
    Ok(())
}

fn unknown(mpi: Mpi) -> Result<()> {
    let library = program::compile_shared(mpi, "world/teleporter")?;
    let compiler = mpi.compiler().with(&library.display().to_string());
    let variant = format!("{}.teleport", mpi.name());
    let program = program::build(&compiler, "world/teleport.c", &variant)?;
    let finished = Renumbered::program(mpi, &program, &[])?.run()?.success()?;
    let number = finished
        .stderr
        .matches("the program calls MPI_Teleport, which librankfold_world.so does not know")
        .count();
    ensure!(number == 1, "told {number} times: {}", finished.stderr);
    let known = Renumbered::program(mpi, &compile(mpi, "numbers")?, &[])?.run_well()?;
    must_be_in_order(&known, &ORDER)
}
