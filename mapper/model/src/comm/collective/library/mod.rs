//! Models of the MPI libraries: each selects the algorithm of a call as that library does.

mod mpich;
mod openmpi;
#[cfg(test)]
mod tests;

use super::Model;
use std::collections::BTreeMap;

pub(super) use mpich::Mpich;
pub(super) use openmpi::OpenMpi;

/// The MPI library of a run, as far as it decides on the algorithms of collectives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MpiLibrary {
    /// First line of what `MPI_Get_library_version` returns. Empty if unknown.
    pub version: String,
    /// The parameters that were set for the run, by the names that the library gives them.
    pub parameters: BTreeMap<String, String>,
}

impl MpiLibrary {
    /// The value of a parameter that is a number. `None` if the parameter is not set.
    fn number(&self, parameter: &str) -> Option<u64> {
        self.parameters.get(parameter)?.trim().parse().ok()
    }
}

/// The model of an MPI library. Every library has a file of its own and is listed in [`LIBRARIES`].
pub trait LibraryModel: Model {
    /// Whether a version string as in [`MpiLibrary::version`] is one of this library.
    fn recognises(&self, version: &str) -> bool;
}

/// All libraries that have a model.
pub const LIBRARIES: &[&dyn LibraryModel] = &[&OpenMpi, &Mpich];

/// The model of the library with this version string.
#[must_use]
pub fn model_of(version: &str) -> Option<&'static dyn LibraryModel> {
    let mut known = LIBRARIES.iter().copied();
    known.find(|library| library.recognises(version))
}
