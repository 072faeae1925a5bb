mod bodies;

use super::*;
use crate::irregular::{LtmGreedy, Rcm};
use bodies::{Shape, aircraft, cube, geometric};
use rankfold_machine::{HostList, Machine, parse};
use rankfold_metric::score;
use rankfold_problem::heuristic::Refinement;
use rankfold_problem::testing::{Case, graph, machine, message, star_stencil};
use rankfold_refine::Swap;

fn refined(heuristic: &dyn Heuristic, case: &Case) -> f64 {
    let mut placement = heuristic.place(&case.problem()).unwrap().placement;
    Swap.refine(&case.problem(), &mut placement);
    score(&case.graph, &case.machine, &placement).hops_per_byte
}

/// Hops per byte relative to the better of the two published heuristics; all are refined.
fn against_published(case: &Case) -> f64 {
    let published = refined(&Rcm, case).min(refined(&LtmGreedy, case));
    refined(&Spectral, case) / published
}

/// The same graph with its ranks renumbered by a stride.
fn renumbered(original: &rankfold_graph::CommGraph, stride: usize) -> rankfold_graph::CommGraph {
    let ranks = original.ranks();
    let new = |rank: rankfold_base::Rank| rank.index() * stride % ranks;
    let messages = original.messages();
    let messages = messages.map(|m| message(new(m.from), new(m.to), m.bytes));
    graph(ranks, messages.collect())
}

#[test]
fn small_random_bodies_need_fewer_hops_than_the_published_heuristics_slow() {
    for (shape, seed) in [(cube as Shape, 1), (cube, 2), (aircraft, 5)] {
        let case = Case::new(geometric(512, shape, seed), machine("torus:8x8x8", 1));
        let ratio = against_published(&case);
        assert!(ratio <= 0.95, "seed {seed}: {ratio}");
    }
}

#[test]
fn large_random_bodies_need_a_quarter_fewer_hops_than_the_published_heuristics_slow() {
    for (shape, seed) in [(cube as Shape, 4), (aircraft, 4)] {
        let case = Case::new(geometric(4096, shape, seed), machine("torus:16x16x16", 1));
        let ratio = against_published(&case);
        assert!(ratio <= 0.75, "seed {seed}: {ratio}");
    }
}

#[test]
fn a_renumbered_cube_is_found_again() {
    let cube = renumbered(&star_stencil(&[8, 8, 8], false), 77);
    let case = Case::new(cube, machine("torus:8x8x8", 1));
    assert_eq!(refined(&Spectral, &case), 1.0);
}

#[test]
fn a_renumbered_box_lies_along_the_machine_whichever_way_round_that_is() {
    let body = renumbered(&star_stencil(&[9, 6, 8], false), 77);
    for spec in ["mesh:6x8x9", "mesh:9x6x8", "mesh:8x1x9x6"] {
        let case = Case::new(body.clone(), machine(spec, 1));
        assert_eq!(refined(&Spectral, &case), 1.0, "{spec}");
    }
}

#[test]
fn unequal_and_unusable_nodes_are_respected() {
    let hosts: Vec<String> = (0..64)
        .map(|n| match n % 5 {
            0 => "-".into(),
            k => format!("n{n} slots={k}"),
        })
        .collect();
    let hosts = HostList::from_text(&hosts.join("\n"), "hosts").unwrap();
    let machine = Machine::new(parse("torus:4x4x4").unwrap(), 1, Some(hosts)).unwrap();
    let case = Case::new(geometric(100, cube, 6), machine);
    let placed = Spectral.place(&case.problem()).unwrap().placement;
    assert_eq!(distinct(&placed), 100);
    let ratio = against_published(&case);
    assert!(ratio <= 1.02, "{ratio}");
}

fn distinct(placement: &Placement) -> usize {
    let slots: std::collections::BTreeSet<SlotId> = placement.slots().iter().copied().collect();
    slots.len()
}

/// Hops per byte before refinement. Panics unless every rank has a slot of its own.
fn valid(graph: rankfold_graph::CommGraph, spec: &str, cores: u32) -> f64 {
    let case = Case::new(graph, machine(spec, cores));
    let placed = Spectral.place(&case.problem()).unwrap().placement;
    assert_eq!(distinct(&placed), case.graph.ranks(), "{spec}");
    score(&case.graph, &case.machine, &placed).hops_per_byte
}

#[test]
fn stars_cliques_and_wild_weights_are_placed() {
    let star = (1..200).map(|leaf| message(0, leaf, 1)).collect();
    valid(graph(200, star), "mesh:20x20", 1);
    let clique = (0..90 * 90).map(|i| message(i / 90, i % 90, 7)).collect();
    valid(graph(90, clique), "torus:3x3x3", 4);
    let wild = (1..100).map(|i| message(i - 1, i, 1 << (i * 37 % 54)));
    valid(graph(100, wild.collect()), "torus:2x2x2x2x2x2x2", 1);
}

/// Two cubes of 64 ranks each, and `idle` more ranks without messages.
fn two_cubes(idle: usize) -> rankfold_graph::CommGraph {
    let cube = star_stencil(&[4, 4, 4], false);
    let messages = cube.messages().flat_map(|m| {
        [0, 64].map(|start| message(start + m.from.index(), start + m.to.index(), m.bytes))
    });
    graph(128 + idle, messages.collect())
}

#[test]
fn components_stay_apart() {
    assert_eq!(valid(two_cubes(0), "mesh:4x8x4", 1), 1.0);
}

#[test]
fn idle_ranks_take_what_is_left() {
    let hops = valid(two_cubes(100), "torus:8x4x8", 1);
    assert!(hops < 2.0, "{hops}");
}

#[test]
fn many_small_components_need_about_one_hop() {
    let pairs = (0..500).map(|i| message(i, 999 - i, 1));
    let hops = valid(graph(1000, pairs.collect()), "torus:10x10x10", 1);
    assert!(hops < 1.5, "{hops}");
}

#[test]
fn the_reason_is_told_where_there_is_nothing_to_do() {
    let refusal = |graph, spec| {
        let case = Case::new(graph, machine(spec, 4));
        Spectral.place(&case.problem()).unwrap_err().0
    };
    let pair = || graph(2, vec![message(0, 1, 1)]);
    assert!(refusal(pair(), "tree:4x4").contains("neither a torus nor a mesh"));
    assert!(refusal(pair(), "mesh:1").contains("single node"));
    assert!(refusal(pair(), "torus:2x2x2x2x2x2x2x2x2").contains("9 dimensions"));
    assert!(refusal(graph(1, vec![]), "torus:4x4").contains("no two ranks"));
}

#[test]
fn the_number_of_threads_changes_nothing_slow() {
    let case = Case::new(geometric(3000, aircraft, 7), machine("torus:16x16x16", 1));
    let place = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let placed = pool.unwrap().install(|| Spectral.place(&case.problem()));
        placed.unwrap().placement
    };
    assert_eq!(place(1), place(3));
}
