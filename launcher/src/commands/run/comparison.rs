//! The times of runs in two orders, compared.

use super::measure::{inside_seconds, run_seconds};
use super::outcome::{CERTAINTY, LEAST_CERTAINTY};
use crate::statistics::{Ratio, median};
use rankfold_base::words::counted;
use rankfold_wire::Profile;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// The fewest runs in each order that allow an interval of [`CERTAINTY`].
const RUNS_FOR_CERTAINTY: usize = 4;

/// What one run took, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RunTimes {
    /// From the start of the launcher to its end.
    launch: f64,
    /// From `MPI_Init` to `MPI_Finalize`, the longest of the ranks; `None` if not measured.
    run: Option<f64>,
    /// Inside MPI, the mean of the ranks that measured it; `None` if not measured.
    inside: Option<f64>,
}

impl RunTimes {
    pub(super) fn new(elapsed: Duration, profile: Option<&Profile>) -> Self {
        Self {
            launch: elapsed.as_secs_f64(),
            run: profile.map(run_seconds).filter(|seconds| *seconds > 0.0),
            inside: profile.and_then(inside_seconds),
        }
    }
}

/// The times of all runs in both orders.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    own: Vec<RunTimes>,
    mapped: Vec<RunTimes>,
    /// For every run in turn, whether it had the map.
    turns: Vec<bool>,
}

/// One of the times of a run.
struct Figure {
    label: &'static str,
    of: fn(&RunTimes) -> Option<f64>,
}

/// The time that decides which order is faster comes first.
const FIGURES: [Figure; 3] = [
    Figure {
        label: "the launch from start to end",
        of: |times| Some(times.launch),
    },
    Figure {
        label: "from MPI_Init to MPI_Finalize",
        of: |times| times.run,
    },
    Figure {
        label: "inside MPI, a rank",
        of: |times| times.inside,
    },
];

impl Comparison {
    pub(super) fn add(&mut self, mapped: bool, times: RunTimes) {
        self.turns.push(mapped);
        let order = if mapped {
            &mut self.mapped
        } else {
            &mut self.own
        };
        order.push(times);
    }

    /// The number of runs in both orders.
    pub(super) fn runs(&self) -> usize {
        self.turns.len()
    }

    /// The seconds of a figure in the launcher's own order and with the map.
    fn seconds(&self, figure: &Figure) -> [Vec<f64>; 2] {
        [&self.own, &self.mapped].map(|runs| runs.iter().filter_map(figure.of).collect())
    }

    /// The table of all figures, and the verdict, in lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let head = format!(
            "{:<32} {:>28} {:>28} {:>8}",
            "seconds, median (range)", "launcher's order", "with the map", "gain"
        );
        let rows = FIGURES.iter().map(|figure| {
            let [own, mapped] = self.seconds(figure);
            let gain = match (median(&own), median(&mapped)) {
                (Some(own), Some(mapped)) if mapped > 0.0 => format!("{:.3}", own / mapped),
                _ => "-".into(),
            };
            format!(
                "{:<32} {:>28} {:>28} {gain:>8}",
                figure.label,
                range(&own),
                range(&mapped)
            )
        });
        let mut lines = vec![head];
        lines.extend(rows);
        lines.push(self.verdict());
        lines
    }

    /// Which order is faster, by how much, and how certain that is.
    fn verdict(&self) -> String {
        let [own, mapped] = self.seconds(&FIGURES[0]);
        let Some(gain) = Ratio::new(&own, &mapped, CERTAINTY) else {
            return "nothing is compared: not both orders were run".into();
        };
        let runs = format!(
            "{} in the launcher's own order, {} with the map",
            counted(own.len(), "run"),
            counted(mapped.len(), "run")
        );
        let certainty = format!("{:.1} % certainty", 100.0 * gain.certainty);
        let more = if gain.certainty < LEAST_CERTAINTY {
            format!(
                "; from {RUNS_FOR_CERTAINTY} runs in each order on the certainty is {:.0} %",
                100.0 * CERTAINTY
            )
        } else {
            String::new()
        };
        if !gain.is_clear() || gain.certainty < LEAST_CERTAINTY {
            return format!(
                "no difference is certain: with the map the launch is {:.3} times as fast, {:.3} to {:.3} with {certainty} ({runs}){more}",
                gain.value, gain.low, gain.high
            );
        }
        let (faster, times, low, high) = if gain.value >= 1.0 {
            ("with the map", gain.value, gain.low, gain.high)
        } else {
            let inverse = |ratio: f64| 1.0 / ratio;
            (
                "in the launcher's own order",
                inverse(gain.value),
                inverse(gain.high),
                inverse(gain.low),
            )
        };
        format!(
            "the launch is {times:.3} times as fast {faster}, {low:.3} to {high:.3} with {certainty} ({runs})"
        )
    }

    /// All single times and what follows from them.
    pub(super) fn figures(&self) -> ComparisonFigures {
        let turn = |mapped: &bool| if *mapped { Turn::Mapped } else { Turn::Default };
        let [launch, run, inside_mpi] = FIGURES.each_ref().map(|figure| {
            let [default, mapped] = self.seconds(figure);
            TimesInBothOrders {
                default_median: median(&default),
                mapped_median: median(&mapped),
                gain: Ratio::new(&default, &mapped, CERTAINTY),
                default,
                mapped,
            }
        });
        ComparisonFigures {
            turns: self.turns.iter().map(turn).collect(),
            launch,
            run,
            inside_mpi,
        }
    }
}

