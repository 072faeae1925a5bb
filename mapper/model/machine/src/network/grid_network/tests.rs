use super::*;
use crate::{Edge, Flow};
use proptest::prelude::*;

fn network(dims: &[usize], wraps: bool) -> GridNetwork {
    GridNetwork::new(Grid::new(dims.to_vec(), wraps))
}

fn path(grid: &GridNetwork, from: u32, to: u32) -> Vec<u32> {
    let mut channels = Vec::new();
    grid.route(NodeId(from), NodeId(to), &mut |c| channels.push(c.0));
    channels
}

#[test]
fn the_route_of_a_half_way_tie_goes_upwards_where_nobody_knows() {
    let ring = network(&[4], true);
    assert_eq!(path(&ring, 0, 2), [0, 1]);
    assert_eq!(path(&ring, 2, 0), [2, 3]);
    assert_eq!(path(&ring, 0, 3), [4]);
}

#[test]
fn dimension_zero_is_routed_first() {
    let mesh = network(&[3, 3], false);
    // (0,0) -> (1,1): leaves node 0 along +dim 0, then node 3 along +dim 1
    assert_eq!(path(&mesh, 0, 4), [0, 2 * 9 + 3]);
}

#[test]
fn routes_are_as_long_as_the_distance() {
    for grid in [network(&[4, 3, 2], true), network(&[3, 1, 4], false)] {
        for a in 0..grid.nodes() as u32 {
            for b in 0..grid.nodes() as u32 {
                assert_eq!(
                    path(&grid, a, b).len() as u32,
                    grid.hops(NodeId(a), NodeId(b))
                );
            }
        }
    }
}

#[test]
fn a_dimension_without_links_has_no_speed_of_its_own() {
    let spec = "torus:3x1@2,0.5";
    let flat = crate::parse(spec).unwrap();
    assert_eq!(flat.spec(), spec);
    let channels = (0..flat.channels()).map(ChannelId::at);
    assert!(channels.map(|it| flat.bandwidth(it)).all(|it| it == 2.0));
}

#[test]
fn size_two_rings_have_one_cable_and_size_one_none() {
    let edge = |to| Edge { to, bandwidth: 1.0 };
    let wiring = network(&[2, 1], true).wiring();
    assert_eq!(
        wiring.edges.iter().collect::<Vec<_>>(),
        [[edge(1)], [edge(0)]]
    );
    assert_eq!(Grid::new(vec![2], true).nearest(NodeId(0)), [NodeId(1)]);
}

#[test]
fn specs_survive_a_round_trip() {
    for (text, canonical) in [
        ("torus:4x4@2,1", ""),
        ("mesh:3x5x7", ""),
        ("torus:4x4/ties=+", ""),
        ("torus:4x4@2GB/s+1us/ties=source,order=1,0", ""),
        ("torus:4x4/routes=spread", ""),
        ("mesh:4x4/order=1,0", ""),
        ("torus:4x4/ties=any", "torus:4x4"),
        ("torus:4x4/order=0,1,routes=static", "torus:4x4"),
        (
            "torus:4x4/order=1,0,ties=split",
            "torus:4x4/ties=split,order=1,0",
        ),
    ] {
        let canonical = if canonical.is_empty() {
            text
        } else {
            canonical
        };
        let spec = crate::parse(text).unwrap().spec();
        assert_eq!(spec, canonical);
        assert_eq!(crate::parse(&spec).unwrap().spec(), spec);
    }
}

/// The channels of a route as `(dimension, whether upwards, node that it leaves)`, in order, and
/// what shares say, added up.
fn walk(spec: &str, from: u32, to: u32) -> Vec<(usize, char, usize, f64)> {
    let network = crate::parse(spec).unwrap();
    let nodes = network.nodes();
    let mut walked = Vec::new();
    network.route_shares(NodeId(from), NodeId(to), &mut |channel, share| {
        let (direction, node) = (channel.index() / nodes, channel.index() % nodes);
        let sign = if direction % 2 == 0 { '+' } else { '-' };
        walked.push((direction / 2, sign, node, share));
    });
    walked
}

#[test]
fn ties_go_the_way_of_the_rule() {
    let way = |rule: &str, from, to| {
        let walked = walk(&format!("torus:4/ties={rule}"), from, to);
        let steps = walked
            .iter()
            .map(|(_, sign, node, share)| format!("{sign}{node}:{share}"));
        steps.collect::<Vec<_>>().join(" ")
    };
    // From 0, 1, 2 and 3 to the node opposite.
    let ways = |rule: &str| [0, 1, 2, 3].map(|from| way(rule, from, (from + 2) % 4));
    assert_eq!(
        ways("+"),
        ["+0:1 +1:1", "+1:1 +2:1", "+2:1 +3:1", "+3:1 +0:1"]
    );
    assert_eq!(
        ways("-"),
        ["-0:1 -3:1", "-1:1 -0:1", "-2:1 -1:1", "-3:1 -2:1"]
    );
    assert_eq!(
        ways("source"),
        ["+0:1 +1:1", "+1:1 +2:1", "-2:1 -1:1", "+3:1 +0:1"]
    );
    let both = [
        "+0:0.5 +1:0.5 -0:0.5 -3:0.5",
        "+1:0.5 +2:0.5 -1:0.5 -0:0.5",
        "+2:0.5 +3:0.5 -2:0.5 -1:0.5",
        "+3:0.5 +0:0.5 -3:0.5 -2:0.5",
    ];
    assert_eq!(ways("split"), both);
    assert_eq!(ways("any"), both);
    // What is no tie goes the shorter way by every rule.
    for rule in ["+", "-", "source", "split", "any"] {
        assert_eq!([way(rule, 3, 0), way(rule, 0, 3)], ["+3:1", "-0:1"]);
    }
}

