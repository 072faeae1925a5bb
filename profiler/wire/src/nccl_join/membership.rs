//! Which process is which rank of the job, and which ranks are the members of each communicator.

use crate::error::{Fault, ProfileError};
use crate::journal::Journal;
use crate::nccl_process::NcclCommunicator;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The ranks of all processes of a job.
#[derive(Debug)]
pub(super) struct JobRanks {
    /// Number of ranks.
    pub(super) ranks: usize,
    /// The rank of every communicator of every journal, by index of the journal and number of the
    /// communicator. A process that drives several GPUs has several ranks.
    pub(super) of: BTreeMap<(usize, u32), u32>,
    /// The index of the journal of each rank.
    pub(super) journal_of: BTreeMap<u32, usize>,
    pub(super) notes: Vec<String>,
}

/// A communicator: its members by rank in it.
#[derive(Debug, Default)]
pub(super) struct Membership {
    /// Number of members, where a process tells it, and the journal of that process.
    size: Option<(u32, usize)>,
    /// For every rank in the communicator, the journal and the number of the communicator there.
    pub(super) seats: BTreeMap<u32, (usize, u32)>,
}

impl Membership {
    /// Number of members: as told, or else one more than the highest rank that was seen.
    pub(super) fn size(&self) -> usize {
        let seen = self.seats.keys().next_back().map_or(0, |&last| last + 1);
        self.size.map_or(seen, |(size, _)| size) as usize
    }
}

/// An error that names a file.
pub(super) fn contradiction<T>(path: &Path, problem: String) -> Result<T, ProfileError> {
    Err(ProfileError::Damaged {
        path: path.to_owned(),
        fault: Fault::Contradicts(problem),
    })
}

/// The communicators of all journals, by NCCL's identifier.
pub(super) fn memberships(
    journals: &[(PathBuf, Journal)],
) -> Result<BTreeMap<u64, Membership>, ProfileError> {
    let mut all: BTreeMap<u64, Membership> = BTreeMap::new();
    for (index, (path, journal)) in journals.iter().enumerate() {
        for known in &journal.ledger.nccl.communicators {
            let NcclCommunicator {
                number,
                id,
                rank,
                size,
            } = *known;
            let membership = all.entry(id).or_default();
            if size > 0 {
                match membership.size {
                    Some((other, in_journal)) if other != size => {
                        let (other_path, _) = &journals[in_journal];
                        return contradiction(
                            path,
                            format!(
                                "communicator {id:#x} has {size} ranks here and {other} in {}: are these journals of two jobs?",
                                other_path.display()
                            ),
                        );
                    }
                    _ => membership.size = Some((size, index)),
                }
                if rank >= size {
                    return contradiction(
                        path,
                        format!("rank {rank} of the {size} ranks of communicator {id:#x}"),
                    );
                }
            }
            if let Some((other, _)) = membership.seats.insert(rank, (index, number)) {
                let (other_path, _) = &journals[other];
                return contradiction(
                    path,
                    format!(
                        "rank {rank} of communicator {id:#x} is in {} as well: are these journals of two jobs?",
                        other_path.display()
                    ),
                );
            }
        }
    }
    Ok(all)
}

/// The rank of every process: the number that its launcher gave it, or else its rank in the largest
/// communicator.
pub(super) fn ranks(
    journals: &[(PathBuf, Journal)],
    memberships: &BTreeMap<u64, Membership>,
) -> Result<JobRanks, ProfileError> {
    let several = drives_several(journals);
    if several.is_none() {
        match by_launcher(journals)? {
            Ok(ranks) => return Ok(ranks),
            Err(note) => return by_largest(journals, memberships, note),
        }
    }
    let Some((path, pid)) = several.filter(|_| memberships.len() > 1) else {
        return by_largest(journals, memberships, None);
    };
    contradiction(
        path,
        format!(
            "process {pid} has several ranks of one communicator, and the job has {} communicators: which ranks of them share a GPU is not in the journals, and is not guessed",
            memberships.len()
        ),
    )
}

