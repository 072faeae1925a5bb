//! Parameters of the MPI library that decide how it carries out collectives.

use serde::{Deserialize, Serialize};

/// A parameter of the MPI library that was set for the run. Parameters that keep the default of the
/// library are not recorded: the defaults follow from the library's version.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Parameter {
    /// The library's own name: `coll_tuned_bcast_algorithm` of Open MPI, without the prefix of the
    /// environment variable; the environment variable of every other library, such as
    /// `MPIR_CVAR_BCAST_INTRA_ALGORITHM` or `I_MPI_ADJUST_BCAST`.
    pub name: String,
    /// The value, as it was set.
    pub value: String,
    /// The text of the file that the value names, such as a file of rules. Empty if the value names
    /// no file, or one that is too long or no text.
    pub file: String,
}

impl Parameter {
    /// Maximum number of parameters of a profile. Chosen by hand; not measured.
    pub const MOST: usize = 512;
    /// Maximum length of a name or a value in bytes. Chosen by hand; not measured.
    pub const LONGEST: usize = 4096;
    /// Maximum length of a file in bytes. Chosen by hand: several times the length of the file of
    /// selections that MPICH is built with.
    pub const LONGEST_FILE: usize = 1 << 18;

    /// Approximate size of the value in a file, as a number of integers.
    pub(crate) fn size(&self) -> usize {
        3 + (self.name.len() + self.value.len() + self.file.len()) / 8
    }
}
