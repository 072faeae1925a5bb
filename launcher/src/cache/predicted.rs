//! The communication times that the model predicts of the two orders of the ranks.

use rankfold_metric::time::Predictor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The communication times that were predicted when the map was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Predicted {
    /// The time with the ranks where the launcher puts them.
    #[serde(rename = "default")]
    pub(crate) launched: f64,
    /// The time with the map.
    pub(crate) mapped: f64,
    /// The unit of the two times.
    pub(crate) unit: String,
    /// What both times come from; `None` in entries of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) predictor: Option<Predictor>,
    /// Whether the profile is of the first part of a run only. The predicted times are then of that
    /// part too, and are not compared with times of whole runs.
    #[serde(default)]
    pub(crate) part: bool,
}

impl Predicted {
    /// The predicted time of a run with the map, or else as launched; `None` if the
    /// prediction is of the first part of a run.
    pub(crate) fn model_time(&self, mapped: bool) -> Option<ModelTime> {
        let time = if mapped { self.mapped } else { self.launched };
        (!self.part).then(|| ModelTime {
            time,
            unit: self.unit.clone(),
            predictor: self.predictor,
        })
    }

    /// The predicted speed-up of communication: the time as launched over the time with the
    /// map.
    pub(crate) fn gain(&self) -> f64 {
        if self.mapped > 0.0 {
            self.launched / self.mapped
        } else {
            1.0
        }
    }
}

/// The time that the model says a run takes on links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ModelTime {
    /// The time, in `unit`.
    pub(crate) time: f64,
    /// The unit of the time.
    pub(crate) unit: String,
    /// What the time comes from; `None` in entries of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) predictor: Option<Predictor>,
}

impl ModelTime {
    /// Whether the time compares with predicted times: the replay and the formula `T` give
    /// different times for the same order.
    pub(crate) fn compares_with(&self, predicted: &Predicted) -> bool {
        self.unit == predicted.unit && self.predictor == predicted.predictor
    }
}
