use super::*;
use proptest::prelude::*;
use rankfold_graph::samples::{graph, message};
use rankfold_machine::parse;

/// More partial placements than any of these cases has.
const STEPS: u32 = 100_000;

fn fewest(ranks: usize, edges: &[(usize, usize, u64)], spec: &str) -> Option<u128> {
    let messages = edges.iter().map(|&(a, b, bytes)| message(a, b, bytes));
    let graph = graph(ranks, messages.collect());
    let machine = Machine::uniform(parse(spec).unwrap(), 1);
    fewest_hop_bytes(&graph.affinity(), &machine, STEPS)
}

/// The fewest hop-bytes of all placements, one after the other.
fn enumerated(instance: &Instance, placed: &mut Vec<usize>) -> i64 {
    if placed.len() == instance.ranks {
        return instance.cost(placed);
    }
    let mut least = i64::MAX;
    for node in 0..instance.nodes {
        if !placed.contains(&node) {
            placed.push(node);
            least = least.min(enumerated(instance, placed));
            placed.pop();
        }
    }
    least
}

#[test]
fn a_ring_of_twelve_on_a_mesh_and_on_a_tree_is_solved() {
    let ring: Vec<_> = (0..12).map(|rank| (rank, (rank + 1) % 12, 10)).collect();
    assert_eq!(fewest(12, &ring, "mesh:3x4"), Some(120));
    // Three leaf switches: nine pairs in them at 2 hops, three between them at 4.
    assert_eq!(fewest(12, &ring, "tree:3x4"), Some(10 * (9 * 2 + 3 * 4)));
}

#[test]
fn nodes_with_several_ranks_and_many_ranks_have_no_such_bound() {
    let ring: Vec<_> = (0..17).map(|rank| (rank, (rank + 1) % 17, 10)).collect();
    assert_eq!(fewest(17, &ring, "mesh:17"), None);
    let pair = graph(2, vec![message(0, 1, 1)]);
    let machine = Machine::uniform(parse("mesh:2").unwrap(), 2);
    assert_eq!(fewest_hop_bytes(&pair.affinity(), &machine, STEPS), None);
}

#[test]
fn a_proof_that_takes_too_many_steps_is_none() {
    let ring: Vec<_> = (0..12).map(|rank| (rank, (rank + 5) % 12, 10)).collect();
    let messages = ring.iter().map(|&(a, b, bytes)| message(a, b, bytes));
    let affinity = graph(12, messages.collect()).affinity();
    let machine = Machine::uniform(parse("mesh:12").unwrap(), 1);
    assert_eq!(fewest_hop_bytes(&affinity, &machine, 3), None);
    assert!(fewest_hop_bytes(&affinity, &machine, STEPS).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn it_is_the_fewest_of_all_placements(
        ranks in 2usize..7,
        edges in prop::collection::vec((0usize..7, 0usize..7, 1u64..100), 1..20),
        spec in prop::sample::select(vec![
            "mesh:2x3", "torus:6", "torus:7", "tree:2x3", "mesh:7", "dragonfly:1,2,1,3", "torus:2x3",
        ]),
    ) {
        let messages = edges.iter().map(|&(a, b, bytes)| message(a % ranks, b % ranks, bytes));
        let graph = graph(ranks, messages.collect());
        let machine = Machine::uniform(parse(spec).unwrap(), 1);
        let affinity = graph.affinity();
        let Some(instance) = Instance::new(&affinity, &machine) else {
            return Ok(());
        };
        let least = enumerated(&instance, &mut Vec::new());
        prop_assert_eq!(fewest_hop_bytes(&affinity, &machine, STEPS), Some(least as u128));
        // Without a placement to begin with, the tree alone has to find the optimum.
        let mut search = Search {
            best: i64::MAX,
            ..Search::new(&instance, STEPS)
        };
        search.place_next();
        prop_assert_eq!(search.best, least);
    }
}
