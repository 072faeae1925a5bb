//! A collective operation as models see it.

use super::MpiLibrary;
use rankfold_wire::{Form, Operation};
use std::ops::Range;

/// Size of an element in bytes where the size of a call does not rule it out. A profile counts
/// bytes, not elements; most vectors consist of doubles.
const ELEMENT: u64 = 8;

/// A collective operation on an intracommunicator: one call, or several calls of about the same
/// size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The operation.
    pub op: Operation,
    /// Number of members of the communicator.
    pub members: usize,
    /// Bytes of all calls, counted as [`rankfold_wire::Collective`] defines it for the
    /// operation.
    pub bytes: u64,
    /// Number of calls.
    pub calls: u64,
    /// Rank of the root in the communicator; 0 for operations without a root.
    pub root: usize,
    /// For calls whose blocks differ in size: bytes of the block of each member, summed over these
    /// calls, by rank in the communicator. The rest of `bytes` is in calls with equal blocks. Empty
    /// if the blocks of all calls are equal.
    pub blocks: &'a [u64],
    /// Bytes of an element of the vector. `None` if unknown: then the size of a call decides.
    pub element: Option<u64>,
    /// Number of the host of each member, by rank in the communicator. Empty if unknown.
    pub hosts: &'a [u32],
    /// How the operation was called.
    pub form: Form,
    /// The MPI library that carried the calls out.
    pub library: &'a MpiLibrary,
}

impl<'a> Call<'a> {
    /// A call with root 0, equal blocks and unknown hosts.
    #[must_use]
    pub fn new(op: Operation, members: usize, bytes: u64, library: &'a MpiLibrary) -> Self {
        Self {
            op,
            members,
            bytes,
            calls: 1,
            root: 0,
            blocks: &[],
            element: None,
            hosts: &[],
            form: Form::default(),
            library,
        }
    }

    /// The same calls as another operation that the algorithm is composed of, with `bytes` bytes.
    pub(super) fn stage(&self, op: Operation, bytes: u128) -> Self {
        Self {
            op,
            bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
            blocks: &[],
            ..*self
        }
    }

    /// The same calls, nonblocking or blocking ones.
    pub(super) fn with_nonblocking(&self, nonblocking: bool) -> Self {
        let form = Form {
            nonblocking,
            ..self.form
        };
        Self { form, ..*self }
    }

    /// Bytes of the whole vector, or of the blocks of all members together.
    pub(super) fn whole(&self) -> u128 {
        let blocks = match self.op {
            Operation::Gather | Operation::Scatter | Operation::Allgather => self.members,
            _ => 1,
        };
        u128::from(self.bytes) * blocks as u128
    }

    /// Mean bytes of the whole vector, or of the blocks of all members together, of one call.
    pub(super) fn whole_size(&self) -> u128 {
        self.whole() / u128::from(self.calls.max(1))
    }

    /// Bytes of the blocks, or parts of the vector, that belong to these members.
    pub(super) fn parts(&self, members: Range<usize>) -> u128 {
        let sum = |blocks: &[u64]| blocks.iter().map(|&bytes| u128::from(bytes)).sum::<u128>();
        if self.blocks.is_empty() {
            return share(self.whole(), self.members, members);
        }
        let even = self.whole().saturating_sub(sum(self.blocks));
        share(even, self.members, members.clone()) + sum(&self.blocks[members])
    }

    /// Bytes of the block, or part of the vector, of one member.
    pub(super) fn part(&self, member: usize) -> u128 {
        self.parts(member..member + 1)
    }

    /// Number of elements of the vector of one call.
    pub(super) fn elements(&self) -> u64 {
        let size = self.size();
        let usual = 1 << size.trailing_zeros().min(ELEMENT.trailing_zeros());
        size / self.element.unwrap_or(usual).max(1)
    }

    /// Bytes of these elements of the vector, over all calls.
    pub(super) fn slice(&self, elements: Range<u64>) -> u128 {
        let count = usize::try_from(self.elements().max(1)).unwrap_or(usize::MAX);
        share(
            self.bytes.into(),
            count,
            elements.start as usize..elements.end as usize,
        )
    }

    /// The number, counted from the root, of the member with this rank in the communicator.
    pub(super) fn counted_from_root(&self, rank: usize) -> usize {
        (rank + self.members - self.root) % self.members
    }

    /// Least number of bytes that any algorithm must move between members.
    pub(super) fn moved(&self) -> u128 {
        let others = (self.members - 1) as u128;
        let times = match self.op {
            Operation::Gather | Operation::Scatter => return u128::from(self.bytes) * others,
            Operation::Alltoall => self.members as u128,
            Operation::Gatherv
            | Operation::Scatterv
            | Operation::Alltoallv
            | Operation::Alltoallw => return self.bytes.into(),
            Operation::Allreduce => 2,
            _ => 1,
        };
        self.whole() * times * others
    }

    /// Mean bytes of one call.
    pub(super) fn size(&self) -> u64 {
        self.bytes / self.calls.max(1)
    }
}

/// Bytes in `range` when `whole` bytes are divided into `parts` parts of nearly equal size.
pub(super) fn share(whole: u128, parts: usize, range: Range<usize>) -> u128 {
    let below = |part: usize| whole * part as u128 / parts as u128;
    below(range.end) - below(range.start)
}
