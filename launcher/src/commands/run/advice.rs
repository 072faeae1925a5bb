//! What a run tells about its map, and what the user may do next.

use super::context::RunContext;
use super::solve::SolvedMap;
use crate::cache::Entry;
use crate::launch::quoted;
use rankfold_console::terminal;
use rankfold_search::select::name_in_words;

const ONE_HOST: &str =
    "all ranks are on one host: there is no network between them, and nothing to place";

const NO_GAIN: &str = "no other is predicted to make communication faster by a hundredth";

/// Prints what the map that the first run has made is predicted to gain, or why there is none. The
/// user is told how to measure the network where no source knows it. `name` is that of the entry
/// in the cache, if there is one.
pub(super) fn after_first_run(context: &RunContext, solved: &SolvedMap, name: Option<&str>) {
    let is_unknown = solved.solution.machine_digest.is_empty();
    if solved.worth {
        print_gain(solved, name);
    } else if solved.hosts == 1 {
        return terminal::note(ONE_HOST);
    } else {
        let why = if is_unknown {
            "no source knows the network"
        } else {
            NO_GAIN
        };
        terminal::note(format_args!("the order the launcher chooses stays: {why}"));
    }
    if is_unknown && solved.hosts > 1 {
        let launch = quoted(&context.launch.words());
        terminal::note(format_args!(
            "to measure the network, which does not start the program: rankfold probe -- {launch}"
        ));
    }
}

/// Prints the predicted gain of a map.
fn print_gain(solved: &SolvedMap, name: Option<&str>) {
    let (gain, seconds) = match &solved.corrected {
        Some(corrected) => (corrected.gain_words(), format!(": {}", corrected.words())),
        None => (
            format!("at most {:.2}", solved.solution.predicted.gain()),
            String::new(),
        ),
    };
    let next = match name {
        Some(name) => format!("the next run uses it: rankfold cache show {name}"),
        None => "it is not remembered, so the next run is profiled again".into(),
    };
    terminal::note(format_args!(
        "predicted to be {gain} times as fast in communication with the map ({}){seconds}; {next}",
        name_in_words(&solved.solution.heuristic)
    ));
}

/// Why the launcher's own order is used in a later run.
pub(super) fn why_own_order(context: &RunContext, entry: &Entry) -> &'static str {
    let hosts = context.allocation.as_ref().map(Vec::len);
    let is_unknown = |entry: &Entry| {
        let solution = entry.state.solution();
        solution.is_some_and(|solution| solution.machine_digest.is_empty())
    };
    if entry.fullest as usize == entry.ranks && hosts.is_none_or(|hosts| hosts == 1) {
        ONE_HOST
    } else if is_unknown(entry) {
        "no source knows the network"
    } else {
        NO_GAIN
    }
}
