//! What a prediction rests on that nobody told: capacities of the links between switches.

use rankfold_assess::Saving;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Links between switches of which nobody told the capacity, and what that can change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AssumedCapacities {
    /// Bandwidth into a switch from below to bandwidth upwards, as it is taken.
    oversubscription: &'static str,
    /// The share of the time as launched, or else of block order's, that the placement saves, by
    /// the formula `T`.
    saving: f64,
    /// The same with links of 4:1 above the leaf switches; null on a network of no tree.
    saving_if_narrow: Option<f64>,
    /// The share that is promised to be saved, by the predictor of `predicted_time`: the least with
    /// capacities that fit what was told.
    promised: f64,
}

/// The ratio of [narrow](Machine::narrow) links.
const NARROW: &str = "4:1";

/// Savings that differ by less are told once.
const WORTH_TELLING: f64 = 0.05;

impl AssumedCapacities {
    /// What rests on assumed capacities, where times with these say that `saved` is saved.
    #[must_use]
    pub fn of(saving: &Saving, saved: f64) -> Self {
        Self {
            oversubscription: "1:1",
            saving: saving.as_taken,
            saving_if_narrow: saving.if_narrow,
            promised: saving.promised(saved),
        }
    }
}

/// A line on what is assumed, and one where that matters.
impl fmt::Display for AssumedCapacities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "capacities above the nodes are not told: taken as 1:1")?;
        let Some(narrow) = self.saving_if_narrow else {
            return Ok(());
        };
        if (narrow - self.saving).abs() <= WORTH_TELLING {
            return Ok(());
        }
        let percent = |share: f64| (100.0 * share).round();
        let (least, most) = (
            percent(self.saving.min(narrow)),
            percent(self.saving.max(narrow)),
        );
        writeln!(
            f,
            "with links between 1:1 and {NARROW} above the leaf switches {least} to {most} % are saved: \
             --oversubscription {NARROW}, or oversubscription = [\"{NARROW}\"] in the machine file, tells"
        )
    }
}
