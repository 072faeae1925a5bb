use super::*;
use crate::testing::{Case, graph, machine, message};

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
    let estimated = |placement: &Placement| {
        let nodes = placement.nodes(case.machine.slots());
        Estimate::new(&case.graph, case.machine.topology()).congestion(&nodes)
    };
    let greedy = LtmGreedy.place(&problem).unwrap().placement;
    let placed = LtmTa.place(&problem).unwrap();
    assert!(placed.diagnostics.moves > 0);
    assert!(estimated(&placed.placement) < estimated(&greedy));
}
