//! From the turns of each rank to those of a program: every message that one rank sends is one that
//! another rank receives.

use super::{Held, KnownTurns, ProgramTurns, TurnMessage, TurnsOfRanks};
use rankfold_base::Rank;
use rankfold_wire::{Cycle, Turns};
use std::collections::BTreeMap;

/// The largest share of the bytes that may have no turn, as those before the first exchange. Chosen
/// by hand; not measured.
const WITHOUT_TURN: f64 = 0.1;

/// How far a ratio of two numbers of exchanges may be from a whole number, relative to it. Chosen
/// by hand: messages before the first exchange count, too.
const ROUGHLY: f64 = 0.1;

/// Messages of one cycle on one of their sides.
#[derive(Clone, Copy)]
struct Part {
    messages: u64,
    bytes: u64,
    held: Held,
}

/// Messages and bytes from one rank to another, for all pairs with traffic.
pub(crate) type PairCounts = BTreeMap<(u32, u32), (f64, u64)>;

/// The parts of each pair of ranks, in the order of their turns.
type Parts = BTreeMap<(u32, u32), Vec<Part>>;

impl TurnsOfRanks {
    /// The turns of a program of so many `ranks`, whose pairs have the `counts`.
    pub(crate) fn of_program(
        &self,
        ranks: usize,
        counts: impl FnOnce() -> PairCounts,
    ) -> KnownTurns {
        if !self.is_recorded() || self.0.len() != ranks {
            return KnownTurns::NotRecorded;
        }
        let mut cycles = Vec::with_capacity(self.0.len());
        for turns in &self.0 {
            match turns {
                Turns::Cycle(cycle) => cycles.push(cycle),
                Turns::Differing => return KnownTurns::Differing,
                Turns::NotRecorded => return KnownTurns::NotRecorded,
            }
        }
        let counts = counts();
        if counts.is_empty() {
            return KnownTurns::NotRecorded;
        }
        matched(&counts, &cycles).map_or(KnownTurns::Unusable, KnownTurns::Known)
    }
}

fn matched(counts: &PairCounts, cycles: &[&Cycle]) -> Option<ProgramTurns> {
    let cycles_of_rank: Vec<Option<f64>> = (0..)
        .zip(cycles)
        .map(|(rank, cycle)| number_of_cycles(rank, cycle, counts))
        .collect();
    let known = cycles_of_rank.iter().flatten().copied();
    let exchanges = known.reduce(f64::min)?.max(1.0);
    let (mut sent, mut received) = (Parts::new(), Parts::new());
    let mut of_rank = Vec::with_capacity(cycles.len());
    for (rank, (cycle, number)) in (0..).zip(cycles.iter().zip(&cycles_of_rank)) {
        let repeats = repeats(number.unwrap_or(exchanges) / exchanges)?;
        add_parts(rank, cycle, repeats, &mut sent, &mut received);
        of_rank.push((cycle.turns.len() as u32 * repeats).max(1));
    }
    let mut messages = Vec::new();
    let mut without_turn = 0.0;
    for (&(from, to), &(_, bytes)) in counts {
        let sides = (sent.get(&(from, to)), received.get(&(from, to)));
        if let (Some(sent), Some(received)) = sides {
            join(from, to, sent, received, &mut messages)?;
        } else if sides.0.is_some() || sides.1.is_some() {
            return None;
        } else {
            without_turn += bytes as f64;
            messages.push(in_the_last_turns(from, to, &of_rank));
        }
    }
    let all_bytes: f64 = counts.values().map(|&(_, bytes)| bytes as f64).sum();
    let are_covered = without_turn <= WITHOUT_TURN * all_bytes;
    are_covered.then(|| ProgramTurns {
        exchanges,
        synchronised: cycles
            .iter()
            .all(|cycle| cycle.synchronised || cycle.turns.is_empty()),
        of_rank,
        messages,
    })
}

