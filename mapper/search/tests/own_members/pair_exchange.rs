//! A refinement that the crate does not have: exchanges any two ranks of the best placement while
//! that lowers the objective.

use rankfold_base::Placement;
use rankfold_metric::score_of_routes;
use rankfold_problem::heuristic::{
    AboutRefinement, Diagnostics, Problem, Reached, Refinement, Start,
};
use rankfold_problem::objective::Judged;

pub(super) struct PairExchange;

impl Refinement for PairExchange {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement =
            AboutRefinement::new("pair-exchange", "exchanges any two ranks").from_the_best();
        &ABOUT
    }

    fn search_on(&self, problem: &Problem<'_>, starts: &[Start<'_>]) -> Vec<Reached> {
        let numbered = starts.iter().enumerate();
        let values = numbered.map(|(number, start)| (number, value(problem, start.placement)));
        let best = values.min_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(number, _)| improved(problem, number, starts[number].placement))
            .into_iter()
            .collect()
    }
}

fn improved(problem: &Problem<'_>, start: usize, placement: &Placement) -> Reached {
    let mut slots = placement.slots().to_vec();
    let mut lowest = value(problem, placement);
    let mut moves = 0;
    for a in 0..slots.len() {
        for b in 0..a {
            slots.swap(a, b);
            let now = value(problem, &Placement::new(slots.clone()));
            if now < lowest {
                lowest = now;
                moves += 1;
            } else {
                slots.swap(a, b);
            }
        }
    }
    Reached {
        start,
        placement: Placement::new(slots),
        did: vec![Diagnostics {
            passes: 1,
            moves,
            ..Diagnostics::default()
        }],
        seconds: 0.0,
    }
}

fn value(problem: &Problem<'_>, placement: &Placement) -> f64 {
    let (graph, machine) = (problem.graph, problem.machine);
    problem.objective.value(&Judged {
        graph,
        machine,
        placement,
        score: &score_of_routes(graph, machine, placement),
    })
}
