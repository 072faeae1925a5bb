//! Every heuristic by itself, those of the search and those of papers, and the search with all.

mod constraints;
mod named;
mod odd_inputs_slow;
mod team;
mod units;

use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_refine::REFINEMENTS;
use rankfold_search::select::{self, Portfolio, Request};

const ALL: Portfolio = Portfolio {
    heuristics: &[select::HEURISTICS, rankfold_papers::HEURISTICS],
    refinements: REFINEMENTS,
};

/// A request for all members, or for one by its name.
fn request(heuristic: Option<&str>) -> Request {
    Request {
        heuristic: heuristic.map(Into::into),
        portfolio: ALL,
        ..Request::default()
    }
}

/// The names of all heuristics.
fn names() -> impl Iterator<Item = &'static str> {
    ALL.heuristics().map(|one| one.about().name)
}

fn hop_bytes(graph: &CommGraph, machine: &Machine, placement: &Placement) -> u128 {
    rankfold_metric::hop_bytes(graph, machine.topology(), &placement.nodes(machine.slots()))
}
