//! What predicted times come from, and why.

use rankfold_metric::replay::MOST_RANKS;
use rankfold_metric::time::Predictor;
use std::fmt;

/// What the times of placements that were assessed together come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicted {
    /// Replays: of what is compared, and in a search of so many of its candidates.
    Replayed(usize),
    /// The formula `T`, as the caller asked for it.
    AsAsked,
    /// The formula `T`: the effort leaves no time for a replay.
    TooLittleEffort,
    /// The formula `T`: there are too many ranks, or too many pairs of them exchange messages.
    TooManyRanks,
    /// The formula `T`: the replay of some placement would have taken too long.
    TooMuchWork,
}

impl Predicted {
    /// What predicted times come from.
    #[must_use]
    pub fn predictor(self) -> Predictor {
        match self {
            Self::Replayed(_) => Predictor::Replay,
            _ => Predictor::T,
        }
    }
}

/// In words, for people.
impl fmt::Display for Predicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self {
            Self::Replayed(0 | 1) => return f.write_str("by replay"),
            Self::Replayed(count) => return write!(f, "by replay of the {count} best candidates"),
            Self::AsAsked => return f.write_str("by the formula T, as asked"),
            Self::TooLittleEffort => "a replay needs --effort balanced or best".into(),
            Self::TooManyRanks => format!("up to {MOST_RANKS} ranks are replayed"),
            Self::TooMuchWork => "a replay would take too long".into(),
        };
        write!(f, "by the formula T: {reason}")
    }
}
