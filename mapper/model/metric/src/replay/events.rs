//! Events of an exchange, in the order of their times.

use std::cmp::Ordering;

/// What happens, in the order in which events of the same time are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Happening {
    /// All bytes of a message have arrived, unless it has become slower since this was foreseen.
    Arrival { message: u32 },
    /// The delay of a message has passed.
    Flow { message: u32 },
    /// A rank enters its next step.
    Entry { rank: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) time: f64,
    pub(super) what: Happening,
}

impl Eq for Event {}

impl Ord for Event {
    /// The earliest event is the greatest, so that a heap gives it first.
    fn cmp(&self, other: &Self) -> Ordering {
        let time = other.time.total_cmp(&self.time);
        time.then(other.what.cmp(&self.what))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
