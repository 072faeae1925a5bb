//! Collectives as pairs: which rank sends how much to which, by a named model of the algorithm.
//!
//! A profile holds collectives as calls, because which pairs they load is the MPI library's choice.
//! A [`Model`] says what one call would send. Models number the members from the root, 0 being the
//! root or the first member, and know neither communicators nor the world. Vectors are divided into
//! parts as evenly as whole bytes go, so that the sums are exact; a call of several calls together
//! has their bytes, since every model is linear in them.

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

/// What one member sends to one other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Sender, counted from the root.
    pub from: usize,
    /// Receiver, likewise.
    pub to: usize,
    /// Bytes over all calls.
    pub bytes: u128,
    /// Messages of one call.
    pub messages: u64,
}

/// Takes the edges of a model, in any order; a pair may come more than once.
pub type Sink<'a> = &'a mut dyn FnMut(Edge);

/// A collective operation on an intracommunicator, called once or several times with about one
/// size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// What was called.
    pub op: Operation,
    /// How many members call it together.
    pub members: usize,
    /// Bytes of all calls, as the table of [`rankfold_profile::Collective`] has them.
    pub bytes: u64,
    /// How many calls.
    pub calls: u64,
}

impl Call {
    /// The vector every member has, or the blocks of all members together.
    fn whole(&self) -> u128 {
        let blocks = match self.op {
            Operation::Gather | Operation::Scatter | Operation::Allgather => self.members,
            _ => 1,
        };
        u128::from(self.bytes) * blocks as u128
    }

    /// The blocks of these members, or these parts of the vector.
    fn parts(&self, members: Range<usize>) -> u128 {
        share(self.whole(), self.members, members)
    }

    /// Bytes that have to reach some member or other at least, whatever the algorithm.
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

    /// Bytes of one call on average.
    fn size(&self) -> u64 {
        self.bytes / self.calls.max(1)
    }
}

/// What `range` gets of `whole` divided among `parts`.
fn share(whole: u128, parts: usize, range: Range<usize>) -> u128 {
    let below = |part: usize| whole * part as u128 / parts as u128;
    below(range.end) - below(range.start)
}

/// A way to carry out collectives. One file per model, listed in [`MODELS`].
pub trait Model: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// One line: what it does.
    fn summary(&self) -> &'static str;

    /// What one operation sends; nothing for a barrier and for exchanges, which profiles hold pair
    /// by pair.
    fn expand(&self, call: &Call, sink: Sink<'_>);

    /// Whether [`Model::expand`] loads all pairs of the members.
    fn is_dense(&self, call: &Call) -> bool;
}

/// Every model there is; the first is the default.
pub const MODELS: &[&dyn Model] = &[
    &auto::Auto,
    &star::Star,
    &binomial::Binomial,
    &ring::Ring,
    &recursive::RecursiveDoubling,
    &bruck::Bruck,
    &pairwise::Pairwise,
];

/// The model whose place real measurements of the library's messages take.
pub const MEASURED: &str = "auto";

/// The model of this name.
#[must_use]
pub fn model(name: &str) -> Option<&'static dyn Model> {
    MODELS.iter().find(|model| model.name() == name).copied()
}
