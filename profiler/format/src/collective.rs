//! Collective operations: rows of their own, because which pairs they load is the MPI library's
//! choice.

use serde::{Deserialize, Serialize};

/// A collective operation; its blocking, nonblocking and persistent forms, and those of large
/// counts, are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of MPI")]
pub enum Operation {
    Barrier,
    Bcast,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Reduce,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Alltoallw,
    Allreduce,
    ReduceScatter,
    ReduceScatterBlock,
    Scan,
    Exscan,
}

impl Operation {
    /// All of them, in the order of their numbers in a file.
    pub const ALL: [Self; 17] = [
        Self::Barrier,
        Self::Bcast,
        Self::Gather,
        Self::Gatherv,
        Self::Scatter,
        Self::Scatterv,
        Self::Reduce,
        Self::Allgather,
        Self::Allgatherv,
        Self::Alltoall,
        Self::Alltoallv,
        Self::Alltoallw,
        Self::Allreduce,
        Self::ReduceScatter,
        Self::ReduceScatterBlock,
        Self::Scan,
        Self::Exscan,
    ];

    /// Whether members may move blocks of different sizes to different others: these are kept pair
    /// by pair in `exchanges` besides their row.
    #[must_use]
    pub fn is_exchange(self) -> bool {
        matches!(
            self,
            Self::Gatherv | Self::Scatterv | Self::Alltoallv | Self::Alltoallw
        )
    }

    /// As MPI calls it, without its prefix.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "Barrier",
            Self::Bcast => "Bcast",
            Self::Gather => "Gather",
            Self::Gatherv => "Gatherv",
            Self::Scatter => "Scatter",
            Self::Scatterv => "Scatterv",
            Self::Reduce => "Reduce",
            Self::Allgather => "Allgather",
            Self::Allgatherv => "Allgatherv",
            Self::Alltoall => "Alltoall",
            Self::Alltoallv => "Alltoallv",
            Self::Alltoallw => "Alltoallw",
            Self::Allreduce => "Allreduce",
            Self::ReduceScatter => "Reduce_scatter",
            Self::ReduceScatterBlock => "Reduce_scatter_block",
            Self::Scan => "Scan",
            Self::Exscan => "Exscan",
        }
    }
}

/// Calls of one operation on one communicator with one root and of about one size.
///
/// Calls whose bytes have the same highest bit share a row, so that `bytes / calls` is within a
/// factor of two of every one of them; an algorithm chosen by size can be chosen for the row.
///
/// | operation | `bytes`, summed over the calls |
/// |---|---|
/// | Barrier | 0 |
/// | Bcast | the message, which every member but the root receives |
/// | Gather, Allgather | the block one member contributes |
/// | Scatter | the block one member receives |
/// | Alltoall | the block of one member for one other |
/// | Reduce, Allreduce, Scan, Exscan | the vector one member contributes |
/// | Reduce_scatter, Reduce_scatter_block | the vector one member contributes, all blocks of it |
/// | Allgatherv | the blocks of all members together |
/// | Gatherv, Scatterv, Alltoallv, Alltoallw | the blocks of all members together; one row for all sizes, and every pair in `exchanges` |
///
/// On an intercommunicator a rooted operation runs between the root, one of `members`, and all of
/// `remote`, and every other operation is two rows, each for what `members` contribute to `remote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Collective {
    /// Index among the communicators of the profile.
    pub comm: u32,
    /// What was called.
    pub op: Operation,
    /// Rank of the root in the communicator, of the rooted operations.
    pub root: Option<u32>,
    /// Payload bytes, as the table says.
    pub bytes: u64,
    /// Calls of the communicator as a whole, not of its members together.
    pub calls: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_at_its_number() {
        for (number, op) in Operation::ALL.into_iter().enumerate() {
            assert_eq!(op as usize, number, "{}", op.name());
        }
    }
}
