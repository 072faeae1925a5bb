use super::*;
use proptest::prelude::*;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::hop_bytes;
use rankfold_pattern as pattern;
use rankfold_problem::heuristic::Effort;
use rankfold_problem::testing::{graph, machine, message};

fn refine(graph: &CommGraph, machine: &Machine, placement: &mut Placement) -> Diagnostics {
    let (affinity, pattern) = (graph.affinity(), pattern::analyze(graph));
    let problem = Problem {
        graph,
        affinity: &affinity,
        machine,
        constraints: rankfold_assess::Constraints::none(),
        pattern: &pattern,
        seed: 0,
        objective: Default::default(),
        effort: Effort::default(),
        loops: None,
        options: &rankfold_problem::member_options::MemberOptions::default(),
        deadline: None,
        team: &rankfold_problem::team::Alone,
    };
    Swap.refine(&problem, placement)
}

#[test]
fn partners_move_together_over_free_slots() {
    let machine = machine("mesh:8", 2);
    let mut placement = Placement::new(vec![SlotId(0), SlotId(15)]);
    let did = refine(&graph(2, vec![message(0, 1, 10)]), &machine, &mut placement);
    let nodes = placement.nodes(machine.slots());
    assert_eq!((nodes[0], did.history), (nodes[1], vec![70, 0]));
}

#[test]
fn an_exchange_of_two_partners_saves_nothing_between_themselves() {
    let machine = machine("mesh:2", 1);
    let mut placement = Placement::block(2);
    let did = refine(&graph(2, vec![message(0, 1, 10)]), &machine, &mut placement);
    assert_eq!((did.moves, did.history), (0, vec![10, 10]));
}

proptest! {
    #[test]
    fn placements_stay_valid_and_history_falls_to_the_true_hop_bytes(
        ranks in 1usize..20,
        edges in prop::collection::vec((0usize..20, 0usize..20, 1u64..1 << 40), 0..60),
        spec in prop::sample::select(vec!["torus:3x7", "mesh:20", "tree:5x4", "torus:2x2x5"]),
        cores in 1u32..4,
        shuffle in any::<u64>(),
    ) {
        let machine = machine(spec, cores);
        let slots = machine.slots();
        let mut order: Vec<SlotId> = (0..slots.len()).map(SlotId::at).collect();
        order.sort_by_key(|s| (u64::from(s.0) + 1).wrapping_mul(shuffle | 1));
        let mut placement = Placement::new(order[..ranks].to_vec());
        let messages = edges.iter().map(|&(a, b, bytes)| message(a % ranks, b % ranks, bytes));
        let graph = graph(ranks, messages.collect());
        let did = refine(&graph, &machine, &mut placement);
        let mut seats = placement.slots().to_vec();
        seats.sort_unstable();
        seats.dedup();
        prop_assert_eq!(seats.len(), ranks);
        prop_assert!(did.history.is_sorted_by(|a, b| a >= b));
        prop_assert_eq!(
            *did.history.last().unwrap(),
            hop_bytes(&graph, machine.topology(), &placement.nodes(slots))
        );
    }
}
