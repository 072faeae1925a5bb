//! Communicators of records that know ranks in communicators, not in a world. The communicator that
//! all processes are members of numbers the ranks.

use super::job_calls::refuse;
use rankfold_graph::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A process, and the file that it wrote.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Process {
    /// What messages call it: `process 7 of node0`.
    pub(super) name: String,
    /// Its file.
    pub(super) file: PathBuf,
}

/// The processes of a communicator by rank in it.
#[derive(Default)]
struct Membership {
    size: usize,
    by_rank: BTreeMap<u32, Process>,
}

/// The communicators of a job by their id.
#[derive(Default)]
pub(super) struct Communicators(BTreeMap<String, Membership>);

impl Communicators {
    /// Notes that a process is a rank of a communicator of `size` ranks.
    ///
    /// # Errors
    /// [`rankfold_graph::CommError::Refused`] if another file tells another size, or another
    /// process of this rank.
    pub(super) fn join(
        &mut self,
        id: &str,
        (rank, size): (u32, usize),
        process: &Process,
        file: &Path,
    ) -> Result<()> {
        let known = self.0.entry(id.to_owned()).or_default();
        if known.size != 0 && known.size != size {
            return refuse(
                file,
                format!(
                    "communicator {id} has {size} ranks here and {} in another file: are these files of two jobs?",
                    known.size
                ),
            );
        }
        known.size = size;
        match known.by_rank.insert(rank, process.clone()) {
            Some(other) if other != *process => refuse(
                file,
                format!(
                    "rank {rank} of communicator {id} is {} here and {} in {}: are these files of two jobs?",
                    process.name,
                    other.name,
                    other.file.display()
                ),
            ),
            _ => Ok(()),
        }
    }

    /// The rank of every process: that in the communicator of all processes.
    pub(super) fn world_ranks(&self, first: &Path) -> Result<BTreeMap<Process, u32>> {
        let mut processes: Vec<&Process> = self
            .0
            .values()
            .flat_map(|members| members.by_rank.values())
            .collect();
        processes.sort_unstable();
        processes.dedup();
        let largest = self.0.iter().max_by_key(|(_, members)| members.size);
        let Some((id, largest)) = largest else {
            return refuse(first, "the files hold no records");
        };
        if let Some(missing) =
            (0..largest.size as u32).find(|rank| !largest.by_rank.contains_key(rank))
        {
            return refuse(
                first,
                format!(
                    "rank {missing} of the {} ranks of communicator {id} is missing; give the files of all processes",
                    largest.size
                ),
            );
        }
        if largest.by_rank.len() != processes.len() {
            return refuse(
                first,
                format!(
                    "no communicator holds all {} processes (the largest, {id}, has {}): their ranks in the job are not known, or these files are of two jobs",
                    processes.len(),
                    largest.size
                ),
            );
        }
        let ranks = largest.by_rank.iter();
        Ok(ranks
            .map(|(&rank, process)| (process.clone(), rank))
            .collect())
    }

    /// The rank in the job of a rank of a communicator.
    ///
    /// # Errors
    /// A message, if no file is of this rank.
    pub(super) fn world_rank(
        &self,
        (id, rank): (&str, u32),
        world: &BTreeMap<Process, u32>,
    ) -> Result<u32, String> {
        let process = self.0.get(id).and_then(|known| known.by_rank.get(&rank));
        let world_rank = process.and_then(|process| world.get(process)).copied();
        world_rank.ok_or_else(|| {
            format!("rank {rank} of communicator {id} is missing; give the files of all processes")
        })
    }

    /// The ranks in the job of all members of a communicator.
    ///
    /// # Errors
    /// As [`Communicators::world_rank`].
    pub(super) fn members(
        &self,
        id: &str,
        world: &BTreeMap<Process, u32>,
    ) -> Result<Vec<u32>, String> {
        let size = self.0.get(id).map_or(0, |known| known.size) as u32;
        (0..size)
            .map(|rank| self.world_rank((id, rank), world))
            .collect()
    }
}
