//! Processes that search together find what one finds by itself.

use super::*;
use rankfold_problem::objective;
use rankfold_problem::team::threads;
use std::time::Duration;

/// A tangle in which nobody recognises a grid.
fn tangle(ranks: usize) -> CommGraph {
    let pairs = (0..ranks).flat_map(|from| {
        let to = [from * 7 + 3, from * from + 1, from + 1].map(|to| to % ranks);
        to.map(|to| message(from, to, 1 + (from * to % 13) as u64))
    });
    graph(ranks, pairs.filter(|m| m.from != m.to).collect())
}

/// Everything about a selection but the seconds.
fn summary(selection: &Selection) -> String {
    let candidates = selection.candidates.iter().map(|candidate| {
        let outcome = candidate.outcome.as_ref().map(|solution| {
            let refined = &solution.refinement;
            (
                solution.placement(),
                solution.score(),
                solution.value,
                &solution.construction,
                refined,
            )
        });
        format!("{} {outcome:?}\n", candidate.heuristic)
    });
    let block = (&selection.block, selection.best);
    format!("{block:?}\n{}", candidates.collect::<String>())
}

fn same_for(sizes: &[usize], graph: &CommGraph, machine: &Machine, request: &Request) {
    let alone = summary(&select(graph, machine, request).unwrap());
    for &size in sizes {
        let found = threads::all(size, |team| {
            let case = Case::new(graph, machine);
            summary(&select_together(case, request, team, &|_| ()).unwrap())
        });
        for found in found {
            assert_eq!(found, alone, "{size} processes");
        }
    }
}

#[test]
fn any_number_of_processes_finds_what_one_finds_slow() {
    let graph = tangle(18);
    for objective in OBJECTIVES {
        for (spec, size) in [("torus:3x3x2", 3), ("xgft:3,6:1,2", 7)] {
            let request = Request {
                objective: objective::objective(objective.name()).unwrap(),
                effort: Effort::Fast,
                ..Request::default()
            };
            same_for(&[size], &graph, &machine(spec, 1), &request);
        }
    }
    let request = Request::default();
    same_for(&[1, 2], &graph, &machine("mesh:4x5", 1), &request);
}

#[test]
fn searches_at_the_highest_effort_are_dealt_out_too_slow() {
    let request = Request {
        effort: Effort::Best,
        ..Request::default()
    };
    same_for(&[3], &tangle(6), &machine("mesh:3x2", 1), &request);
}

#[test]
fn processes_cannot_search_by_the_clock() {
    let request = Request {
        time: Some(Duration::from_secs(1)),
        ..Request::default()
    };
    let refused = threads::all(2, |team| {
        let machine = machine("mesh:8", 1);
        let case = Case::owning(Cow::Owned(tangle(8)), &machine);
        let found = select_together(case, &request, team, &|_| ());
        found.unwrap_err().to_string()
    });
    assert!(
        refused.iter().all(|text| text.starts_with("--time: ")),
        "{refused:?}"
    );
}
