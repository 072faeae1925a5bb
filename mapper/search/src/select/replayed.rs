//! Whether replays decided a selection, and why not.

use rankfold_metric::replay::MOST_RANKS;
use rankfold_metric::time::Predictor;
use std::fmt;

/// Whether placements of a selection were replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// Block order and so many candidates were.
    Finalists(usize),
    /// No: the effort leaves no time for it.
    TooLittleEffort,
    /// No: there are too many ranks, or too many pairs of them exchange messages.
    TooManyRanks,
    /// No: the replay of some placement would have taken too long.
    TooMuchWork,
}

impl Replayed {
    /// What predicted times come from.
    #[must_use]
    pub fn predictor(self) -> Predictor {
        match self {
            Self::Finalists(_) => Predictor::Replay,
            _ => Predictor::T,
        }
    }
}

/// In words, for people.
impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self {
            Self::Finalists(0 | 1) => return f.write_str("by replay"),
            Self::Finalists(count) => return write!(f, "by replay of the {count} best candidates"),
            Self::TooLittleEffort => "a replay needs --effort balanced or best".into(),
            Self::TooManyRanks => format!("up to {MOST_RANKS} ranks are replayed"),
            Self::TooMuchWork => "a replay would take too long".into(),
        };
        write!(f, "by the formula T: {reason}")
    }
}
