//! Bundles of ranks that fill one node each, for papers that place one process on every node.
//!
//! The papers leave the grouping to METIS or Scotch and repair groups that are too large; here
//! every cut is exact. The papers also assume equal nodes. Where the usable nodes differ in slots,
//! every rank is a bundle of its own, and a node takes as many bundles as it has slots.

use crate::irregular::exact_bisector::{ExactBisector, exactly};
use rankfold_base::{NodeId, Placement};
use rankfold_graph::{Affinity, CommGraph};
use rankfold_problem::heuristic::{NotApplicable, Placed, Problem};
use rankfold_problem::weights::Weights;

/// Bundles of ranks and the bytes between bundles. A bundle is identified by a rank of
/// [`Self::graph`].
#[derive(Debug)]
pub struct Bundles {
    /// The bundle of every rank.
    of: Vec<u32>,
    /// Bytes between bundles.
    pub graph: CommGraph,
    /// The bytes between bundles with both directions added.
    pub affinity: Affinity,
    /// The nodes that can take bundles, in ascending order, and how many bundles each takes; there
    /// is room for all bundles.
    pub nodes: Vec<(NodeId, u32)>,
}

impl Bundles {
    /// Bundles as large as a node, or single ranks where nodes differ in slots.
    pub fn new(problem: &Problem<'_>) -> Self {
        let mut nodes = usable(problem);
        let size = nodes.first().map_or(1, |&(_, capacity)| capacity);
        let is_equal = nodes.iter().all(|&(_, capacity)| capacity == size);
        let of = match size {
            2.. if is_equal => partition(problem, &nodes),
            _ => (0..problem.graph.ranks() as u32).collect(),
        };
        if is_equal {
            nodes.iter_mut().for_each(|(_, capacity)| *capacity = 1);
        }
        let graph = problem.graph.contracted(&of);
        Self {
            of,
            affinity: graph.affinity(),
            graph,
            nodes,
        }
    }

    /// The placement that puts every rank on the node of its bundle.
    pub fn placement(&self, node_of: &[NodeId], problem: &Problem<'_>) -> Placement {
        let nodes: Vec<NodeId> = self.of.iter().map(|&b| node_of[b as usize]).collect();
        let placement = Placement::from_nodes(&nodes, problem.machine.slots());
        placement.expect("no bundle is larger than a node")
    }
}

/// The nodes that have slots, in ascending order, and their number of slots.
pub fn usable(problem: &Problem<'_>) -> Vec<(NodeId, u32)> {
    let slots = problem.machine.slots();
    let all = (0..slots.nodes()).map(NodeId::at);
    let capacities = all.map(|node| (node, slots.capacity(node)));
    capacities.filter(|&(_, capacity)| capacity > 0).collect()
}

/// Places bundles with `place`, each bundle as one rank on a node of one slot, and then the ranks
/// with their bundles. Places the ranks directly where nodes have one slot each or differ in slots.
///
/// # Errors
/// The errors of `place`.
pub fn bundled(
    problem: &Problem<'_>,
    place: impl FnOnce(&Problem<'_>) -> Result<Placed, NotApplicable>,
) -> Result<Placed, NotApplicable> {
    let nodes = usable(problem);
    let size = nodes.first().map_or(1, |&(_, capacity)| capacity);
    if size == 1 || nodes.iter().any(|&(_, capacity)| capacity != size) {
        return place(problem);
    }
    let bundles = Bundles::new(problem);
    let mut capacities = vec![0; problem.machine.slots().nodes()];
    for &(node, capacity) in &bundles.nodes {
        capacities[node.index()] = capacity;
    }
    let machine = problem.machine.with_slots(&capacities);
    let mut placed = place(&Problem {
        graph: &bundles.graph,
        affinity: &bundles.affinity,
        machine: &machine,
        ..*problem
    })?;
    let nodes = placed.placement.nodes(machine.slots());
    placed.placement = bundles.placement(&nodes, problem);
    let groups = format!("{} groups as large as a node first", bundles.graph.ranks());
    placed.diagnostics.notes.insert(0, groups);
    Ok(placed)
}

/// The part of every rank, by recursive bisection of ranks and nodes: part i is as large as the
/// i-th node. The last part may be smaller, and nodes may stay empty.
pub fn partition(problem: &Problem<'_>, nodes: &[(NodeId, u32)]) -> Vec<u32> {
    let weights = Weights::new(problem.affinity, 1);
    let mut bisector = ExactBisector::new(&weights, problem.seed);
    let mut part_of = vec![0; weights.vertices()];
    let mut open = vec![(0, (0..weights.vertices() as u32).collect::<Vec<_>>())];
    while let Some((first, members)) = open.pop() {
        let needed = filled_by(members.len(), &nodes[first..]);
        if needed > 1 {
            let half = needed.div_ceil(2);
            let room: u32 = nodes[first..first + half].iter().map(|&(_, c)| c).sum();
            let [left, right] = bisector.halve(&members, exactly(room as usize));
            open.extend([(first, left), (first + half, right)]);
            continue;
        }
        for member in members {
            part_of[member as usize] = first as u32;
        }
    }
    part_of
}

/// The number of first nodes that `ranks` ranks need.
fn filled_by(mut ranks: usize, nodes: &[(NodeId, u32)]) -> usize {
    let needed = nodes.iter().take_while(|&&(_, capacity)| {
        let is_needed = ranks > 0;
        ranks = ranks.saturating_sub(capacity as usize);
        is_needed
    });
    needed.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_problem::testing::{Case, graph, machine, message};

    #[test]
    fn ranks_that_talk_share_a_bundle_and_bundles_fill_nodes() {
        let messages = (0..12).flat_map(|r| {
            let partners = (0..12).filter(move |&other| other != r && other % 3 == r % 3);
            partners
                .map(move |other| message(r, other, 10))
                .chain([message(r, (r + 1) % 12, 1)])
        });
        let case = Case::new(graph(12, messages.collect()), machine("mesh:4", 4));
        let problem = case.problem();
        let bundles = Bundles::new(&problem);
        assert_eq!(bundles.graph.ranks(), 3);
        assert_eq!(bundles.graph.total_bytes(), 12);
        let placement = bundles.placement(&[3, 1, 0].map(NodeId), &problem);
        let nodes = placement.nodes(case.machine.slots());
        assert!((0..12).all(|r| nodes[r] == nodes[r % 3]), "{nodes:?}");
    }

    #[test]
    fn ranks_that_do_not_fill_the_last_node_make_a_smaller_bundle() {
        let messages = (0..6).map(|r| message(r, r + 1, 1)).collect();
        let case = Case::new(graph(7, messages), machine("mesh:3", 3));
        let bundles = Bundles::new(&case.problem());
        let mut sizes = [0; 3];
        bundles.of.iter().for_each(|&b| sizes[b as usize] += 1);
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 3, 3]);
    }
}
