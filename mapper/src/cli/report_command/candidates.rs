//! The candidates of a search as the report shows them.

use crate::cli::explain;
use rankfold_report::data::{Candidate, Candidates};
use rankfold_search::select::{Selection, Verdict, name_in_words};

/// Lists every candidate, the best first; candidates that were not replayed come after those that
/// were, since their times do not compare. `reference` is the value of what the winner
/// is compared with.
/// Congestion is multiplied by `bandwidth`, as all loads of the report are.
pub(super) fn of(selection: &Selection, reference: f64, bandwidth: f64) -> Candidates {
    let mut shown = Candidates {
        objective: selection.objective.name().into(),
        figure: selection.objective.figure().into(),
        before: reference,
        bound: selection.value_bound,
        notes: explain::story(selection.winner().1)
            .lines()
            .map(|line| line.trim().to_owned())
            .collect(),
        ..Candidates::default()
    };
    for explained in selection.explain() {
        let candidate = explained.candidate;
        let solution = match &candidate.outcome {
            Ok(solution) => solution,
            Err(reason) => {
                shown
                    .skipped
                    .push([name_in_words(candidate.heuristic), reason.0.to_string()]);
                continue;
            }
        };
        shown.solved.push(Candidate {
            name: name_in_words(&explained.name),
            family: candidate.family.to_string(),
            time: solution.score().time.total(),
            predicted_by: solution.score().time.predictor(),
            hop_bytes: solution.score().hop_bytes as f64,
            congestion: solution.score().max_congestion * bandwidth,
            hybrid: solution.score().hybrid,
            value: solution.value,
            is_finalist: solution.is_finalist,
            seconds: solution.seconds,
            won: matches!(explained.verdict, Verdict::Won { .. }),
        });
    }
    shown.solved.sort_by(|a, b| {
        let order = b.won.cmp(&a.won).then(b.is_finalist.cmp(&a.is_finalist));
        let order = order.then(a.value.total_cmp(&b.value));
        order.then(a.hop_bytes.total_cmp(&b.hop_bytes))
    });
    shown
}
