//! From the journals of all processes of a job to what the job did with NCCL.

use super::membership::{self, contradiction};
use super::totals::{self, Totals};
use crate::error::ProfileError;
use crate::journal::{Journal, layout};
use crate::nccl_record::NcclRecord;
use crate::profile::{Manifest, NcclTraffic, Outcome, Profile, Row};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What a job did with NCCL, by ranks of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedJob {
    /// Number of ranks.
    pub ranks: usize,
    /// The host of every rank; empty for ranks without a journal.
    pub hosts: Vec<String>,
    /// The program.
    pub program: String,
    /// How the job ended. Ranks without a journal are missing.
    pub outcome: Outcome,
    /// The traffic.
    pub traffic: NcclTraffic,
}

/// Joins the journals of the processes of one job, each with the file that it was read from.
/// `None` if there are no journals.
///
/// # Errors
/// [`ProfileError::Damaged`], naming a file: journals that contradict each other, as those of two
/// jobs do, and processes whose ranks are not known.
pub fn join(journals: &[(PathBuf, Journal)]) -> Result<Option<JoinedJob>, ProfileError> {
    let Some((first, journal)) = journals.first() else {
        return Ok(None);
    };
    for (path, journal) in journals {
        if journal.ledger.nccl.process.is_none() {
            return contradiction(
                path,
                "the name is that of a journal of NCCL, and no such process is in it: the file is half-written, or of a process that was killed at its start".to_owned(),
            );
        }
    }
    let memberships = membership::memberships(journals)?;
    let ranks = membership::ranks(journals, &memberships)?;
    if ranks.ranks > layout::MAX_RANKS as usize {
        return contradiction(first, format!("a job of {} ranks", ranks.ranks));
    }
    let mut totals = Totals::new(&memberships, &ranks);
    for (index, (_, journal)) in journals.iter().enumerate() {
        totals.add(index, journal);
    }
    let unfinished = totals::unfinished(journals);
    let of_journal = |rank: &u32| ranks.journal_of.get(rank);
    let all = 0..ranks.ranks as u32;
    let missing: Vec<u32> = all
        .clone()
        .filter(|rank| of_journal(rank).is_none())
        .collect();
    let interfaces: BTreeSet<u32> = journals
        .iter()
        .filter_map(|(_, journal)| Some(journal.ledger.nccl.process.as_ref()?.interface))
        .collect();
    let (network, sent) = (totals.network(), totals.sent());
    let (communicators, collectives, left_out) = totals.collectives();
    let record = NcclRecord {
        interfaces: interfaces.into_iter().collect(),
        unfinished: all
            .clone()
            .filter(|rank| of_journal(rank).is_some_and(|index| unfinished.contains(index)))
            .collect(),
        lost: totals.lost(),
        notes: ranks.notes.iter().cloned().chain(left_out).collect(),
    };
    let host = |rank| {
        let journal = of_journal(&rank).and_then(|&index| journals.get(index));
        journal.map_or(String::new(), |(_, journal)| journal.host.clone())
    };
    let outcome = if missing.is_empty() && unfinished.is_empty() {
        Outcome::Finalized
    } else {
        Outcome::Recovered { missing }
    };
    Ok(Some(JoinedJob {
        ranks: ranks.ranks,
        hosts: all.map(host).collect(),
        program: journal.program.clone(),
        outcome,
        traffic: NcclTraffic {
            network,
            sent,
            communicators,
            collectives,
            record,
        },
    }))
}

impl JoinedJob {
    /// The profile of a job without MPI.
    #[must_use]
    pub fn into_profile(self) -> Profile {
        Profile {
            manifest: Manifest {
                program: self.program,
                mpi: String::new(),
                hosts: self.hosts,
                outcome: self.outcome,
            },
            rows: vec![Row::default(); self.ranks],
            nccl: Some(self.traffic),
            ..Profile::default()
        }
    }
}
