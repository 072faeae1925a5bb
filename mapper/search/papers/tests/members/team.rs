//! Heuristics that all processes of a team run at once.

use crate::request;
use rankfold_assess::Case;
use rankfold_graph::CommGraph;
use rankfold_problem::team::threads;
use rankfold_problem::testing::{graph, machine, message};
use rankfold_search::select::{Request, select, select_together};

/// A tangle in which nobody recognises a grid.
fn tangle(ranks: usize) -> CommGraph {
    let pairs = (0..ranks).flat_map(|from| {
        let to = [from * 7 + 3, from * from + 1, from + 1].map(|to| to % ranks);
        to.map(|to| message(from, to, 1 + (from * to % 13) as u64))
    });
    graph(ranks, pairs.filter(|m| m.from != m.to).collect())
}

#[test]
fn leaders_of_ptram_find_what_one_finds_slow() {
    let (graph, machine) = (tangle(40), machine("tree:5x4", 2));
    for name in ["ptram", "ptram-fixed"] {
        let request = Request {
            refine: false,
            ..request(Some(name))
        };
        let alone = select(&graph, &machine, &request).unwrap();
        let alone = (alone.winner().1.placement(), &alone.candidates[0].outcome);
        for size in [2, 3, 7] {
            let found = threads::all(size, |team| {
                let case = Case::new(&graph, &machine);
                let found = select_together(case, &request, team, &|_| ()).unwrap();
                let (_, solution) = found.winner();
                (solution.placement().clone(), solution.construction.clone())
            });
            for (placement, construction) in found {
                assert_eq!(placement, *alone.0, "{name}, {size} processes");
                let expected = &alone.1.as_ref().unwrap().construction;
                assert_eq!(construction, *expected, "{name}, {size} processes");
            }
        }
    }
}
