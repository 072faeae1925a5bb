//! The virtual topologies of a run, assembled from what each member recorded.

use super::index::Index;
use crate::topology::MemberTopology;
use crate::topology::{Topology, TopologyShape};
use std::collections::BTreeMap;

/// The topologies by the hash of their communicator.
#[derive(Default)]
pub(super) struct Topologies {
    /// Cartesian grids. The value is `reorder`.
    grids: BTreeMap<(u64, TopologyShape), bool>,
    /// Graphs, by communicator and by whether they are distributed graphs.
    graphs: BTreeMap<(u64, bool), Graph>,
}

#[derive(Default)]
struct Graph {
    reorder: bool,
    /// The receivers of each member.
    edges: BTreeMap<u32, Vec<u32>>,
}

impl Topologies {
    /// Adds what one member of the communicator with this hash recorded.
    pub(super) fn add(&mut self, hash: u64, laid: MemberTopology) {
        let distributed = matches!(laid.shape, TopologyShape::DistGraph(_));
        match laid.shape {
            TopologyShape::Cart(_) => {
                *self.grids.entry((hash, laid.shape)).or_default() |= laid.reorder;
            }
            TopologyShape::Graph(lists) | TopologyShape::DistGraph(lists) => {
                let graph = self.graphs.entry((hash, distributed)).or_default();
                graph.reorder |= laid.reorder;
                let edges = graph.edges.entry(laid.member).or_default();
                for receiver in lists.into_iter().flatten() {
                    // There are few receivers. They stay in the program's order.
                    if !edges.contains(&receiver) {
                        edges.push(receiver);
                    }
                }
            }
        }
    }

    /// The topologies in the order of the profile. Those of communicators whose members are unknown
    /// are left out.
    pub(super) fn topologies(self, index: &Index) -> Vec<Topology> {
        let grids = self
            .grids
            .into_iter()
            .filter_map(|((hash, shape), reorder)| {
                let &(comm, size) = index.get(&hash)?;
                let topology = Topology {
                    comm,
                    reorder,
                    shape,
                };
                (topology.shape.size() == Some(size)).then_some(topology)
            });
        let graphs = self
            .graphs
            .into_iter()
            .filter_map(|((hash, distributed), graph)| {
                let &(comm, size) = index.get(&hash)?;
                Some(graph.topology(comm, size, distributed))
            });
        let mut topologies: Vec<Topology> = grids.chain(graphs).collect();
        topologies.sort_by(|a, b| (a.comm, &a.shape).cmp(&(b.comm, &b.shape)));
        topologies
    }
}

impl Graph {
    fn topology(mut self, comm: u32, size: usize, distributed: bool) -> Topology {
        let list = |member| {
            let mut list = self.edges.remove(&member).unwrap_or_default();
            list.retain(|&receiver| (receiver as usize) < size);
            list
        };
        let lists = (0..).take(size).map(list).collect();
        Topology {
            comm,
            reorder: self.reorder,
            shape: if distributed {
                TopologyShape::DistGraph(lists)
            } else {
                TopologyShape::Graph(lists)
            },
        }
    }
}
