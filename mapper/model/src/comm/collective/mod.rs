//! Models of collectives: which rank sends how many bytes to which other rank.
//!
//! A profile counts collective calls, not messages, because the MPI library decides which pairs of
//! ranks exchange messages. A [`Model`] expands one call into edges between members. Models number
//! the members from the root: 0 is the root, or the first member where the operation has no root.
//! Models know nothing of communicators and world ranks. A vector is divided into parts of whole
//! bytes whose sizes differ by at most one, so that the parts add up exactly. Every model is linear
//! in the bytes; several calls can therefore be expanded as one call with the sum of their bytes.

mod auto;
mod binomial;
mod bruck;
mod inter;
mod pairwise;
mod profiled;
mod recursive;
mod ring;
mod star;
#[cfg(test)]
mod tests;
mod tree;

use rankfold_profile::Operation;
use std::ops::Range;

pub use profiled::{LeftOutCollective, ProfiledCollectives};

/// Data that one member sends to one other member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Number of the sender, counted from the root.
    pub from: usize,
    /// Number of the receiver, counted from the root.
    pub to: usize,
    /// Bytes of all calls together.
    pub bytes: u128,
    /// Number of messages in one call.
    pub messages: u64,
}

/// Receives the edges of a model in any order. One pair of members may occur several times.
pub type Sink<'a> = &'a mut dyn FnMut(Edge);

/// A collective operation on an intracommunicator: one call, or several calls of about the same
/// size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The operation.
    pub op: Operation,
    /// Number of members of the communicator.
    pub members: usize,
    /// Bytes of all calls, counted as [`rankfold_profile::Collective`] defines it for the
    /// operation.
    pub bytes: u64,
    /// Number of calls.
    pub calls: u64,
}

impl Call {
    /// Bytes of the whole vector, or of the blocks of all members together.
    fn whole(&self) -> u128 {
        let blocks = match self.op {
            Operation::Gather | Operation::Scatter | Operation::Allgather => self.members,
            _ => 1,
        };
        u128::from(self.bytes) * blocks as u128
    }

    /// Bytes of the blocks, or parts of the vector, that belong to these members.
    fn parts(&self, members: Range<usize>) -> u128 {
        share(self.whole(), self.members, members)
    }

    /// Least number of bytes that any algorithm must move between members.
    fn moved(&self) -> u128 {
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
    fn size(&self) -> u64 {
        self.bytes / self.calls.max(1)
    }
}

/// Bytes in `range` when `whole` bytes are divided into `parts` parts of nearly equal size.
fn share(whole: u128, parts: usize, range: Range<usize>) -> u128 {
    let below = |part: usize| whole * part as u128 / parts as u128;
    below(range.end) - below(range.start)
}

/// An algorithm for collectives. Every model has a file of its own and is listed in [`MODELS`].
pub trait Model: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// One line for the help text.
    fn summary(&self) -> &'static str;

    /// Emits the edges of one operation. A barrier emits none; neither do irregular exchanges,
    /// which a profile holds pair by pair.
    fn expand(&self, call: &Call, sink: Sink<'_>);

    /// Whether [`Model::expand`] emits an edge for every pair of members.
    fn is_dense(&self, call: &Call) -> bool;
}

/// All models; the first is the default.
pub const MODELS: &[&dyn Model] = &[
    &auto::Auto,
    &star::Star,
    &binomial::Binomial,
    &ring::Ring,
    &recursive::RecursiveDoubling,
    &bruck::Bruck,
    &pairwise::Pairwise,
];

/// Name of the model for which readers use measured messages instead, if their files hold any.
pub const MEASURED: &str = "auto";

/// Returns the model with this name.
#[must_use]
pub fn model(name: &str) -> Option<&'static dyn Model> {
    MODELS.iter().find(|model| model.name() == name).copied()
}
