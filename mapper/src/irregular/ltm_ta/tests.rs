use super::*;
use crate::testing::{Case, graph, machine, message};

#[test]
fn the_estimate_spreads_messages_over_their_shortest_paths() {
    let pair = [message(0, 3, 10), message(0, 2, 4), message(1, 3, 6)];
    let case = Case::new(graph(4, pair.to_vec()), machine("mesh:2x2", 1));
    let network = Network::new(&case.machine.topology().wiring());
    let estimate = Estimate::new(&case.graph, &network);
    // 0 -> 3 takes one of the two ways; the lighter messages have one way each and meet it on one link.
    assert_eq!(estimate.congestion(&[0, 1, 2, 3].map(NodeId)), 16.0);
}

#[test]
fn exchanges_below_the_threshold_lower_the_congestion_of_the_greedy_start() {
    let messages = (0..36).flat_map(|r| {
        [
            (r, r * 7 % 36, 90),
            (r, (r + 5) % 36, 60),
            (r * 11 % 36, r, 20),
        ]
    });
    let messages = messages.map(|(a, b, bytes)| message(a, b, bytes));
    let case = Case::new(graph(36, messages.collect()), machine("torus:6x6", 1));
    let problem = case.problem();
    let network = Network::new(&case.machine.topology().wiring());
    let estimated = |placement: &Placement| {
        let nodes = placement.nodes(case.machine.slots());
        Estimate::new(&case.graph, &network).congestion(&nodes)
    };
    let greedy = LtmGreedy.place(&problem).unwrap().placement;
    let placed = LtmTa.place(&problem).unwrap();
    assert!(placed.diagnostics.moves > 0);
    assert!(estimated(&placed.placement) < estimated(&greedy));
}
