//! A placement with its figures.

use rankfold_base::Placement;
use rankfold_metric::Score;
use rankfold_metric::replay::Replay;
use rankfold_metric::time::Time;
use serde::{Deserialize, Serialize};

/// A placement with its figures. Only an [`Assessor`](crate::Assessor) makes one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Sent", into = "Sent")]
pub struct Assessment {
    placement: Placement,
    score: Score,
    replay: Option<Replay>,
}

impl Assessment {
    /// The figures that were computed for this placement, with its time by the formula `T`.
    pub(crate) fn new(placement: Placement, score: Score) -> Self {
        Self {
            placement,
            score,
            replay: None,
        }
    }

    /// Rank -> slot.
    #[must_use]
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// All metrics, the predicted time among them.
    #[must_use]
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// The predicted time.
    #[must_use]
    pub fn time(&self) -> &Time {
        &self.score.time
    }

    /// The replay that the time comes from; `None` where it comes from the formula `T`.
    #[must_use]
    pub fn replay(&self) -> Option<&Replay> {
        self.replay.as_ref()
    }

    /// The same placement with the time by a replay of it.
    #[must_use]
    pub fn by_replay(self, replay: Replay) -> Self {
        let time = self.score.time.with_replay(replay.total);
        Self {
            score: Score { time, ..self.score },
            replay: Some(replay),
            ..self
        }
    }

    /// The same placement with the time by the formula `T`.
    #[must_use]
    pub fn by_formula(self) -> Self {
        let time = self.score.time.by_formula();
        Self {
            score: Score { time, ..self.score },
            replay: None,
            ..self
        }
    }

    /// The same with congestion over all shortest paths, where that was computed.
    #[must_use]
    pub fn with_paths(self, AllPaths(max_congestion_amp): AllPaths) -> Self {
        Self {
            score: Score {
                max_congestion_amp,
                ..self.score
            },
            ..self
        }
    }

    /// The same with the congestion over all shortest paths that a placement with the same ranks on
    /// every node has.
    #[must_use]
    pub fn with_paths_of(self, other: &Self) -> Self {
        self.with_paths(AllPaths(other.score.max_congestion_amp))
    }

    /// The same placement with other numbers for its ranks, which change none of its figures.
    #[must_use]
    pub fn renumbered(self, number: impl FnOnce(Placement) -> Placement) -> Self {
        Self {
            placement: number(self.placement),
            ..self
        }
    }
}

/// The congestion of a placement over all shortest paths; `None` where that takes too long.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct AllPaths(pub(crate) Option<f64>);

/// An assessment as processes send it to each other, before anything was replayed. The score leaves
/// its time out when it is serialised.
#[derive(Serialize, Deserialize)]
struct Sent {
    placement: Placement,
    score: Score,
    time: Time,
}

impl From<Assessment> for Sent {
    fn from(assessment: Assessment) -> Self {
        Self {
            time: assessment.score.time,
            placement: assessment.placement,
            score: assessment.score,
        }
    }
}

impl From<Sent> for Assessment {
    fn from(sent: Sent) -> Self {
        let Sent {
            placement,
            score,
            time,
        } = sent;
        Self::new(placement, Score { time, ..score })
    }
}
