//! The MPI library of a run.

use std::collections::BTreeMap;

/// The MPI library of a run, as far as it decides on the algorithms of collectives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MpiLibrary {
    /// First line of what `MPI_Get_library_version` returns. Empty if unknown.
    pub version: String,
    /// The parameters that were set for the run, by the names that the library gives them.
    pub parameters: BTreeMap<String, String>,
    /// The texts of files that parameters of the run name, such as rule files, by the names of the
    /// parameters.
    pub files: BTreeMap<String, String>,
}

impl MpiLibrary {
    /// The value of a parameter that is a number. `None` if the parameter is not set.
    pub(super) fn number(&self, parameter: &str) -> Option<u64> {
        self.parameters.get(parameter)?.trim().parse().ok()
    }
}
