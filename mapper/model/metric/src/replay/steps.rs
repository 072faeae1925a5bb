//! What each rank does in an exchange, step by step.

use super::messages::ExchangeMessage;
use rankfold_base::Csr;

/// What every rank does, step by step: it starts the sends of a step, waits for its receives and
/// for sends that wait for their receivers, and goes on to the next step.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// The steps of every rank, numbered across all ranks: the first step of each rank, followed by
    /// the number of steps.
    first: Vec<u32>,
    /// The messages that are sent and received in every step.
    pub(super) sends: Csr<u32>,
    pub(super) receives: Csr<u32>,
    /// The step of the sender and of the receiver of every message.
    pub(super) send_step: Vec<u32>,
    pub(super) receive_step: Vec<u32>,
}

impl Steps {
    /// One step a rank: all messages are under way at once.
    pub(super) fn all_at_once(ranks: usize, messages: &[ExchangeMessage]) -> Self {
        Self::by_turns(ranks, messages, &vec![0; messages.len()])
    }

    /// A step for each turn that a rank takes part in, in the order of the turns.
    pub(super) fn by_turns(ranks: usize, messages: &[ExchangeMessage], turns: &[u32]) -> Self {
        let mut of_rank = vec![Vec::new(); ranks];
        for (message, &turn) in messages.iter().zip(turns) {
            of_rank[message.from.index()].push(turn);
            of_rank[message.to.index()].push(turn);
        }
        let mut first = vec![0];
        for own in &mut of_rank {
            own.sort_unstable();
            own.dedup();
            first.push(first[first.len() - 1] + own.len() as u32);
        }
        let step = |rank: usize, turn: u32| {
            let place = of_rank[rank].binary_search(&turn);
            first[rank] + place.expect("the rank takes part in the turn") as u32
        };
        let ends = || messages.iter().zip(turns);
        let send_step: Vec<u32> = ends()
            .map(|(m, &turn)| step(m.from.index(), turn))
            .collect();
        let receive_step: Vec<u32> = ends().map(|(m, &turn)| step(m.to.index(), turn)).collect();
        let by_step = |of: &[u32]| {
            let steps = of.iter().map(|&step| step as usize);
            Csr::grouped(first[ranks] as usize, steps.zip(0..))
        };
        Self {
            sends: by_step(&send_step),
            receives: by_step(&receive_step),
            send_step,
            receive_step,
            first,
        }
    }

    /// The steps of a rank.
    pub(super) fn of(&self, rank: usize) -> std::ops::Range<u32> {
        self.first[rank]..self.first[rank + 1]
    }

    /// The messages that are sent in a step, then those that are received.
    pub(super) fn messages(&self, step: u32) -> impl Iterator<Item = &u32> + Clone {
        let sends = self.sends.row(step as usize).iter();
        sends.chain(self.receives.row(step as usize))
    }

    /// Number of steps of all ranks.
    pub(super) fn len(&self) -> usize {
        self.sends.rows()
    }
}
