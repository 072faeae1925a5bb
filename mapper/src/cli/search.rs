//! The search behind `map` and `run`: on the threads asked for, telling how far it is.

use super::options::SearchArgs;
use super::progress::Progress;
use super::report::Cost;
use super::terminal;
use crate::error::Error;
use rankfold_model::comm::CommGraph;
use rankfold_model::machine::Machine;
use rankfold_search::select::{Progress as Step, Request, Selection, select_together};
use rankfold_search::team::{Alone, Team};
use std::borrow::Cow;
use std::time::Instant;

/// Searches, and says what that took.
///
/// # Errors
/// Those of [`select_together`], or the system refuses the threads.
pub fn search(
    args: &SearchArgs,
    graph: &CommGraph,
    machine: &Machine,
    request: &Request,
) -> anyhow::Result<(Selection, Cost)> {
    search_together(args, Cow::Borrowed(graph), machine, request, &Alone)
}

/// [`search`] by all processes of a team; the first of them tells the user. A large graph that is
/// given away does not take memory twice.
///
/// # Errors
/// As [`search`], on every process.
pub fn search_together(
    args: &SearchArgs,
    graph: Cow<'_, CommGraph>,
    machine: &Machine,
    request: &Request,
    team: &dyn Team,
) -> anyhow::Result<(Selection, Cost)> {
    let start = Instant::now();
    let is_first = team.me() == 0;
    // What comes before and after the steps that are told is one each.
    let shown = request
        .time
        .map_or_else(|| Progress::of_steps(2), Progress::until);
    let watch = |step: Step| match step {
        Step::Planned(steps) => shown.more(steps),
        step => shown.step(told(step)),
    };
    let (selection, threads) = args.on_threads(|threads| {
        (
            select_together(graph, machine, request, team, &watch),
            threads,
        )
    })?;
    drop(shown);
    let selection = selection.map_err(Error::from)?;
    if is_first && request.time.is_some() {
        terminal::note("--time: another run may find another placement");
    }
    if let Some(saving) = selection.not_worth_it().filter(|_| is_first) {
        let (percent, objective) = (100.0 * saving, selection.objective.name());
        terminal::note(format_args!(
            "block order stays: the best placement found saves {percent:.2} % of its {objective}, too little for a change"
        ));
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok((selection, Cost { seconds, threads }))
}

fn told(step: Step) -> String {
    match step {
        Step::Analysing | Step::Planned(_) => "analysing".into(),
        Step::Constructing(name) | Step::Searching(name) => name.into(),
        Step::Refining(name, refinement) => format!("{name}: {refinement}"),
        Step::Scoring => "scoring".into(),
    }
}
