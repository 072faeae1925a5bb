//! Predictions in seconds, corrected by how predictions have fared on the machine so far.

use crate::cache::{Cache, Correction, Predicted};
use rankfold_model::words::counted;

/// Predicted seconds inside MPI a rank.
pub(super) struct CorrectedPrediction {
    /// In the order the launcher chooses.
    pub(super) default: f64,
    /// With the map.
    pub(super) mapped: f64,
    by: Correction,
    cluster: String,
}

impl CorrectedPrediction {
    /// What was predicted, times what earlier runs on this machine took over what was predicted of
    /// them. `None` before the first, and of the first part of a run.
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

    /// Where the seconds come from.
    pub(super) fn source(&self) -> String {
        let runs = counted(self.by.runs as usize, "run");
        match self.by.is_of_seconds() {
            true => format!(
                "{:.2} times what the model says, as {runs} on {} took",
                self.by.factor, self.cluster
            ),
            false => format!("from what {runs} on {} took", self.cluster),
        }
    }

    /// Both times, and where they come from.
    pub(super) fn words(&self) -> String {
        format!(
            "{:.3} s a rank, {:.3} s in the launcher's own order ({})",
            self.mapped,
            self.default,
            self.source()
        )
    }

    /// The same for other programs.
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

/// Notes that a run took `longer` times what was predicted; what is known then.
pub(super) fn learn(cache: &Cache, cluster: &str, unit: &str, longer: f64) -> Option<Correction> {
    if !(longer.is_finite() && longer > 0.0) {
        return None;
    }
    let known = cache.correct(cluster, unit, longer);
    if let Err(error) = &known {
        eprintln!("rankfold: the correction is not remembered: {error}");
    }
    known.ok()
}
