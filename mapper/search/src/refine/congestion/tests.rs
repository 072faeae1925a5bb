use super::*;
use crate::testing::{Case, graph, machine, message};
use proptest::prelude::*;
use rankfold_model::metric::score;

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
    let slot = |rank| rankfold_model::ids::SlotId::at(rank * slots / ranks);
    Placement::new((0..ranks).map(slot).collect())
}

fn hop_bytes(case: &Case, placement: &Placement) -> u128 {
    score(&case.graph, &case.machine, placement).hop_bytes
}

proptest! {
    #[test]
    fn loads_and_energy_kept_move_by_move_are_those_counted_anew_and_undo_restores_them(
        case in case(),
        seed in any::<u64>(),
        aim in prop::sample::select(vec![Aim::Congestion, Aim::Hybrid { heaviest: 1e6 }]),
    ) {
        let start = spread(&case);
        let mut loads = Loads::new(&case.graph, &case.machine, &start).unwrap();
        let nearby = Nearby::new(&case.machine);
        let mut search = CongestionSearch {
            energy: Energy::new(aim, &loads, 3),
            nearby,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            hot: Vec::new(),
            limit: u128::MAX,
            several: true,
            aim,
            proposed: 0,
            accepted: 0,
            loads: Loads::new(&case.graph, &case.machine, &start).unwrap(),
        };
        for step in 0..40 {
            let Some(exchange) = search.propose() else { continue };
            let before = (search.loads.bytes.clone(), search.loads.hop_bytes);
            search.loads.exchange(&exchange);
            let next = search.energy.after(&search.loads);
            if step % 2 == 0 {
                search.loads.undo(exchange, before.1);
                prop_assert_eq!(&search.loads.bytes, &before.0);
            } else {
                search.energy = next;
            }
        }
        let nodes: Vec<NodeId> = search.loads.node_of.iter().map(|&n| NodeId(n)).collect();
        let placement = start.moved_to(&nodes, case.machine.slots());
        loads = Loads::new(&case.graph, &case.machine, &placement).unwrap();
        prop_assert_eq!(&search.loads.bytes, &loads.bytes);
        prop_assert_eq!(search.loads.hop_bytes, hop_bytes(&case, &placement));
        let kept = search.energy.value(loads.hop_bytes);
        let anew = search.energy.recounted(&loads).value(loads.hop_bytes);
        prop_assert!((kept - anew).abs() <= 1e-6 * anew.abs() + 1e-6, "{} and {}", kept, anew);
        let score = score(&case.graph, &case.machine, &placement);
        prop_assert!((loads.highest() - score.max_congestion).abs() <= 1e-9 * score.max_congestion);
    }

    #[test]
    fn descents_never_raise_the_highest_congestion_nor_pass_the_limit(
        case in case(),
        seed in any::<u64>(),
    ) {
        let start = spread(&case);
        let limit = hop_bytes(&case, &start) * 11 / 10;
        if let Some(found) = descend(&case.problem(), &start, Aim::Congestion, limit, 50_000, seed) {
            let highest = |p: &Placement| score(&case.graph, &case.machine, p).max_congestion;
            prop_assert!(highest(&found.placement) <= highest(&start) * (1.0 + 1e-12));
            prop_assert!(hop_bytes(&case, &found.placement) <= limit);
            let again = descend(&case.problem(), &start, Aim::Congestion, limit, 50_000, seed);
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
    let found = descend(&problem, &start, Aim::Congestion, limit, 100_000, 1).unwrap();
    let after = score(&case.graph, &case.machine, &found.placement);
    assert_eq!(
        (after.max_congestion, after.hop_bytes <= limit),
        (100.0, true)
    );
}
