//! The predicted communication time as `--json`, the table and `--explain` show it.

use super::verdict::ComparedWith;
use rankfold_metric::time::{Predictor, Time, Unit, still_to_gain};
use rankfold_problem::objective::printed_time;
use schemars::JsonSchema;
use serde::Serialize;

/// A predicted time with its parts and a lower bound. The field names are keys of `--json`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PredictedTime {
    /// The predicted time, by what `predicted_by` names.
    pub total: f64,
    /// What `total` comes from: "replay" for a replay of all messages, or "T" for the formula
    /// T = max(busiest_link, overhead) + latency + s x mean_transfer.
    pub predicted_by: Predictor,
    /// Time of the busiest link: its bytes over its bandwidth.
    pub busiest_link: f64,
    /// Latency of the pair of ranks that waits longest for links: messages x latencies along the
    /// route.
    pub latency: f64,
    /// Time that the rank with most messages spends on sending and receiving them, while links
    /// transfer. No placement changes it.
    pub overhead: f64,
    /// Time in which all messages cross all their links, divided by the number of ranks.
    pub mean_transfer: f64,
    /// The share of `mean_transfer` that counts: 0 if all messages of an exchange are under way at
    /// once, 1 if ranks exchange partner by partner.
    pub s: f64,
    /// Number of turns in which the messages of an exchange start, as the profile tells them; 0 if
    /// they are not known.
    #[serde(skip)]
    pub turns: u32,
    /// Unit of all times here: "seconds", or "bytes over one link" where bandwidths are relative.
    pub unit: Unit,
    /// No placement has a lower `total` than this.
    pub lower_bound: f64,
    /// `total` above the lower bound, relative to it; null if the bound is 0 and the time is not.
    pub gap: Option<f64>,
    /// The largest share of `total` that another placement could save: 1 - lower_bound / total.
    pub still_to_gain: f64,
    /// An older name of `still_to_gain`, for scripts that know no other.
    pub at_stake: f64,
}

/// If no placement can save more than this share of block order's time, the report says that
/// nothing is at stake. Chosen by hand.
const NOTHING: f64 = 0.05;

impl PredictedTime {
    /// The predicted time of a placement and the lower bound of all placements.
    #[must_use]
    pub fn new(time: &Time, bound: &Time) -> Self {
        let predicted_by = time.predictor();
        let (total, lower_bound) = (time.total(), bound.bound_of(predicted_by));
        // Rounding may put the sum below its bound.
        let above = (total - lower_bound).max(0.0);
        let still_to_gain = still_to_gain(total, lower_bound);
        Self {
            total,
            predicted_by,
            busiest_link: time.busiest_link,
            latency: time.latency,
            overhead: time.overhead,
            mean_transfer: time.mean_transfer,
            s: time.s,
            turns: time.turns,
            unit: time.unit,
            lower_bound,
            gap: match (total > 0.0, lower_bound > 0.0) {
                (_, true) => Some(above / lower_bound),
                (false, false) => Some(0.0),
                (true, false) => None,
            },
            still_to_gain,
            at_stake: still_to_gain,
        }
    }

    /// The rows of the table of figures: labels and values. The parts of `T` add up to it; a replay
    /// is at least as long as the busiest link and the overhead.
    pub(super) fn rows(&self) -> Vec<(String, f64)> {
        match self.predicted_by {
            Predictor::Replay => vec![
                ("predicted time (replay)".into(), self.total),
                ("  busiest link alone".into(), self.busiest_link),
                ("  overhead alone".into(), self.overhead),
            ],
            Predictor::T => vec![
                ("predicted time".into(), self.total),
                ("  busiest link".into(), self.busiest_link),
                ("  or, if longer, overhead".into(), self.overhead),
                ("  longest latency".into(), self.latency),
                (
                    format!("  {} x mean transfer", self.s),
                    self.s * self.mean_transfer,
                ),
            ],
        }
    }

    /// The largest parts of the time with their shares; `None` if nothing takes any time.
    pub(super) fn where_it_goes(&self) -> Option<String> {
        if self.total <= 0.0 {
            return None;
        }
        let share = |part: f64| format!("{:.0} %", 100.0 * part / self.total);
        let (longer, what) = if self.overhead > self.busiest_link {
            (self.overhead, "overhead of the busiest rank's messages")
        } else {
            (self.busiest_link, "on the busiest link")
        };
        let others = match self.predicted_by {
            Predictor::Replay if self.turns > 1 => {
                vec![(self.total - longer, "latency and other messages and turns")]
            }
            Predictor::Replay => vec![(
                self.total - longer,
                "latency and waiting for other messages",
            )],
            Predictor::T => vec![
                (self.latency, "latency on the longest way"),
                (self.s * self.mean_transfer, "transfer over the other links"),
            ],
        };
        // Half a percent is the least that is not printed as 0 %.
        let text = [(longer, what)].into_iter().chain(others);
        let text = text.filter(|(part, _)| part / self.total >= 0.005);
        let text: Vec<String> = text
            .map(|(part, what)| format!("{} {what}", share(part)))
            .collect();
        Some(text.join(", "))
    }

