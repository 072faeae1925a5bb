//! `--explain`: every candidate with its figures, and why the winner won.

use crate::select::{Candidate, Objective, Selection, Solution};
use std::fmt::Write;

/// The candidates as a table, then the winner's story.
#[must_use]
pub fn table(selection: &Selection, objective: Objective) -> String {
    let mut text = format!(
        "{:14} {:10} {:>16} {:>12} {:>12} {:>9}\n",
        "heuristic", "family", "hop-bytes", "congestion", "hybrid", "seconds"
    );
    for candidate in &selection.candidates {
        text.push_str(&row(candidate));
    }
    let (winner, solution) = selection.winner();
    let _ = writeln!(text, "\n{}", verdict(selection, winner, objective));
    text.push_str(&story(solution));
    text
}

fn row(candidate: &Candidate) -> String {
    let name = candidate.heuristic;
    let family = format!("{:?}", candidate.family).to_lowercase();
    match &candidate.outcome {
        Ok(Solution { score, seconds, .. }) => format!(
            "{name:14} {family:10} {:>16} {:>12.4e} {:>12.4e} {seconds:>9.4}\n",
            score.hop_bytes, score.max_congestion, score.hybrid
        ),
        Err(reason) => format!("{name:14} {family:10} skipped: {reason}\n"),
    }
}

/// One sentence: by how much the winner beats the next best of another figure.
fn verdict(selection: &Selection, winner: &Candidate, objective: Objective) -> String {
    let (label, figure) = figure_of(objective);
    let name = winner.heuristic;
    let next = selection
        .candidates
        .iter()
        .filter(|candidate| candidate.heuristic != name)
        .filter_map(|c| Some((c.heuristic, figure(c.outcome.as_ref().ok()?))))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let ours = winner.outcome.as_ref().map_or(f64::NAN, figure);
    match next {
        None => format!("{name} wins: it is the only candidate."),
        Some((other, theirs)) if theirs <= ours => {
            format!(
                "{name} wins: no candidate has a lower {label}, and {other}, listed later, has the same."
            )
        }
        Some((other, theirs)) => format!(
            "{name} wins: its {label} is {:.1} % below that of {other}, the next best.",
            100.0 * (1.0 - ours / theirs)
        ),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
fn figure_of(objective: Objective) -> (&'static str, fn(&Solution) -> f64) {
    match objective {
        Objective::HopBytes => ("hop-bytes", |s| s.score.hop_bytes as f64),
        Objective::Congestion => ("maximum congestion", |s| s.score.max_congestion),
        Objective::Hybrid => ("hybrid metric", |s| s.score.hybrid),
    }
}

/// What construction and refinement did.
fn story(solution: &Solution) -> String {
    let mut text = String::new();
    for note in &solution.construction.notes {
        let _ = writeln!(text, "  {note}");
    }
    for (name, done) in &solution.refinement {
        let _ = write!(
            text,
            "  {name}: {} moves in {} passes",
            done.moves, done.passes
        );
        if let [first, .., last] = done.history[..] {
            let _ = write!(text, ", hop-bytes {first} to {last}");
        }
        text.push('\n');
    }
    text
}
