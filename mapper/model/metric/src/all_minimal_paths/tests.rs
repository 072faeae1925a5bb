use super::*;
use rankfold_base::NodeId;
use rankfold_machine::{Wiring, parse};

fn flow(from: u32, to: u32, bytes: u64) -> Flow {
    Flow {
        from: NodeId(from),
        to: NodeId(to),
        bytes,
    }
}

/// Flows between all ordered pairs, each with its own number of bytes.
fn everyone_to_everyone(nodes: u32) -> Vec<Flow> {
    (0..nodes)
        .flat_map(|a| (0..nodes).map(move |b| (a, b)))
        .filter(|(a, b)| a != b)
        .map(|(a, b)| flow(a, b, u64::from(1 + (7 * a + 13 * b) % 50)))
        .collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn a_half_way_message_takes_both_ways_round() {
    let ring = parse("torus:4").unwrap();
    let loads = loads(&*ring, &[flow(0, 2, 8)]);
    // Forward from nodes 0 and 1, backward from nodes 0 and 3.
    assert_eq!(loads.bytes, [4.0, 4.0, 0.0, 0.0, 4.0, 0.0, 0.0, 4.0]);
}

#[test]
fn a_ring_of_two_has_one_way_only() {
    let ring = parse("torus:2").unwrap();
    let loads = loads(&*ring, &[flow(0, 1, 5), flow(1, 0, 7)]);
    assert_eq!(loads.bytes, [5.0, 7.0, 0.0, 0.0]);
}

#[test]
fn spines_share_evenly() {
    let tree = parse("xgft:2,2:1,2").unwrap();
    let loads = loads(&*tree, &[flow(0, 2, 1), flow(1, 2, 1)]);
    let wiring = tree.wiring();
    for ((from, edge), bytes) in wiring.edges.indexed().zip(&loads.bytes) {
        if from >= 4 && edge.to >= 4 && *bytes > 0.0 {
            assert_eq!(*bytes, 1.0, "from {from}: {edge:?}");
        }
    }
}

#[test]
fn closed_form_and_path_counting_agree_on_grids() {
    for spec in [
        "torus:4x3x2",
        "torus:4x4x4",
        "mesh:4x3x2",
        "torus:6x1x4",
        "mesh:5",
    ] {
        let topology = parse(spec).unwrap();
        let flows = everyone_to_everyone(topology.nodes() as u32);
        let wiring = topology.wiring();
        let mut counted = general::loads(&wiring, &flows).bytes;
        let mut closed = loads(&*topology, &flows).bytes;
        closed.retain(|&b| b > 0.0);
        counted.retain(|&b| b > 0.0);
        closed.sort_by(f64::total_cmp);
        counted.sort_by(f64::total_cmp);
        assert_eq!(closed.len(), counted.len(), "{spec}");
        assert!(
            closed.iter().zip(&counted).all(|(&a, &b)| close(a, b)),
            "{spec}"
        );
    }
}

#[test]
fn loads_add_up_to_hop_bytes() {
    for spec in [
        "torus:5x4",
        "mesh:3x4",
        "tree:3x1x2",
        "xgft:2,2,3:1,2,2",
        "xgft:3,2:2,3",
    ] {
        let topology = parse(spec).unwrap();
        let flows = everyone_to_everyone(topology.nodes() as u32);
        let hop_bytes: u64 = flows
            .iter()
            .map(|f| f.bytes * u64::from(topology.hops(f.from, f.to)))
            .sum();
        let sum: f64 = loads(&*topology, &flows).bytes.iter().sum();
        assert!(close(sum, hop_bytes as f64), "{spec}: {sum}, {hop_bytes}");
    }
}

#[test]
fn path_counts_beyond_f64_do_not_overflow() {
    // A chain of 1200 diamonds has 2^1200 shortest paths from end to end.
    let diamonds = 1200u32;
    let mut edges = Vec::new();
    for d in 0..diamonds {
        let (start, end) = (3 * d, 3 * d + 3);
        for middle in [start + 1, start + 2] {
            for (a, b) in [(start, middle), (middle, end)] {
                edges.extend([(a, b, 1.0), (b, a, 1.0)]);
            }
        }
    }
    let wiring = Wiring::new(3 * diamonds as usize + 1, edges);
    let loads = general::loads(&wiring, &[flow(0, 3 * diamonds, 8)]);
    let carried: Vec<f64> = loads.bytes.into_iter().filter(|&b| b != 0.0).collect();
    assert_eq!(carried, vec![4.0; 4 * diamonds as usize]);
}

#[test]
fn hosts_of_one_switch_send_as_if_each_had_been_alone() {
    for spec in [
        "fattree:4",
        "xgft:3,2,2:1,2,2",
        "dragonfly:2,2,1,3",
        "tree:3x1x2",
    ] {
        let topology = parse(spec).unwrap();
        let flows = everyone_to_everyone(topology.nodes() as u32);
        let together = loads(&*topology, &flows).bytes;
        let mut alone = vec![0.0; together.len()];
        for flow in &flows {
            let loads = loads(&*topology, std::slice::from_ref(flow));
            for (sum, bytes) in alone.iter_mut().zip(loads.bytes) {
                *sum += bytes;
            }
        }
        let same = together.iter().zip(&alone).all(|(&a, &b)| close(a, b));
        assert!(same, "{spec}");
    }
}

#[test]
fn two_nodes_with_nothing_but_a_cable_use_it() {
    let wiring = Wiring::new(2, [(0, 1, 1.0), (1, 0, 1.0)]);
    let loads = general::loads(&wiring, &[flow(0, 1, 5), flow(1, 0, 7)]);
    assert_eq!(loads.bytes, [5.0, 7.0]);
}

/// Worked out by hand: every order of the steps is one path.
#[test]
fn a_knights_move_takes_three_paths_alike() {
    let mesh = parse("mesh:2x3").unwrap();
    let loads = loads(&*mesh, &[flow(5, 0, 3)]);
    // Nodes 0 1 2 / 3 4 5. From 5 to 0, dimension 0 is left downwards from nodes 5, 4 and 3,
    // dimension 1 from nodes 5, 4, 2 and 1.
    let down = |dim: usize, node: usize| loads.bytes[(2 * dim + 1) * 6 + node];
    let expected = [
        (0, 5, 1.0),
        (0, 4, 1.0),
        (0, 3, 1.0),
        (1, 5, 2.0),
        (1, 4, 1.0),
    ];
    for (dim, node, bytes) in expected {
        assert!(close(down(dim, node), bytes), "{dim} {node}");
    }
    assert!(close(down(1, 2), 1.0) && close(down(1, 1), 2.0));
    assert!(close(loads.bytes.iter().sum(), 9.0));
}

#[test]
fn paths_round_the_ends_and_both_ways_round_agree_with_counting_node_by_node() {
    for spec in ["torus:6x4x5", "torus:8x2", "mesh:7x1x3"] {
        let topology = parse(spec).unwrap();
        let nodes = topology.nodes() as u32;
        for (from, to) in [
            (0, nodes - 1),
            (nodes / 2, 1),
            (nodes - 1, nodes / 3),
            (2, nodes / 2 + 2),
        ] {
            let flows = [flow(from, to % nodes, 48)];
            let wiring = topology.wiring();
            let counted = general::loads(&wiring, &flows);
            let closed = loads(&*topology, &flows);
            let sorted = |loads: ChannelLoads| {
                let mut bytes: Vec<f64> = loads.bytes.into_iter().filter(|&b| b > 0.0).collect();
                bytes.sort_by(f64::total_cmp);
                bytes
            };
            let (counted, closed) = (sorted(counted), sorted(closed));
            assert_eq!(counted.len(), closed.len(), "{spec}: {from} {to}");
            let same = counted.iter().zip(&closed).all(|(&a, &b)| close(a, b));
            assert!(same, "{spec}: {from} {to}");
        }
    }
}

/// The bytes over every edge of the wiring, from those through channels.
fn over_edges(topology: &dyn Topology, channels: &[f64]) -> Vec<f64> {
    let wiring = topology.wiring();
    let mut bytes = vec![0.0; wiring.edges.entries().len()];
    for (ends, load) in topology.ends().into_iter().zip(channels) {
        if let Some((from, to)) = ends {
            let row = wiring.leaving(from);
            let place = row.partition_point(|edge| edge.to < to);
            bytes[wiring.edges.range(from as usize).start + place] += load;
        }
    }
    bytes
}

#[test]
fn spread_routes_load_links_as_all_minimal_paths_do() {
    for spec in [
        "torus:4x3x6",
        "torus:2x5x1",
        "torus:4x4x4",
        "mesh:3x4",
        "xgft:3,2,2:1,2,3",
        "fattree:4@2,3,1",
        "tree:3x4",
        "dragonfly:2,4,4,5@1,2",
        "percs:2",
        "tianhe3:2x3",
        "ibcore:hosts=60",
    ] {
        let topology = parse(&format!("{spec}/routes=spread")).unwrap();
        let nodes = topology.nodes() as u64;
        let flows: Vec<Flow> = (0..nodes * nodes)
            .filter(|i| i / nodes != i % nodes && i * i % 7 < 3)
            .map(|i| Flow {
                from: NodeId((i / nodes) as u32),
                to: NodeId((i % nodes) as u32),
                bytes: 1000 + i * i % 991,
            })
            .collect();
        let spread = topology.shared_loads(&flows);
        let expected = loads(&*topology, &flows).bytes;
        let (spread, expected) = if topology.structure().grid().is_some() {
            (spread, expected)
        } else {
            (over_edges(&*topology, &spread), expected)
        };
        assert_eq!(spread.len(), expected.len(), "{spec}");
        for (edge, (spread, expected)) in spread.iter().zip(&expected).enumerate() {
            assert!(
                (spread - expected).abs() <= 1e-9 * expected,
                "{spec}, edge {edge}: {spread} instead of {expected}"
            );
        }
    }
}

#[test]
fn rules_of_tori_are_refused_on_switched_networks() {
    for (suffix, problem) in [
        ("ties=+", "ties: only a torus has half-way ties"),
        ("order=0,1", "order: only a torus or mesh has dimensions"),
    ] {
        for spec in ["tree:2x2", "dragonfly:2,4,4,5", "fattree:4"] {
            let error = parse(&format!("{spec}/{suffix}")).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
