//! Models of collectives: which rank sends how many bytes to which other rank.
//!
//! A profile counts collective calls, not messages, because the MPI library decides which pairs of
//! ranks exchange messages. A [`Model`] expands one call into edges between members. Models number
//! the members from the root: 0 is the root, or the first member where the operation has no root.
//! Models know nothing of communicators and world ranks. A vector is divided into parts of whole
//! bytes whose sizes differ by at most one, so that the parts add up exactly. Every model is linear
//! in the bytes; several calls can therefore be expanded as one call with the sum of their bytes.
//!
//! Two kinds of models exist. A single algorithm, such as `ring`, expands every call alike. The
//! model of an MPI library (in `library/`) selects the algorithm of each call as that library does.
#![forbid(unsafe_code)]

/// States the name of a member and what it is, in one line, as the methods `name` and `summary`.
macro_rules! described {
    ($name:literal, $summary:literal) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn summary(&self) -> &'static str {
            $summary
        }
    };
}

mod auto;
mod binomial;
mod bruck;
mod call;
mod gathered;
mod gloo;
mod inter;
mod library;
mod mpi_library;
mod nccl;
mod pairwise;
mod profiled;
mod rabenseifner;
mod recursive;
mod ring;
mod star;
#[cfg(test)]
mod tests;
mod tree;

pub use call::Call;
use call::share;
pub use library::{LIBRARIES, LibraryModel, model_of};
pub use mpi_library::MpiLibrary;
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

impl Edge {
    /// An edge of one message.
    fn once(from: usize, to: usize, bytes: u128) -> Self {
        Self {
            from,
            to,
            bytes,
            messages: 1,
        }
    }

    /// The same data in the other direction.
    fn reversed(self) -> Self {
        let (from, to) = (self.to, self.from);
        Self { from, to, ..self }
    }

    /// The same data between members with other numbers.
    fn renumbered(self, number: impl Fn(usize) -> usize) -> Self {
        let [from, to] = [self.from, self.to].map(number);
        Self { from, to, ..self }
    }
}

/// Receives the edges of a model in any order. One pair of members may occur several times.
pub type Sink<'a> = &'a mut dyn FnMut(Edge);

/// An algorithm for collectives. Every model has a file of its own and is listed in [`MODELS`].
pub trait Model: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// One line for the help text.
    fn summary(&self) -> &'static str;

    /// Emits the edges of one operation. A barrier emits none; neither do irregular exchanges,
    /// which a profile holds pair by pair.
    fn expand(&self, call: &Call<'_>, sink: Sink<'_>);

    /// Whether [`Model::expand`] emits an edge for every pair of members.
    fn is_dense(&self, _call: &Call<'_>) -> bool {
        false
    }
}

/// All models; the first is the default.
pub const MODELS: &[&dyn Model] = &[
    &auto::Auto,
    &library::OpenMpi,
    &library::Mpich,
    &library::IntelMpi,
    &star::Star,
    &binomial::Binomial,
    &ring::Ring,
    &recursive::RecursiveDoubling,
    &bruck::Bruck,
    &pairwise::Pairwise,
    &nccl::NcclRing,
    &nccl::NcclTree,
    &gloo::Gloo,
];

/// Name of the model for which readers use measured messages instead, if their files hold any.
pub const MEASURED: &str = "auto";

/// The model for the collectives of GPU jobs.
pub const OF_GPU_JOBS: &dyn Model = &nccl::NcclRing;

/// The model for the collectives of PyTorch's c10d on Gloo.
pub const OF_C10D: &dyn Model = &gloo::Gloo;

/// Returns the model with this name.
#[must_use]
pub fn model(name: &str) -> Option<&'static dyn Model> {
    MODELS.iter().find(|model| model.name() == name).copied()
}
