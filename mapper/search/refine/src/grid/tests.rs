use super::anneal::{Annealing, Schedule};
use super::*;
use crate::Swap;
use proptest::prelude::*;
use rankfold_base::{Rank, SlotId};
use rankfold_machine::Machine;
use rankfold_metric::hop_bytes;
use rankfold_problem::heuristic::Refinement;
use rankfold_problem::testing::{Case, graph, machine, message, star_stencil, unequal_nodes};

/// Slots of `ranks` ranks in a scattered order.
fn scattered(machine: &Machine, ranks: usize, shuffle: u64) -> Placement {
    let mut order: Vec<SlotId> = (0..machine.slots().len()).map(SlotId::at).collect();
    order.sort_by_key(|slot| (u64::from(slot.0) + 1).wrapping_mul(shuffle | 1));
    Placement::new(order[..ranks].to_vec())
}

fn true_hop_bytes(case: &Case, placement: &Placement) -> u128 {
    let nodes = placement.nodes(case.machine.slots());
    hop_bytes(&case.graph, case.machine.topology(), &nodes)
}

/// A body of 24 x 20 x 12 ranks on a machine of several windows.
fn of_many_windows() -> Case {
    Case::new(
        star_stencil(&[24, 20, 12], false),
        machine("torus:12x24x24", 1),
    )
}

