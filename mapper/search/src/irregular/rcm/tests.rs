use super::*;
use rankfold_machine::{HostList, parse};
use rankfold_metric::score;
use rankfold_problem::testing::{Case, graph, machine, message};

/// A path of ranks in which neighbours differ by `stride` in their numbers.
fn shuffled_path(ranks: usize, stride: usize) -> rankfold_graph::CommGraph {
    let at = |i: usize| i * stride % ranks;
    graph(
        ranks,
        (1..ranks).map(|i| message(at(i - 1), at(i), 1)).collect(),
    )
}

#[test]
fn a_shuffled_path_is_straightened() {
    let case = Case::new(shuffled_path(50, 17), machine("mesh:50", 1));
    let placed = Rcm.place(&case.problem()).unwrap();
    let score = score(&case.graph, &case.machine, &placed.placement);
    assert_eq!((score.hops_per_byte, score.max_dilation), (1.0, 1));
}

#[test]
fn neighbours_in_the_order_share_nodes_and_leaves() {
    let case = Case::new(shuffled_path(24, 7), machine("tree:3x4", 2));
    let placed = Rcm.place(&case.problem()).unwrap();
    let score = score(&case.graph, &case.machine, &placed.placement);
    // 12 of the 23 edges stay inside nodes, 9 inside leaf switches (2 hops), 2 cross the root (4
    // hops).
    assert_eq!(score.hop_bytes, 9 * 2 + 2 * 4);
}

#[test]
fn unusable_nodes_take_no_rank() {
    let hosts = HostList::from_list("a,-,b,c").unwrap();
    let machine = Machine::new(parse("torus:4").unwrap(), 2, Some(hosts)).unwrap();
    let case = Case::new(shuffled_path(6, 5), machine);
    let placed = Rcm.place(&case.problem()).unwrap();
    let nodes = placed.placement.nodes(case.machine.slots());
    assert!(!nodes.contains(&NodeId(1)), "{nodes:?}");
}
