use super::*;
use proptest::prelude::*;
use rankfold_metric::score;
use rankfold_problem::objective::{Congestion, Hybrid, Objective};
use rankfold_problem::testing::{Case, graph, machine, message};

const SPECS: [&str; 6] = [
    "torus:4x4",
    "mesh:3x5@2,1",
    "tree:3x6@4,1",
    "xgft:3,6:1,2",
    "dragonfly:2,3,2,3",
    "percs:1",
];

prop_compose! {
    fn case()(
        spec in prop::sample::select(&SPECS[..]),
        cores in 1u32..4,
        ranks in 2usize..16,
        edges in prop::collection::vec((0usize..16, 0usize..16, 1u64..1 << 30), 1..60),
    ) -> Case {
        let messages = edges.into_iter().map(|(a, b, bytes)| message(a % ranks, b % ranks, bytes));
        let all = messages.chain([message(0, 1, 1)]);
        Case::new(graph(ranks, all.collect()), machine(spec, cores))
    }
}

/// Some placement with holes.
fn spread(case: &Case) -> Placement {
    let (ranks, slots) = (case.graph.ranks(), case.machine.slots().len());
    let slot = |rank| rankfold_base::SlotId::at(rank * slots / ranks);
    Placement::new((0..ranks).map(slot).collect())
}

fn aim(case: &Case) -> Box<dyn DescentAim + '_> {
    Congestion.descent(&case.graph, &case.machine).unwrap()
}

fn hop_bytes(case: &Case, placement: &Placement) -> u128 {
    score(&case.graph, &case.machine, placement).hop_bytes
}

proptest! {
    #[test]
    fn loads_and_energy_kept_move_by_move_are_those_counted_anew_and_undo_restores_them(
        case in case(),
        seed in any::<u64>(),
        objective in prop::sample::select(&[&Congestion as &dyn Objective, &Hybrid][..]),
    ) {
        let start = spread(&case);
        let problem = case.problem();
        let aim = objective.descent(&case.graph, &case.machine).unwrap();
        let aim = &*aim;
        let mut search = CongestionSearch::new(&problem, &start, aim, u128::MAX, seed).unwrap();
        for step in 0..40 {
            let Some(exchange) = search.propose() else { continue };
            let (bytes, nodes) = (search.board.loads.clone(), search.board.node_of.clone());
            search.occupants.relocate(&exchange);
            search.board.open(&exchange);
            let next = search.energy.after(&search.board);
            if step % 2 == 0 {
                search.board.take_back(&exchange);
                search.occupants.take_back(&exchange);
                prop_assert_eq!((&search.board.loads, &search.board.node_of), (&bytes, &nodes));
            } else {
                search.board.keep();
                search.energy = next;
            }
        }
        let nodes: Vec<NodeId> = search.board.node_of.iter().map(|&n| NodeId(n)).collect();
        let placement = start.moved_to(&nodes, case.machine.slots());
        let anew = CongestionSearch::new(&problem, &placement, aim, u128::MAX, seed).unwrap();
        prop_assert_eq!(&search.board.loads, &anew.board.loads);
        prop_assert_eq!(search.energy.sums.hop_bytes, hop_bytes(&case, &placement));
        let kept = search.energy.value();
        let recounted = search.energy.recounted(&anew.board).value();
        let close = (kept - recounted).abs() <= 1e-6 * recounted.abs() + 1e-6;
        prop_assert!(close, "{} and {}", kept, recounted);
        let score = score(&case.graph, &case.machine, &placement);
        let highest = anew.board.busiest();
        prop_assert!((highest - score.max_congestion).abs() <= 1e-9 * score.max_congestion);
    }

    #[test]
    fn descents_never_raise_the_highest_congestion_nor_pass_the_limit_slow(
        case in case(),
        seed in any::<u64>(),
    ) {
        let start = spread(&case);
        let limit = hop_bytes(&case, &start) * 11 / 10;
        if let Some(found) = descend(&case.problem(), &start, &*aim(&case), limit, 50_000, seed) {
            let highest = |p: &Placement| score(&case.graph, &case.machine, p).max_congestion;
            prop_assert!(highest(&found.placement) <= highest(&start) * (1.0 + 1e-12));
            prop_assert!(hop_bytes(&case, &found.placement) <= limit);
            let again = descend(&case.problem(), &start, &*aim(&case), limit, 50_000, seed);
            prop_assert_eq!(again.unwrap().placement, found.placement);
        }
    }
}

#[test]
fn two_streams_to_one_port_are_parted_without_a_longer_way() {
    // Hosts 3 and 5 of leaf 1 share an up port of leaf 0; 3 and 4 do not.
    let streams = vec![message(0, 3, 100), message(1, 5, 100)];
    let case = Case::new(graph(6, streams), machine("xgft:3,2:1,2", 1));
    let start = Placement::block(6);
    let before = score(&case.graph, &case.machine, &start);
    assert_eq!(before.max_congestion, 200.0);
    let limit = before.hop_bytes;
    let problem = case.problem();
    let found = descend(&problem, &start, &*aim(&case), limit, 100_000, 1).unwrap();
    let after = score(&case.graph, &case.machine, &found.placement);
    assert_eq!(
        (after.max_congestion, after.hop_bytes <= limit),
        (100.0, true)
    );
}