/// The rule of SimGrid's tori, as its class `TorusZone` decides whether a message goes right.
fn right_in_simgrid(from: usize, to: usize, size: usize) -> bool {
    to > from && to <= from + size / 2 || from > size / 2 && (from + size / 2) % size >= to
}

#[test]
fn by_source_all_pairs_go_as_on_the_tori_of_simgrid() {
    for size in 2..=9 {
        let spec = format!("torus:{size}/ties=source");
        for (from, to) in (0..size * size).map(|i| (i / size, i % size)) {
            for (_, sign, _, share) in walk(&spec, from as u32, to as u32) {
                // The two nodes of a ring of two have one cable, and one channel each.
                let right = size == 2 || right_in_simgrid(from, to, size);
                assert_eq!(
                    (sign == '+', share),
                    (right, 1.0),
                    "{from} to {to} of {size}"
                );
            }
        }
    }
}

#[test]
fn dimensions_are_routed_in_the_given_order() {
    // From (0,0,0) to (1,1,3) on 2x3x4: one step up, one step up, one step down.
    let way = |spec| walk(spec, 0, 12 + 4 + 3);
    let expected =
        |order: [(usize, char, usize); 3]| order.map(|(d, s, n)| (d, s, n, 1.0)).to_vec();
    assert_eq!(
        way("torus:2x3x4"),
        expected([(0, '+', 0), (1, '+', 12), (2, '-', 16)])
    );
    assert_eq!(
        way("torus:2x3x4/order=2,0,1"),
        expected([(2, '-', 0), (0, '+', 3), (1, '+', 15)])
    );
    // The second dimension of this mesh first.
    let way = walk("mesh:2x2/order=1,0", 0, 3);
    assert_eq!(way, [(1, '+', 0, 1.0), (0, '+', 1, 1.0)]);
}

#[test]
fn what_is_known_of_paths_follows_from_rules_and_sizes() {
    use PathChoice::{Fixed, Several, Unknown};
    for (spec, expected) in [
        ("torus:4x3", Unknown),
        ("torus:4x3/ties=any", Unknown),
        ("torus:4x3/ties=source", Fixed),
        ("torus:4x3/ties=split", Several),
        ("torus:5x3x2", Fixed),
        ("torus:5x3x2/ties=split", Fixed),
        ("mesh:4x4", Fixed),
        ("hypercube:4", Fixed),
    ] {
        let choice = crate::parse(spec).unwrap().path_choice();
        assert_eq!(choice, expected, "{spec}");
    }
}

#[test]
fn rules_that_do_not_fit_a_grid_are_refused() {
    for (spec, problem) in [
        ("mesh:4x4/ties=+", "ties: a mesh has no half-way ties"),
        (
            "torus:4x4/order=0,0",
            "order=0,0 must name each of the dimensions 0 to 1 once",
        ),
        ("torus:4x4/order=0", "must name each"),
        (
            "torus:4x4/ties=+,routes=spread",
            "ties=+: with routes=spread ties go both ways",
        ),
        (
            "torus:4x4/order=1,0,routes=spread",
            "order: with routes=spread",
        ),
    ] {
        let error = crate::parse(spec).unwrap_err().to_string();
        assert!(error.contains(problem), "{spec}: {error}");
    }
}

proptest! {
    #[test]
    fn loads_are_the_sum_of_routes_by_every_rule(
        dims in prop::collection::vec(1usize..6, 1..4),
        ties in prop::sample::select(&["any", "+", "-", "source", "split"][..]),
        turn in 0usize..3,
        ends in prop::collection::vec((0usize..125, 0usize..125, 1u64..1 << 40), 0..60),
    ) {
        let mut order: Vec<String> = (0..dims.len()).map(|d| d.to_string()).collect();
        order.rotate_left(turn % dims.len());
        let sizes: Vec<String> = dims.iter().map(ToString::to_string).collect();
        let spec = format!("torus:{}/ties={ties},order={}", sizes.join("x"), order.join(","));
        let network = crate::parse(&spec).unwrap();
        let nodes = network.nodes();
        let node = |n: usize| NodeId::at(n % nodes);
        let flows = ends.iter().map(|&(from, to, bytes)| (node(from), node(to), bytes));
        let flows: Vec<Flow> = flows
            .filter(|(from, to, _)| from != to)
            .map(|(from, to, bytes)| Flow { from, to, bytes })
            .collect();
        let (mut along_routes, mut shared) = (vec![0; network.channels()], vec![0.0; network.channels()]);
        for flow in &flows {
            let mut hops = 0.0;
            network.route(flow.from, flow.to, &mut |c| along_routes[c.index()] += flow.bytes);
            network.route_shares(flow.from, flow.to, &mut |c, share| {
                hops += share;
                // Halves of bytes are exact, as are their sums.
                shared[c.index()] += share * flow.bytes as f64;
            });
            prop_assert_eq!(hops, f64::from(network.hops(flow.from, flow.to)));
        }
        prop_assert_eq!(network.loads(&flows), along_routes, "{}", &spec);
        prop_assert_eq!(network.shared_loads(&flows), shared, "{}", &spec);
    }
}
