use super::*;
use rankfold_assess::{Constraints, Demand, Rule, Seat};
use rankfold_base::{NodeId, SlotId};
use rankfold_problem::testing::{self, graph, machine, message};

/// Four groups of three ranks in a row, on twelve nodes for three ranks each.
fn four_groups(demands: Vec<Demand>) -> testing::Case {
    let near = (0..12).flat_map(|a| (0..12).map(move |b| (a, b)));
    let near = near.filter(|(a, b)| a % 4 == b % 4 && a < b);
    let row = [(0, 1, 20), (1, 2, 20), (2, 3, 10)];
    let messages = near.map(|(a, b)| message(a, b, 1000));
    let messages = messages.chain(row.map(|(a, b, bytes)| message(a, b, bytes)));
    let mut case = testing::Case::new(graph(12, messages.collect()), machine("tree:2x2x3", 3));
    let rules = demands.into_iter().map(|demand| Rule {
        origin: format!("{demand:?}"),
        demand,
    });
    case.constraints = Constraints::new(12, &case.machine, rules.collect(), None).unwrap();
    case
}

/// The fewest hop-bytes from block order on.
fn fewest(case: &testing::Case) -> Option<u128> {
    let problem = case.problem();
    let block = problem.machine.block_order(12);
    let block = case
        .constraints
        .put_back(block, problem.affinity, problem.machine);
    let hop_bytes = problem.hop_bytes(&block);
    let starts = [Start {
        placement: &block,
        hop_bytes,
    }];
    let reached = Exhaust.search_on(&problem, &starts).pop()?;
    assert!(
        case.constraints
            .are_kept_by(&reached.placement, problem.machine)
    );
    Some(problem.hop_bytes(&reached.placement))
}

// Three groups are below one switch, two hops apart, and the fourth is four hops from them.
const BEST: u128 = 2 * 20 + 2 * 20 + 4 * 10;

#[test]
fn a_dozen_units_are_seated_in_the_best_way() {
    let pair = Demand::Together(vec![Rank(0), Rank(4)]);
    let pin = Demand::Stay(Rank(9), Seat::Node(NodeId(7)));
    assert_eq!(fewest(&four_groups(vec![pair, pin])), Some(BEST));
}

#[test]
fn a_rank_stays_in_a_slot_that_is_not_the_first_one_free() {
    let pair = Demand::Together(vec![Rank(0), Rank(4)]);
    let pin = Demand::Stay(Rank(0), Seat::Slot(SlotId(20)));
    assert_eq!(fewest(&four_groups(vec![pair, pin])), Some(BEST));
}
