//! The machine as nested clusters of nodes: groups, leaf switches and nodes of a hierarchy, or
//! repeated halves of a mesh.

use rankfold_base::NodeId;
use rankfold_machine::{Distances, Grid, Machine};

/// A set of nodes that are close to one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cluster {
    /// Number of bricks, or of ranks, that fit into the cluster.
    pub(super) capacity: usize,
    pub(super) inside: ClusterContent,
}

/// The content of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClusterContent {
    Node(NodeId),
    Clusters(Vec<Cluster>),
}

impl Cluster {
    /// The nested clusters of all nodes that can hold something; `capacity` says how much fits on a
    /// node.
    pub(super) fn of(machine: &Machine, capacity: &dyn Fn(NodeId) -> usize) -> Self {
        let topology = machine.topology();
        let nodes: Vec<NodeId> = (0..topology.nodes())
            .map(NodeId::at)
            .filter(|&node| capacity(node) > 0)
            .collect();
        if let Some(grid) = topology.structure().grid() {
            return halves(grid, nodes, capacity);
        }
        match topology.structure().arities() {
            Some(arities) => by_index(arities, &nodes, capacity),
            None => by_distance(&topology.distances(), nodes, capacity),
        }
    }

    fn node(node: NodeId, capacity: &dyn Fn(NodeId) -> usize) -> Self {
        Self {
            capacity: capacity(node),
            inside: ClusterContent::Node(node),
        }
    }

    fn group(clusters: Vec<Self>) -> Self {
        Self {
            capacity: clusters.iter().map(|c| c.capacity).sum(),
            inside: ClusterContent::Clusters(clusters),
        }
    }

    /// All nodes of the cluster with their capacities, subcluster by subcluster.
    pub(super) fn nodes(&self) -> Vec<(NodeId, usize)> {
        match &self.inside {
            ClusterContent::Node(node) => vec![(*node, self.capacity)],
            ClusterContent::Clusters(clusters) => clusters.iter().flat_map(Self::nodes).collect(),
        }
    }
}

/// The clusters of a balanced hierarchy, whose nodes are numbered depth first.
fn by_index(arities: &[usize], nodes: &[NodeId], capacity: &dyn Fn(NodeId) -> usize) -> Cluster {
    let below: usize = arities.iter().skip(1).product();
    let clusters = nodes.chunk_by(|a, b| a.index() / below == b.index() / below);
    Cluster::group(
        clusters
            .map(|chunk| match arities {
                [] | [_] => Cluster::node(chunk[0], capacity),
                [_, rest @ ..] => {
                    let first = chunk[0].index() / below * below;
                    let shifted = |node: &NodeId| NodeId::at(node.index() - first);
                    let inside: Vec<NodeId> = chunk.iter().map(shifted).collect();
                    let there = |node: NodeId| capacity(NodeId::at(node.index() + first));
                    moved(by_index(rest, &inside, &there), first)
                }
            })
            .collect(),
    )
}

/// The cluster with all node numbers increased by `by`.
fn moved(mut cluster: Cluster, by: usize) -> Cluster {
    match &mut cluster.inside {
        ClusterContent::Node(node) => *node = NodeId::at(node.index() + by),
        ClusterContent::Clusters(clusters) => {
            *clusters = std::mem::take(clusters)
                .into_iter()
                .map(|c| moved(c, by))
                .collect();
        }
    }
    cluster
}

/// The clusters of any other network, by distance.
///
/// The first node and all nodes nearer to it than the farthest one form a cluster, then the first
/// node that remains, and so on. Each cluster is divided in the same way. In trees the clusters are
/// the switches.
fn by_distance(
    distances: &Distances,
    nodes: Vec<NodeId>,
    capacity: &dyn Fn(NodeId) -> usize,
) -> Cluster {
    let hops = |a: NodeId, b: NodeId| distances.hops(a, b);
    let farthest = nodes.iter().map(|&node| hops(nodes[0], node)).max();
    let mut left = nodes;
    let mut clusters = Vec::new();
    while let Some(&first) = left.first() {
        let near = |node: &NodeId| *node == first || Some(hops(first, *node)) < farthest;
        let (cluster, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(near);
        left = rest;
        clusters.push(match cluster[..] {
            [node] => Cluster::node(node, capacity),
            _ => by_distance(distances, cluster, capacity),
        });
    }
    Cluster::group(clusters)
}

/// The clusters of a mesh or torus: halves along the longest side, again and again.
fn halves(grid: &Grid, mut nodes: Vec<NodeId>, capacity: &dyn Fn(NodeId) -> usize) -> Cluster {
    if let [node] = nodes[..] {
        return Cluster::node(node, capacity);
    }
    let along = |node: &NodeId, side: usize| {
        let stride: usize = grid.dims()[side + 1..].iter().product();
        node.index() / stride % grid.dims()[side]
    };
    let extent = |side: usize| {
        let at = nodes.iter().map(|node| along(node, side));
        at.clone().max().unwrap_or(0) - at.min().unwrap_or(0)
    };
    let side = (0..grid.dims().len()).max_by_key(|&d| (extent(d), std::cmp::Reverse(d)));
    let side = side.unwrap_or_default();
    let half = nodes.len() / 2;
    let (_, &mut middle, _) = nodes.select_nth_unstable_by_key(half, |n| (along(n, side), *n));
    let first = nodes.iter().map(|node| along(node, side)).min();
    // The middle layer goes to one half as a whole: to the second, unless it is the first layer.
    let layer = along(&middle, side) + usize::from(Some(along(&middle, side)) == first);
    let (mut nodes, mut rest): (Vec<_>, Vec<_>) = nodes
        .into_iter()
        .partition(|node| along(node, side) < layer);
    nodes.sort_unstable();
    rest.sort_unstable();
    Cluster::group(vec![
        halves(grid, nodes, capacity),
        halves(grid, rest, capacity),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_problem::testing::machine;

    fn sizes(cluster: &Cluster) -> Vec<usize> {
        match &cluster.inside {
            ClusterContent::Node(_) => Vec::new(),
            ClusterContent::Clusters(clusters) => clusters.iter().map(|c| c.capacity).collect(),
        }
    }

    #[test]
    fn line_switches_hold_leaves_and_leaves_hold_nodes() {
        let gpc = machine("ibcore:", 8);
        let all = Cluster::of(&gpc, &|_| 8);
        assert_eq!(sizes(&all), [1440, 1440, 1216]);
        let ClusterContent::Clusters(lines) = &all.inside else {
            panic!("one node");
        };
        assert_eq!(sizes(&lines[2]), [240, 240, 240, 240, 240, 16]);
    }

    #[test]
    fn every_usable_node_is_in_one_cluster_whatever_the_network() {
        for spec in [
            "tree:3x4",
            "dragonfly:2,3,1,4",
            "torus:5x4",
            "mesh:3x3x2",
            "percs:2",
            "xgft:3,6:1,2",
        ] {
            let machine = machine(spec, 2);
            let usable = |node: NodeId| usize::from(node.0 % 3 != 1) * 2;
            let mut nodes: Vec<NodeId> = Cluster::of(&machine, &usable)
                .nodes()
                .into_iter()
                .map(|n| n.0)
                .collect();
            nodes.sort_unstable();
            let expected: Vec<NodeId> = (0..machine.topology().nodes())
                .map(NodeId::at)
                .filter(|n| n.0 % 3 != 1)
                .collect();
            assert_eq!(nodes, expected, "{spec}");
        }
    }
}
