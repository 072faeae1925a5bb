//! What programs say of their pattern: grids by `MPI_Cart_create`, graphs by `MPI_Graph_create` and
//! `MPI_Dist_graph_create`.

use super::Traffic;
use crate::ids::Rank;
use rankfold_profile::{Communicator, Profile, Topology, TopologyShape};
use std::collections::BTreeSet;

/// All that a program says of its pattern, as far as it is about ranks of its world only. It is a
/// claim: nobody is bound to send along it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Declared {
    /// Cartesian topologies, the largest first; each once.
    pub grids: Vec<DeclaredGrid>,
    /// Graph topologies.
    pub graphs: Vec<DeclaredGraph>,
}

/// A Cartesian topology a program laid over some of its ranks.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeclaredGrid {
    /// Size of every dimension, the last one fastest.
    pub dims: Vec<usize>,
    /// The rank of every cell, row-major.
    pub members: Vec<Rank>,
}

/// A graph topology, measured by the traffic: where the program sends as it says, the traffic names
/// the same neighbours, with their weights.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeclaredGraph {
    /// How it was declared.
    pub call: GraphCall,
    /// Ranks it was laid over.
    pub ranks: usize,
    /// Directed pairs of different ranks it names as neighbours.
    pub pairs: usize,
    /// Those of the pairs that have bytes.
    pub used: usize,
    /// Bytes of the pairs.
    pub bytes: u128,
}

/// The call that declares a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum GraphCall {
    /// Every rank tells the whole graph.
    #[serde(rename = "MPI_Graph_create")]
    Whole,
    /// Every rank tells its part: `MPI_Dist_graph_create`, `MPI_Dist_graph_create_adjacent`.
    #[serde(rename = "MPI_Dist_graph_create")]
    Distributed,
}

/// What the program of this profile declares, beside the traffic read of it.
pub(super) fn of(profile: &Profile, traffic: &Traffic) -> Declared {
    let mut declared = Declared::default();
    for Topology { comm, shape, .. } in &profile.topologies {
        let communicator = profile.communicators.get(*comm as usize);
        let Some(members) = communicator.and_then(|c| members(c, traffic.ranks())) else {
            continue;
        };
        match shape {
            TopologyShape::Cart(dimensions) => {
                let dims: Vec<usize> = dimensions.iter().map(|d| d.extent as usize).collect();
                let cells = dims.iter().try_fold(1usize, |n, &k| n.checked_mul(k));
                let grid = DeclaredGrid { dims, members };
                if cells == Some(grid.members.len()) && !declared.grids.contains(&grid) {
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

/// The members if they are all of the world.
fn members(communicator: &Communicator, ranks: usize) -> Option<Vec<Rank>> {
    let members = communicator.members.iter().map(|m| m.map(Rank));
    let members: Option<Vec<Rank>> = members.collect();
    members.filter(|all| all.iter().all(|rank| rank.index() < ranks))
}

/// `lists` holds whom each member sends to, both by their places among the members.
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
