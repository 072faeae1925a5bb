use super::*;
use crate::testing::{Case, box_stencil, graph, machine, message, shuffled, star_stencil};
use rankfold_model::ids::{NodeId, Rank};
use rankfold_model::machine::{HostList, Machine, parse};
use rankfold_model::metric::hop_bytes;
use rankfold_model::placement::Placement;

fn hop_bytes_of(case: &Case, placement: &Placement) -> u128 {
    hop_bytes(
        &case.graph,
        case.machine.topology(),
        &placement.nodes(case.machine.slots()),
    )
}

/// Table 6: 14 to 56 global iterations; section 4: 4 rounds of migration. Table 4: at 1024 processes 23 to
/// 83 % fewer hop-bytes than the order given.
#[test]
fn meshes_of_a_thousand_processes_lose_four_tenths_of_their_hop_bytes_within_the_published_iterations()
 {
    for mesh in [
        star_stencil(&[8, 8, 16], false),
        box_stencil(&[8, 8, 16], false),
    ] {
        let case = Case::new(shuffled(&mesh), machine("torus:8x8x16", 1));
        let problem = case.problem();
        let grid = case.machine.topology().structure().grid().unwrap();
        let cells = Cells::new(&problem, grid).ok().unwrap();
        let anchors = anchors::choose(&cells, Order::ReverseCuthillMckee);
        assert_eq!(anchors.len(), 8);
        let spread = global::map(&cells, &anchors);
        let legal = legal::legalise(&cells, &spread.points);
        assert!(spread.iterations <= 60, "{}", spread.iterations);
        assert!(legal.rounds <= 6, "{}", legal.rounds);
        let placement = cells.placement(&legal.node_of, &problem);
        let (ours, given) = (
            hop_bytes_of(&case, &placement),
            hop_bytes_of(&case, &Placement::block(1024)),
        );
        assert!(10 * ours <= 6 * given, "{ours} of {given}");
    }
}

#[test]
fn both_anchor_orders_place_everybody_on_machines_with_gaps_and_unequal_nodes() {
    let hosts = "a slots=2\n-\nb\nc slots=3\nd\n-\ne\nf\ng slots=2";
    let hosts = HostList::from_text(hosts, "hosts").unwrap();
    let machine = Machine::new(parse("mesh:3x3").unwrap(), 1, Some(hosts)).unwrap();
    let ring = (0..9).flat_map(|r| [message(r, (r + 1) % 9, 7), message((r + 1) % 9, r, 7)]);
    let case = Case::new(graph(9, ring.collect()), machine);
    for heuristic in [&Analytical as &dyn Heuristic, &AnalyticalBft] {
        let placed = heuristic.place(&case.problem()).unwrap().placement;
        let mut slots = placed.slots().to_vec();
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), 9);
    }
}

#[test]
fn corners_hold_the_processes_at_their_place_in_the_order() {
    let case = Case::new(star_stencil(&[16], false), machine("mesh:4x4", 1));
    let problem = case.problem();
    let cells = Cells::new(
        &problem,
        case.machine.topology().structure().grid().unwrap(),
    )
    .ok()
    .unwrap();
    let anchors = anchors::choose(&cells, Order::BreadthFirst);
    // Breadth first from node 0, node 3 is the seventh, node 12 the tenth, node 15 the last.
    let nodes: Vec<NodeId> = anchors.values().copied().collect();
    let processes: Vec<Rank> = anchors.keys().copied().collect();
    assert_eq!(nodes, [0, 3, 12, 15].map(NodeId));
    assert_eq!(processes, [0, 6, 9, 15].map(Rank));
}

#[test]
fn processes_nobody_talks_to_and_separate_pieces_are_placed_too() {
    let messages = [(0, 1, 5), (2, 3, 5), (4, 5, 9)].map(|(a, b, w)| message(a, b, w));
    let case = Case::new(graph(12, messages.to_vec()), machine("torus:3x2x2", 1));
    let placed = Analytical.place(&case.problem()).unwrap().placement;
    assert_eq!(placed.ranks(), 12);
}

#[test]
fn switched_machines_are_refused() {
    let case = Case::new(star_stencil(&[4], false), machine("tree:2x2", 1));
    let refusal = Analytical.place(&case.problem()).unwrap_err();
    assert!(refusal.to_string().contains("torus"));
}
