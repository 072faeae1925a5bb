//! What a run tells about its map, and what the user may do next.

use super::context::RunContext;
use super::solve::{LEAST_GAIN, SolvedMap};
use rankfold_cache::{Entry, in_seconds};
use rankfold_console::terminal;
use rankfold_launch::launch::{Launch, quoted};
use rankfold_search::select::name_in_words;

const ONE_HOST: &str = "all ranks are on one host, so there is nothing to place";

const NO_GAIN: &str = "no other order is predicted to be faster by a hundredth";

const NO_NETWORK: &str = "no source knows the network";

/// A run that is shorter is mostly start-up. Chosen by hand.
const SHORT_RUN: f64 = 1.0;

/// Prints what the map that the first run has made is promised to gain, or why there is none, and
/// the command that comes next. `name` is that of the entry in the cache, if there is one.
pub(super) fn after_first_run(context: &RunContext, solved: &SolvedMap, name: Option<&str>) {
    let launch = context.launch;
    if solved.worth {
        detail(solved);
        let promise = solved.solution.predicted.promise();
        terminal::result(format_args!("promised with the map: {}", promise.line()));
        return terminal::result(match name {
            Some(name) => format!("the next run uses the map: rankfold cache show {name}"),
            None => "the map is not remembered, so the next run is profiled again".into(),
        });
    }
    let next = if solved.hosts == 1 {
        "to see who talks to whom: rankfold profile -o app.rfp"
    } else if solved.solution.machine_digest.is_empty() {
        "to measure it without the program: rankfold probe"
    } else {
        "to see why: rankfold run --report app.html"
    };
    let why = why_none(context, solved);
    terminal::result(format_args!("the launcher's order stays: {why}"));
    terminal::result(command(next, launch));
}

/// Why a first run has made no map that later runs use, and whether a longer run may.
pub(super) fn why_none(context: &RunContext, solved: &SolvedMap) -> String {
    if solved.hosts == 1 {
        // No run of one host has anything to place, however long it is.
        return ONE_HOST.into();
    }
    let took = solved.took.as_ref();
    let why = if solved.solution.machine_digest.is_empty() {
        NO_NETWORK
    } else if let Some(took) = took
        && solved.solution.predicted.promise().gain >= LEAST_GAIN
    {
        let [inside, run] = [took.seconds, took.run].map(in_seconds);
        return format!(
            "ranks are in MPI for {inside} of {run}, and no order saves a hundredth of it; \
             if its messages come later, a longer run with --once tells more"
        );
    } else {
        NO_GAIN
    };
    let short = match took.map(|took| took.run).filter(|run| *run < SHORT_RUN) {
        _ if context.args.after.is_some() => "; a longer --after tells more".into(),
        Some(run) => format!("; it took {run:.2} s: a longer run with --once tells more"),
        None => String::new(),
    };
    format!("{why}{short}")
}

/// Prints how the promise comes about.
fn detail(solved: &SolvedMap) {
    let seconds = match &solved.corrected {
        Some(corrected) => format!(": {}", corrected.words()),
        None => String::new(),
    };
    terminal::note(format_args!(
        "predicted to be {} times as fast in communication with the map ({}){seconds}",
        solved.solution.predicted.promise().words(),
        name_in_words(&solved.solution.heuristic)
    ));
}

/// A command of rankfold before this launch, which is cut where the line would get long.
pub(super) fn command(words: &str, launch: &Launch) -> String {
    /// Letters of a line behind the name of the program.
    const ROOM: usize = 88;
    terminal::first_words(&format!("{words} -- {}", quoted(&launch.words())), ROOM)
}

/// Why the order as launched is used in a later run.
pub(super) fn why_launched_order(context: &RunContext, entry: &Entry) -> &'static str {
    let hosts = context.allocation.as_ref().map(Vec::len);
    let is_unknown = |entry: &Entry| {
        let solution = entry.state.solution();
        solution.is_some_and(|solution| solution.machine_digest.is_empty())
    };
    if entry.fullest as usize == entry.ranks && hosts.is_none_or(|hosts| hosts == 1) {
        ONE_HOST
    } else if is_unknown(entry) {
        NO_NETWORK
    } else {
        NO_GAIN
    }
}
