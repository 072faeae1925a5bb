//! Finds the cycle of turns that a thread repeats.

use super::log::Start;
use rankfold_wire::{Cycle, Turn, TurnReceives, TurnSends};
use std::collections::BTreeMap;

/// The least share of the bytes that a cycle has to cover. The rest is what programs do before and
/// after their steps. Chosen by hand; not measured.
const COVERED: f64 = 0.9;

/// The longest cycle that is looked for, in turns. Looking for it takes that many comparisons for
/// each turn.
const LONGEST: usize = 1024;

/// The most messages of a pair in a whole run that is one cycle.
const MOST_OF_A_PAIR: usize = 2;

/// One turn of a log.
pub(super) struct TurnOf<'a> {
    /// What is started and how long it is held, as a number. The order within the turn is not in
    /// it.
    hash: u64,
    starts: &'a [Start],
}

/// The turns of some starts. A send that nobody waits for is a turn by itself, unless something
/// else starts with it: a rank at the beginning of a front sends all that it has without a wait,
/// and its cycle is that of its sends.
pub(super) fn turns_of(starts: &[Start]) -> Vec<TurnOf<'_>> {
    let turns = starts.chunk_by(|a, b| a.turn == b.turn);
    let turns = turns.flat_map(|starts| {
        let waits = starts.iter().any(|it| it.receives || it.waited.is_some());
        starts.chunks(if waits { starts.len() } else { 1 })
    });
    turns
        .map(|starts| TurnOf {
            hash: starts
                .iter()
                .fold(0, |sum, start| sum.wrapping_add(hash(start))),
            starts,
        })
        .collect()
}

/// The number of turns after which a start is waited for. A send that nobody has waited for is as
/// one that was waited for at once.
fn held(start: &Start) -> u32 {
    start
        .waited
        .map_or(0, |waited| waited.saturating_sub(start.turn))
}

fn hash(start: &Start) -> u64 {
    let what =
        u64::from(start.rank) << 32 | u64::from(held(start)) << 1 | u64::from(start.receives);
    // The mixing of SplitMix64 (Steele, Lea and Flood 2014).
    let mut mixed = what.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// A cycle, and the numbers of its turns by which it is recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownCycle {
    hashes: Vec<u64>,
    pub(super) cycle: Cycle,
}

/// Where a cycle is repeated: from turn `first` on for `length` turns.
struct Run {
    first: usize,
    period: usize,
    length: usize,
}

impl KnownCycle {
    /// The shortest cycle whose repetitions cover nearly all bytes.
    pub(super) fn find(turns: &[TurnOf]) -> Option<Self> {
        let weights: Vec<f64> = turns.iter().map(weight).collect();
        let all: f64 = weights.iter().sum();
        let longest = LONGEST.min(turns.len() / 2);
        let mut runs = (1..=longest).filter_map(|period| longest_run(turns, period));
        let run = runs.find(|run| {
            let covered = weights.iter().skip(run.first).take(run.length);
            covered.sum::<f64>() >= COVERED * all
        })?;
        Some(Self::of_run(turns, &run))
    }

    /// A whole run as one cycle, if no partner is met more often than the two sides of a dimension
    /// of two ranks need.
    pub(super) fn of_whole_run(turns: &[TurnOf]) -> Option<Self> {
        let mut met = BTreeMap::new();
        for start in turns.iter().flat_map(|turn| turn.starts) {
            *met.entry((start.receives, start.rank)).or_insert(0) += 1;
        }
        let is_one = met.values().all(|&count| count <= MOST_OF_A_PAIR);
        if turns.is_empty() {
            return Some(Self::default());
        }
        let run = Run {
            first: 0,
            period: turns.len(),
            length: turns.len(),
        };
        is_one.then(|| Self::of_run(turns, &run))
    }

