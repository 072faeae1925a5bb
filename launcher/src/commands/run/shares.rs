//! What the time of a run is spent on: bytes between hosts, waiting inside MPI, or computation.
//! Only the first changes with the placement.

use rankfold_cache::statistics::median;
use rankfold_cache::{Measured, in_seconds};
use schemars::JsonSchema;
use serde::Serialize;

/// The seconds of runs in the order as launched, as medians over the runs.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::commands) struct TimeShares {
    /// From `MPI_Init` to `MPI_Finalize`.
    run: f64,
    /// Inside MPI, as the mean over the ranks.
    inside: f64,
    /// Of `inside`, what bytes between hosts take.
    moving: f64,
    /// Whether `moving` is the most that bytes can take rather than what they take.
    is_bound: bool,
}

/// What the time of runs in the order as launched is spent on, as medians over the runs. The
/// field names are keys of `--json`.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShareFigures {
    /// Seconds from `MPI_Init` to `MPI_Finalize`.
    run_seconds: f64,
    /// Seconds inside MPI, as the mean over the ranks.
    inside_mpi_seconds: f64,
    /// Seconds inside MPI that bytes between hosts take.
    moving_bytes_seconds: f64,
    /// Whether `moving_bytes_seconds` is the most that bytes can take rather than what they take.
    moving_bytes_is_bound: bool,
}

/// What most of a run is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ruler {
    Bytes,
    Waiting,
    Computation,
}

impl TimeShares {
    /// The shares of these runs, in which bytes between hosts take `moving` seconds. `None` without
    /// a run, or where the time of a whole run is not known.
    pub(super) fn new(runs: &[&Measured], moving: f64, is_bound: bool) -> Option<Self> {
        let middle = |of: fn(&Measured) -> f64| {
            let values: Vec<f64> = runs.iter().map(|run| of(run)).collect();
            median(&values)
        };
        let run = middle(|run| run.run)?;
        let inside = middle(|run| run.seconds)?.min(run);
        (run > 0.0).then(|| Self {
            run,
            inside,
            moving: moving.clamp(0.0, inside),
            is_bound,
        })
    }

    /// Seconds from `MPI_Init` to `MPI_Finalize`.
    pub(super) fn run(&self) -> f64 {
        self.run
    }

    /// The shares in one line. It begins with what rules `runs`: "this run", or "as launched" where
    /// other runs have come since.
    pub(in crate::commands) fn words(&self, runs: &str) -> String {
        let moving = percent(self.moving / self.run);
        let waiting = percent((self.inside - self.moving) / self.run);
        let outside = percent(1.0 - self.inside / self.run);
        let ruler = match self.ruler() {
            Ruler::Bytes => "bytes rule",
            Ruler::Waiting => "waiting rules",
            Ruler::Computation => "computation rules",
        };
        let at_most = if self.is_bound && !moving.starts_with("under") {
            "at most "
        } else {
            ""
        };
        format!(
            "{ruler} {runs}: {at_most}{moving} of {} moves bytes, {waiting} waits, {outside} computes",
            in_seconds(self.run)
        )
    }

    fn ruler(&self) -> Ruler {
        let waiting = self.inside - self.moving;
        let outside = self.run - self.inside;
        if self.moving >= waiting.max(outside) {
            Ruler::Bytes
        } else if waiting >= outside {
            Ruler::Waiting
        } else {
            Ruler::Computation
        }
    }

    /// The shares for `--json`.
    pub(super) fn figures(&self) -> ShareFigures {
        ShareFigures {
            run_seconds: self.run,
            inside_mpi_seconds: self.inside,
            moving_bytes_seconds: self.moving,
            moving_bytes_is_bound: self.is_bound,
        }
    }
}

/// Shares below this are not told in figures.
const LITTLE: f64 = 0.01;

/// A share in percent.
fn percent(share: f64) -> String {
    match share {
        none if none <= 0.0 => "0 %".into(),
        little if little < LITTLE => format!("under {:.0} %", 100.0 * LITTLE),
        share => format!("{:.0} %", 100.0 * share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_cache::samples::measured;

    fn shares_in_words(inside: f64, moving: f64, is_bound: bool) -> String {
        let run = Measured {
            run: 10.0,
            ..measured(false, "x", inside)
        };
        let shares = TimeShares::new(&[&run], moving, is_bound);
        shares.unwrap().words("this run")
    }

    #[test]
    fn a_run_that_bytes_rule_is_told_so() {
        assert_eq!(
            shares_in_words(9.0, 8.2, false),
            "bytes rule this run: 82 % of 10.0 s moves bytes, 8 % waits, 10 % computes"
        );
    }

    #[test]
    fn a_run_that_waiting_rules_is_told_so() {
        assert_eq!(
            shares_in_words(8.2, 1.2, false),
            "waiting rules this run: 12 % of 10.0 s moves bytes, 70 % waits, 18 % computes"
        );
    }

    #[test]
    fn a_run_that_computation_rules_is_told_so() {
        assert_eq!(
            shares_in_words(0.5, 0.02, false),
            "computation rules this run: under 1 % of 10.0 s moves bytes, 5 % waits, 95 % computes"
        );
    }

    #[test]
    fn where_the_speed_of_links_is_not_known_a_share_is_a_bound() {
        let text = shares_in_words(8.0, 3.0, true);
        assert!(
            text.starts_with(
                "waiting rules this run: at most 30 % of 10.0 s moves bytes, 50 % waits"
            ),
            "{text}"
        );
    }

    #[test]
    fn messages_take_no_longer_than_the_time_inside_mpi() {
        assert!(shares_in_words(4.0, 99.0, false).contains("40 % of 10.0 s moves bytes"));
        assert_eq!(TimeShares::new(&[], 1.0, false), None);
    }
}
