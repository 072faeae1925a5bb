//! What a profile lacks.

use rankfold_base::words::counted;
use rankfold_wire::{Outcome, Profile};
use std::path::Path;

/// A note for the user if the profile lacks something that the program has sent.
pub(super) fn partial(path: &Path, profile: &Profile) -> Option<String> {
    let Outcome::Recovered { missing } = &profile.manifest.outcome else {
        return None;
    };
    let path = path.display();
    Some(match missing.len() {
        0 if profile.nccl.is_some() && profile.manifest.mpi.is_empty() => {
            format!("{path} is a partial profile: ranks were killed")
        }
        0 => format!("{path} is a partial profile: the run did not reach MPI_Finalize"),
        ranks => format!(
            "{path} is a partial profile: some or all counters of {} are missing",
            counted(ranks, "rank")
        ),
    })
}
