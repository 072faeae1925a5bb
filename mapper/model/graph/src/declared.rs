//! Topologies that a program declares: Cartesian grids with `MPI_Cart_create`, graphs with
//! `MPI_Graph_create` or `MPI_Dist_graph_create`.

use super::Traffic;
use rankfold_base::Rank;
use rankfold_wire::{Communicator, Profile, Topology, TopologyShape};
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// What is known of a program beside its traffic: all topologies it declares whose members are
/// ranks of its world, and whether it is a job on GPUs. A declaration is only a claim: the program
/// need not send messages along it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Declared {
    /// Cartesian topologies, the largest first, without duplicates.
    pub grids: Vec<DeclaredGrid>,
    /// Graph topologies.
    pub graphs: Vec<DeclaredGraph>,
    /// Whether records of a job on GPUs tell of the traffic: logs of NCCL, of a framework or its
    /// launch.
    #[serde(default)]
    pub gpu_job: bool,
}

/// A Cartesian topology over some of the ranks.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeclaredGrid {
    /// Size of every dimension; the last dimension varies fastest.
    pub dims: Vec<usize>,
    /// Whether a dimension is a ring.
    pub periodic: Vec<bool>,
    /// Rank of every cell, in row-major order.
    pub members: Vec<Rank>,
}

/// A graph topology, compared with the traffic. Only sums are kept: where the program sends as
/// declared, the traffic itself names the neighbours and their weights.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, JsonSchema)]
pub struct DeclaredGraph {
    /// The call that declared the graph.
    pub call: GraphCall,
    /// Number of ranks in the topology.
    pub ranks: usize,
    /// Directed pairs of different ranks that the graph names as neighbours.
    pub pairs: usize,
    /// Number of these pairs that exchanged bytes.
    pub used: usize,
    /// Bytes of these pairs.
    pub bytes: u128,
}

/// The call that declares a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, JsonSchema)]
pub enum GraphCall {
    /// Every rank passes the whole graph.
    #[serde(rename = "MPI_Graph_create")]
    Whole,
    /// Every rank passes its own part: `MPI_Dist_graph_create`, `MPI_Dist_graph_create_adjacent`.
    #[serde(rename = "MPI_Dist_graph_create")]
    Distributed,
}

impl Declared {
    /// Collects the declarations of a profile; `traffic` is the traffic of the same profile.
    #[must_use]
    pub fn of(profile: &Profile, traffic: &Traffic) -> Self {
        let mut declared = Self {
            gpu_job: profile.nccl.is_some(),
            ..Self::default()
        };
        for Topology { comm, shape, .. } in &profile.topologies {
            let communicator = profile.communicators.get(*comm as usize);
            let Some(members) = communicator.and_then(|c| members(c, traffic.ranks())) else {
                continue;
            };
            match shape {
                TopologyShape::Cart(dimensions) => {
                    let dims: Vec<usize> = dimensions.iter().map(|d| d.extent as usize).collect();
                    let cells = dims.iter().try_fold(1usize, |n, &k| n.checked_mul(k));
                    let grid = DeclaredGrid {
                        periodic: dimensions.iter().map(|d| d.periodic).collect(),
                        dims,
                        members,
                    };
                    let is_known = |known: &DeclaredGrid| {
                        (&known.dims, &known.members) == (&grid.dims, &grid.members)
                    };
                    let is_new = !declared.grids.iter().any(is_known);
                    if cells == Some(grid.members.len()) && is_new {
                        declared.grids.push(grid);
                    }
                }
                TopologyShape::Graph(lists) => {
                    let graph = graph(GraphCall::Whole, &members, lists, traffic);
                    declared.graphs.push(graph);
                }
                TopologyShape::DistGraph(lists) => {
                    let graph = graph(GraphCall::Distributed, &members, lists, traffic);
                    declared.graphs.push(graph);
                }
            }
        }
        declared
            .grids
            .sort_by_key(|grid| std::cmp::Reverse(grid.members.len()));
        declared
    }
}

/// The members of a communicator, or `None` if any of them is outside the world.
fn members(communicator: &Communicator, ranks: usize) -> Option<Vec<Rank>> {
    let members = communicator.members.iter().map(|m| m.map(Rank));
    let members: Option<Vec<Rank>> = members.collect();
    members.filter(|all| all.iter().all(|rank| rank.index() < ranks))
}

/// Compares a declared graph with the traffic. `lists` holds the neighbours each member sends to,
/// as indices into `members`.
fn graph(
    call: GraphCall,
    members: &[Rank],
    lists: &[Vec<u32>],
    traffic: &Traffic,
) -> DeclaredGraph {
    let mut graph = DeclaredGraph {
        call,
        ranks: members.len(),
        pairs: 0,
        used: 0,
        bytes: 0,
    };
    for (&from, list) in members.iter().zip(lists) {
        let named = list.iter().filter_map(|&to| members.get(to as usize));
        let others: BTreeSet<Rank> = named.copied().filter(|&to| to != from).collect();
        let sent = others.iter().map(|&to| traffic.bytes(from, to));
        graph.pairs += others.len();
        graph.used += sent.clone().filter(|&bytes| bytes > 0).count();
        graph.bytes += sent.map(u128::from).sum::<u128>();
    }
    graph
}
