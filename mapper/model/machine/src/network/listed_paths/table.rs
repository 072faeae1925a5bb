//! The channels of a network, and the list of channels on the path of every pair of nodes.

use crate::network::speed::Speed;
use rankfold_base::Csr;

/// Limit on the number of entries of all paths together: 256 MiB.
const MOST_ENTRIES: usize = 1 << 26;

/// A channel of a network of listed paths.
#[derive(Clone, Debug, PartialEq)]
pub struct PathChannel {
    /// Name in messages.
    pub name: String,
    /// The bandwidth is infinite if messages do not slow each other down.
    pub speed: Speed,
}

/// Channels, and the path of every ordered pair of nodes. The path from a node to itself is empty.
#[derive(Clone, Debug, Default)]
pub struct PathTable {
    channels: Vec<PathChannel>,
    nodes: usize,
    /// A row for every pair, ordered by sender, then by receiver.
    paths: Csr<u32>,
}

impl PathTable {
    /// A table of so many nodes without paths.
    #[must_use]
    pub fn new(channels: Vec<PathChannel>, nodes: usize) -> Self {
        Self {
            channels,
            nodes,
            paths: Csr::default(),
        }
    }

    /// Adds the path of the next pair.
    ///
    /// # Errors
    /// A message if all paths together have more than `MOST_ENTRIES` channels.
    pub fn push(&mut self, path: &[u32]) -> Result<(), String> {
        if self.paths.entries().len() + path.len() > MOST_ENTRIES {
            return Err(format!(
                "the paths of all pairs of {} hosts are too long to be listed: at most {MOST_ENTRIES} channels in all",
                self.nodes
            ));
        }
        self.paths.push_row(path.iter().copied());
        Ok(())
    }

    /// All channels.
    #[must_use]
    pub fn channels(&self) -> &[PathChannel] {
        &self.channels
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The channels on the path between two nodes, in order.
    #[must_use]
    pub fn path(&self, from: usize, to: usize) -> &[u32] {
        self.paths.row(from * self.nodes + to)
    }
}