    /// Whether nearly all of these turns repeat the cycle, from any of its turns on. The first and
    /// the last turn may be parts of turns.
    pub(super) fn is_repeated_in(&self, turns: &[TurnOf]) -> bool {
        let inner = turns
            .get(1..turns.len().saturating_sub(1))
            .unwrap_or_default();
        let period = self.hashes.len();
        let agrees = |from: usize| {
            let due = self.hashes.iter().cycle().skip(from);
            let same = inner
                .iter()
                .zip(due)
                .filter(|(turn, due)| turn.hash == **due);
            same.count() as f64 >= COVERED * inner.len() as f64
        };
        !inner.is_empty() && (0..period).any(agrees)
    }

    /// The cycle of a run. It begins where all ranks meet most often, else with the first turn of
    /// the run.
    fn of_run(turns: &[TurnOf], run: &Run) -> Self {
        let period = run.period.max(1);
        let all = turns.iter().skip(run.first).take(run.length);
        let mut met = vec![0_u32; period];
        for (number, turn) in all.clone().enumerate() {
            if let Some(count) = met.get_mut(number % period) {
                *count += u32::from(turn.starts.first().is_some_and(|start| start.met));
            }
        }
        let most = met.iter().copied().max().unwrap_or(0);
        let shift = met.iter().position(|&count| count == most).unwrap_or(0);
        let rounds = (run.length.saturating_sub(shift) / period).max(1);
        let whole: Vec<&TurnOf> = all.skip(shift).take(rounds * period).collect();
        let of_turn = |number: usize| whole.iter().skip(number).step_by(period).copied();
        Self {
            hashes: whole.iter().take(period).map(|turn| turn.hash).collect(),
            cycle: Cycle {
                synchronised: most as usize * 2 > rounds,
                turns: (0..period).map(|number| turn(of_turn(number))).collect(),
            },
        }
    }
}

/// The bytes of a turn; each start counts for one more, so that messages without bytes count.
fn weight(turn: &TurnOf) -> f64 {
    turn.starts
        .iter()
        .map(|start| start.bytes as f64 + 1.0)
        .sum()
}

/// The longest part in which every turn is the same as the one `period` turns later, if it holds at
/// least two periods.
fn longest_run(turns: &[TurnOf], period: usize) -> Option<Run> {
    let later = turns.get(period..)?;
    let same = turns.iter().zip(later).map(|(a, b)| a.hash == b.hash);
    let (mut longest, mut length, mut end) = (0, 0, 0);
    for (number, same) in same.enumerate() {
        length = if same { length + 1 } else { 0 };
        if length > longest {
            (longest, end) = (length, number + 1);
        }
    }
    (longest >= period).then(|| Run {
        first: end - longest,
        period,
        length: longest + period,
    })
}

