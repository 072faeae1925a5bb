//! The units of bytes and bandwidths change no placement.

use crate::{names, request};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_graph::Message;
use rankfold_machine::Machine;
use rankfold_problem::heuristic::Effort;
use rankfold_problem::objective::{Hybrid, OBJECTIVES, Objective, Time};
use rankfold_problem::testing::{machine, star_stencil};
use rankfold_search::select::{Request, select};

/// A star stencil with weights that differ.
fn uneven(unit: u64) -> CommGraph {
    let stencil = star_stencil(&[4, 3, 2], false);
    let messages = stencil.messages().map(|sent| Message {
        bytes: unit * (1 + (sent.from.index() * 7 + sent.to.index()) as u64 % 9),
        ..sent
    });
    CommGraph::from_messages(24, messages).unwrap()
}

/// The placement of every heuristic by itself, with its name, and those of the whole search.
/// Predicted times do not scale, since short messages are sent eagerly.
fn placements(graph: &CommGraph, machine: &Machine) -> Vec<(&'static str, Option<Placement>)> {
    let found = |heuristic: Option<&str>, objective: &'static dyn Objective| {
        let request = Request {
            refine: heuristic.is_none(),
            objective,
            effort: Effort::Fast,
            ..request(heuristic)
        };
        let selection = select(graph, machine, &request).ok()?;
        Some(selection.winner().1.placement().clone())
    };
    let heuristics = names().map(|name| (name, found(Some(name), &Hybrid)));
    let scaling = OBJECTIVES
        .iter()
        .filter(|objective| objective.name() != Time.name());
    let searches = scaling.map(|objective| (objective.name(), found(None, *objective)));
    heuristics.chain(searches).collect()
}

#[test]
fn the_units_of_bytes_and_bandwidths_change_no_placement_slow() {
    // Powers of two, so that no rounding differs.
    for (relative, absolute) in [
        ("torus:4x3x2@1,1,1", "torus:4x3x2@4294967296B/s"),
        (
            "xgft:6,4:1,2@1,2",
            "xgft:6,4:1,2@4294967296B/s,8589934592B/s",
        ),
        (
            "dragonfly:2,3,1,4@2,1,1",
            "dragonfly:2,3,1,4@8589934592B/s,4294967296B/s,4294967296B/s",
        ),
    ] {
        let [machine, scaled] = [relative, absolute].map(|spec| machine(spec, 1));
        let found = placements(&uneven(1), &machine);
        let placed = found.iter().filter(|(_, placement)| placement.is_some());
        assert!(placed.count() > 10, "{relative}");
        assert_eq!(
            found,
            placements(&uneven(1), &scaled),
            "{relative}, bandwidths"
        );
        assert_eq!(
            found,
            placements(&uneven(1 << 20), &machine),
            "{relative}, bytes"
        );
    }
}
