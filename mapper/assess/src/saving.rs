//! What a placement is promised to save where nobody told the capacities between switches.

use crate::Assessor;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;

/// The share of another placement's time that a placement saves, by the formula `T`, with two of
/// the capacities that fit what was told. Between these two it saves no less than the lesser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saving {
    /// With capacities as they are taken, 1:1.
    pub as_taken: f64,
    /// With links of 4:1 above the leaf switches; `None` on a network of no tree.
    pub if_narrow: Option<f64>,
}

impl Saving {
    /// What the second of two placements saves over the first; `None` where capacities were told.
    #[must_use]
    pub fn assumed(
        graph: &CommGraph,
        machine: &Machine,
        [reference, placement]: [&Placement; 2],
    ) -> Option<Self> {
        let saving = |machine: &Machine| {
            let assessor = Assessor::on(graph, machine);
            saved([reference, placement].map(|it| assessor.by_formula(it.clone()).time().formula()))
        };
        machine.assumes_capacities().then(|| Self {
            as_taken: saving(machine),
            if_narrow: machine.narrow().map(|it| saving(&it)),
        })
    }

    /// The share that is promised to be saved, where times with capacities as they are taken say
    /// `saved`: the least with capacities that fit what was told.
    #[must_use]
    pub fn promised(&self, saved: f64) -> f64 {
        let narrow = self.if_narrow.unwrap_or(self.as_taken);
        saved - (self.as_taken - narrow).max(0.0)
    }
}

/// The share of a time that another time saves; 0 where there is no time to save.
#[must_use]
pub fn saved([before, after]: [f64; 2]) -> f64 {
    if before > 0.0 {
        1.0 - after / before
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_promised() {
        let promised = |if_narrow| {
            let as_taken = 0.5;
            (Saving {
                as_taken,
                if_narrow,
            })
            .promised(0.375)
        };
        assert_eq!(promised(Some(0.25)), 0.125);
        assert_eq!(promised(Some(0.75)), 0.375);
        assert_eq!(promised(None), 0.375);
    }
    #[test]
    fn where_there_is_no_time_nothing_is_saved() {
        assert_eq!(saved([0.0, 0.0]), 0.0);
        assert_eq!(saved([4.0, 3.0]), 0.25);
    }
}