/// A process with several ranks of one communicator, as one process for all GPUs of a node has.
fn drives_several(journals: &[(PathBuf, Journal)]) -> Option<(&Path, u32)> {
    journals.iter().find_map(|(path, journal)| {
        let mut seen = BTreeSet::new();
        let mut own = journal.ledger.nccl.communicators.iter();
        let pid = journal
            .ledger
            .nccl
            .process
            .as_ref()
            .map_or(0, |own| own.pid);
        own.any(|comm| !seen.insert(comm.id))
            .then_some((&**path, pid))
    })
}

/// Ranks as the launcher numbered the processes. If it did not number all, or two alike, the inner
/// error is a remark on that, if one is needed.
fn by_launcher(
    journals: &[(PathBuf, Journal)],
) -> Result<Result<JobRanks, Option<String>>, ProfileError> {
    let mut world: Option<(u32, &Path)> = None;
    let mut journal_of: BTreeMap<u32, usize> = BTreeMap::new();
    for (index, (path, journal)) in journals.iter().enumerate() {
        let process = journal.ledger.nccl.process.as_ref();
        let Some(given) = process.and_then(|process| process.numbering.as_ref()) else {
            let some = !journal_of.is_empty();
            let note = format!(
                "the launcher numbered some processes only ({} has no number): ranks are those of the largest communicator",
                path.display()
            );
            return Ok(Err(some.then_some(note)));
        };
        if let Some((ranks, other)) = world
            && ranks != given.ranks
        {
            return contradiction(
                path,
                format!(
                    "a job of {} ranks by {}, but {} is of a job of {ranks}: are these journals of two jobs?",
                    given.ranks,
                    given.variable,
                    other.display()
                ),
            );
        }
        world = Some((given.ranks, path));
        if let Some(other) = journal_of.insert(given.rank, index) {
            let (other, _) = &journals[other];
            return Ok(Err(Some(format!(
                "{} is {} in {} and in {}: ranks are those of the largest communicator",
                given.variable,
                given.rank,
                other.display(),
                path.display()
            ))));
        }
    }
    let of = journal_of.iter().flat_map(|(&rank, &index)| {
        let own = journals[index].1.ledger.nccl.communicators.iter();
        own.map(move |comm| ((index, comm.number), rank))
    });
    Ok(Ok(JobRanks {
        ranks: world.map_or(0, |(ranks, _)| ranks) as usize,
        of: of.collect(),
        journal_of,
        notes: Vec::new(),
    }))
}

/// Ranks as in the largest communicator, which must hold all processes.
fn by_largest(
    journals: &[(PathBuf, Journal)],
    memberships: &BTreeMap<u64, Membership>,
    note: Option<String>,
) -> Result<JobRanks, ProfileError> {
    let first = &journals[0].0;
    let largest = memberships.iter().max_by_key(|(_, known)| known.size());
    let Some((id, largest)) = largest else {
        return contradiction(
            first,
            "no journal holds a communicator, and no launcher numbered the processes".to_owned(),
        );
    };
    let inside: BTreeSet<usize> = largest
        .seats
        .values()
        .map(|&(journal, _)| journal)
        .collect();
    if let Some(outside) = (0..journals.len()).find(|index| !inside.contains(index)) {
        return contradiction(
            &journals[outside].0,
            format!(
                "the process is no member of the largest communicator, {id:#x} with {} ranks, and the launcher gave it no rank of its own: its rank in the job is not known",
                largest.size()
            ),
        );
    }
    let rank_of: BTreeMap<usize, u32> = largest
        .seats
        .iter()
        .map(|(&rank, &(journal, _))| (journal, rank))
        .collect();
    let one_each = rank_of.len() == largest.seats.len();
    let of = if one_each {
        let own = journals
            .iter()
            .enumerate()
            .flat_map(|(index, (_, journal))| {
                let own = journal.ledger.nccl.communicators.iter();
                own.map(move |comm| (index, comm.number))
            });
        own.map(|seat| (seat, rank_of[&seat.0])).collect()
    } else {
        let seats = largest.seats.iter();
        seats.map(|(&rank, &seat)| (seat, rank)).collect()
    };
    Ok(JobRanks {
        ranks: largest.size(),
        of,
        journal_of: largest
            .seats
            .iter()
            .map(|(&rank, &(journal, _))| (rank, journal))
            .collect(),
        notes: note.into_iter().collect(),
    })
}
