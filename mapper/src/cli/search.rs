//! The search behind `map` and `run`: on the threads asked for, with a line of progress on a terminal.

use super::options::SearchArgs;
use super::report::Cost;
use crate::error::Error;
use rankfold_model::comm::CommGraph;
use rankfold_model::machine::Machine;
use rankfold_search::select::{Progress, Request, Selection, select_watched};
use std::io::{IsTerminal, Write, stderr};
use std::time::Instant;

/// Searches, and says what that took.
///
/// # Errors
/// Those of [`select_watched`], or the system refuses the threads.
pub fn search(
    args: &SearchArgs,
    graph: &CommGraph,
    machine: &Machine,
    request: &Request,
) -> anyhow::Result<(Selection, Cost)> {
    let start = Instant::now();
    let shown = stderr().is_terminal();
    let watch = |progress| {
        if shown {
            // Progress that cannot be shown is no reason to stop.
            let _ = write!(stderr(), "\r\x1b[K{}", told(progress));
        }
    };
    let (selection, threads) =
        args.on_threads(|threads| (select_watched(graph, machine, request, &watch), threads))?;
    if shown {
        let _ = write!(stderr(), "\r\x1b[K");
    }
    let selection = selection.map_err(Error::from)?;
    if request.time.is_some() {
        eprintln!("rankfold: --time: another run may find another placement");
    }
    if let Some(saving) = selection.not_worth_it() {
        let (percent, objective) = (100.0 * saving, selection.objective.name());
        eprintln!(
            "rankfold: block order stays: the best placement found saves {percent:.2} % of its {objective}, too little for a change"
        );
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok((selection, Cost { seconds, threads }))
}

fn told(progress: Progress) -> String {
    match progress {
        Progress::Analysing => "analysing".into(),
        Progress::Constructing(name) => name.into(),
        Progress::Refining(name, refinement) => format!("{name}: {refinement}"),
        Progress::Scoring => "scoring".into(),
    }
}
