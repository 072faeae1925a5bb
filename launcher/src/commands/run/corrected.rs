//! Predicted seconds inside MPI in both orders, from the model and from what runs of the program
//! have taken.

use super::correction::Correction;
use super::shares::{ShareFigures, TimeShares};
use rankfold_base::words;
use rankfold_cache::{Measured, Predicted, Promise, counted};
use rankfold_metric::time::Predictor;
use schemars::JsonSchema;
use serde::Serialize;

/// Predicted seconds inside MPI a rank.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::commands) struct CorrectedPrediction {
    /// The time in the order as launched.
    pub(super) launched: f64,
    /// The time with the map.
    pub(super) mapped: f64,
    correction: Correction,
    /// Whether a run with the map is among those that correct the prediction.
    pub(in crate::commands) knows_the_map: bool,
    /// What the model's times come from.
    predictor: Option<Predictor>,
    /// What the time of runs in the order as launched is spent on; `None` where none was
    /// measured.
    pub(in crate::commands) shares: Option<TimeShares>,
}

/// Predicted seconds inside MPI, from the model and from what runs of the program have taken. The
/// field names are keys of `--json`.
#[derive(Serialize, JsonSchema)]
pub(super) struct CorrectedFigures {
    /// Seconds inside MPI a rank with the map.
    seconds: f64,
    /// Seconds inside MPI a rank in the order as launched.
    default_seconds: f64,
    /// `default_seconds` over `seconds`.
    gain: f64,
    /// What the model's times come from; null where an older version has stored them.
    predicted_by: Option<Predictor>,
    /// Whether the gain is the highest that is possible rather than the one to expect.
    is_bound: bool,
    /// Seconds inside MPI a rank that the model does not explain, and that no order changes.
    unexplained_seconds: f64,
    /// Measured seconds for one unit of the model's time.
    stretch: f64,
    /// Number of measured runs that the correction comes from.
    runs: usize,
    /// What the time in the order as launched is spent on; null where none was measured.
    shares: Option<ShareFigures>,
}

impl CorrectedPrediction {
    /// Corrects `predicted` by the measured runs of the program; `None` where there was none with
    /// the arguments that were profiled, or where the prediction is of a part of a run.
    pub(in crate::commands) fn new(runs: &[Measured], predicted: &Predicted) -> Option<Self> {
        if predicted.part {
            return None;
        }
        let modelled: Vec<&Measured> = runs.iter().filter(|run| run.model.is_some()).collect();
        let runs: Vec<&Measured> = counted(&modelled);
        let correction = Correction::of(runs.iter().copied(), predicted)?;
        let knows_the_map = runs.iter().any(|run| run.mapped);
        let launched: Vec<&Measured> = runs.into_iter().filter(|run| !run.mapped).collect();
        let moving = correction.stretch * predicted.launched;
        Some(Self {
            launched: correction.seconds(predicted.launched),
            mapped: correction.seconds(predicted.mapped),
            correction,
            knows_the_map,
            predictor: predicted.predictor,
            shares: TimeShares::new(&launched, moving, correction.is_bound),
        })
    }

    /// The predicted ratio of the time in the order as launched to the time with the map.
    pub(super) fn gain(&self) -> f64 {
        if self.mapped > 0.0 {
            self.launched / self.mapped
        } else {
            1.0
        }
    }

    /// What is promised of the map.
    pub(in crate::commands) fn promise(&self) -> Promise {
        Promise {
            gain: self.gain(),
            at_most: self.correction.is_bound,
            run: self.whole_run(),
            at_least: false,
        }
    }

    /// Predicted seconds of a whole run in the order as launched and with the map; `None` where
    /// none was measured.
    fn whole_run(&self) -> Option<[f64; 2]> {
        let launched = self.shares.as_ref()?.run();
        Some([
            launched,
            (launched - (self.launched - self.mapped)).max(0.0),
        ])
    }

    /// The predicted gain in words; "at most" stands before a bound.
    pub(in crate::commands) fn gain_words(&self) -> String {
        let at_most = if self.correction.is_bound {
            "at most "
        } else {
            ""
        };
        format!("{at_most}{:.2}", self.gain())
    }

    /// The two times and their origin, in words.
    pub(in crate::commands) fn words(&self) -> String {
        format!(
            "{:.3} s a rank inside MPI, {:.3} s in the order as launched ({})",
            self.mapped,
            self.launched,
            self.source()
        )
    }

    /// The origin of the seconds, in words.
    pub(super) fn source(&self) -> String {
        let Correction {
            unexplained,
            stretch,
            runs,
            is_bound,
        } = self.correction;
        let runs = words::counted(runs, "run");
        let links = self.launched - unexplained;
        let at_most = if is_bound { "at most " } else { "" };
        if stretch == 0.0 {
            return format!("from {runs}: no order changes any of it");
        }
        format!(
            "from {runs}: in the order as launched {at_most}{links:.3} s on links, {unexplained:.3} s that no order changes"
        )
    }

    /// The prediction for `--json`.
    pub(super) fn figures(&self) -> CorrectedFigures {
        CorrectedFigures {
            seconds: self.mapped,
            default_seconds: self.launched,
            gain: self.gain(),
            predicted_by: self.predictor,
            is_bound: self.correction.is_bound,
            unexplained_seconds: self.correction.unexplained,
            stretch: self.correction.stretch,
            runs: self.correction.runs,
            shares: self.shares.as_ref().map(TimeShares::figures),
        }
    }
}
