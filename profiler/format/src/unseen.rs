//! What a program does that calls of MPI do not tell.

use serde::{Deserialize, Serialize};

/// A way of moving data that is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Unseen {
    /// The program made a window of shared memory, in which ranks load and store.
    SharedWindows,
    /// A library of OpenSHMEM is loaded.
    OpenShmem,
    /// NCCL, or AMD's RCCL, is loaded.
    Nccl,
}

impl Unseen {
    /// All of them, in the order of their numbers in a file.
    pub const ALL: [Self; 3] = [Self::SharedWindows, Self::OpenShmem, Self::Nccl];

    /// What moves the data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SharedWindows => "loads and stores in shared-memory windows",
            Self::OpenShmem => "OpenSHMEM",
            Self::Nccl => "NCCL",
        }
    }
}
