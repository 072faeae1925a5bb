//! What a placement is promised to save where nobody told the capacities between switches.

use super::ReportInput;
use rankfold_assess::{Assessment, Saving, saved};
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
    let both = [before, after];
    let saving = Saving::assumed(scene.graph, machine, both.map(Assessment::placement))?;
    Some(saving.promised(saved(both.map(|it| it.time().total()))))
}
