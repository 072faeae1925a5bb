//! What `rankfold run` writes with `--json`.

use super::comparison::ComparisonFigures;
use super::corrected::CorrectedFigures;
use rankfold_mapper::cli::report::Report;
use rankfold_mapper::document::Document;
use schemars::JsonSchema;
use serde::Serialize;

/// The map of a run, and what it is predicted to gain.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct RunDocument<'a> {
    /// The figures of the search.
    #[serde(flatten)]
    pub(super) figures: &'a Report<'a>,
    /// The prediction, corrected by what runs of the program have taken; null where no run was
    /// measured that tells.
    pub(super) corrected: Option<CorrectedFigures>,
    /// The times of runs in both orders, with `--compare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) comparison: Option<ComparisonFigures>,
}

impl Document for RunDocument<'_> {
    const NAME: &'static str = "run";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str =
        "run: the figures of the map, the corrected prediction, and the comparison";
}

/// The times of runs in both orders where no map was made: the map was given, or known before.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct ComparisonDocument {
    /// The times.
    pub(super) comparison: ComparisonFigures,
}

impl Document for ComparisonDocument {
    const NAME: &'static str = "comparison";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str =
        "run --compare with a map that was given or known: the times of both orders";
}
