//! How searches share the time that the user gives.

use crate::select::Request;
use crate::select::portfolio::end_of_constructions;
use rankfold_problem::heuristic::{Effort, Problem};
use rankfold_problem::objective::{HopBytes, Objective, Time};
use rankfold_problem::testing::{Case, machine, star_stencil};
use std::time::{Duration, Instant};

/// The share of the time, in per cent, that heuristics have which go on until the deadline.
fn share_of_constructions(spec: &str, objective: &'static dyn Objective, refine: bool) -> f64 {
    let whole = Duration::from_secs(4000);
    let case = Case::new(star_stencil(&[8, 5, 5], false), machine(spec, 1));
    let begun = Instant::now();
    let problem = Problem {
        deadline: Some(begun + whole),
        effort: Effort::Best,
        objective,
        ..case.problem()
    };
    let request = Request {
        refine,
        ..Request::default()
    };
    let end = end_of_constructions(&problem, &request).expect("there is a deadline");
    (100.0 * end.duration_since(begun).as_secs_f64() / whole.as_secs_f64()).round()
}

#[test]
fn heuristics_leave_most_of_the_time_to_the_searches_that_follow() {
    assert_eq!(share_of_constructions("torus:8x5x5", &HopBytes, true), 25.0);
    assert_eq!(share_of_constructions("torus:8x5x5", &Time, true), 25.0);
    assert_eq!(share_of_constructions("tree:10x20", &Time, true), 25.0);
}

#[test]
fn heuristics_have_all_the_time_where_no_long_search_follows() {
    assert_eq!(share_of_constructions("tree:10x20", &HopBytes, true), 100.0);
    assert_eq!(
        share_of_constructions("torus:8x5x5", &HopBytes, false),
        100.0
    );
}
