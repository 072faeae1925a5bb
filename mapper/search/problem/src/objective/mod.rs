//! What "best" means: the open set behind `--objective`.
//!
//! A member is one file with one type that implements [`Objective`], and one line in
//! [`OBJECTIVES`]. It brings the figure that is minimised with its name and its print, a bound that
//! no placement is below, and what the searches on the exact routes are to lower
//! ([`DescentAim`], [`AnnealAim`]). The value is computed once for every candidate, from the
//! metrics of its placement or from anything else that a [`Judged`] placement tells; the choice
//! among candidates, `--explain`, the verdict and the reports follow from the trait.

mod aims;
mod congestion;
mod hop_bytes;
mod hybrid;
mod printed;
mod time;

pub use aims::{AnnealAim, AnnealStart, ChannelSums, DescentAim, LinkTimes, UnknownTies};
pub use congestion::Congestion;
pub use hop_bytes::HopBytes;
pub use hybrid::Hybrid;
pub use printed::{printed_number, printed_squared_time, printed_time};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::Score;
use serde::{Serialize, Serializer};
use std::fmt;
pub use time::Time;

/// Every objective there is; the first is the default.
pub const OBJECTIVES: &[&dyn Objective] = &[&Time, &HopBytes, &Congestion, &Hybrid];

/// The objective of this name.
#[must_use]
pub fn objective(name: &str) -> Option<&'static dyn Objective> {
    let mut all = OBJECTIVES.iter().copied();
    all.find(|objective| objective.name() == name)
}

/// What is to be minimised. One file per member, listed in [`OBJECTIVES`].
pub trait Objective: fmt::Debug + Sync {
    /// The name users type, and the figure's name in `--json` and `--explain`.
    fn name(&self) -> &'static str;

    /// One line: what is minimised, and where it comes from.
    fn summary(&self) -> &'static str;

    /// The figure as sentences and tables name it: `predicted time`.
    fn figure(&self) -> &'static str {
        self.name()
    }

    /// What the placement is worth; lower is better, never NaN. Hop-bytes, then congestion, decide
    /// between equals.
    fn value(&self, judged: &Judged<'_>) -> f64;

    /// A value of the figure as people read it, with its unit.
    fn printed(&self, value: f64, _: &Machine) -> String {
        printed_number(value)
    }

    /// A value that no placement is below (certified); `None` where no bound is known.
    fn lower_bound(&self, _: &BoundsOf<'_>) -> Option<f64> {
        None
    }

    /// The most hop-bytes that a search for this objective may pay, when `fewest` is what the
    /// searches for hop-bytes reached. A winner may have as many as block order in any case.
    fn most_hop_bytes(&self, fewest: u128) -> u128 {
        fewest.saturating_add(fewest / 10)
    }

    /// The share of block order's value that a placement must save to take its place: below that, a
    /// user had better change nothing.
    fn least_saving(&self) -> f64 {
        0.0
    }

    /// What descents from the placements with the fewest hop-bytes are to lower; `None` leaves
    /// those placements as they are.
    fn descent<'a>(&self, _: &'a CommGraph, _: &'a Machine) -> Option<Box<dyn DescentAim + 'a>> {
        None
    }

    /// What anneals from the best placements are to lower; `None` leaves those placements as they
    /// are.
    fn anneal<'a>(&self, _: &'a CommGraph, _: &'a Machine) -> Option<Box<dyn AnnealAim + 'a>> {
        None
    }

    /// Whether the value is a predicted time, so that the best placements are replayed and the
    /// replays decide among them.
    fn is_predicted_time(&self) -> bool {
        false
    }

    /// Whether the winner is an anneal's result as a rule. Descents and long refinements then only
    /// find starts for the anneals, in less time.
    fn is_decided_by_anneals(&self) -> bool {
        false
    }
}

/// A placement to be judged, and what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// Directed bytes between ranks.
    pub graph: &'a CommGraph,
    /// Nodes, network and slots.
    pub machine: &'a Machine,
    /// Rank -> slot.
    pub placement: &'a Placement,
    /// Its metrics, all but [`Score::max_congestion_amp`].
    pub score: &'a Score,
}

/// BoundsOf that hold for every placement of a graph on a machine.
#[derive(Clone, Copy, Debug)]
pub struct BoundsOf<'a> {
    /// Directed bytes between ranks.
    pub graph: &'a CommGraph,
    /// Nodes, network and slots.
    pub machine: &'a Machine,
    /// No placement has fewer hop-bytes.
    pub hop_bytes: u128,
    /// No placement has a lower highest congestion.
    pub congestion: f64,
    /// No placement has a shorter predicted time.
    pub time: f64,
}

impl Default for &'static dyn Objective {
    fn default() -> Self {
        OBJECTIVES[0]
    }
}

impl PartialEq for dyn Objective {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn Objective {}

impl Serialize for dyn Objective {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_objective_is_found_by_the_name_it_is_written_with() {
        for &member in OBJECTIVES {
            assert_eq!(objective(member.name()), Some(member));
            let written = serde_json::to_value(member).unwrap();
            assert_eq!(written, member.name());
        }
        assert_eq!(objective("fastest"), None);
    }
}
