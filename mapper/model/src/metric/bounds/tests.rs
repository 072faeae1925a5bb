use super::*;
use crate::comm::Message;
use crate::machine::parse;
use crate::metric::hop_bytes;
use proptest::prelude::*;

fn graph(ranks: usize, edges: &[(u32, u32, u64)]) -> CommGraph {
    let messages = edges.iter().map(|&(from, to, bytes)| Message {
        from: Rank(from),
        to: Rank(to),
        bytes,
    });
    CommGraph::from_messages(ranks, messages).unwrap()
}

fn uniform(spec: &str, cores: u32) -> Machine {
    Machine::uniform(parse(spec).unwrap(), cores)
}

#[test]
fn a_ring_on_a_ring_reaches_the_star_bound() {
    let ring: Vec<_> = (0..6).map(|r| (r, (r + 1) % 6, 10)).collect();
    let bound = lower_bound(&graph(6, &ring), &uniform("torus:6", 1));
    assert_eq!((bound.hop_bytes, bound.which), (60, "star"));
}

#[test]
fn a_star_of_five_cannot_be_adjacent_on_a_ring() {
    let star = graph(5, &[(0, 1, 8), (0, 2, 4), (0, 3, 2), (0, 4, 1)]);
    // From the hub 8 + 4 at one hop, 2 + 1 at two: 18; from the leaves 15 more; half is 16.5.
    // All edges at once: four of five adjacent pairs, 15.
    let bound = lower_bound(&star, &uniform("torus:5", 1));
    assert_eq!((bound.hop_bytes, bound.which), (17, "star"));
}

#[test]
fn more_edges_than_links_are_seen_by_the_rearrangement() {
    // A 4 x 5 grid of ranks has 31 edges, a path of 20 nodes 19 links; too many ranks to see every cut.
    let across = (0..20).filter(|r| r % 5 < 4).map(|r| (r, r + 1, 1));
    let down = (0..15).map(|r| (r, r + 5, 1));
    let grid = graph(20, &across.chain(down).collect::<Vec<_>>());
    let bound = lower_bound(&grid, &uniform("mesh:20", 1));
    let expected = (19 + 12 * 2, "rearrangement");
    assert_eq!((bound.hop_bytes, bound.which), expected);
}

#[test]
fn partners_on_the_same_node_are_free() {
    let pairs = graph(4, &[(0, 1, 9), (2, 3, 9), (1, 2, 2)]);
    assert_eq!(lower_bound(&pairs, &uniform("torus:2", 2)).hop_bytes, 2);
    assert_eq!(lower_bound(&pairs, &uniform("torus:2", 4)).hop_bytes, 0);
}

/// Hop-bytes of the best of all ways to seat the ranks.
fn optimum(graph: &CommGraph, machine: &Machine) -> u128 {
    fn extend(nodes: &mut Vec<NodeId>, graph: &CommGraph, machine: &Machine, best: &mut u128) {
        if nodes.len() == graph.ranks() {
            *best = (*best).min(hop_bytes(graph, machine.topology(), nodes));
            return;
        }
        for node in (0..machine.topology().nodes()).map(NodeId::at) {
            let taken = nodes.iter().filter(|&&n| n == node).count();
            if taken < machine.slots().capacity(node) as usize {
                nodes.push(node);
                extend(nodes, graph, machine, best);
                nodes.pop();
            }
        }
    }
    let mut best = u128::MAX;
    extend(&mut Vec::new(), graph, machine, &mut best);
    best
}

#[test]
fn four_to_a_leaf_cannot_all_be_neighbours() {
    // A 4 x 4 torus of ranks: any four have 8 of their 16 edges inside at most.
    let neighbours = |r: u32| [(r / 4 * 4 + (r + 1) % 4), (r + 4) % 16];
    let edges: Vec<_> = (0..16)
        .flat_map(|r| neighbours(r).map(|n| (r, n, 1)))
        .collect();
    let bound = lower_bound(&graph(16, &edges), &uniform("tree:4x4", 1));
    // Every edge takes the two links of its ends, 4 x 8 of leaf crossings the uplink.
    assert_eq!((bound.hop_bytes, bound.which), (16 * 4 + 4 * 8, "cut"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_placement_beats_the_bound(
        spec in prop::sample::select(vec![
            "mesh:3x2", "torus:5", "torus:6", "torus:2x3", "torus:4x1", "torus:2x2x2", "mesh:6", "tree:2x3", "xgft:2,3:1,2"
        ]),
        cores in 1u32..3,
        edges in prop::collection::vec((0u32..5, 0u32..5, 1u64..20), 0..14),
    ) {
        let machine = uniform(spec, cores);
        let graph = graph(5, &edges);
        prop_assert!(lower_bound(&graph, &machine).hop_bytes <= optimum(&graph, &machine));
    }
}
