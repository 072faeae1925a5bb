use super::*;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_graph::samples::{graph, message, star_stencil};
use rankfold_machine::samples::{machine, unequal_nodes};

fn bound(graph: &CommGraph, machine: &Machine) -> u128 {
    let effort = BoundEffort::Standard;
    Split.hop_bytes(&graph.affinity(), machine, effort).unwrap()
}

/// Every rank exchanges `bytes` with every other one.
fn complete(ranks: usize, bytes: u64) -> CommGraph {
    let pairs = (0..ranks).flat_map(|a| (0..a).map(move |b| (a, b)));
    graph(ranks, pairs.map(|(a, b)| message(a, b, bytes)).collect())
}

#[test]
fn where_all_placements_are_alike_the_bound_is_their_hop_bytes() {
    let (all, mesh) = (complete(12, 7), machine("mesh:3x4", 1));
    let any = crate::score(&all, &mesh, &Placement::block(12)).hop_bytes;
    assert_eq!(bound(&all, &mesh), any);
}

#[test]
fn a_grid_of_ranks_on_its_own_torus_reaches_the_bound() {
    let (ranks, torus) = (star_stencil(&[4, 4], true), machine("torus:4x4", 1));
    let edges = 2 * 4 * 4;
    assert_eq!(bound(&ranks, &torus), 2 * edges * 1000);
}

#[test]
fn bytes_of_any_size_and_free_slots_are_bounded() {
    let machine = unequal_nodes("mesh:2x3", &[2, 0, 1, 3, 1, 1]);
    for bytes in [1, 1 << 20, 1 << 54] {
        let five = complete(5, bytes);
        // At best three ranks share node 3 and two share node 0 beside it.
        let (found, best) = (bound(&five, &machine), 6 * u128::from(bytes));
        assert!(found <= best && 2 * found > best, "{found} of {best}");
    }
}

#[test]
fn silence_and_machines_of_many_slots_have_no_such_bound() {
    let none = |graph: &CommGraph, spec| {
        let machine = machine(spec, 1);
        Split.hop_bytes(&graph.affinity(), &machine, BoundEffort::Standard)
    };
    assert_eq!(none(&graph(4, Vec::new()), "mesh:4"), None);
    assert_eq!(none(&complete(4, 1), "torus:20x20"), None);
}
