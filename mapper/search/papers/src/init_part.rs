//! `init-part`: the first of PTRAM's three steps alone (Mirsadeghi and Afsahi, 2016, section
//! IV.C.1, "initPart" in figure 6).
//!
//! The ranks are partitioned into parts as large as the nodes, and part i goes to node i. Cost:
//! O(m log n) for n ranks and m pairs.

use rankfold_base::{NodeId, Placement};
use rankfold_problem::heuristic::{
    About, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_search::irregular::bundles::{partition, usable};

/// The heuristic `init-part`: part i of the ranks on usable node i.
///
/// The paper leaves the partition to Scotch and equal nodes. Here every part is exactly as large as
/// its node.
#[derive(Debug)]
pub(crate) struct InitPart;

impl Heuristic for InitPart {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "init-part",
            Family::Irregular,
            "a graph partition with its parts on the nodes in order (PTRAM 2016, initPart of figure 6)",
        )
        .at_least(Effort::Best);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let nodes = usable(problem);
        let parts = partition(problem, &nodes);
        let node_of: Vec<NodeId> = parts.iter().map(|&part| nodes[part as usize].0).collect();
        let placement = Placement::from_nodes(&node_of, problem.machine.slots());
        Ok(placement.expect("parts are as large as their nodes").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_problem::testing::{Case, graph, message, unequal_nodes};

    #[test]
    fn parts_fill_unequal_nodes_in_order() {
        let messages = [(0, 4), (4, 2), (1, 3), (3, 1)].map(|(a, b)| message(a, b, 9));
        let case = Case::new(
            graph(5, messages.to_vec()),
            unequal_nodes("mesh:4", &[3, 0, 2, 1]),
        );
        let placed = InitPart.place(&case.problem()).unwrap().placement;
        let nodes = placed.nodes(case.machine.slots());
        assert_eq!(nodes, [0, 2, 0, 2, 0].map(NodeId));
    }
}
