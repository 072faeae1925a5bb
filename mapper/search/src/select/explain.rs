//! The verdict on every candidate, as `--explain` shows it.

use super::HEURISTICS;
use super::choice::{compare, most_hop_bytes, too_little};
use super::outcome::{Candidate, Selection, Solution};
use rankfold_metric::Score;
use std::cmp::Ordering;

/// One candidate and its verdict.
#[derive(Debug)]
pub struct Explanation<'a> {
    /// Heuristic and refinements, joined by `+`: `rcm+swap`.
    pub name: String,
    /// The candidate; its outcome holds every figure.
    pub candidate: &'a Candidate,
    /// Whether the candidate won, or why it did not.
    pub verdict: Verdict<'a>,
}

/// Whether a candidate won, or why it did not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict<'a> {
    /// The winner.
    Won {
        /// What the winner saves: 1 - value / block order's value, 0 for block order itself.
        saving: f64,
    },
    /// As good as the winner, which comes earlier in the list.
    Tied,
    /// Worse by the objective.
    Beaten {
        /// The candidate's value over the winner's value: at least 1, infinite if the winner's is
        /// 0.
        ratio: f64,
    },
    /// Not among the best by the formula `T`, which are the ones that were replayed.
    NotReplayed {
        /// The candidate's `T` over the winner's.
        ratio: f64,
    },
    /// More hop-bytes than block order has and than the objective allows.
    AboveBlock,
    /// Better than block order, but by too little to take block order's place.
    TooLittle {
        /// What the candidate saves: 1 - value / block order's value.
        saving: f64,
    },
    /// Better on the machine as it is taken, but not on others that fit what was told: by other
    /// routes, other shares of links, or narrow links between switches.
    Unsure {
        /// What the candidate saves: 1 - value / block order's value.
        saving: f64,
    },
    /// The heuristic made no placement, for this reason.
    Skipped(&'a str),
}

impl Selection {
    /// All candidates with their verdicts, in the order of the candidates.
    #[must_use]
    pub fn explain(&self) -> Vec<Explanation<'_>> {
        self.candidates
            .iter()
            .enumerate()
            .map(|(index, candidate)| Explanation {
                name: full_name(candidate),
                verdict: self.verdict(index, candidate),
                candidate,
            })
            .collect()
    }

    fn verdict<'a>(&self, index: usize, candidate: &'a Candidate) -> Verdict<'a> {
        let solution = match &candidate.outcome {
            Ok(solution) => solution,
            Err(reason) => return Verdict::Skipped(&reason.0),
        };
        let winner = self.winner().1;
        if index == self.best {
            return Verdict::Won {
                saving: 1.0 - ratio(winner.value, self.block.value),
            };
        }
        self.lost(solution, winner)
    }

    /// The figures of the placement that stays where none is better.
    fn stay(&self) -> &Score {
        match &self.candidates[..] {
            [
                Candidate {
                    outcome: Ok(stay), ..
                },
                _,
                ..,
            ] => stay.score(),
            _ => self.block.assessment.score(),
        }
    }

    fn lost(&self, solution: &Solution, winner: &Solution) -> Verdict<'static> {
        let most = most_hop_bytes(&self.candidates, self.objective, self.stay());
        if solution.score().hop_bytes > most {
            return Verdict::AboveBlock;
        }
        if !solution.is_finalist {
            let formula = |solution: &Solution| solution.assessment.time().formula();
            return Verdict::NotReplayed {
                ratio: ratio(formula(solution), formula(winner)),
            };
        }
        match compare(solution, winner) {
            Ordering::Equal => Verdict::Tied,
            Ordering::Less
                if self.best == 0 && too_little(solution.value, winner.value, self.objective) =>
            {
                Verdict::TooLittle {
                    saving: 1.0 - ratio(solution.value, winner.value),
                }
            }
            Ordering::Less if solution.value < winner.value => Verdict::Unsure {
                saving: 1.0 - ratio(solution.value, self.block.value),
            },
            _ => Verdict::Beaten {
                ratio: ratio(solution.value, winner.value),
            },
        }
    }
}

fn full_name(candidate: &Candidate) -> String {
    let refinements = candidate.outcome.iter().flat_map(|s| &s.refinement);
    std::iter::once(candidate.heuristic)
        .chain(refinements.map(|(name, _)| *name))
        .collect::<Vec<_>>()
        .join("+")
}

/// The name of a candidate in tables and sentences: `gray (code)+swap` for `gray+swap`.
#[must_use]
pub fn name_in_words(name: &str) -> String {
    let (heuristic, refinements) = name.split_at(name.find('+').unwrap_or(name.len()));
    let mut all = HEURISTICS.iter().map(|one| one.about());
    let known = all.find(|about| about.name == heuristic);
    let shown = known.map_or(heuristic, |about| about.name_in_words);
    format!("{shown}{refinements}")
}

/// `a / b`, and 1 if both are 0.
fn ratio(a: f64, b: f64) -> f64 {
    if a == b { 1.0 } else { a / b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_reads_as_a_colour_is_told_apart_from_it() {
        assert_eq!(name_in_words("gray+swap"), "gray (code)+swap");
        assert_eq!(name_in_words("rcm"), "rcm");
        assert_eq!(name_in_words("placement"), "placement");
    }
}
