use super::*;
use proptest::prelude::*;
use rankfold_base::Rank;
use rankfold_graph::Message;
use rankfold_machine::parse;

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
    let bound = highest(&graph(6, &ring), &uniform("torus:6", 1));
    assert_eq!((bound.hop_bytes, bound.which), (60, "star"));
}

#[test]
fn a_star_of_five_cannot_be_adjacent_on_a_ring() {
    let star = graph(5, &[(0, 1, 8), (0, 2, 4), (0, 3, 2), (0, 4, 1)]);
    // From the hub, 8 + 4 travel one hop and 2 + 1 two hops: 18. From the leaves 15 more; half of
    // the sum is 16.5. The rearrangement finds 15, as four of the five adjacent pairs are used.
    assert_eq!(bound("star", &star, &uniform("torus:5", 1)), 17);
}

#[test]
fn more_edges_than_links_are_seen_by_the_rearrangement() {
    // A 4 x 5 grid of ranks has 31 edges, a path of 20 nodes 19 links. There are too many ranks to
    // enumerate all cuts.
    let across = (0..20).filter(|r| r % 5 < 4).map(|r| (r, r + 1, 1));
    let down = (0..15).map(|r| (r, r + 5, 1));
    let grid = graph(20, &across.chain(down).collect::<Vec<_>>());
    let path = uniform("mesh:20", 1);
    assert_eq!(bound("rearrangement", &grid, &path), 19 + 12 * 2);
}

#[test]
fn partners_on_the_same_node_are_free() {
    let pairs = graph(4, &[(0, 1, 9), (2, 3, 9), (1, 2, 2)]);
    assert_eq!(highest(&pairs, &uniform("torus:2", 2)).hop_bytes, 2);
    assert_eq!(highest(&pairs, &uniform("torus:2", 4)).hop_bytes, 0);
}

/// Hop-bytes of the best of all placements.
fn optimum(graph: &CommGraph, machine: &Machine) -> u128 {
    let mut seating = Seating {
        affinity: graph.affinity(),
        machine,
        nodes: Vec::new(),
        best: u128::MAX,
    };
    seating.extend(0);
    seating.best
}

/// A placement of the first ranks, and the fewest hop-bytes of all complete placements so far.
struct Seating<'a> {
    affinity: Affinity,
    machine: &'a Machine,
    nodes: Vec<NodeId>,
    best: u128,
}

impl Seating<'_> {
    fn extend(&mut self, hop_bytes: u128) {
        let rank = self.nodes.len();
        if hop_bytes >= self.best {
            return;
        }
        if rank == self.affinity.ranks() {
            self.best = hop_bytes;
            return;
        }
        let topology = self.machine.topology();
        for node in (0..topology.nodes()).map(NodeId::at) {
            let taken = self.nodes.iter().filter(|&&n| n == node).count();
            if taken == self.machine.slots().capacity(node) as usize {
                continue;
            }
            let seated = self.affinity.partners(Rank::at(rank));
            let more: u128 = seated
                .filter_map(|(partner, bytes)| Some((self.nodes.get(partner.index())?, bytes)))
                .map(|(&at, bytes)| u128::from(bytes) * u128::from(topology.hops(at, node)))
                .sum();
            self.nodes.push(node);
            self.extend(hop_bytes + more);
            self.nodes.pop();
        }
    }
}

/// The highest of all bounds.
fn highest(graph: &CommGraph, machine: &Machine) -> LowerBound {
    lower_bound(graph, machine, BoundEffort::Standard)
}

/// The value of the bound named `which`.
fn bound(which: &str, graph: &CommGraph, machine: &Machine) -> u128 {
    let bound = BOUNDS.iter().find(|bound| bound.name() == which).unwrap();
    bound
        .hop_bytes(&graph.affinity(), machine, BoundEffort::Standard)
        .unwrap()
}

#[test]
fn triangles_do_not_fit_between_neighbours_of_a_torus() {
    // Every edge of four ranks that all exchange messages is in two triangles. At least 2 of the 6
    // edges are two hops long.
    let all = [
        (0, 1, 5),
        (0, 2, 5),
        (0, 3, 5),
        (1, 2, 5),
        (1, 3, 5),
        (2, 3, 5),
    ];
    let (four, torus) = (graph(4, &all), uniform("torus:8x8", 1));
    assert_eq!(bound("star", &four, &torus), 30);
    assert!((39..=40).contains(&bound("triples", &four, &torus)));
    assert_eq!(optimum(&four, &uniform("torus:4x2", 1)), 40);
}

#[test]
fn a_grid_on_nodes_of_eight_cores_must_leave_them() {
    let grid = rankfold_graph::samples::star_stencil(&[8, 8], false);
    let machine = uniform("ibcore:hosts=8,leaf=4,up=1,line=2,lines=1,spines=1", 8);
    assert_eq!(bound("star", &grid, &machine), 0);
    // Of any eight ranks of a grid, at least 0.21 of the bytes leave the node, two hops each.
    let bytes = 2 * 2 * 7 * 8 * 1000;
    assert!(bound("triples", &grid, &machine) > 2 * bytes / 5);
}

#[test]
fn four_to_a_leaf_cannot_all_be_neighbours() {
    // A 4 x 4 torus of ranks: any four ranks have at most 8 of their 16 edges inside.
    let neighbours = |r: u32| [(r / 4 * 4 + (r + 1) % 4), (r + 4) % 16];
    let edges: Vec<_> = (0..16)
        .flat_map(|r| neighbours(r).map(|n| (r, n, 1)))
        .collect();
    let bound = highest(&graph(16, &edges), &uniform("tree:4x4", 1));
    // Every edge takes the two links at its ends; 4 x 8 crossings of leaf switches take an uplink.
    assert_eq!((bound.hop_bytes, bound.which), (16 * 4 + 4 * 8, "cut"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn no_placement_beats_any_bound_slow(
        (spec, cores) in prop::sample::select(vec![
            ("mesh:3x3", 1), ("torus:9", 1), ("torus:4x2", 1), ("torus:2x2x2", 1), ("mesh:9", 1), ("torus:3x3", 1),
            ("torus:5", 2), ("mesh:2x2", 3), ("torus:4", 3), ("tree:3x3", 1), ("tree:2x4", 1), ("tree:2x2", 2),
            ("tree:2x2x2", 1), ("xgft:2,2,2:1,2,2", 1), ("xgft:4,2:1,3", 1), ("dragonfly:2,2,1,2", 1),
            ("dragonfly:1,2,1,2", 2), ("ibcore:hosts=8,leaf=3,up=1,line=2,lines=2,spines=1", 1),
        ]),
        ranks in 4u32..10,
        edges in prop::collection::vec((0u32..9, 0u32..9, 1u64..20), 0..30),
    ) {
        let machine = uniform(spec, cores);
        let ranks = ranks.min(machine.slots().len() as u32);
        let edges = edges.into_iter().map(|(a, b, bytes)| (a % ranks, b % ranks, bytes));
        let graph = graph(ranks as usize, &edges.collect::<Vec<_>>());
        let (affinity, optimum) = (graph.affinity(), optimum(&graph, &machine));
        for bound in BOUNDS {
            let found = bound.hop_bytes(&affinity, &machine, BoundEffort::Standard).unwrap_or(0);
            prop_assert!(found <= optimum, "{}: {found} of {optimum}", bound.name());
        }
    }
}
