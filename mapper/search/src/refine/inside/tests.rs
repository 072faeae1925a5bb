use super::*;
use crate::heuristic::Effort;
use proptest::prelude::*;
use rankfold_graph::{CommGraph, Message};
use rankfold_machine::{self as machine, Hardware, HostList, InsideLevel, Insides, parse};
use rankfold_metric::inner_levels;
use rankfold_pattern as pattern;

fn graph(ranks: usize, edges: &[(u32, u32, u64)]) -> CommGraph {
    let messages = edges.iter().map(|&(from, to, bytes)| Message {
        from: Rank(from),
        to: Rank(to),
        bytes,
    });
    CommGraph::from_messages(ranks, messages).unwrap()
}

/// A ring of nodes with two packages of two caches of two cores.
fn ring(nodes: usize, hosts: Option<HostList>) -> Machine {
    let level = |name: &str, cores: &[u32]| InsideLevel {
        name: name.into(),
        cores: cores.into(),
    };
    let levels = vec![level("package", &[4, 4]), level("l3", &[2, 2, 2, 2])];
    let inside = machine::Inside::new(8, levels).unwrap();
    let mut hardware = Hardware::from(parse(&format!("torus:{nodes}")).unwrap());
    hardware.insides = Insides::everywhere(inside);
    Machine::new(hardware, None, hosts).unwrap()
}

fn refined(graph: &CommGraph, machine: &Machine, mut placement: Placement) -> Placement {
    let problem = Problem {
        graph,
        affinity: &graph.affinity(),
        machine,
        constraints: rankfold_assess::Constraints::none(),
        pattern: &pattern::analyze(graph),
        seed: 0,
        objective: Default::default(),
        effort: Effort::default(),
        loops: None,
        options: &crate::member_options::MemberOptions::default(),
        deadline: None,
        team: &crate::team::Alone,
    };
    Inside.refine(&problem, &mut placement);
    placement
}

/// The least bytes x levels of any seating of ranks on one node of 8 slots.
fn optimum(graph: &CommGraph, machine: &Machine) -> u128 {
    fn extend(slots: &mut Vec<SlotId>, graph: &CommGraph, machine: &Machine) -> u128 {
        if slots.len() == graph.ranks() {
            return inner_levels(graph, machine, &Placement::new(slots.clone()));
        }
        let mut best = u128::MAX;
        for slot in (0..8).map(SlotId) {
            if !slots.contains(&slot) {
                slots.push(slot);
                best = best.min(extend(slots, graph, machine));
                slots.pop();
            }
        }
        best
    }
    extend(&mut Vec::new(), graph, machine)
}

#[test]
fn pairs_share_a_cache_and_fours_a_package() {
    // Ranks r and r + 4 talk most, the pairs 0, 2 and 1, 3 less.
    let heavy = (0..4).map(|r| (r, r + 4, 100));
    let light = [(0, 2, 10), (1, 3, 10)];
    let graph = graph(8, &heavy.chain(light).collect::<Vec<_>>());
    let machine = ring(1, None);
    let block = Placement::block(8);
    assert_eq!(inner_levels(&graph, &machine, &block), 4 * 300 + 2 * 20);
    let placed = refined(&graph, &machine, block);
    assert_eq!(inner_levels(&graph, &machine, &placed), 4 * 100 + 2 * 20);
}

#[test]
fn nobody_leaves_the_node_and_nothing_changes_without_insides() {
    let edges: Vec<_> = (0..16)
        .map(|r| (r, (r * 5 + 3) % 16, 7 + u64::from(r)))
        .collect();
    let graph = graph(16, &edges);
    let machine = ring(2, None);
    let block = Placement::block(16);
    let placed = refined(&graph, &machine, block.clone());
    assert_eq!(placed.nodes(machine.slots()), block.nodes(machine.slots()));
    let before = inner_levels(&graph, &machine, &block);
    assert!(inner_levels(&graph, &machine, &placed) < before);
    let plain = Machine::uniform(parse("torus:2").unwrap(), 8);
    assert_eq!(refined(&graph, &plain, block.clone()), block);
}

#[test]
fn a_slot_of_fewer_than_there_are_cores_has_several() {
    let hosts = HostList::from_text("a slots=4\n", "hosts").unwrap();
    let machine = ring(1, Some(hosts));
    let cores: Vec<_> = (0..4).map(|s| machine.cores(SlotId(s)).unwrap()).collect();
    assert_eq!(cores, [0..2, 2..4, 4..6, 6..8]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_seating_of_five_ranks_is_far_better(edges in prop::collection::vec((0u32..5, 0u32..5, 1u64..20), 1..9)) {
        let (graph, machine) = (graph(5, &edges), ring(1, None));
        let placed = refined(&graph, &machine, Placement::block(5));
        let (found, best) = (inner_levels(&graph, &machine, &placed), optimum(&graph, &machine));
        prop_assert!(found >= best && 2 * found <= 3 * best, "{found}, {best}");
    }
}
