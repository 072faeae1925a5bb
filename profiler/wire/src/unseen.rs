//! Ways in which a program moves data outside the calls that are counted.

use serde::{Deserialize, Serialize};

/// A way of moving data that is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Unseen {
    /// The program created a window of shared memory, in which ranks load and store.
    SharedWindows,
    /// An OpenSHMEM library is loaded.
    OpenShmem,
    /// NCCL or AMD's RCCL is loaded.
    Nccl,
}

impl Unseen {
    /// All ways, in the order of their numbers in a file.
    pub const ALL: [Self; 3] = [Self::SharedWindows, Self::OpenShmem, Self::Nccl];

    /// The name of the way in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SharedWindows => "loads and stores in shared-memory windows",
            Self::OpenShmem => "OpenSHMEM",
            Self::Nccl => "NCCL",
        }
    }
}
