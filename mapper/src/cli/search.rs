//! The search behind `map` and `run`: on the threads asked for, with a progress line.

use super::constraints;
use super::options::SearchArgs;
use super::progress::Progress;
use super::report::Cost;
use super::terminal;
use crate::error::Error;
use rankfold_assess::Case;
use rankfold_problem::team::{Alone, Team};
use rankfold_search::select::{Progress as Step, Request, Selection, Stays, select_together};
use std::time::Instant;

/// Searches, and measures what the search cost.
///
/// # Errors
/// Those of [`select_together`]; no placement keeps all constraints; and the system may refuse the
/// threads.
pub fn search(
    args: &SearchArgs,
    case: Case<'_>,
    request: &Request,
) -> anyhow::Result<(Selection, Cost)> {
    search_together(args, case, request, &Alone)
}

/// As [`search`], by all processes of a team. Only the first process prints messages. A large graph
/// that the case owns is not copied.
///
/// # Errors
/// As [`search`], on every process.
pub fn search_together(
    args: &SearchArgs,
    case: Case<'_>,
    request: &Request,
    team: &dyn Team,
) -> anyhow::Result<(Selection, Cost)> {
    let start = Instant::now();
    let case = args.constraints.apply(case)?;
    let (constraints, machine) = (case.constraints.clone(), case.machine);
    let is_first = team.me() == 0;
    // Analysing and scoring are one step each; all other steps are announced by `Step::Planned`.
    let shown = request
        .time
        .map_or_else(|| Progress::of_steps(2), Progress::until);
    let watch = |step: Step| match step {
        Step::Planned(steps) => shown.more(steps),
        step => shown.step(in_words(step)),
    };
    let (selection, threads) =
        args.on_threads(|threads| (select_together(case, request, team, &watch), threads))?;
    drop(shown);
    let selection = selection.map_err(Error::from)?;
    if is_first && request.time.is_some() {
        terminal::note(
            "--time: the search was ended by the clock, so another run may find another placement",
        );
    }
    let kept = constraints::note(&constraints, selection.winner().1.placement(), machine);
    for note in note(&selection)
        .into_iter()
        .chain(kept)
        .filter(|_| is_first)
    {
        terminal::note(note);
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok((selection, Cost { seconds, threads }))
}

/// A sentence where block order, or what else stays, stays although the search has found a better
/// placement.
#[must_use]
pub fn note(selection: &Selection) -> Option<String> {
    let (saving, why) = selection.not_worth_it()?;
    let (percent, objective) = (100.0 * saving, selection.objective.name());
    let stays = selection.winner().0.in_words();
    Some(match why {
        Stays::TooLittle => format!(
            "{stays} stays: the best placement found saves only {percent:.2} % of its {objective}, too little to be worth a change"
        ),
        Stays::Unsure => format!(
            "{stays} stays: the best placement found saves {percent:.1} % of its {objective} on this machine as it is \
             taken, but nobody told whether routes adapt and how links are shared, and it may be slower otherwise"
        ),
    })
}

/// What the progress line says of a step.
fn in_words(step: Step) -> String {
    match step {
        Step::Analysing | Step::Planned(_) => "analysing".into(),
        Step::Constructing(name) | Step::Searching(name) => name.into(),
        Step::Refining(name, refinement) => format!("{name}: {refinement}"),
        Step::Scoring => "scoring".into(),
    }
}
