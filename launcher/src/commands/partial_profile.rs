//! Partial profiles: what is written before a run has ended, and the words for a profile that lacks
//! counters.

use crate::traces::Traces;
use rankfold_console::terminal;
use rankfold_wire::{Outcome, Profile};
use std::path::Path;
use std::time::{Duration, Instant};

/// Writes a partial profile if a run was asked to end and does not end at once: a batch system soon
/// kills the run and this process.
#[derive(Default)]
pub(super) struct Provisional {
    /// When the first signal that asks for the end was seen.
    asked: Option<Instant>,
}

impl Provisional {
    /// Writes the partial profile once, some time after a signal has asked for the end. To be
    /// called again and again while the job runs, until it returns true.
    pub(super) fn look(&mut self, ending: bool, traces: &Traces, output: Option<&Path>) -> bool {
        /// A run that ends within this time after the signal gets a whole profile. Chosen by hand;
        /// not measured.
        const GRACE: Duration = Duration::from_secs(1);
        if !ending {
            return false;
        }
        if self.asked.get_or_insert_with(Instant::now).elapsed() < GRACE {
            return false;
        }
        if let Some(output) = output
            && let Ok(Some(recovery)) = traces.recover()
            && recovery.profile.write(output).is_ok()
        {
            let output = output.display();
            terminal::warning(format_args!(
                "the job has not ended yet; wrote what it has sent so far, a partial profile, to {output}"
            ));
        }
        true
    }
}

/// The message about a profile that was made from journals: it names the ranks whose counters are
/// missing. `finalized` says whether all ranks have reached `MPI_Finalize`.
pub(super) fn recovered(profile: &Profile, finalized: bool) -> String {
    let outcome = &profile.manifest.outcome;
    let missing = match outcome {
        Outcome::Recovered { missing } => &missing[..],
        Outcome::Finalized => &[],
    };
    if let (Some(nccl), true) = (&profile.nccl, profile.manifest.mpi.is_empty()) {
        return of_nccl(missing, &nccl.record.unfinished);
    }
    let ranks = named(missing);
    if finalized {
        return format!(
            "the profile is partial: no profile could be written in MPI_Finalize, and the journals it was made from lack counters of {ranks}, which were in memory"
        );
    }
    let all = "the profile is partial: the program did not reach MPI_Finalize, and what it had sent until then was recovered from the journals";
    if missing.is_empty() {
        return format!("{all} of all ranks");
    }
    format!(
        "{all}, without {ranks}: no journal on the hosts that were looked at, or one that lacks counters (a rank may have died before the end of MPI_Init; rankfold recover RUN -- LAUNCH looks at all hosts of a launch)"
    )
}

/// The message about a partial profile of a program that uses NCCL and no MPI.
fn of_nccl(missing: &[u32], unfinished: &[u32]) -> String {
    let parts = [(missing, "without"), (unfinished, "killed before the end:")];
    let text = parts.into_iter().filter(|(ranks, _)| !ranks.is_empty());
    let text: Vec<String> = text
        .map(|(ranks, what)| format!("{what} {}", named(ranks)))
        .collect();
    format!("the profile is partial: {}", text.join("; "))
}

/// The numbers of ranks as words; of many ranks, some.
fn named(ranks: &[u32]) -> String {
    const NAMED: usize = 8;
    let mut numbers: Vec<String> = ranks.iter().take(NAMED).map(u32::to_string).collect();
    if ranks.len() > NAMED {
        numbers.push(format!("{} more", ranks.len() - NAMED));
    }
    let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
    format!("{noun} {}", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_wire::{Manifest, NcclRecord, NcclTraffic};

    fn of(outcome: Outcome) -> Profile {
        let manifest = Manifest {
            mpi: "MPICH".to_owned(),
            outcome,
            ..Manifest::default()
        };
        Profile {
            manifest,
            ..Profile::default()
        }
    }

    #[test]
    fn a_job_without_mpi_is_not_told_of_mpi() {
        let mut profile = of(Outcome::Recovered { missing: vec![2] });
        profile.manifest.mpi.clear();
        let record = NcclRecord {
            unfinished: vec![0, 1],
            ..NcclRecord::default()
        };
        profile.nccl = Some(NcclTraffic {
            record,
            ..NcclTraffic::default()
        });
        let commands = recovered(&profile, false);
        assert_eq!(
            commands,
            "the profile is partial: without rank 2; killed before the end: ranks 0, 1"
        );
    }

    #[test]
    fn missing_ranks_are_named_and_many_are_counted() {
        let lacking = |missing| of(Outcome::Recovered { missing });
        let text = recovered(&lacking(vec![3, 5]), false);
        assert!(text.contains("without ranks 3, 5:"), "{text}");
        let text = recovered(&lacking((0..20).collect()), false);
        assert!(text.contains("7, 12 more:"), "{text}");
        let text = recovered(&lacking(vec![]), false);
        assert!(text.ends_with("of all ranks"), "{text}");
    }

    #[test]
    fn a_run_that_reached_finalize_is_not_said_to_have_missed_it() {
        let text = recovered(&of(Outcome::Recovered { missing: vec![1] }), true);
        assert!(text.contains("counters of rank 1,"), "{text}");
        assert!(!text.contains("did not reach"), "{text}");
    }
}
