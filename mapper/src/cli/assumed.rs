//! What a prediction rests on that nobody told: capacities of the links between switches.

use super::verdict::{ComparedWith, Figure};
use rankfold_assess::Assessor;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_problem::objective::{self, Objective};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Links between switches of which nobody told the capacity, and what that can change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AssumedCapacities {
    /// Bandwidth into a switch from below to bandwidth upwards, as it is taken.
    oversubscription: &'static str,
    /// The share of block order's time that the placement saves, by the formula `T`.
    saving: f64,
    /// The same with links of 4:1 above the leaf switches; null on a network of no tree.
    saving_if_narrow: Option<f64>,
}

/// The ratio of [narrow](Machine::narrow) links.
const NARROW: &str = "4:1";

/// Savings that differ by less are told once.
const WORTH_TELLING: f64 = 0.05;

impl AssumedCapacities {
    /// What a placement on a machine rests on; `None` where capacities were told, or only one host
    /// is used.
    #[must_use]
    pub fn of(graph: &CommGraph, machine: &Machine, placement: &Placement) -> Option<Self> {
        if !machine.assumes_capacities() {
            return None;
        }
        let block = machine.block_order(placement.ranks());
        let saving = |machine: &Machine| {
            let assessor = Assessor::on(graph, machine);
            let [own, block] =
                [placement, &block].map(|it| assessor.by_formula(it.clone()).time().formula());
            if block > 0.0 { 1.0 - own / block } else { 0.0 }
        };
        Some(Self {
            oversubscription: "1:1",
            saving: saving(machine),
            saving_if_narrow: machine.narrow().map(|it| saving(&it)),
        })
    }

    /// Lets the time of a placement beside block order's promise the least that is saved.
    pub(super) fn limit(&self, figure: &mut Figure) {
        let is_time = figure.name == objective::Time.figure();
        if is_time && figure.compared_with == ComparedWith::Block {
            let narrow = self.saving_if_narrow.unwrap_or(self.saving);
            let least = figure.saved() - (self.saving - narrow).max(0.0);
            figure.least_saved = Some(least);
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
            "with links between 1:1 and {NARROW} above the leaf switches it is {least} to {most} % less than block \
             order: --oversubscription {NARROW}, or oversubscription = [\"{NARROW}\"] in the machine file, tells"
        )
    }
}
