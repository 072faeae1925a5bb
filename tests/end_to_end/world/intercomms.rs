//! Intercommunicators of groups whose processes renumbering has mixed.

use super::{RANKS, Renumbered, compile, plan, sorted, under};
use crate::fact::Fact;
use anyhow::{Result, ensure};
use rankfold_tests::mpi::Mpi;

pub(super) fn facts() -> Vec<Fact> {
    under(&Mpi::ALL, "parts_of_mixed_groups_have_collectives", parts)
}

/// Fails unless `intercomms` prints the same in two orders of its processes as without the library.
/// Both orders mix the launcher's numbers of the two halves of the ranks.
fn parts(mpi: Mpi) -> Result<()> {
    let program = compile(mpi, "intercomms")?;
    let plain = mpi.run(RANKS, &program, &[])?.success()?;
    let plain = sorted(&plain);
    ensure!(plain.len() == 6, "{plain:?}");
    for order in [[0, 2, 1, 3], [0, 3, 1, 2]] {
        let words = mpi.launch(RANKS, &program, &[]);
        let renumbered = Renumbered::launch(&words, &plan(&order))?.run_well()?;
        let renumbered = sorted(&renumbered);
        ensure!(plain == renumbered, "{renumbered:?} instead of {plain:?}");
    }
    Ok(())
}
