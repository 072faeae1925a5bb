//! The library together with other tools of MPI's profiling interface, the profiler among them, in
//! both orders.

use super::{ORDER, RANKS, Renumbered, compile, library, must_be_in_order, under};
use crate::fact::Fact;
use anyhow::{Context, Result, ensure};
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{program, rankfold};
use rankfold_wire::Profile;
use std::path::Path;

pub(super) fn facts() -> Vec<Fact> {
    [
        under(&Mpi::KINDS, "a_tool_before_or_behind_sees_every_call", tool),
        under(
            &Mpi::KINDS,
            "the_profiler_before_records_new_ranks_behind_the_launchers",
            profiler,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Both orders of this library and the library `other` in `LD_PRELOAD`.
fn orders(other: &Path) -> [(bool, String); 2] {
    let (ours, other) = (library(), other.display().to_string());
    let ours = ours.display().to_string();
    [
        (true, format!("{other}:{ours}")),
        (false, format!("{ours}:{other}")),
    ]
}

fn tool(mpi: Mpi) -> Result<()> {
    let program = program::compile(mpi, "survive")?;
    let tool = program::compile_shared(mpi, "pmpi_tool")?;
    for (before, preload) in orders(&tool) {
        let mut run = Renumbered::program(mpi, &program, &["none"])?;
        run.command.env("LD_PRELOAD", preload);
        let finished = run.run_well()?;
        for rank in 0..RANKS {
            let line = format!("tool {rank} 100");
            ensure!(
                finished.stdout.lines().any(|printed| printed == line),
                "before {before}: no {line:?} in {}",
                finished.stdout
            );
        }
    }
    Ok(())
}

/// The profile of a ring holds the ranks that its position in the chain sees.
fn profiler(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "numbers")?;
    for (before, preload) in orders(&rankfold::library()) {
        let mut run = Renumbered::program(mpi, &program, &[])?;
        let output = run.scratch.path().join("run.rfp");
        run.command
            .env("LD_PRELOAD", preload)
            .env("RANKFOLD_PROFILE", &output);
        let finished = run.run()?.success()?;
        must_be_in_order(&finished, &ORDER)?;
        let profile = Profile::read(&output).with_context(|| finished.stderr.clone())?;
        let name = |rank: u32| if before { rank } else { ORDER[rank as usize] };
        for rank in 0..RANKS {
            let (from, to) = (name(rank), name((rank + 1) % RANKS));
            let row = &profile.rows[from as usize];
            let sent = row.peers.iter().find(|peer| peer.rank == to);
            ensure!(
                sent.is_some_and(|peer| peer.messages >= 3),
                "before {before}: {from} sends {row:?}, and not to {to}"
            );
        }
    }
    Ok(())
}
