use super::*;
use crate::comm::Message;
use crate::machine::{Machine, parse};
use crate::{CommGraph, pattern};

/// Figure 1 of the paper: edges 0-1, 0-3 and 2-3 on a cube.
fn figure_one() -> (CommGraph, Machine) {
    let both = [(0, 1), (0, 3), (2, 3)]
        .into_iter()
        .flat_map(|(a, b)| [(a, b), (b, a)]);
    let messages = both.map(|(from, to)| Message {
        from: Rank(from),
        to: Rank(to),
        bytes: 1,
    });
    (
        CommGraph::from_messages(4, messages).unwrap(),
        Machine::uniform(parse("torus:2x2x2").unwrap(), 1),
    )
}

#[test]
fn figure_one_is_solved_from_node_100() {
    let (graph, machine) = figure_one();
    let (affinity, pattern) = (graph.affinity(), pattern::analyze(&graph));
    let problem = Problem {
        graph: &graph,
        affinity: &affinity,
        machine: &machine,
        pattern: &pattern,
        seed: 0,
    };
    let network = Network::new(&machine.topology().wiring());
    let distances = machine.topology().distances();
    let nodes = Embedding::new(&problem, &network, &distances, NodeId(0b100)).run();
    let (congestion, hop_bytes) = quality(&problem, &distances, &nodes);
    assert_eq!((congestion, hop_bytes), (1.0, 6), "{nodes:?}");
}
