use super::*;
use crate::testing::{Case, graph, machine, message};

#[test]
fn figure_one_is_solved_from_node_100() {
    // Figure 1 of the paper: the edges 0-1, 0-3 and 2-3 on a cube.
    let both = [(0, 1), (0, 3), (2, 3)]
        .into_iter()
        .flat_map(|(a, b)| [message(a, b, 1), message(b, a, 1)]);
    let case = Case::new(graph(4, both.collect()), machine("torus:2x2x2", 1));
    let network = LinkGraph::new(&case.machine.topology().wiring());
    let distances = case.machine.topology().distances();
    let problem = case.problem();
    let nodes = Embedding::new(&problem, &network, &distances, NodeId(0b100)).run();
    let (congestion, hop_bytes) = quality(&problem, &distances, &nodes);
    assert_eq!((congestion, hop_bytes), (1.0, 6), "{nodes:?}");
}

#[test]
fn neighbours_fill_a_node_before_the_next_is_opened() {
    let edges = [(0, 5, 9), (1, 4, 8), (2, 3, 7)];
    let messages = edges.map(|(a, b, bytes)| message(a, b, bytes)).to_vec();
    let case = Case::new(graph(6, messages), machine("mesh:5", 2));
    let placed = LtmGreedy.place(&case.problem()).unwrap();
    let nodes = placed.placement.nodes(case.machine.slots());
    assert!(
        edges.iter().all(|&(a, b, _)| nodes[a] == nodes[b]),
        "{nodes:?}"
    );
}
