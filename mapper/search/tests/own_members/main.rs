//! A program that uses this crate adds an objective and a refinement of its own: one file each, and
//! no change to the crate.

mod average_dilation;
mod pair_exchange;

use average_dilation::AverageDilation;
use pair_exchange::PairExchange;
use rankfold_base::Rank;
use rankfold_graph::{CommGraph, Message};
use rankfold_machine::{self as machine, Machine};
use rankfold_search::select::{Portfolio, Request, Selection, select};

/// A ring whose ranks are numbered at random, and one message that weighs more than the whole ring.
fn graph() -> CommGraph {
    let ring = (0..15).map(|at| (at * 7 % 16, (at + 1) * 7 % 16, 1000));
    let messages = ring
        .chain([(0, 5, 100_000)])
        .map(|(from, to, bytes)| Message {
            from: Rank(from),
            to: Rank(to),
            bytes,
        });
    CommGraph::from_messages(16, messages).unwrap()
}

fn selected(request: &Request) -> Selection {
    let machine = Machine::uniform(machine::parse("torus:4x4").unwrap(), 1);
    select(&graph(), &machine, request).unwrap()
}

#[test]
fn an_objective_in_a_file_of_its_own_picks_the_winner() {
    let selection = selected(&Request {
        objective: &AverageDilation,
        ..Request::default()
    });
    let solved = || {
        selection
            .candidates
            .iter()
            .filter_map(|c| c.outcome.as_ref().ok())
    };
    let lowest = solved()
        .map(|s| s.score().avg_dilation)
        .fold(f64::INFINITY, f64::min);
    assert_eq!(selection.winner().1.score().avg_dilation, lowest);
    assert_eq!(selection.winner().1.value, lowest);
    assert_eq!(selection.value_bound, Some(1.0));
    assert!(solved().all(|s| s.refined_by().iter().all(|&name| name != "anneal-time")));
}

#[test]
fn a_refinement_in_a_file_of_its_own_improves_the_winner() {
    let search_with = |refinements| {
        selected(&Request {
            heuristic: Some("block".into()),
            objective: &AverageDilation,
            portfolio: Portfolio {
                refinements,
                ..Portfolio::default()
            },
            ..Request::default()
        })
    };
    let (without, with) = (search_with(&[]), search_with(&[&PairExchange]));
    assert!(with.winner().1.value < without.winner().1.value);
    assert_eq!(with.winner().1.refined_by(), ["pair-exchange"]);
    assert_eq!(with.explain()[0].name, "block+pair-exchange");
}
