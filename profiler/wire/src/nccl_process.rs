//! A process that uses NCCL, as it describes itself in its journal.

use serde::{Deserialize, Serialize};

/// The number among the versions of NCCL's profiler interface that stands for the hook which counts
/// the calls of PyTorch's c10d.
pub const OF_C10D: u32 = 0;

/// A process that uses NCCL, or PyTorch's c10d.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NcclProcess {
    /// The process number on its host.
    pub pid: u32,
    /// The version of the profiler interface that NCCL has chosen, or [`OF_C10D`].
    pub interface: u32,
    /// The number that the launcher gave the process, if it gave one.
    pub numbering: Option<Numbering>,
}

/// One process's view of one communicator. Journals have this in fixed width, without texts, so
/// that the plugin writes it without allocating memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NcclCommunicator {
    /// The number by which keys of this journal refer to the communicator.
    pub number: u32,
    /// NCCL's identifier, the same in all members.
    pub id: u64,
    /// The rank of the process in the communicator.
    pub rank: u32,
    /// Number of members; 0 if the interface does not tell it (versions 1 to 3).
    pub size: u32,
}

impl NcclCommunicator {
    /// Bytes of the note in a journal, its length included.
    pub const NOTE: usize = 28;

    /// The note in a journal, with its length in front: what [`crate::Note::encode`] gives, made
    /// without allocating memory.
    #[must_use]
    pub fn note(&self) -> [u8; Self::NOTE] {
        /// The number of this variant of [`crate::Note`].
        const VARIANT: u32 = 8;
        let mut note = [0; Self::NOTE];
        let fields = [
            (0, Self::NOTE as u32 - 4),
            (4, VARIANT),
            (8, self.number),
            (20, self.rank),
            (24, self.size),
        ];
        for (offset, field) in fields {
            note[offset..offset + 4].copy_from_slice(&field.to_le_bytes());
        }
        note[12..20].copy_from_slice(&self.id.to_le_bytes());
        note
    }
}

named! {
    /// Why events of NCCL are not counted.
    pub enum NcclLoss {
        /// The table of counters, the pool of events or the list of communicators is full.
        NoRoom = "no room for them",
        /// The event belongs to a communicator that the process does not know.
        UnknownCommunicator = "of communicators that the process does not know",
        /// The event names a function, a type, a rank or a handle that does not exist.
        NotUnderstood = "with contents that are not known here",
    }
}

/// The variables of launchers: rank and number of ranks. Where several are set, the first counts:
/// under `srun torchrun`, Slurm numbers the nodes and `torchrun` the processes.
const VARIABLES: [(&str, &str); 4] = [
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
];

/// The number that a launcher gave a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbering {
    /// The rank.
    pub rank: u32,
    /// Number of ranks.
    pub ranks: u32,
    /// The variable that holds the rank.
    pub variable: String,
}

impl Numbering {
    /// The numbers in the environment that `value` reads. `None` if no launcher has set both
    /// variables, or the first that has set them contradicts itself.
    #[must_use]
    pub fn of(value: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| value(name)?.trim().parse::<u32>().ok();
        let mut set = VARIABLES.into_iter().filter_map(|(rank, ranks)| {
            Some(Self {
                rank: number(rank)?,
                ranks: number(ranks)?,
                variable: rank.to_owned(),
            })
        });
        set.next().filter(|found| found.rank < found.ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Option<Numbering> {
        let value = |name: &str| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Numbering::of(value)
    }

    #[test]
    fn torchrun_counts_before_slurm_and_half_a_pair_counts_nothing() {
        let slurm = [("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2")];
        let both = [&slurm[..], &[("RANK", "9"), ("WORLD_SIZE", "16")]].concat();
        let found = of(&both).expect("numbers");
        assert_eq!((found.rank, found.ranks), (9, 16));
        assert_eq!(of(&slurm).map(|found| found.rank), Some(1));
        assert_eq!(of(&[("RANK", "3")]), None);
        assert_eq!(of(&[("RANK", "4"), ("WORLD_SIZE", "4")]), None);
        assert_eq!(of(&[("RANK", "x"), ("WORLD_SIZE", "4")]), None);
    }
}
