//! The turns in which ranks exchange messages: which messages a rank has under way together, and
//! which of them it waits for before it goes on.

mod matching;
#[cfg(test)]
mod tests;

pub(crate) use matching::PairCounts;
use rankfold_base::Rank;
use rankfold_wire::Turns;

/// The turns of every rank, as a source tells them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnsOfRanks(Vec<Turns>);

impl TurnsOfRanks {
    /// Adds the turns of the next rank.
    pub fn push(&mut self, turns: Turns) {
        self.0.push(turns);
    }

    /// Whether those of some rank differ from exchange to exchange.
    #[must_use]
    pub fn differ(&self) -> bool {
        self.0.contains(&Turns::Differing)
    }

    /// Whether they were recorded.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.0.iter().any(|turns| *turns != Turns::NotRecorded)
    }
}

/// What is known of the turns of a program.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum KnownTurns {
    /// Nothing was recorded.
    #[default]
    NotRecorded,
    /// They differ from exchange to exchange.
    Differing,
    /// Those of the ranks do not fit each other, or a large part of the bytes has no turn.
    Unusable,
    /// Every exchange has these turns.
    Known(ProgramTurns),
}

/// The turns of all ranks in one exchange.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ProgramTurns {
    /// Number of exchanges.
    pub exchanges: f64,
    /// Whether all ranks wait for each other between exchanges.
    pub synchronised: bool,
    /// Number of turns of every rank.
    pub of_rank: Vec<u32>,
    /// The messages of one exchange. Those of a pair of ranks are in the order in which they are
    /// sent.
    pub messages: Vec<TurnMessage>,
}

/// Messages from one rank to another that start together.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TurnMessage {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// Number of messages.
    pub messages: f64,
    /// Their share of the bytes of the pair.
    pub share: f64,
    /// The turns of the sender.
    pub sent: Held,
    /// The turns of the receiver.
    pub received: Held,
}

/// From which turn of a rank to which one a message is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Held {
    /// The turn in which the rank starts to send, or from which on it is ready to receive.
    pub started: u32,
    /// The turn at the end of which the rank waits for the message. It may be one of the next
    /// exchange.
    pub waited: u32,
}

impl ProgramTurns {
    /// The largest number of turns of a rank.
    #[must_use]
    pub fn most(&self) -> u32 {
        self.of_rank.iter().copied().max().unwrap_or(0)
    }

    /// The same with rank `order[r]` renamed to r. `numbers` holds the new number of every old
    /// rank.
    pub(super) fn renumbered(&self, order: &[Rank], numbers: &[u32]) -> Self {
        let new = |rank: Rank| Rank(numbers[rank.index()]);
        let messages = self.messages.iter().map(|message| TurnMessage {
            from: new(message.from),
            to: new(message.to),
            ..*message
        });
        let of_rank = order.iter().map(|rank| self.of_rank[rank.index()]);
        Self {
            of_rank: of_rank.collect(),
            messages: messages.collect(),
            ..*self
        }
    }
}
