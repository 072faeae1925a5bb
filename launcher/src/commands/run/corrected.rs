//! Predicted times, corrected by the ratio of measured to predicted time of earlier runs on the
//! same cluster.

use crate::cache::{Cache, Correction, Predicted};
use rankfold_mapper::cli::terminal;
use rankfold_model::words::counted;

/// Corrected predictions, in seconds inside MPI a rank.
pub(super) struct CorrectedPrediction {
    /// The time in the launcher's own order.
    pub(super) default: f64,
    /// The time with the map.
    pub(super) mapped: f64,
    by: Correction,
    cluster: String,
}

impl CorrectedPrediction {
    /// Corrects `predicted` by the runs on `cluster` so far; `None` where there was no such run, or
    /// where the prediction is of the first part of a run only.
    pub(super) fn new(cache: Option<&Cache>, cluster: &str, predicted: &Predicted) -> Option<Self> {
        if predicted.part {
            return None;
        }
        let by = cache?.correction(cluster, &predicted.unit)?;
        Some(Self {
            default: predicted.default * by.factor,
            mapped: predicted.mapped * by.factor,
            cluster: cluster.to_owned(),
            by,
        })
    }

    /// The origin of the seconds, in words.
    pub(super) fn source(&self) -> String {
        let runs = counted(self.by.runs as usize, "run");
        if self.by.is_of_seconds() {
            format!(
                "{:.2} times what the model says, as {runs} on {} took",
                self.by.factor, self.cluster
            )
        } else {
            format!("from what {runs} on {} took", self.cluster)
        }
    }

    /// The two times and their origin, in words.
    pub(super) fn words(&self) -> String {
        format!(
            "{:.3} s a rank, {:.3} s in the launcher's own order ({})",
            self.mapped,
            self.default,
            self.source()
        )
    }

    /// The two times and their origin as JSON, for `--json`.
    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "seconds": self.mapped,
            "default_seconds": self.default,
            "factor": self.by.factor,
            "runs": self.by.runs,
            "machine": self.cluster,
        })
    }
}

/// Adds a run to the correction of `cluster`: it took `longer` times the predicted time. Returns
/// the new correction; `None` where the ratio is no positive number or cannot be stored.
pub(super) fn learn(cache: &Cache, cluster: &str, unit: &str, longer: f64) -> Option<Correction> {
    if !(longer.is_finite() && longer > 0.0) {
        return None;
    }
    let known = cache.correct(cluster, unit, longer);
    if let Err(error) = &known {
        terminal::warning(format_args!("the correction is not remembered: {error}"));
    }
    known.ok()
}
