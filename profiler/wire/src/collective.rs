//! Collective operations. They have rows of their own, since the MPI library chooses which pairs of
//! ranks exchange their data.

use crate::form::Form;
use serde::{Deserialize, Serialize};

named! {
    /// A collective operation, with its name in MPI without the prefix. Its blocking, nonblocking,
    /// persistent and large-count forms count as one operation.
    #[allow(missing_docs, reason = "the names are those of MPI")]
    pub enum Operation {
        Barrier = "Barrier",
        Bcast = "Bcast",
        Gather = "Gather",
        Gatherv = "Gatherv",
        Scatter = "Scatter",
        Scatterv = "Scatterv",
        Reduce = "Reduce",
        Allgather = "Allgather",
        Allgatherv = "Allgatherv",
        Alltoall = "Alltoall",
        Alltoallv = "Alltoallv",
        Alltoallw = "Alltoallw",
        Allreduce = "Allreduce",
        ReduceScatter = "Reduce_scatter",
        ReduceScatterBlock = "Reduce_scatter_block",
        Scan = "Scan",
        Exscan = "Exscan",
    }
}

impl Operation {
    /// Whether each member may send blocks of different sizes to different members. For such
    /// operations, `exchanges` holds the bytes of every pair, in addition to the row here.
    #[must_use]
    pub fn is_exchange(self) -> bool {
        matches!(
            self,
            Self::Gatherv | Self::Scatterv | Self::Alltoallv | Self::Alltoallw
        )
    }
}

/// The calls of one operation on one communicator, with one root, in one form and of similar size.
///
/// Calls share a row if their bytes have the same number of bits. So `bytes / calls` is within a
/// factor of two of the bytes of every call, and an algorithm that MPI chooses by size can be
/// chosen by row.
///
/// `bytes` is a sum over the calls. One call counts:
///
/// | operation | bytes |
/// |---|---|
/// | Barrier | 0 |
/// | Bcast | the message, which every member but the root receives |
/// | Gather, Allgather | the block that one member contributes |
/// | Scatter | the block that one member receives |
/// | Alltoall | the block that one member sends to one other |
/// | Reduce, Allreduce, Scan, Exscan | the vector that one member contributes |
/// | Reduce_scatter, Reduce_scatter_block | the whole vector that one member contributes |
/// | Allgatherv | the blocks of all members |
/// | Gatherv, Scatterv, Alltoallv, Alltoallw | the blocks of all members |
///
/// The operations of the last line have one row for all sizes, and `exchanges` holds their pairs.
///
/// On an intercommunicator, a rooted operation runs between the root, which is one of `members`,
/// and all of `remote`. Every other operation has two rows there; each counts what `members`
/// contribute to `remote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Collective {
    /// Index of the communicator in [`Profile::communicators`](crate::Profile::communicators).
    pub comm: u32,
    /// The operation.
    pub op: Operation,
    /// The root's rank in the communicator; `None` for operations without a root.
    pub root: Option<u32>,
    /// Payload bytes, counted as the table above says.
    pub bytes: u64,
    /// Number of calls. A call by all members of the communicator counts once.
    pub calls: u64,
    /// How the collective was called. Files have it in a section of its own.
    #[serde(skip)]
    pub form: Form,
}

/// The blocks of the members in those calls of an `Allgatherv` or a `Reduce_scatter` in which the
/// members had blocks of different sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MemberBlocks {
    /// Index of the row of these calls, in the list of collectives of the same phase.
    pub collective: u32,
    /// Bytes of the block of each member, summed over the calls: what the member contributes to an
    /// `Allgatherv`, and what it receives in a `Reduce_scatter`. Calls with equal blocks are in the
    /// row only, so the sum may be lower than the bytes of the row.
    pub bytes: Vec<u64>,
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
