//! Virtual topologies: what the program itself says about who talks to whom.

use serde::{Deserialize, Serialize};

/// A topology the program laid over a communicator. The same one laid twice is one; graphs of one
/// kind over the same members are one, with the edges of all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Index among the communicators of the profile; its members are in the topology's own order.
    pub comm: u32,
    /// Whether the program let MPI reorder the ranks: it can live with another order.
    pub reorder: bool,
    /// The topology.
    pub shape: TopologyShape,
}

/// Kinds of topology (MPI 4.0, chapter 8).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TopologyShape {
    /// `MPI_Cart_create` and `MPI_Cart_sub`: member ranks run through the grid, the last dimension
    /// fastest.
    Cart(Vec<Dimension>),
    /// `MPI_Graph_create`: whom each member sends to, members in order, both as ranks in the
    /// communicator.
    Graph(Vec<Vec<u32>>),
    /// `MPI_Dist_graph_create` and `MPI_Dist_graph_create_adjacent`, likewise.
    DistGraph(Vec<Vec<u32>>),
}

/// One dimension of a Cartesian grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Dimension {
    /// Members along it.
    pub extent: u32,
    /// Whether its ends meet.
    pub periodic: bool,
}

impl TopologyShape {
    /// The lists of a graph; none for a grid.
    #[must_use]
    pub fn neighbours(&self) -> &[Vec<u32>] {
        match self {
            Self::Cart(_) => &[],
            Self::Graph(neighbours) | Self::DistGraph(neighbours) => neighbours,
        }
    }

    /// Members it has; `None` for more than can be counted.
    pub(crate) fn size(&self) -> Option<usize> {
        match self {
            Self::Cart(dimensions) => {
                let mut extents = dimensions.iter().map(|d| d.extent as usize);
                extents.try_fold(1, usize::checked_mul)
            }
            Self::Graph(lists) | Self::DistGraph(lists) => Some(lists.len()),
        }
    }

    pub(crate) fn neighbours_mut(&mut self) -> Option<&mut Vec<Vec<u32>>> {
        match self {
            Self::Cart(_) => None,
            Self::Graph(neighbours) | Self::DistGraph(neighbours) => Some(neighbours),
        }
    }

    /// The same kind without the edges of a graph.
    pub(crate) fn outline(&self) -> Self {
        match self {
            Self::Cart(dimensions) => Self::Cart(dimensions.clone()),
            Self::Graph(_) => Self::Graph(Vec::new()),
            Self::DistGraph(_) => Self::DistGraph(Vec::new()),
        }
    }
}
