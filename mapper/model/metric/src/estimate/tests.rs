use super::*;
use rankfold_base::Rank;
use rankfold_machine::parse;

fn estimate(spec: &str, nodes: &[u32], messages: &[(u32, u32, u64)]) -> Congestion {
    let messages = messages.iter().map(|&(from, to, bytes)| Message {
        from: Rank(from),
        to: Rank(to),
        bytes,
    });
    let graph = CommGraph::from_messages(nodes.len(), messages).unwrap();
    let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
    Congestion::of(&estimated_loads(&graph, &*parse(spec).unwrap(), &nodes))
}

#[test]
fn two_messages_between_the_same_nodes_go_both_ways_round() {
    let congestion = estimate("torus:4", &[0, 0, 2], &[(0, 2, 8), (1, 2, 8)]);
    assert_eq!((congestion.max, congestion.used_channels), (8.0, 4));
}

#[test]
fn messages_are_routed_by_sender_and_avoid_what_came_before() {
    // 0 -> 2 takes its only link. 0 -> 3 then goes over 1, where 1 -> 3 uses the same link.
    let messages = [(0, 3, 10), (0, 2, 4), (1, 3, 6)];
    let congestion = estimate("mesh:2x2", &[0, 1, 2, 3], &messages);
    assert_eq!((congestion.max, congestion.used_channels), (16.0, 3));
}

#[test]
fn an_estimate_forgets_the_placement_before() {
    let graph = rankfold_graph::samples::star_stencil(&[4, 3], false);
    let torus = parse("torus:4x3").unwrap();
    let nodes: Vec<NodeId> = (0..12).map(NodeId).collect();
    let scattered: Vec<NodeId> = (0..12).map(|r| NodeId(r * 5 % 12)).collect();
    let mut estimate = Estimate::new(&graph, &*torus);
    let first = estimate.loads(&nodes).bytes;
    assert_ne!(estimate.loads(&scattered).bytes, first);
    assert_eq!(estimate.loads(&nodes).bytes, first);
}

#[test]
fn hops_go_before_loads() {
    // The direct link is used again, although the way round is free.
    let congestion = estimate("torus:4", &[0, 0, 1], &[(0, 2, 8), (1, 2, 8)]);
    assert_eq!((congestion.max, congestion.used_channels), (16.0, 1));
}

#[test]
fn the_papers_example_has_congestion_1_where_it_says_so() {
    // Figure 1: a graph of three edges on a cube. The mapping (101, 111, 000, 100) is optimal.
    let edges = [(0, 1, 1), (0, 3, 1), (2, 3, 1)];
    let optimal = estimate("hypercube:3", &[0b101, 0b111, 0b000, 0b100], &edges);
    assert_eq!((optimal.max, optimal.used_channels), (1.0, 3));
}

#[test]
fn loads_add_up_to_hop_bytes() {
    let messages: Vec<_> = (0..12)
        .map(|r| (r, (r * 5 + 1) % 12, 3 + u64::from(r)))
        .collect();
    let nodes: Vec<u32> = (0..12).collect();
    for spec in ["torus:4x3", "mesh:2x6", "xgft:3,4:1,2", "dragonfly:2,2,1,3"] {
        let topology = parse(spec).unwrap();
        let hop_bytes: u64 = messages
            .iter()
            .map(|&(a, b, bytes)| bytes * u64::from(topology.hops(NodeId(a), NodeId(b))))
            .sum();
        let all = estimate(spec, &nodes, &messages);
        let sum = all.nz_avg * all.used_channels as f64;
        assert!(
            (sum - hop_bytes as f64).abs() < 1e-9,
            "{spec}: {sum}, {hop_bytes}"
        );
    }
}

#[test]
fn a_kept_estimate_takes_exchanges_back_and_knows_its_highest_load() {
    let graph = rankfold_graph::samples::star_stencil(&[6, 5], true);
    for spec in ["torus:6x5", "xgft:5,6:1,3"] {
        let topology = parse(spec).unwrap();
        let nodes: Vec<NodeId> = (0..30).map(|r| NodeId(r * 7 % 30)).collect();
        let mut whole = Estimate::new(&graph, &*topology);
        let first = whole.congestion(&nodes);
        let mut kept = Estimate::new(&graph, &*topology).incremental(nodes.clone());
        assert_eq!(kept.congestion(), first, "{spec}");
        for step in 0..60u32 {
            let before = kept.congestion();
            let pair = [Rank(step * 11 % 30), Rank((step * 17 + 1) % 30)];
            let after = kept.exchange(pair);
            let hop_bytes: f64 = kept.loads().iter().sum();
            let expected = crate::hop_bytes(&graph, &*topology, kept.nodes());
            assert_eq!(hop_bytes, expected as f64, "{spec}");
            if step % 3 == 0 {
                kept.undo();
                assert_eq!(kept.congestion(), before, "{spec}, {after}");
            }
        }
        let nodes = kept.nodes().to_vec();
        assert_eq!(kept.refresh(), whole.congestion(&nodes), "{spec}");
    }
}
