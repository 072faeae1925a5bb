//! The short help of `rankfold run`, `-h`: the options that most runs need, under true headings.
//! `--help` has all options in full.

use clap::{Arg, Command};

const PLACEMENT: &str = "Placement";
const SEARCH: &str = "Search";
const RUNS: &str = "Runs";
const RESULTS: &str = "Results";

/// An option with its heading, and its line in the short help; `None` for experts.
type Line = (&'static str, &'static str, Option<&'static str>);

const LINES: &[Line] = &[
    (
        "machine",
        PLACEMENT,
        Some("The machine, in place of what is found: a spec or a file"),
    ),
    (
        "map",
        PLACEMENT,
        Some("The placement, in place of a search: a mapfile"),
    ),
    ("hosts", PLACEMENT, Some("Host names in node order")),
    ("cores", PLACEMENT, None),
    ("how", PLACEMENT, None),
    ("from", PLACEMENT, None),
    ("rule", PLACEMENT, None),
    ("node", PLACEMENT, None),
    ("lost_seat", PLACEMENT, None),
    ("reorder_topologies", PLACEMENT, None),
    ("objective", SEARCH, Some("What to minimise")),
    ("effort", SEARCH, Some("How long to search")),
    ("heuristic", SEARCH, None),
    ("collectives", SEARCH, None),
    (
        "compare",
        RUNS,
        Some("Run both orders N times each, in turn: which is faster?"),
    ),
    (
        "once",
        RUNS,
        Some("Profile this run as launched, whatever is known"),
    ),
    (
        "after",
        RUNS,
        Some("Profile only the first part of this run: 120s, 10m"),
    ),
    (
        "dry_run",
        RUNS,
        Some("Print the command that would run, and do not run it"),
    ),
    (
        "report",
        RESULTS,
        Some("A page of the run as launched and as placed"),
    ),
    (
        "json",
        RESULTS,
        Some("The figures of the map, and of --compare every time"),
    ),
    (
        "keep",
        RESULTS,
        Some("A directory for the profiles and the map"),
    ),
    (
        "explain",
        RESULTS,
        Some("Print every candidate and why the winner won"),
    ),
];

/// The launch and the options of every command, which stay as they are.
const COMMON: &[&str] = &["launch", "quiet", "verbose", "color", "help"];

/// Gives the command `run` its short help beside the full one.
pub(in crate::commands) fn shortened(run: Command) -> Command {
    run.mut_args(|argument| {
        let id = argument.get_id().as_str().to_owned();
        if COMMON.contains(&&*id) {
            return if id == "launch" {
                argument.help_heading(None)
            } else {
                argument
            };
        }
        match LINES.iter().find(|(name, ..)| *name == id) {
            Some((_, heading, Some(short))) => with_both(argument, short).help_heading(*heading),
            Some((_, heading, None)) => argument.help_heading(*heading).hide_short_help(true),
            None => argument.hide_short_help(true),
        }
    })
}

/// The option with a short help; its own becomes the full one.
fn with_both(argument: Arg, short: &'static str) -> Arg {
    let full = argument.get_help().cloned().unwrap_or_default();
    argument.long_help(full).help(short)
}

#[cfg(test)]
mod tests {
    use super::super::super::whole;
    use super::*;

    #[test]
    fn the_short_help_fits_a_screen() {
        let whole = whole();
        let error = whole
            .clone()
            .try_get_matches_from(["rankfold", "run", "-h"])
            .unwrap_err();
        let message = error.to_string();
        assert!(
            message.lines().count() <= 45,
            "{} lines:\n{message}",
            message.lines().count()
        );
        for (heading, option) in [
            (RUNS, "--compare"),
            (RESULTS, "--report"),
            (RUNS, "--dry-run"),
        ] {
            let line = format!("\n      {option}");
            let above = message.split(&line).next().unwrap_or_default();
            let last = above
                .lines()
                .rfind(|line| line.ends_with(':'))
                .unwrap_or_default();
            assert_eq!(last, format!("{heading}:"), "{message}");
        }
        let run = whole.find_subcommand("run").unwrap();
        for (name, ..) in LINES {
            assert!(
                run.get_arguments().any(|known| known.get_id() == name),
                "no {name}"
            );
        }
    }

    #[test]
    fn the_full_help_has_every_option() {
        let whole = whole();
        let error = whole
            .clone()
            .try_get_matches_from(["rankfold", "run", "--help"])
            .unwrap_err();
        let message = error.to_string();
        for option in [
            "--loops",
            "--lost-seat",
            "--reorder-topologies",
            "--rule",
            "--compare",
        ] {
            assert!(message.contains(option), "no {option}");
        }
        assert!(message.contains("profiled"), "the full text of --compare");
    }
}
