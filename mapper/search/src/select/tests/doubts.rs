//! Machines of which a part is assumed.

use super::*;
use crate::select::doubts::Doubts;
use crate::select::outcome::{Solution, Valued};
use rankfold_assess::Assessor;
use rankfold_base::SlotId;
use rankfold_machine::samples::two_leaves;
use rankfold_machine::{Machine, Paths};

fn tree(ratios: &str, paths: Option<Paths>) -> Machine {
    two_leaves(ratios, paths, 1)
}

/// Four pairs that block order has on two leaf switches.
fn pairs() -> CommGraph {
    let both = |a| [message(a, a + 4, 100_000), message(a + 4, a, 100_000)];
    graph(8, (0..4).flat_map(both).collect())
}

#[test]
fn of_equal_times_the_least_load_of_links_that_may_be_narrow_wins() {
    let graph = pairs();
    for effort in [Effort::Fast, Effort::Balanced] {
        let request = Request {
            effort,
            ..Request::default()
        };
        let between = |ratios| {
            let machine = tree(ratios, Some(Paths::Spread));
            let found = select(&graph, &machine, &request).unwrap();
            assert!(found.winner().1.value <= found.block.value);
            let winner = found.winner().1.placement().clone();
            (
                metric::congestion_between_switches(&graph, &machine, &winner),
                found.best,
            )
        };
        assert_eq!(between("unknown").0, 0.0, "{effort:?}");
        assert_eq!(
            between("1:1").1,
            0,
            "nothing is in doubt: block order stays"
        );
    }
}

#[test]
fn a_gain_holds_only_if_it_does_on_all_machines_that_fit() {
    let messages = [message(0, 1, 1000), message(2, 3, 1000)];
    let graph = graph(8, messages.to_vec());
    let placed = |nodes: [u32; 8]| Placement::new(nodes.map(SlotId).to_vec());
    // Of two cables up, messages to hosts 4 and 5 take one each, those to 4 and 6 the same one.
    let apart = placed([0, 4, 1, 5, 2, 3, 6, 7]);
    let together = placed([0, 4, 1, 6, 2, 3, 5, 7]);
    let hold = |ratios, paths| {
        let machine = tree(ratios, paths);
        let doubts = Doubts::of(&graph, &machine, &rankfold_problem::objective::Time);
        [[&together, &apart], [&apart, &together]].map(|both| doubts.hold_by_formula(both))
    };
    assert_eq!(hold("2:1", None), [false, true]);
    assert_eq!(hold("2:1", Some(Paths::Spread)), [true, true]);
    // Hosts 4 and 7 have a cable each of two and of four, and one of three.
    let by_three = placed([0, 4, 1, 7, 2, 3, 5, 6]);
    let machine = tree("unknown", None);
    let doubts = Doubts::of(&graph, &machine, &rankfold_problem::objective::Time);
    assert!(!doubts.hold_by_formula([&by_three, &apart]));
    // Four cables would do for all four hosts, but there may be two.
    assert_eq!(hold("1:1", None), [true, true]);
    assert_eq!(hold("unknown", None), [false, true]);
    assert_eq!(hold("unknown", Some(Paths::Spread)), [true, true]);
}

#[test]
fn cables_are_no_slower_than_those_of_hosts() {
    // Of three cables up, messages to hosts 4 and 7 take the same one, which has no more bytes than
    // the busiest host.
    let messages = [message(0, 1, 600), message(2, 3, 600), message(4, 5, 1200)];
    let graph = graph(8, messages.to_vec());
    let placed = |nodes: [u32; 8]| Placement::new(nodes.map(SlotId).to_vec());
    let both = [[0, 4, 1, 7, 2, 3, 5, 6], [0, 4, 1, 5, 2, 3, 6, 7]].map(placed);
    let machine = tree("unknown", None);
    let doubts = Doubts::of(&graph, &machine, &rankfold_problem::objective::Time);
    assert!(doubts.hold_by_formula(both.each_ref()));
}

#[test]
fn a_busier_link_is_no_gain_though_the_predicted_time_is_a_little_less() {
    let apart = [(4, 8), (5, 9), (6, 12), (7, 13)].map(|(a, b)| message(a, b, 500));
    let graph = |extra| {
        let near = [message(0, 2, 1000), message(10, 11, extra)];
        graph(16, [&near[..], &apart].concat())
    };
    let together = [0, 12, 2, 13, 4, 6, 8, 10, 5, 7, 1, 3, 9, 11, 14, 15].map(SlotId);
    let is_gain = |extra| {
        let (graph, machine) = (graph(extra), two_leaves("unknown", Some(Paths::Spread), 2));
        let doubts = Doubts::of(&graph, &machine, &rankfold_problem::objective::Time);
        let of = |placement| {
            let assessment = Assessor::on(&graph, &machine).by_formula(placement);
            Solution::new(Valued::of((&graph, &machine), doubts.objective, assessment))
        };
        let stay = of(Placement::block(16));
        let solution = of(Placement::new(together.to_vec()));
        let share = solution.value / stay.value;
        assert!(0.99 < share && share <= 1.0, "a tie: {share}");
        doubts.is_gain(&solution, &stay)
    };
    assert!(!is_gain(60));
}
