//! In which order a rank exchanges its messages.

use serde::{Deserialize, Serialize};

/// What is known of the order in which a rank exchanges its messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Turns {
    /// The order was not recorded.
    #[default]
    NotRecorded,
    /// The order differs from exchange to exchange, or the rank receives from whoever sends.
    Differing,
    /// The same cycle over and over again.
    Cycle(Cycle),
}

/// What a rank does in one exchange. The rank repeats it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// Whether most cycles begin behind a collective in which all ranks wait for each other.
    pub synchronised: bool,
    /// The turns, in their order.
    pub turns: Vec<Turn>,
}

/// The messages that a rank starts between two waits, and which are thus under way together. The
/// rank goes on to the next turn when those have arrived that it waits for in this one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// What the rank sends.
    pub sends: Vec<TurnSends>,
    /// What the rank is ready to receive from this turn on.
    pub receives: Vec<TurnReceives>,
}

/// Messages to one rank that are started in one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TurnSends {
    /// The receiver.
    pub rank: u32,
    /// Number of turns after which the sender waits for the messages: 0 if it does so at the end of
    /// this turn.
    pub held: u32,
    /// Number of messages, at least 1.
    pub messages: u32,
    /// Bytes of all these messages, the mean over the cycles that were recorded.
    pub bytes: u64,
}

/// Messages from one rank for which a rank is ready from one turn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TurnReceives {
    /// The sender.
    pub rank: u32,
    /// Number of turns after which the rank waits for the messages.
    pub held: u32,
    /// Number of messages, at least 1.
    pub messages: u32,
}

impl Turns {
    /// Number of items, by which sections of the file are cut.
    pub(crate) fn size(&self) -> usize {
        self.turns()
            .iter()
            .map(|turn| 1 + turn.sends.len() + turn.receives.len())
            .sum()
    }

    /// Whether every rank in it fulfils a condition.
    pub(crate) fn name_only(&self, fulfils: impl Fn(u32) -> bool) -> bool {
        self.turns().iter().all(|turn| {
            turn.sends.iter().all(|sent| fulfils(sent.rank))
                && turn.receives.iter().all(|received| fulfils(received.rank))
        })
    }

    /// The turns of the cycle, if it is known.
    fn turns(&self) -> &[Turn] {
        match self {
            Self::Cycle(cycle) => &cycle.turns,
            _ => &[],
        }
    }
}
