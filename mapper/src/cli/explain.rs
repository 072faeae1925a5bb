//! `--explain`: every candidate with its figures, and why the winner won.

use super::columns::in_columns;
use super::report::Report;
use super::waiting;
use rankfold_base::words::counted;
use rankfold_machine::Machine;
use rankfold_problem::objective::{printed_number, printed_time};
use rankfold_search::select::{Explanation, Selection, Solution, Verdict, name_in_words};
use std::fmt::Write;

/// The table of candidates, followed by what construction and refinement of the winner did.
#[must_use]
pub fn table(selection: &Selection, report: &Report<'_>, machine: &Machine) -> String {
    let candidates = selection.explain();
    let (skipped, judged): (Vec<_>, Vec<_>) = candidates
        .iter()
        .partition(|candidate| matches!(candidate.verdict, Verdict::Skipped(_)));
    let heading = [
        "candidate",
        "family",
        "time",
        "hop-bytes",
        "congestion",
        "hybrid",
        "seconds",
    ];
    let judged = judged
        .iter()
        .map(|candidate| row(candidate, selection.objective.name()));
    let heading = heading.map(str::to_owned).to_vec();
    let rows: Vec<_> = std::iter::once(heading).chain(judged).collect();
    let mut text = in_columns(&rows, &[0, 1, 7]);
    if !skipped.is_empty() {
        let names: Vec<&str> = skipped.iter().map(|candidate| &*candidate.name).collect();
        let (count, names) = (counted(names.len(), "other"), names.join(", "));
        let how =
            "--effort best tries more of them, --heuristic NAME runs one or says why it cannot run";
        // Writing to a string does not fail.
        let _ = writeln!(text, "skipped {count} ({how}): {names}");
    }
    text.push('\n');
    text.push_str(&story(selection.winner().1));
    let of = [
        (report.maker_in_words(), &report.figures),
        ("block order".into(), &report.block),
    ];
    for (placement, figures) in of {
        let words = figures.predicted_time.in_words();
        text.push_str(&format!("  predicted time of {placement}: {words}\n"));
    }
    text.push_str(&format!("  times are predicted {}\n", selection.predicted));
    if let Some(replay) = selection.winner().1.assessment().replay() {
        text.push_str(&waiting::in_words(replay, machine));
    }
    text
}

fn row(explained: &Explanation<'_>, figure: &str) -> Vec<String> {
    let candidate = explained.candidate;
    let names = [name_in_words(&explained.name), candidate.family.to_string()];
    let figures = match &candidate.outcome {
        Ok(solution) => {
            let score = solution.score();
            [
                printed_time(score.time.total(), score.time.unit),
                score.hop_bytes.to_string(),
                printed_time(score.max_congestion, score.time.unit),
                printed_number(score.hybrid),
                printed_number(solution.seconds),
            ]
        }
        Err(_) => Default::default(),
    };
    let verdict = verdict_in_words(&explained.verdict, figure);
    names.into_iter().chain(figures).chain([verdict]).collect()
}

/// Why a candidate won or lost, judged by the objective called `figure`.
fn verdict_in_words(verdict: &Verdict<'_>, figure: &str) -> String {
    match verdict {
        Verdict::Won { saving } if *saving <= 0.0 => {
            format!("stays: no other candidate saves enough {figure} to be worth a change")
        }
        Verdict::Won { saving } => {
            format!("won: {figure} {:.1} % below block order", 100.0 * saving)
        }
        Verdict::Tied => format!("same {figure} as the winner, listed later"),
        Verdict::Beaten { ratio } => format!("{figure} {ratio:.2} times the winner's"),
        Verdict::TooLittle { saving } => format!(
            "{figure} only {:.1} % below block order: not worth a change",
            100.0 * saving
        ),
        Verdict::Unsure { saving } => format!(
            "saves {:.1} % of {figure}, which may not hold on the machine as it is",
            100.0 * saving
        ),
        Verdict::NotReplayed { ratio } => {
            format!("out before the replay: T is {ratio:.2} times the winner's")
        }
        Verdict::AboveBlock => "out: more hop-bytes than block order".into(),
        Verdict::Skipped(reason) => format!("skipped: {reason}"),
    }
}

/// Lists what construction and refinement did to one solution, one line each.
pub(super) fn story(solution: &Solution) -> String {
    let mut text = String::new();
    for note in &solution.construction.notes {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {note}");
    }
    for (name, done) in &solution.refinement {
        let _ = write!(
            text,
            "  {name}: {} in {}",
            counted(done.moves, "move"),
            counted(done.passes, "sweep")
        );
        if let [first, .., last] = done.history[..] {
            let _ = write!(text, ", hop-bytes {first} to {last}");
        }
        text.push('\n');
    }
    text
}
