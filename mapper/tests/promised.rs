//! What a placement is promised to save where nobody told the capacities between switches.

use rankfold_assess::{Case, Saving};
use rankfold_base::{Placement, SlotId};
use rankfold_graph::CommGraph;
use rankfold_graph::samples::{graph, message};
use rankfold_machine::samples::two_leaves;
use rankfold_machine::{Machine, Paths};
use rankfold_mapper::cli::eval::Evaluation;
use rankfold_report::gather::{NamedPlacement, ReportInput, gather};
use rankfold_report::page;

/// Partners two ranks apart, and everybody sends everybody a little.
fn partners() -> CommGraph {
    let send = |from, to, bytes| [message(from, to, bytes), message(to, from, bytes)];
    let near = [0, 1, 4, 5, 8, 9, 12, 13];
    let near = near.into_iter().flat_map(|rank| send(rank, rank + 2, 1000));
    let all = (0..16).flat_map(|a| (0..a).flat_map(move |b| send(a, b, 10)));
    graph(16, near.chain(all).collect())
}

/// The order in which partners share a host.
fn together() -> Placement {
    let slot = |rank: u32| SlotId(rank / 4 * 4 + [0, 2, 1, 3][rank as usize % 4]);
    Placement::new((0..16).map(slot).collect())
}

fn machine(ratios: &str) -> Machine {
    two_leaves(ratios, Some(Paths::Spread), 2)
}

#[test]
fn the_least_with_capacities_that_fit_is_promised_in_text_json_and_on_the_page_slow() {
    let (graph, placement, launched) = (partners(), together(), Placement::block(16));
    let machine = machine("unknown");
    let [wide, narrow] = ["1:1", "4:1"].map(|ratio| {
        let told = machine.oversubscribed(ratio.parse().unwrap()).unwrap();
        let case = Case::new(&graph, &told);
        let evaluation = Evaluation::new(&case, &placement);
        let json = evaluation.report(&graph, &told).json().unwrap();
        let figures: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let time = |of: &serde_json::Value| of["predicted_time"]["total"].as_f64().unwrap();
        1.0 - time(&figures) / time(&figures["baseline"])
    });
    assert!(narrow < wide - 0.1, "{narrow} {wide}");
    let case = Case::new(&graph, &machine).launched(Some(launched.clone()));
    let evaluation = Evaluation::new(&case, &placement);
    let report = evaluation.report(&graph, &machine);
    let figures: serde_json::Value = serde_json::from_slice(&report.json().unwrap()).unwrap();
    let promised = figures["assumed"]["promised"].as_f64().unwrap();
    // By the formula, what is lost on narrow links is not quite what replays say.
    assert!(promised <= narrow + 0.05, "{promised} {narrow}");
    let sides = [("as launched", &launched), ("placed", &placement)];
    let sides = sides.map(|(name, placement)| NamedPlacement::new(name, placement));
    let shown = gather(&ReportInput::new("partners", &graph).on(&machine, sides));
    assert_eq!(shown.promised_saving, Some(promised));
    assert!(
        page::verdict(&shown).contains("at least"),
        "{}",
        page::verdict(&shown)
    );
    let line = format!("at least {:.0} % less", (100.0 * promised).floor());
    let told = report.to_string();
    let time = told.lines().find(|line| line.contains("as launched"));
    assert!(time.is_some_and(|time| time.contains(&line)), "{told}");
}

#[test]
fn where_capacities_were_told_times_say_what_is_saved() {
    let (graph, placement) = (partners(), together());
    let both = [&Placement::block(16), &placement];
    assert_eq!(Saving::assumed(&graph, &machine("1:1"), both), None);
}