/// The times of runs in both orders. The field names are keys of `--json`.
#[derive(Serialize, JsonSchema)]
pub(super) struct ComparisonFigures {
    /// The order of each run in turn.
    turns: Vec<Turn>,
    /// Seconds of the launch from start to end.
    launch: TimesInBothOrders,
    /// Seconds from `MPI_Init` to `MPI_Finalize`, the longest of the ranks.
    run: TimesInBothOrders,
    /// Seconds inside MPI, the mean of the ranks.
    inside_mpi: TimesInBothOrders,
}

/// The order of the ranks of one run.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Turn {
    /// The launcher's own order.
    Default,
    /// The map.
    Mapped,
}

/// One of the times of all runs, in seconds.
#[derive(Serialize, JsonSchema)]
struct TimesInBothOrders {
    /// The runs in the launcher's own order; without those where the time was not measured.
    default: Vec<f64>,
    /// The runs with the map; without those where the time was not measured.
    mapped: Vec<f64>,
    /// Median of `default`; null if it is empty.
    default_median: Option<f64>,
    /// Median of `mapped`; null if it is empty.
    mapped_median: Option<f64>,
    /// The time in the launcher's own order over the time with the map; null if one of them was not
    /// measured.
    gain: Option<Ratio>,
}

/// The median and the range of times in words; `-` without a time.
fn range(seconds: &[f64]) -> String {
    let Some(middle) = median(seconds) else {
        return "-".into();
    };
    let low = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let high = seconds.iter().copied().fold(0.0, f64::max);
    format!("{middle:.3} ({low:.3} to {high:.3})")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs in turn with these seconds in the launcher's own order and with the map.
    fn compared(own: &[f64], mapped: &[f64]) -> Comparison {
        let mut comparison = Comparison::default();
        for (mapped, seconds) in [(false, own), (true, mapped)] {
            for &launch in seconds {
                let times = RunTimes {
                    launch,
                    run: Some(0.5 * launch),
                    inside: None,
                };
                comparison.add(mapped, times);
            }
        }
        comparison
    }

    #[test]
    fn a_clear_gain_is_told_with_its_interval() {
        let lines = compared(&[2.0, 2.1, 2.2, 2.3, 2.05], &[1.0, 1.1, 1.05, 1.02, 1.04]).lines();
        assert_eq!(
            lines[1],
            "the launch from start to end           2.100 (2.000 to 2.300)       1.040 (1.000 to 1.100)    2.019"
        );
        assert_eq!(
            lines[3],
            "inside MPI, a rank                                          -                            -        -"
        );
        assert_eq!(
            lines[4],
            "the launch is 2.019 times as fast with the map, 1.905 to 2.212 with 96.8 % certainty (5 runs in the launcher's own order, 5 runs with the map)"
        );
    }

    #[test]
    fn a_clear_loss_names_the_other_order() {
        let verdict = compared(&[1.0, 1.1, 1.05, 1.02], &[2.0, 2.1, 2.2, 2.3]).verdict();
        assert_eq!(
            verdict,
            "the launch is 2.077 times as fast in the launcher's own order, 1.818 to 2.300 with 97.1 % certainty (4 runs in the launcher's own order, 4 runs with the map)"
        );
    }

    #[test]
    fn what_may_be_noise_is_told_so() {
        let verdict = compared(&[1.0, 1.2, 1.1, 1.15], &[1.05, 1.12, 1.18, 1.0]).verdict();
        assert!(
            verdict.starts_with("no difference is certain: with the map the launch is 1.037 times as fast, 0.847 to 1.200 with 97.1 % certainty"),
            "{verdict}"
        );
        let few = compared(&[2.0, 2.1], &[1.0, 1.1]).verdict();
        assert!(
            few.starts_with("no difference is certain")
                && few.ends_with("from 4 runs in each order on the certainty is 95 %"),
            "{few}"
        );
        let one = compared(&[2.0], &[]).verdict();
        assert_eq!(one, "nothing is compared: not both orders were run");
    }

    #[test]
    fn json_holds_every_single_time() {
        let figures = compared(&[2.0, 2.1], &[1.0, 1.1]).figures();
        let json = serde_json::to_value(figures).unwrap();
        assert_eq!(
            json["turns"],
            serde_json::json!(["default", "default", "mapped", "mapped"])
        );
        assert_eq!(json["launch"]["default"], serde_json::json!([2.0, 2.1]));
        assert_eq!(json["launch"]["mapped_median"], 1.05);
        assert_eq!(json["run"]["mapped"], serde_json::json!([0.5, 0.55]));
        assert_eq!(json["inside_mpi"]["gain"], serde_json::Value::Null);
        let certainty = json["launch"]["gain"]["certainty"].as_f64().unwrap();
        assert!((certainty - 2.0 / 3.0).abs() < 1e-12);
    }
}