/// One turn, from all times it was repeated.
fn turn<'a>(repeated: impl Iterator<Item = &'a TurnOf<'a>>) -> Turn {
    let (mut sends, mut receives) = (BTreeMap::new(), BTreeMap::new());
    let mut rounds = 0;
    for turn in repeated {
        rounds += 1;
        for start in turn.starts {
            let key = (start.rank, held(start));
            if start.receives {
                *receives.entry(key).or_insert(0_u32) += 1;
            } else {
                let (messages, bytes) = sends.entry(key).or_insert((0_u32, 0_u64));
                *messages += 1;
                *bytes = bytes.saturating_add(start.bytes);
            }
        }
    }
    let rounds = rounds.max(1);
    let sends = sends.into_iter();
    let receives = receives.into_iter();
    Turn {
        sends: sends
            .map(|((rank, held), (messages, bytes))| TurnSends {
                rank,
                held,
                messages: messages / rounds,
                bytes: bytes / u64::from(rounds),
            })
            .collect(),
        receives: receives
            .map(|((rank, held), messages)| TurnReceives {
                rank,
                held,
                messages: messages / rounds,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::Log;
    use super::*;

    /// A log of shifts: to whom, from whom. A pair of zeros stands for a collective of all ranks.
    fn log(shifts: &[(u32, u32)]) -> Log {
        let mut log = Log::new(1 << 12).expect("memory");
        for &(to, from) in shifts {
            match (to, from) {
                (0, 0) => log.meet(),
                _ => log.exchange(&[(to, 10)], &[from]),
            }
        }
        log
    }

    fn found(shifts: &[(u32, u32)]) -> Option<KnownCycle> {
        let log = log(shifts);
        KnownCycle::find(&turns_of(log.complete_turns(true)))
    }

    /// The receivers of a cycle, turn by turn.
    fn receivers(known: &KnownCycle) -> Vec<u32> {
        let turns = known.cycle.turns.iter();
        turns
            .flat_map(|turn| &turn.sends)
            .map(|sent| sent.rank)
            .collect()
    }

    #[test]
    fn a_cycle_is_as_long_as_what_is_repeated() {
        let step = [(1, 2), (2, 1), (3, 4), (4, 3)];
        let known = found(&step.repeat(3)).expect("a cycle");
        assert_eq!(receivers(&known), [1, 2, 3, 4]);
        assert_eq!(known.cycle.turns[1].receives[0].rank, 1);
        assert!(!known.cycle.synchronised);
    }

    #[test]
    fn both_sides_of_a_dimension_of_two_ranks_are_two_turns() {
        let step = [(1, 1), (1, 1), (3, 4), (4, 3)];
        let known = found(&step.repeat(5)).expect("a cycle");
        assert_eq!(receivers(&known), [1, 1, 3, 4]);
    }

    #[test]
    fn a_rank_that_only_sends_has_the_cycle_of_its_sends() {
        let mut log = Log::new(64).expect("memory");
        for to in [1, 4, 4].repeat(3) {
            log.send(to, 10, None);
        }
        let known = KnownCycle::find(&turns_of(log.complete_turns(true))).expect("a cycle");
        assert_eq!(receivers(&known), [1, 4, 4]);
    }

    #[test]
    fn what_comes_before_and_after_the_steps_is_no_part_of_them() {
        let mut all = vec![(9, 8)];
        all.extend([(1, 2), (3, 4)].repeat(20));
        all.push((7, 7));
        let known = found(&all).expect("a cycle");
        assert_eq!(receivers(&known), [1, 3]);
    }

    #[test]
    fn a_cycle_begins_where_all_ranks_meet() {
        let all = [(1, 2), (0, 0), (3, 4), (5, 6)].repeat(10);
        let known = found(&all).expect("a cycle");
        assert_eq!(receivers(&known), [3, 5, 1]);
        assert!(known.cycle.synchronised);
    }

    #[test]
    fn turns_that_differ_are_no_cycle() {
        let mut all = Vec::new();
        let mut state = 1_u32;
        for _ in 0..40 {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let first = (state >> 16) % 7 + 1;
            all.extend([(first, 1), (8 - first, 1)]);
        }
        assert_eq!(found(&all), None);
    }

    #[test]
    fn a_single_exchange_is_a_cycle() {
        let log = log(&[(1, 1), (1, 1), (3, 4)]);
        let turns = log.complete_turns(true);
        let known = KnownCycle::of_whole_run(&turns_of(turns)).expect("a cycle");
        assert_eq!(receivers(&known), [1, 1, 3]);
        let many = super::tests::log(&[(1, 2), (3, 4), (1, 2), (5, 6), (1, 7)]);
        assert_eq!(
            KnownCycle::of_whole_run(&turns_of(many.complete_turns(true))),
            None
        );
    }

    #[test]
    fn a_part_of_a_run_shows_whether_the_cycle_goes_on() {
        let known = found(&[(1, 2), (3, 4), (5, 6)].repeat(4)).expect("a cycle");
        let goes_on = |shifts: &[(u32, u32)]| {
            let log = log(shifts);
            known.is_repeated_in(&turns_of(log.complete_turns(true)))
        };
        assert!(goes_on(&[(9, 9), (5, 6), (1, 2), (3, 4), (5, 6), (8, 8)]));
        assert!(!goes_on(&[(1, 2), (5, 6), (3, 4), (1, 2), (5, 6)]));
        assert!(!goes_on(&[(1, 2)]));
    }
}
