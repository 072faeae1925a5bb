//! Models of the MPI libraries: each selects the algorithm of a call as that library does.

pub(crate) mod hosts;
mod intel;
mod mpich;
mod multiplying;
mod openmpi;
mod rules;
mod scatter_allgather;
#[cfg(test)]
mod tests;
mod trees;

use super::Model;

pub(super) use intel::IntelMpi;
pub(super) use mpich::Mpich;
pub(super) use openmpi::OpenMpi;

/// The model of an MPI library. Every library has a file of its own and is listed in [`LIBRARIES`].
pub trait LibraryModel: Model {
    /// Whether this library has the given version string, which is that of
    /// [`MpiLibrary::version`](super::MpiLibrary::version).
    fn recognises(&self, version: &str) -> bool;
}

/// All libraries that have a model.
pub const LIBRARIES: &[&dyn LibraryModel] = &[&OpenMpi, &Mpich, &IntelMpi];

/// The model of the library with this version string.
#[must_use]
pub fn model_of(version: &str) -> Option<&'static dyn LibraryModel> {
    let mut known = LIBRARIES.iter().copied();
    known.find(|library| library.recognises(version))
}
