//! What each rank does in an exchange, step by step.

use super::messages::ExchangeMessage;
use rankfold_base::{Csr, Rank};
use rankfold_graph::{Held, ProgramTurns, TurnMessage};

/// What every rank does, step by step: it starts the sends of a step and is ready for its receives,
/// waits for the receives that this step awaits and for sends that wait for their receivers, and
/// goes on to the next step.
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
    /// The steps in which the sender and the receiver of every message wait for it.
    pub(super) send_wait: Vec<u32>,
    pub(super) receive_wait: Vec<u32>,
    /// The messages for which a rank waits in every step, as their sender and as their receiver.
    pub(super) awaited_sends: Csr<u32>,
    pub(super) awaited_receives: Csr<u32>,
}

/// The steps of one side of every message.
struct Side {
    started: Vec<u32>,
    waited: Vec<u32>,
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
        // A rank waits for a message where it has started it.
        let side = |started: Vec<u32>| Side {
            waited: started.clone(),
            started,
        };
        Self::of_sides(first, side(send_step), side(receive_step))
    }

    /// A step for each turn of each of `rounds` exchanges. The messages of the first exchange come
    /// first, in the order of `turns`, then those of the second one.
    pub(super) fn in_turns(turns: &ProgramTurns, rounds: u32) -> Self {
        let mut first = vec![0];
        for own in &turns.of_rank {
            first.push(first[first.len() - 1] + own * rounds);
        }
        let side = |of: fn(&TurnMessage) -> (Rank, Held)| {
            let all = (0..rounds).flat_map(|round| {
                let messages = turns.messages.iter().map(of);
                messages.map(move |(rank, held)| (round, rank.index(), held))
            });
            let steps = all.map(|(round, rank, Held { started, waited })| {
                let before = first[rank] + round * turns.of_rank[rank];
                let last = first[rank + 1] - 1;
                (before + started, before.saturating_add(waited).min(last))
            });
            let (started, waited) = steps.unzip();
            Side { started, waited }
        };
        let sending = side(|message| (message.from, message.sent));
        let receiving = side(|message| (message.to, message.received));
        Self::of_sides(first, sending, receiving)
    }

    fn of_sides(first: Vec<u32>, sending: Side, receiving: Side) -> Self {
        let steps = first[first.len() - 1] as usize;
        let by_step = |of: &[u32]| {
            let at = of.iter().map(|&step| step as usize);
            Csr::grouped(steps, at.zip(0..))
        };
        Self {
            sends: by_step(&sending.started),
            receives: by_step(&receiving.started),
            awaited_sends: by_step(&sending.waited),
            awaited_receives: by_step(&receiving.waited),
            send_step: sending.started,
            receive_step: receiving.started,
            send_wait: sending.waited,
            receive_wait: receiving.waited,
            first,
        }
    }

    /// Number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.first.len() - 1
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