    /// A sentence if no placement can change the time by much. `self` is the time of the placement
    /// that others are compared with.
    pub(super) fn nothing_at_stake(&self, placement: ComparedWith) -> Option<String> {
        if self.total == 0.0 {
            return Some(
                "no bytes cross the network: placement cannot change the communication time".into(),
            );
        }
        if self.still_to_gain > NOTHING {
            return None;
        }
        let overhead = if self.overhead > self.busiest_link {
            self.overhead
        } else {
            0.0
        };
        let rules = if overhead + self.latency > 0.5 * self.total {
            ": the overhead and latency of messages rule it"
        } else {
            ""
        };
        let percent = 100.0 * self.still_to_gain;
        let of = match placement {
            ComparedWith::Launched => "of the launch as it was",
            ComparedWith::Block => "of block order",
        };
        let most = if percent < 0.05 {
            "less than 0.1 %".to_owned()
        } else {
            format!("at most {percent:.1} %")
        };
        Some(format!(
            "placement can change the communication time {of} by {most}{rules}"
        ))
    }

    /// The time in words. `T` is the sum of its parts: `1.2ms = 0.9ms on the busiest link + ..`.
    pub(super) fn in_words(&self) -> String {
        if self.predicted_by == Predictor::T {
            return self.formula_in_words();
        }
        let total = printed_time(self.total, self.unit);
        format!(
            "{total} by replay; by the formula T {}",
            self.formula_in_words()
        )
    }

    fn formula_in_words(&self) -> String {
        let unit = self.unit;
        let links = (self.busiest_link, "on the busiest link");
        let overhead = (self.overhead, "of overhead for messages");
        let (longer, hidden) = if overhead.0 > links.0 {
            (overhead, links)
        } else {
            (links, overhead)
        };
        let hides = if hidden.0 > 0.0 {
            format!(
                " (which hide {} {})",
                printed_time(hidden.0, unit),
                hidden.1
            )
        } else {
            String::new()
        };
        let parts = [
            (longer.0, format!("{}{hides}", longer.1)),
            (self.latency, "of latency on the longest way".into()),
            (
                self.s * self.mean_transfer,
                format!("for {} of the mean transfer of a rank", self.s),
            ),
        ];
        let parts = parts.iter().filter(|(part, _)| *part > 0.0);
        let parts: Vec<String> = parts
            .map(|(part, words)| format!("{} {words}", printed_time(*part, unit)))
            .collect();
        let total =
            self.busiest_link.max(self.overhead) + self.latency + self.s * self.mean_transfer;
        let total = printed_time(total, unit);
        match (parts.is_empty(), unit) {
            (true, _) => "nothing".into(),
            (_, Unit::Seconds) => format!("{total} = {}", parts.join(" + ")),
            (_, Unit::BytesOverOneLink) => {
                format!("{total} bytes over one link = {}", parts.join(" + "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(busiest_link: f64, latency: f64, overhead: f64) -> Time {
        Time {
            busiest_link,
            latency,
            overhead,
            mean_transfer: 0.0,
            s: 0.25,
            turns: 0,
            unit: Unit::Seconds,
            replayed: None,
        }
    }

    #[test]
    fn little_at_stake_is_said_with_its_reason() {
        let bound = time(0.9e-3, 0.91e-3, 8e-3);
        let block = PredictedTime::new(&time(1e-3, 1e-3, 8e-3), &bound);
        let found = block.nothing_at_stake(ComparedWith::Block).unwrap();
        assert!(found.contains("at most 1.0 %: the overhead"), "{found}");
        let links = PredictedTime::new(&time(1e-3, 0.0, 0.0), &time(0.99e-3, 0.0, 0.0));
        let found = links.nothing_at_stake(ComparedWith::Block).unwrap();
        assert!(found.ends_with("at most 1.0 %"), "{found}");
        let hidden = PredictedTime::new(&time(1e-3, 0.0, 0.9e-3), &time(0.99e-3, 0.0, 0.9e-3));
        let found = hidden.nothing_at_stake(ComparedWith::Block).unwrap();
        assert!(found.ends_with("at most 1.0 %"), "{found}");
        let open = PredictedTime::new(&time(3e-3, 1e-3, 0.0), &bound.clone());
        assert!(
            PredictedTime::new(&time(9e-3, 9e-3, 8e-3), &bound)
                .nothing_at_stake(ComparedWith::Block)
                .is_none()
        );
        assert_eq!(open.gap, Some(0.0), "rounding does not make a gap negative");
        let silent = PredictedTime::new(&time(0.0, 0.0, 0.0), &time(0.0, 0.0, 0.0));
        assert!(
            silent
                .nothing_at_stake(ComparedWith::Block)
                .unwrap()
                .starts_with("no bytes cross")
        );
    }

    #[test]
    fn the_shares_of_the_parts_say_where_the_time_goes() {
        let of = |time: &Time| PredictedTime::new(time, &Time::default()).where_it_goes();
        let parts = time(0.9e-3, 0.1e-3, 0.0);
        assert_eq!(
            of(&parts).unwrap(),
            "90 % on the busiest link, 10 % latency on the longest way"
        );
        assert_eq!(
            of(&parts.with_replay(2e-3)).unwrap(),
            "45 % on the busiest link, 55 % latency and waiting for other messages"
        );
        assert_eq!(
            of(&time(1e-6, 0.0, 2e-6)).unwrap(),
            "100 % overhead of the busiest rank's messages"
        );
        assert_eq!(of(&time(0.0, 0.0, 0.0)), None);
    }

    #[test]
    fn the_parts_are_given_in_words() {
        let found = PredictedTime::new(&time(1.23456e-3, 5e-6, 0.0), &time(0.0, 0.0, 0.0));
        let words = "1.24ms = 1.235ms on the busiest link + 5us of latency on the longest way";
        assert_eq!(found.in_words(), words);
        assert_eq!(found.gap, None);
        let found = PredictedTime::new(&time(1e-6, 0.0, 2e-6), &Time::default());
        let words = "2us = 2us of overhead for messages (which hide 1us on the busiest link)";
        assert_eq!(found.in_words(), words);
    }
}