#[test]
fn cost_tables_hold_what_every_position_costs() {
    for spec in ["torus:5x4x2", "mesh:5x4x2", "torus:31x7", "mesh:40"] {
        let messages = (0..30)
            .map(|i| message(i, i * 7 % 31, 1 + i as u64))
            .collect();
        let case = Case::new(graph(31, messages), machine(spec, 1));
        let problem = case.problem();
        let mut placement = scattered(&case.machine, 31, 12345);
        let shape: Shape<3> =
            Shape::new(case.machine.topology().structure().grid().unwrap()).unwrap();
        let board = Board::new(&problem, shape, &mut placement).unwrap();
        for window in board.shape.windows(12, 1) {
            let local: Local<i64, 3> = Local::new(&board, window);
            let mut tables = tables::Tables::<i64, 3>::new(&window.side);
            for rank in 0..local.ranks.len() {
                tables.fill(&local.around(rank), &local.ring);
                for cell in 0..window.nodes() {
                    let position = window.position_of(cell);
                    assert_eq!(
                        tables.cost(&position),
                        local.cost_at(rank, &position),
                        "{spec}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_hubs_would_pay_follows_every_move() {
    // Three ranks talk to all others, in two windows and across their border.
    for spec in ["torus:31x8", "mesh:31x8"] {
        let hub = |hub: usize| (3..248).map(move |r| message(hub, r, 1 + (hub + r) as u64));
        let case = Case::new(graph(248, (0..3).flat_map(hub).collect()), machine(spec, 1));
        let problem = case.problem();
        let mut placement = scattered(&case.machine, 248, 4711);
        let grid = case.machine.topology().structure().grid().unwrap();
        let board = Board::new(&problem, Shape::<3>::new(grid).unwrap(), &mut placement).unwrap();
        let mut hubs = 0;
        for window in board.shape.windows(130, 1) {
            let mut local: Local<i64, 3> = Local::new(&board, window);
            local.watch_hubs();
            let ranks = local.ranks.len();
            for step in 0..200 {
                local.exchange(step * 7 % ranks, (step * 11 % ranks) as u32);
            }
            let mut tables = tables::Tables::new(&window.side);
            for rank in 0..ranks {
                if local.edges(rank).len() <= 100 {
                    continue;
                }
                hubs += 1;
                local.fill(&mut tables, rank);
                for cell in 0..window.nodes() {
                    let position = window.position_of(cell);
                    let expected = local.cost_at(rank, &position);
                    assert_eq!(tables.cost(&position), expected, "{spec}");
                }
            }
        }
        assert_eq!(hubs, 3);
    }
}

#[test]
fn what_all_ranks_would_pay_follows_every_move_slow() {
    for (spec, is_watched) in [
        ("torus:9x8x5", true),
        ("mesh:9x8x5", true),
        ("torus:2000", false),
    ] {
        let ranks = machine(spec, 1).slots().len();
        let messages =
            (0..3 * ranks).map(|i| message(i % ranks, (i * i + 1) % ranks, 1 + i as u64));
        let case = Case::new(graph(ranks, messages.collect()), machine(spec, 1));
        let problem = case.problem();
        let mut placement = scattered(&case.machine, ranks, 4711);
        let grid = case.machine.topology().structure().grid().unwrap();
        let board = Board::new(&problem, Shape::<3>::new(grid).unwrap(), &mut placement).unwrap();
        for window in board.shape.windows(ranks / 2, 1) {
            let mut local: Local<i64, 3> = Local::new(&board, window);
            local.watch_all_if_it_pays(1, 100);
            let inside = local.ranks.len();
            for step in 0..200 {
                local.exchange(step * 7 % inside, (step * 11 % inside) as u32);
            }
            for rank in 0..inside {
                assert_eq!(local.is_watched(rank), is_watched, "{spec}");
                for cell in (0..window.nodes()).step_by(7) {
                    let position = window.position_of(cell);
                    let expected = local.cost_at(rank, &position);
                    assert_eq!(local.known_cost_at(rank, &position), expected, "{spec}");
                }
            }
        }
    }
}

#[test]
fn scattered_ranks_come_together_across_windows() {
    let case = of_many_windows();
    let mut placement = scattered(&case.machine, case.graph.ranks(), 77);
    let before = true_hop_bytes(&case, &placement);
    let did = Swap.refine(&case.problem(), &mut placement);
    let after = true_hop_bytes(&case, &placement);
    assert!(did.passes > 1 && did.history.is_sorted_by(|a, b| a >= b));
    assert_eq!((did.history[0], did.history.last()), (before, Some(&after)));
    assert!(10 * after < 9 * before, "{before} to {after}");
}

#[test]
fn what_is_too_wide_for_a_table_of_distances_is_refined_all_the_same() {
    let case = Case::new(star_stencil(&[300], false), machine("mesh:70000", 1));
    let grid = case.machine.topology().structure().grid().unwrap();
    let mut placement = scattered(&case.machine, 300, 0x9e37_79b9_7f4a_7c15);
    assert!(refine(&case.problem(), grid, &mut placement).is_none());
    let before = true_hop_bytes(&case, &placement);
    Swap.refine(&case.problem(), &mut placement);
    let after = true_hop_bytes(&case, &placement);
    assert!(10 * after < 9 * before, "{before} to {after}");
}

#[test]
fn annealing_finds_what_exchanges_miss() {
    let scrambled = |i: usize| (i * i * 7 + i / 216 * 31 + 13) % 216;
    let messages = (0..1200).map(|i| message(i % 216, scrambled(i), 100));
    let graph = graph(216, messages.collect());
    let case = Case::new(graph, machine("torus:6x6x6", 1));
    let mut exchanged = scattered(&case.machine, 216, 77);
    Swap.refine(&case.problem(), &mut exchanged);
    let mut annealed = exchanged.clone();
    let did = Anneal.refine(&case.problem(), &mut annealed);
    let (before, after) = (
        true_hop_bytes(&case, &exchanged),
        true_hop_bytes(&case, &annealed),
    );
    assert_eq!(did.history, [before, after]);
    assert!(after < before, "{before} to {after}");
}

#[test]
fn annealing_does_the_same_on_any_number_of_threads_slow() {
    let case = of_many_windows();
    let problem = case.problem();
    let grid = case.machine.topology().structure().grid().unwrap();
    let start = scattered(&case.machine, case.graph.ranks(), 5);
    let anneal = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut placement = start.clone();
        let mut few = Schedule::new(&problem);
        few.moves_each = 5.0;
        let did = pool
            .unwrap()
            .install(|| with_sizes(&problem, grid, &mut placement, Annealing(few)));
        assert!(did.is_some_and(|did| did.moves > 1000));
        placement
    };
    assert_eq!(anneal(1), anneal(3));
}

#[test]
fn annealing_leaves_alone_what_is_at_its_lower_bound() {
    let case = Case::new(star_stencil(&[8, 8, 8], false), machine("torus:8x8x8", 1));
    let mut placement = Placement::block(512);
    let did = Anneal.refine(&case.problem(), &mut placement);
    assert_eq!((did.passes, did.moves), (0, 0));
    assert!(did.notes[0].contains("lower bound"), "{did:?}");
}

#[test]
fn a_large_grid_is_left_alone_if_a_sample_of_its_windows_gains_nothing() {
    let case = Case::new(
        star_stencil(&[64, 32, 32], false),
        machine("torus:64x32x32", 1),
    );
    let problem = case.problem();
    let grid = case.machine.topology().structure().grid().unwrap();
    let mut few = Schedule::new(&problem);
    few.moves_each = 5.0;
    // Nothing but the last two ranks out of place, which are in no window of the sample.
    let mut settled = Placement::block(65_536);
    settled.set(Rank(65_535), SlotId(65_534));
    settled.set(Rank(65_534), SlotId(65_535));
    let before = settled.clone();
    let did = with_sizes(&problem, grid, &mut settled, Annealing(few)).unwrap();
    assert_eq!((did.passes, did.moves, &settled), (0, 0, &before));
    assert!(did.notes[0].contains("sample"), "{did:?}");
}

#[test]
fn other_machines_are_left_alone_by_annealing() {
    let case = Case::new(star_stencil(&[4, 4], false), machine("tree:4x4", 1));
    let mut placement = scattered(&case.machine, 16, 3);
    let before = placement.clone();
    assert_eq!(Anneal.refine(&case.problem(), &mut placement).moves, 0);
    assert_eq!(placement, before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn refined_placements_stay_within_capacity_and_history_ends_at_the_true_hop_bytes(
        spec in prop::sample::select(vec!["torus:3x7", "mesh:21", "torus:21", "mesh:3x1x7", "torus:7x3x1x1"]),
        capacities in prop::collection::vec(0u32..4, 21),
        share in 0.0f64..1.0,
        edges in prop::collection::vec((any::<usize>(), any::<usize>(), 1u64..1 << 53), 0..80),
        shuffle in any::<u64>(),
    ) {
        let mut capacities = capacities;
        capacities[0] += 1;
        let machine = unequal_nodes(spec, &capacities);
        let ranks = 1 + (share * (machine.slots().len() - 1) as f64) as usize;
        let messages = edges.iter().map(|&(a, b, bytes)| message(a % ranks, b % ranks, bytes));
        let case = Case::new(graph(ranks, messages.collect()), machine);
        let mut placement = scattered(&case.machine, ranks, shuffle);
        let mut before = true_hop_bytes(&case, &placement);
        for refinement in [&Swap as &dyn Refinement, &Anneal] {
            let did = refinement.refine(&case.problem(), &mut placement);
            let after = true_hop_bytes(&case, &placement);
            prop_assert_eq!((did.history[0], *did.history.last().unwrap()), (before, after));
            prop_assert!(after <= before);
            before = after;
        }
        let taken: std::collections::BTreeSet<SlotId> = (0..ranks).map(|r| placement.slot(Rank::at(r))).collect();
        prop_assert_eq!(taken.len(), ranks);
        prop_assert!(taken.iter().all(|slot| slot.index() < case.machine.slots().len()));
    }
}
