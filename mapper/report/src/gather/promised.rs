//! What a placement is promised to save where nobody told the capacities between switches.

use super::ReportInput;
use rankfold_assess::{Assessment, Saving};
use rankfold_machine::Machine;

/// What the second of two placements of one run is promised to save, where nobody told the
/// capacities between switches.
pub(super) fn saving(
    scene: &ReportInput<'_>,
    machine: &Machine,
    assessed: &[Assessment],
) -> Option<f64> {
    let [before, after] = assessed else {
        return None;
    };
    if scene.shown.iter().any(|shown| shown.graph.is_some()) {
        return None;
    }
    let both = [before, after].map(Assessment::placement);
    let saving = Saving::assumed(scene.graph, machine, both)?;
    Some(saving.promised(1.0 - after.time().total() / before.time().total()))
}
