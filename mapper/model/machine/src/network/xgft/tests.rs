use super::*;
use crate::parse;

fn path(topology: &dyn Topology, from: u32, to: u32) -> Vec<u32> {
    let mut channels = Vec::new();
    topology.route(NodeId(from), NodeId(to), &mut |c| channels.push(c.0));
    channels
}

#[test]
fn destinations_spread_over_the_spines() {
    // Cables 0..4 go from the nodes up, 4..8 from the two leaves to the two spines.
    let tree = parse("xgft:2,2:1,2").unwrap();
    assert_eq!(path(&*tree, 0, 2), [0, 2 * 4, 2 * 6 + 1, 2 * 2 + 1]);
    assert_eq!(path(&*tree, 0, 3), [0, 2 * 5, 2 * 7 + 1, 2 * 3 + 1]);
    assert_eq!(path(&*tree, 0, 1), [0, 2 + 1]);
}

#[test]
fn tree_bandwidths_are_given_from_the_root_down() {
    let tree = parse("tree:2x3@5,7").unwrap();
    let of = |from, to| {
        path(&*tree, from, to)
            .into_iter()
            .map(|c| tree.bandwidth(ChannelId(c)))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(0, 5), [7.0, 5.0, 5.0, 7.0]);
    assert_eq!(of(0, 2), [7.0, 7.0]);
}

#[test]
fn routes_follow_the_wiring_and_are_as_long_as_the_distance() {
    for spec in [
        "tree:3x1x2",
        "xgft:2,2,3:1,2,2",
        "xgft:3,2:2,3",
        "fattree:4",
    ] {
        let tree = parse(spec).unwrap();
        let distances = tree.distances();
        let wiring = tree.wiring();
        assert_eq!(wiring.edges.entries().len(), tree.channels(), "{spec}");
        let last = wiring.edges.indexed().map(|e| e.0).max();
        assert_eq!(last, Some(wiring.vertices() - 1), "{spec}");
        for a in 0..tree.nodes() as u32 {
            for b in 0..tree.nodes() as u32 {
                let hops = tree.hops(NodeId(a), NodeId(b));
                assert_eq!(path(&*tree, a, b).len() as u32, hops, "{spec}: {a} to {b}");
                assert_eq!(distances.hops(NodeId(a), NodeId(b)), hops);
            }
        }
    }
}

#[test]
fn fat_trees_count_their_parts_as_leiserson_would() {
    let tree = parse("fattree:4").unwrap();
    // 16 nodes, 8 edge, 8 aggregation and 4 core switches
    assert_eq!((tree.nodes(), tree.wiring().vertices()), (16, 16 + 20));
    assert_eq!(tree.diameter(), 6);
    assert_eq!(tree.nearest(NodeId(3)), [NodeId(2)]);
}

#[test]
fn wrong_level_lists_are_explained() {
    for (spec, problem) in [
        ("xgft:2,2:1", "2 levels of children, 1 of parents"),
        ("xgft:2,2", "two lists"),
        ("xgft:2,0:1,1", "child count 0"),
        ("fattree:3", "even number"),
        ("tree:65536x65536", "more than"),
        ("xgft:4096,4096:4096,4096", "more than 2^24"),
    ] {
        let error = parse(spec).unwrap_err().to_string();
        assert!(error.contains(problem), "{spec}: {error}");
    }
}
