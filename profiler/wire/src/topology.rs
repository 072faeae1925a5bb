//! Virtual topologies: how the program itself declares its communication.

use serde::{Deserialize, Serialize};

/// A virtual topology that the program created on a communicator. The same topology created twice
/// is stored once. Graphs of one kind over the same members are stored as one graph with the edges
/// of all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Index of the communicator in the profile. Its members are in the order of the topology.
    pub comm: u32,
    /// Whether the program allowed MPI to reorder the ranks, which means that it works in any
    /// order.
    pub reorder: bool,
    /// The topology.
    pub shape: TopologyShape,
}

/// A virtual topology of a communicator, as one member sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemberTopology {
    /// Number of the communicator, in the order in which communicators were noted.
    pub comm: u32,
    /// Rank of the member in the communicator.
    pub member: u32,
    /// See [`Topology::reorder`].
    pub reorder: bool,
    /// The topology. A graph holds one list here, that of this member.
    pub shape: TopologyShape,
}

/// The kinds of virtual topologies (MPI 4.0, chapter 8).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TopologyShape {
    /// `MPI_Cart_create` and `MPI_Cart_sub`: a grid. Ranks of the communicator run through it with
    /// the last dimension fastest.
    Cart(Vec<Dimension>),
    /// `MPI_Graph_create`: for each member, the members it sends to. Members are ranks in the
    /// communicator.
    Graph(Vec<Vec<u32>>),
    /// `MPI_Dist_graph_create` and `MPI_Dist_graph_create_adjacent`: for each member, the members
    /// it sends to.
    DistGraph(Vec<Vec<u32>>),
}

/// One dimension of a Cartesian grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Dimension {
    /// Number of members along the dimension.
    pub extent: u32,
    /// Whether the dimension closes to a ring.
    pub periodic: bool,
}

impl TopologyShape {
    /// The neighbour lists of a graph; empty for a grid.
    #[must_use]
    pub fn neighbours(&self) -> &[Vec<u32>] {
        match self {
            Self::Cart(_) => &[],
            Self::Graph(neighbours) | Self::DistGraph(neighbours) => neighbours,
        }
    }

    /// Number of members; `None` if the number exceeds the range of integers.
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

    /// The same topology without the edges of a graph.
    pub(crate) fn outline(&self) -> Self {
        match self {
            Self::Cart(dimensions) => Self::Cart(dimensions.clone()),
            Self::Graph(_) => Self::Graph(Vec::new()),
            Self::DistGraph(_) => Self::DistGraph(Vec::new()),
        }
    }
}
