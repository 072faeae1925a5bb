//! What "best" means: the open set behind `--objective`.
//!
//! A member is one file with one type that implements [`Objective`], and one line in
//! [`OBJECTIVES`]. Its value is computed once for every candidate, from its metrics or from
//! anything else that can be told of a placement ([`Judged`]); the choice among candidates,
//! `--explain`, the command line and the reports follow from the trait.

mod congestion;
mod hop_bytes;
mod hybrid;
mod time;

pub use congestion::Congestion;
pub use hop_bytes::HopBytes;
pub use hybrid::Hybrid;
use rankfold_model::comm::CommGraph;
use rankfold_model::machine::Machine;
use rankfold_model::metric::Score;
use rankfold_model::placement::Placement;
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
    /// The name users type, and the figure's name in tables and JSON.
    fn name(&self) -> &'static str;

    /// One line: what is minimised, and where it comes from.
    fn summary(&self) -> &'static str;

    /// What the placement is worth; lower is better, never NaN. Hop-bytes, then congestion, decide
    /// between equals.
    fn value(&self, judged: &Judged<'_>) -> f64;

    /// The most hop-bytes the search for this objective may pay, when `fewest` is what the searches
    /// for hop-bytes reached. A winner may have as many as block order in any case.
    fn most_hop_bytes(&self, fewest: u128) -> u128 {
        fewest.saturating_add(fewest / 10)
    }

    /// The share of block order's value that a placement must save to take its place: below, a user
    /// had better change nothing.
    fn least_saving(&self) -> f64 {
        0.0
    }

    /// What anneals from the best placements are to lower; `None` leaves those as they are.
    fn anneal(&self, _: &CommGraph) -> Option<Anneal> {
        None
    }

    /// What descents from the placements with the fewest hop-bytes are to lower; `None` leaves
    /// those as they are.
    fn aim(&self, graph: &CommGraph) -> Option<Aim>;
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

/// What a descent lowers, exchange by exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// Highest congestion, hop-bytes a little.
    Congestion,
    /// PTRAM's sum on weights relative to the heaviest message.
    Hybrid {
        /// Bytes of the heaviest message.
        heaviest: f64,
    },
}

/// What anneals lower.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anneal {
    /// Predicted time with this share of the mean transfer.
    Time(f64),
    /// Highest congestion and this share of the mean transfer.
    Congestion(f64),
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