/// How often a rank has repeated its cycle: the median over its partners. `None` for a rank without
/// partners.
fn number_of_cycles(rank: u32, cycle: &Cycle, counts: &PairCounts) -> Option<f64> {
    let mut in_cycle = BTreeMap::new();
    for turn in &cycle.turns {
        for sent in &turn.sends {
            *in_cycle.entry((rank, sent.rank)).or_insert(0.0) += f64::from(sent.messages);
        }
        for received in &turn.receives {
            *in_cycle.entry((received.rank, rank)).or_insert(0.0) += f64::from(received.messages);
        }
    }
    let of_pair = |(pair, messages): (&(u32, u32), &f64)| Some(counts.get(pair)?.0 / messages);
    let mut numbers: Vec<f64> = in_cycle.iter().filter_map(of_pair).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// The number of cycles that a rank goes through in one exchange of the program. `None` if the
/// ratio is no whole number.
fn repeats(ratio: f64) -> Option<u32> {
    let whole = ratio.round();
    let is_whole = whole >= 1.0 && (ratio - whole).abs() <= ROUGHLY * whole;
    (is_whole && whole <= f64::from(u16::MAX)).then_some(whole as u32)
}

/// Adds what a rank sends and receives in `repeats` cycles.
fn add_parts(rank: u32, cycle: &Cycle, repeats: u32, sent: &mut Parts, received: &mut Parts) {
    let turns = cycle.turns.len() as u32;
    let all = (0..repeats).flat_map(|repeat| (repeat * turns..).zip(&cycle.turns));
    for (started, turn) in all {
        let held = |held: u32| Held {
            started,
            waited: started.saturating_add(held),
        };
        for it in &turn.sends {
            let part = Part {
                messages: it.messages.into(),
                bytes: it.bytes,
                held: held(it.held),
            };
            sent.entry((rank, it.rank)).or_default().push(part);
        }
        for it in &turn.receives {
            let part = Part {
                messages: it.messages.into(),
                bytes: 0,
                held: held(it.held),
            };
            received.entry((it.rank, rank)).or_default().push(part);
        }
    }
}

/// Joins both sides of a pair: MPI delivers the messages of a pair in their order. `None` if one
/// side has more messages than the other.
fn join(
    from: u32,
    to: u32,
    sent: &[Part],
    received: &[Part],
    messages: &mut Vec<TurnMessage>,
) -> Option<()> {
    let count = |parts: &[Part]| parts.iter().map(|part| part.messages).sum::<u64>();
    let all = count(sent);
    if all != count(received) || all == 0 {
        return None;
    }
    let bytes: u64 = sent.iter().map(|part| part.bytes).sum();
    let mut receiving = received.iter();
    let mut left = 0;
    let mut now = received.first()?;
    for part in sent {
        let mut rest = part.messages;
        while rest > 0 {
            if left == 0 {
                now = receiving.next()?;
                left = now.messages;
                continue;
            }
            let joined = rest.min(left);
            let of_part = joined as f64 / part.messages as f64;
            messages.push(TurnMessage {
                from: Rank(from),
                to: Rank(to),
                messages: joined as f64,
                share: if bytes > 0 {
                    of_part * part.bytes as f64 / bytes as f64
                } else {
                    joined as f64 / all as f64
                },
                sent: part.held,
                received: now.held,
            });
            (rest, left) = (rest - joined, left - joined);
        }
    }
    Some(())
}

/// A message of a pair that is in no cycle: each of its ranks waits for it last.
fn in_the_last_turns(from: u32, to: u32, of_rank: &[u32]) -> TurnMessage {
    let last = |rank: u32| {
        let turn = of_rank[rank as usize] - 1;
        Held {
            started: turn,
            waited: turn,
        }
    };
    TurnMessage {
        from: Rank(from),
        to: Rank(to),
        messages: 1.0,
        share: 1.0,
        sent: last(from),
        received: last(to),
    }
}
