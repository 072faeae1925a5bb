//! The times of runs in two orders, compared.

use super::measure::{inside_seconds, run_seconds};
use super::outcome::{CERTAINTY, LEAST_CERTAINTY};
use rankfold_base::words::counted;
use rankfold_cache::statistics::{Ratio, median};
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
    launched: Vec<RunTimes>,
    mapped: Vec<RunTimes>,
    /// For every run in turn, whether it had the map.
    turns: Vec<bool>,
}

/// One of the times of a run.
struct Figure {
    label: &'static str,
    of: fn(&RunTimes) -> Option<f64>,
}

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
            &mut self.launched
        };
        order.push(times);
    }

    /// The number of runs in both orders.
    pub(super) fn runs(&self) -> usize {
        self.turns.len()
    }

    /// The seconds of a figure in the order as launched and with the map.
    fn seconds(&self, figure: &Figure) -> [Vec<f64>; 2] {
        [&self.launched, &self.mapped].map(|runs| runs.iter().filter_map(figure.of).collect())
    }

    /// The table of all figures.
    pub(super) fn table(&self) -> Vec<String> {
        let head = format!(
            "{:<29} {:>26} {:>26} {:>6}",
            "seconds, median (range)", "launcher's order", "with the map", "gain"
        );
        let rows = FIGURES.iter().map(|figure| {
            let [launched, mapped] = self.seconds(figure);
            let gain = match (median(&launched), median(&mapped)) {
                (Some(launched), Some(mapped)) if mapped > 0.0 => {
                    format!("{:.2}", launched / mapped)
                }
                _ => "-".into(),
            };
            format!(
                "{:<29} {:>26} {:>26} {gain:>6}",
                figure.label,
                range(&launched),
                range(&mapped)
            )
        });
        std::iter::once(head).chain(rows).collect()
    }

    /// Which order is faster and by how much: one line for communication, and one for the launch.
    /// What the launcher itself needs to start decides neither where the ranks have measured
    /// themselves.
    pub(super) fn verdicts(&self) -> Vec<String> {
        let [launch, run, inside] = FIGURES.each_ref().map(|figure| self.seconds(figure));
        if launch.iter().any(Vec::is_empty) {
            return vec!["nothing is compared: not both orders were run".into()];
        }
        let is_measured = |seconds: &[Vec<f64>; 2]| seconds.iter().all(|order| !order.is_empty());
        let whole = if is_measured(&run) { run } else { launch };
        let communication = is_measured(&inside).then(|| verdict("communication", &inside));
        let launch = verdict("the launch", &whole);
        communication.into_iter().chain([launch]).collect()
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

/// Compares the times of `what` as launched with those with the map. Returns one line.
fn verdict(what: &str, [launched, mapped]: &[Vec<f64>; 2]) -> String {
    let runs = counted(launched.len().min(mapped.len()), "run");
    let Some(gain) = Ratio::new(launched, mapped, CERTAINTY) else {
        return format!("{what}: took no time that can be measured ({runs} in each order)");
    };
    if gain.certainty < LEAST_CERTAINTY {
        let [launched, mapped] = [launched, mapped].map(|order| span(order));
        return format!(
            "{what}: {mapped} s, was {launched} s; too few to tell: --compare {RUNS_FOR_CERTAINTY}"
        );
    }
    let sure = format!("{:.0} % sure, {runs} each", 100.0 * gain.certainty);
    if !gain.is_clear() {
        return format!(
            "{what}: no difference beyond noise ({:.2} to {:.2} times; {sure})",
            gain.low, gain.high
        );
    }
    let (value, low, high, order) = if gain.value >= 1.0 {
        (gain.value, gain.low, gain.high, "with the map")
    } else {
        (
            1.0 / gain.value,
            1.0 / gain.high,
            1.0 / gain.low,
            "without the map",
        )
    };
    format!("{what}: {value:.2} times as fast {order} ({low:.2} to {high:.2}; {sure})")
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
    /// The order as launched.
    Default,
    /// The map.
    Mapped,
}

/// One of the times of all runs, in seconds.
#[derive(Serialize, JsonSchema)]
struct TimesInBothOrders {
    /// The runs in the order as launched; without those where the time was not measured.
    default: Vec<f64>,
    /// The runs with the map; without those where the time was not measured.
    mapped: Vec<f64>,
    /// Median of `default`; null if it is empty.
    default_median: Option<f64>,
    /// Median of `mapped`; null if it is empty.
    mapped_median: Option<f64>,
    /// The time in the order as launched over the time with the map; null if one of them was not
    /// measured.
    gain: Option<Ratio>,
}

/// The median and the range of times in words; `-` without a time.
fn range(seconds: &[f64]) -> String {
    let Some(middle) = median(seconds) else {
        return "-".into();
    };
    format!("{middle:.3} ({})", span(seconds))
}

/// The range of times in words.
fn span(seconds: &[f64]) -> String {
    let low = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let high = seconds.iter().copied().fold(0.0, f64::max);
    format!("{low:.3} to {high:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs in turn with these seconds in the order as launched and with the map.
    fn compared(launched: &[f64], mapped: &[f64]) -> Comparison {
        let mut comparison = Comparison::default();
        for (mapped, seconds) in [(false, launched), (true, mapped)] {
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
        let compared = compared(&[2.0, 2.1, 2.2, 2.3, 2.05], &[1.0, 1.1, 1.05, 1.02, 1.04]);
        let table = compared.table();
        assert_eq!(
            table[1],
            "the launch from start to end      2.100 (2.000 to 2.300)     1.040 (1.000 to 1.100)   2.02"
        );
        assert_eq!(
            table[3],
            "inside MPI, a rank                                     -                          -      -"
        );
        assert_eq!(
            compared.verdicts(),
            ["the launch: 2.02 times as fast with the map (1.90 to 2.21; 97 % sure, 5 runs each)"]
        );
    }

    /// The verdict on communication, where the launcher itself takes ten seconds and more.
    fn communication(launched: &[f64], mapped: &[f64]) -> Vec<String> {
        let mut compared = Comparison::default();
        for (mapped, seconds) in [(false, launched), (true, mapped)] {
            for (at, &inside) in (0_u32..).zip(seconds) {
                let launch = 10.0 + f64::from(at);
                let (run, inside) = (Some(2.0 + inside), Some(inside));
                compared.add(
                    mapped,
                    RunTimes {
                        launch,
                        run,
                        inside,
                    },
                );
            }
        }
        compared.verdicts()
    }

    #[test]
    fn the_start_of_the_launcher_decides_neither_verdict() {
        let text = communication(&[1.66, 1.68, 1.7, 1.67], &[0.73, 0.8, 0.94, 0.79]);
        assert!(
            text[0].starts_with("communication: 2.11 times as fast with the map"),
            "{text:?}"
        );
        assert!(
            text[1].starts_with("the launch: 1.31 times as fast with the map"),
            "{text:?}"
        );
        let few = communication(&[1.66, 1.7], &[0.73, 0.94]);
        assert_eq!(
            few[0],
            "communication: 0.730 to 0.940 s, was 1.660 to 1.700 s; too few to tell: --compare 4"
        );
    }

    #[test]
    fn a_clear_loss_names_the_other_order() {
        let verdicts = compared(&[1.0, 1.1, 1.05, 1.02], &[2.0, 2.1, 2.2, 2.3]).verdicts();
        assert_eq!(
            verdicts,
            [
                "the launch: 2.08 times as fast without the map (1.82 to 2.30; 97 % sure, 4 runs each)"
            ]
        );
    }

    #[test]
    fn what_may_be_noise_is_told_so() {
        let verdicts = compared(&[1.0, 1.2, 1.1, 1.15], &[1.05, 1.12, 1.18, 1.0]).verdicts();
        assert_eq!(
            verdicts,
            ["the launch: no difference beyond noise (0.85 to 1.20 times; 97 % sure, 4 runs each)"]
        );
        let one = compared(&[2.0], &[]).verdicts();
        assert_eq!(one, ["nothing is compared: not both orders were run"]);
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
