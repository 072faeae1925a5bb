use super::*;
use rankfold_machine::{HostList, Machine, parse};
use rankfold_metric::score;
use rankfold_problem::team::threads;
use rankfold_problem::testing::{Case, graph, machine, message};

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

/// Nodes 16 and 17 share a drawer, whose links are wider than those between drawers: two ranks with
/// much traffic belong there, although all four nodes are one hop apart.
#[test]
fn the_heaviest_edge_takes_the_widest_link() {
    let hosts = (0..32).map(|node| match node {
        0 | 9 | 16 | 17 => format!("h{node}"),
        _ => "-".into(),
    });
    let hosts = HostList::from_list(&hosts.collect::<Vec<_>>().join(",")).unwrap();
    let machine = Machine::new(parse("percs:1").unwrap(), 1, Some(hosts)).unwrap();
    let messages = [(0, 1, 1000), (1, 2, 10), (2, 3, 10)];
    let messages = messages.map(|(a, b, bytes)| message(a, b, bytes)).to_vec();
    let case = Case::new(graph(4, messages), machine);
    let placed = LtmGreedy.place(&case.problem()).unwrap().placement;
    let congestion = score(&case.graph, &case.machine, &placed).max_congestion;
    assert!(congestion < 41.7, "{congestion}");
}

#[test]
fn processes_that_divide_the_starts_find_what_one_finds() {
    let messages = (0..60).map(|i| message(i % 36, (i * 7 + 1) % 36, 10 + i as u64));
    let case = Case::new(graph(36, messages.collect()), machine("torus:6x6", 1));
    let alone = LtmGreedy.place(&case.problem()).unwrap().placement;
    let together = threads::all(3, |team| {
        let problem = Problem {
            team,
            ..case.problem()
        };
        LtmGreedy.place(&problem).unwrap().placement
    });
    assert_eq!(together, [alone.clone(), alone.clone(), alone]);
}
