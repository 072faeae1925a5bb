use super::*;
use proptest::prelude::*;
use rankfold_base::Placement;
use rankfold_problem::objective::HopBytes;
use rankfold_problem::testing::{Case, graph, machine, message};

fn reached(case: &Case, start: &Placement, effort: Effort) -> Option<Placement> {
    let problem = Problem {
        effort,
        objective: &HopBytes,
        ..case.problem()
    };
    let start = Start {
        placement: start,
        hop_bytes: problem.hop_bytes(start),
    };
    let found = Tabu.search_on(&problem, &[start]);
    found.into_iter().next().map(|reached| reached.placement)
}

/// Ranks on a path in an order that no single exchange repairs.
fn scattered_path(ranks: usize) -> Case {
    let at = |place: usize| place * 7 % ranks;
    let messages = (1..ranks).map(|place| message(at(place - 1), at(place), 100));
    Case::new(
        graph(ranks, messages.collect()),
        machine(&format!("mesh:{ranks}"), 1),
    )
}

#[test]
fn a_scattered_path_is_laid_along_the_mesh() {
    let case = scattered_path(24);
    let found = reached(&case, &Placement::block(24), Effort::Balanced).unwrap();
    assert_eq!(case.problem().hop_bytes(&found), 23 * 100);
}

#[test]
fn any_number_of_threads_finds_the_same_slow() {
    let case = scattered_path(30);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap()
            .install(|| reached(&case, &Placement::block(30), Effort::Balanced))
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn efforts_below_balanced_leave_the_search_out() {
    let case = scattered_path(24);
    assert_eq!(reached(&case, &Placement::block(24), Effort::Fast), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_books_are_those_of_the_placement(
        // The smallest of the machines has eight slots.
        ranks in 2usize..9,
        edges in prop::collection::vec((0usize..10, 0usize..10, 1u64..1 << 50), 1..30),
        spec in prop::sample::select(vec!["torus:3x4", "mesh:12", "tree:5x4", "dragonfly:2,2,1,2"]),
        cores in 1u32..4,
        seed in any::<u64>(),
    ) {
        let messages = edges.iter().map(|&(a, b, bytes)| message(a % ranks, b % ranks, bytes));
        let case = Case::new(graph(ranks, messages.collect()), machine(spec, cores));
        let problem = case.problem();
        let weights = Weights::new(problem.affinity, problem.machine.topology().diameter());
        let tables = Tables::new(&weights, problem.machine, problem.constraints);
        let slots = problem.machine.slots();
        let start = Placement::block(ranks);
        let mut board = Board::new(&tables, &start.nodes(slots));
        board.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        for step in 0..20 {
            let before = board.cost();
            let Some((chosen, change)) = board.cheapest(|change, _, _| change >= -step) else {
                break;
            };
            board.carry_out(chosen);
            prop_assert_eq!(board.cost(), before + change);
            let again = Board::new(&tables, &tables.nodes(&board.seats));
            prop_assert_eq!(again.cost(), board.cost());
            let placement = Placement::from_nodes(&tables.nodes(&board.seats), slots);
            prop_assert!(placement.is_some(), "a node is overfull");
        }
    }
}
