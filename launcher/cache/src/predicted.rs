//! The communication times that the model predicts of the two orders of the ranks.

use rankfold_metric::time::Predictor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The communication times that were predicted when the map was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Predicted {
    /// The time with the ranks where the launcher puts them.
    #[serde(rename = "default")]
    pub launched: f64,
    /// The time with the map. Where nobody told the capacities between switches, it is the time in
    /// which the least is saved.
    pub mapped: f64,
    /// The unit of the two times.
    pub unit: String,
    /// What both times come from; `None` in entries of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictor: Option<Predictor>,
    /// Whether the profile is of the first part of a run only. The predicted times are then of that
    /// part too, and are not compared with times of whole runs.
    #[serde(default)]
    pub part: bool,
    /// What was promised before the first run with the map; `None` in entries of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promised: Option<Promise>,
}

/// What is promised of a map before the first run with it. It is kept, whatever runs measure later.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Promise {
    /// How many times as fast communication becomes.
    pub gain: f64,
    /// Whether `gain` is the least on machines that fit what was told: nobody told the capacities
    /// between switches, and with others it is more.
    #[serde(default)]
    pub at_least: bool,
    /// Whether `gain` is the highest that is possible rather than the one to expect.
    pub at_most: bool,
    /// Seconds from `MPI_Init` to `MPI_Finalize` in the order as launched and with the map;
    /// `None` where no whole run was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<[f64; 2]>,
}

impl Promise {
    /// The promise in one line: what becomes of communication, and of the whole run.
    pub fn line(&self) -> String {
        let up_to = if self.at_most {
            "up to "
        } else {
            self.at_least_in_words()
        };
        let whole = self.run.map_or(String::new(), |[launched, mapped]| {
            format!(", {} for {}", in_seconds(mapped), in_seconds(launched))
        });
        format!("{up_to}{:.2} x in communication{whole}", self.gain)
    }

    /// How many times as fast communication becomes, in words.
    pub fn words(&self) -> String {
        let at_most = if self.at_most {
            "at most "
        } else {
            self.at_least_in_words()
        };
        format!("{at_most}{:.2}", self.gain)
    }

    fn at_least_in_words(&self) -> &'static str {
        if self.at_least { "at least " } else { "" }
    }
}

/// Seconds of a run in words.
pub fn in_seconds(seconds: f64) -> String {
    match seconds {
        short if short < 10.0 => format!("{short:.2} s"),
        some if some < 1000.0 => format!("{some:.1} s"),
        long => format!("{long:.0} s"),
    }
}

impl Predicted {
    /// The predicted time of a run with the map, or else as launched; `None` if the
    /// prediction is of the first part of a run.
    pub fn model_time(&self, mapped: bool) -> Option<ModelTime> {
        let time = if mapped { self.mapped } else { self.launched };
        (!self.part).then(|| ModelTime {
            time,
            unit: self.unit.clone(),
            predictor: self.predictor,
        })
    }

    /// What was promised; in entries of older versions, what the model says of links alone.
    pub fn promise(&self) -> Promise {
        self.promised.clone().unwrap_or_else(|| Promise {
            gain: self.gain(),
            at_most: true,
            ..Promise::default()
        })
    }

    /// The predicted speed-up of communication: the time as launched over the time with the
    /// map.
    pub fn gain(&self) -> f64 {
        if self.mapped > 0.0 {
            self.launched / self.mapped
        } else {
            1.0
        }
    }
}

/// The time that the model says a run takes on links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelTime {
    /// The time, in `unit`.
    pub time: f64,
    /// The unit of the time.
    pub unit: String,
    /// What the time comes from; `None` in entries of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictor: Option<Predictor>,
}

impl ModelTime {
    /// Whether the time compares with predicted times: the replay and the formula `T` give
    /// different times for the same order.
    pub fn compares_with(&self, predicted: &Predicted) -> bool {
        self.unit == predicted.unit && self.predictor == predicted.predictor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_one_line_of_the_whole_run() {
        let line = |at_most, run| {
            let gain = 1.214;
            let promise = Promise {
                gain,
                at_most,
                run,
                at_least: true,
            };
            promise.line()
        };
        let whole = line(false, Some([4.0, 3.28]));
        assert_eq!(whole, "at least 1.21 x in communication, 3.28 s for 4.00 s");
        let bound = line(true, Some([4000.0, 3280.0]));
        assert_eq!(bound, "up to 1.21 x in communication, 3280 s for 4000 s");
        assert_eq!(line(true, None), "up to 1.21 x in communication");
    }
}
