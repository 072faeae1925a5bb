use super::*;
use rankfold_metric::{Estimate, dilation, score};
use rankfold_problem::testing::{
    Case, graph, instance, machine, message, shuffled, star_stencil, unequal_nodes,
};
use rankfold_search::irregular::{LtmGreedy, Rcm};

#[test]
fn two_cliques_take_the_two_leaves_of_a_tree() {
    let messages = (0..8).flat_map(|a| {
        let partners = (0..8).filter(move |&b| a != b && a % 2 == b % 2);
        partners.map(move |b| message(a, b, 5))
    });
    let case = Case::new(graph(8, messages.collect()), machine("tree:2x4", 1));
    let placed = LtmRecursive.place(&case.problem()).unwrap().placement;
    let nodes = placed.nodes(case.machine.slots());
    let leaf = |rank: usize| nodes[rank].index() / 4;
    assert!((0..8).all(|rank| leaf(rank) == leaf(rank % 2)), "{nodes:?}");
    assert_ne!(leaf(0), leaf(1));
}

/// Half of the nodes of the path are nodes 0 to 3, which have three of the four slots.
#[test]
fn halves_of_the_machine_have_as_many_slots_as_each_other() {
    let machine = unequal_nodes("mesh:8", &[1, 1, 1, 0, 0, 0, 0, 1]);
    let case = Case::new(star_stencil(&[4], false), machine);
    let bisection = Bisection::new(&case.problem());
    let path: Vec<u32> = (0..8).collect();
    let halves = bisection.halves(&mut bisection.machine_bisector(), &path);
    assert_eq!(halves.map(|half| bisection.slots(&half)), [2, 2]);
}

#[test]
fn a_node_may_have_more_slots_than_all_others() {
    let machine = unequal_nodes("mesh:4", &[9, 1, 0, 1]);
    let case = Case::new(star_stencil(&[11], false), machine);
    let placed = LtmRecursive.place(&case.problem()).unwrap().placement;
    assert_eq!(placed.slots().len(), 11);
}

#[test]
fn free_slots_and_several_cores_are_filled_within_their_capacity() {
    let case = Case::new(star_stencil(&[5, 5], false), machine("torus:3x3", 4));
    let placed = LtmRecursive.place(&case.problem()).unwrap().placement;
    let mut slots = placed.slots().to_vec();
    slots.dedup();
    assert_eq!(slots.len(), 25);
}

/// Section 5.3.1: the parts of a KKT system on a torus of 12x12x12. The paper publishes mean
/// dilations of 9.00 for parts in random order, 7.02 for RCM and 4.50 for recursive bisection.
/// After threshold accepting, its congestion (Algorithm 3) is 32 % lower by greedy and 44 % by
/// recursive bisection; RCM is slightly worse than greedy.
#[test]
fn dilation_and_congestion_on_the_torus_of_twelve_cubed_are_the_published_ones_slow() {
    let case = Case::new(
        shuffled(&instance("nlpkkt_1728")),
        machine("torus:12x12x12", 1),
    );
    let problem = case.problem();
    let distances = case.machine.topology().distances();
    let mut estimate = Estimate::new(&case.graph, case.machine.topology());
    let mut figures = |placement: &Placement| {
        let nodes = placement.nodes(case.machine.slots());
        let mean = dilation(&case.graph, &distances, &nodes).avg;
        (mean, estimate.congestion(&nodes))
    };
    let initial = figures(&Placement::block(1728));
    let [rcm, greedy, recursive] = [&Rcm as &dyn Heuristic, &LtmGreedy, &LtmRecursive]
        .map(|h| figures(&h.place(&problem).unwrap().placement));
    for ((mean, _), published) in [(initial, 9.00), (rcm, 7.02), (recursive, 4.50)] {
        assert!((mean - published).abs() <= 0.25, "{mean}, not {published}");
    }
    let saved = |(_, congestion): (f64, f64)| 100.0 * (1.0 - congestion / initial.1);
    // Threshold accepting, which does not run here, would add some points.
    for (found, published, within) in [(greedy, 32.0, 13.0), (recursive, 44.0, 8.0)] {
        let saved = saved(found);
        assert!(
            (saved - published).abs() <= within,
            "{saved}, not {published}"
        );
    }
    assert!(saved(rcm) < saved(greedy));
}

/// Section 3.4: ranks are grouped by node. Without groups the same heuristics need 3.68, 3.19 and
/// 1.99 hops.
#[test]
fn ranks_are_grouped_before_they_are_mapped_to_nodes_of_four_cores() {
    let case = Case::new(instance("nlpkkt_1024"), machine("torus:8x8x4", 4));
    let hops = |h: &dyn Heuristic| {
        let placed = h.place(&case.problem()).unwrap();
        score(&case.graph, &case.machine, &placed.placement).hops_per_byte
    };
    for (member, most) in [
        (&Rcm as &dyn Heuristic, 3.2),
        (&LtmGreedy, 2.5),
        (&LtmRecursive, 1.95),
    ] {
        let got = hops(member);
        assert!(got < most, "{}: {got}", member.about().name);
    }
}
