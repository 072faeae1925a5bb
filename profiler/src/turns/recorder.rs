//! What is found out about the turns of one phase.

use super::cycle::{KnownCycle, turns_of};
use super::log::{ANYONE, Log};
use rankfold_wire::{Cycle, Turns};

/// Number of starts that are recorded from the beginning, and of each later look. A start takes 40
/// bytes. Chosen by hand; not measured.
const FIRST: usize = 4096;
const LATER: usize = 1024;

/// A last look that is shorter than this number of turns does not speak against a cycle: it may
/// hold what the program does after its steps.
const TELLING: usize = 32;

/// How much more has to speak for a cycle than against it.
const RATIO: u64 = 9;

/// The turns of one phase. They are recorded at the beginning, and again whenever the number of
/// bursts has doubled. What a look shows counts by the bursts before it.
#[derive(Default)]
pub(super) struct Recorder {
    /// What is being recorded.
    log: Option<Log>,
    /// The number of bursts before this look; 0 for the first look.
    bursts: u64,
    /// The thread that is recorded.
    thread: Option<usize>,
    known: Option<KnownCycle>,
    /// How much speaks for the cycle and against it.
    agreed: u64,
    differed: u64,
    /// Whether several threads send at a time.
    is_mixed: bool,
}

impl Recorder {
    /// Begins the first look. Without memory nothing is recorded.
    pub(super) fn begin() -> Self {
        Self {
            log: Log::new(FIRST),
            ..Self::default()
        }
    }

    /// Begins a further look after `bursts` bursts, unless one is under way.
    pub(super) fn look_again(&mut self, bursts: u64) {
        if self.log.is_none() && !self.is_mixed {
            self.log = Log::new(LATER);
            self.bursts = bursts;
            self.thread = None;
        }
    }

    pub(super) fn is_looking(&self) -> bool {
        self.log.is_some()
    }

    /// Records what `thread` does. Returns whether this look is over.
    pub(super) fn record(&mut self, thread: usize, what: impl FnOnce(&mut Log)) -> bool {
        let Some(log) = &mut self.log else {
            return false;
        };
        if *self.thread.get_or_insert(thread) != thread {
            self.is_mixed = true;
            self.log = None;
            return true;
        }
        what(log);
        let is_full = log.is_full();
        if is_full {
            self.close(false);
        }
        is_full
    }

    /// Ends a turn, as where the program goes on with another phase.
    pub(super) fn end_turn(&mut self) {
        if let Some(log) = &mut self.log {
            log.end_turn();
        }
    }

    /// Ends the look. If the run `is_over`, there will be no other one.
    pub(super) fn close(&mut self, is_over: bool) {
        let Some(log) = self.log.take() else { return };
        let turns = turns_of(log.complete_turns(is_over));
        let is_first = self.bursts == 0;
        let weight = self.bursts.max(turns.len() as u64);
        let known = self.known.as_ref();
        if known.is_some_and(|known| known.is_repeated_in(&turns)) {
            self.agreed += weight;
            return;
        }
        let found = KnownCycle::find(&turns).or_else(|| {
            let is_whole = is_over && is_first;
            is_whole.then(|| KnownCycle::of_whole_run(&turns)).flatten()
        });
        match found {
            Some(found) => {
                self.known = Some(found);
                self.differed += std::mem::replace(&mut self.agreed, weight);
            }
            None if is_over && !is_first && turns.len() < TELLING => {}
            None => self.differed += weight,
        }
    }

    /// What is known of the turns.
    pub(super) fn turns(&self) -> Turns {
        match &self.known {
            _ if self.is_mixed => Turns::Differing,
            Some(known) if self.agreed >= RATIO * self.differed => recorded(&known.cycle),
            None if self.differed == 0 && self.agreed == 0 => Turns::NotRecorded,
            _ => Turns::Differing,
        }
    }
}

/// The cycle, unless it is not known from whom the rank receives.
fn recorded(cycle: &Cycle) -> Turns {
    let mut receives = cycle.turns.iter().flat_map(|turn| &turn.receives);
    if receives.any(|received| received.rank == ANYONE) {
        return Turns::Differing;
    }
    Turns::Cycle(cycle.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(recorder: &mut Recorder, shifts: &[(u32, u32)]) {
        for &(to, from) in shifts {
            recorder.record(1, |log| log.exchange(&[(to, 10)], &[from]));
        }
    }

    fn number_of_turns(turns: &Turns) -> Option<usize> {
        match turns {
            Turns::Cycle(cycle) => Some(cycle.turns.len()),
            _ => None,
        }
    }

    #[test]
    fn a_short_run_is_recorded_as_a_whole() {
        let mut recorder = Recorder::begin();
        record(&mut recorder, &[(1, 2), (3, 4)].repeat(5));
        recorder.close(true);
        assert_eq!(number_of_turns(&recorder.turns()), Some(2));
    }

    #[test]
    fn steps_after_a_long_preparation_outweigh_it() {
        let mut recorder = Recorder::begin();
        let mut state = 1_u32;
        while recorder.is_looking() {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            record(&mut recorder, &[(state >> 20, 1)]);
        }
        assert_eq!(recorder.turns(), Turns::Differing);
        for bursts in [1 << 14, 1 << 15, 1 << 16] {
            recorder.look_again(bursts);
            record(&mut recorder, &[(1, 2), (3, 4)].repeat(LATER / 4));
        }
        assert!(!recorder.is_looking());
        assert_eq!(number_of_turns(&recorder.turns()), Some(2));
    }

    #[test]
    fn an_order_that_changes_later_is_noticed() {
        let mut recorder = Recorder::begin();
        record(&mut recorder, &[(1, 2), (3, 4)].repeat(FIRST / 4));
        assert_eq!(number_of_turns(&recorder.turns()), Some(2));
        recorder.look_again(1 << 12);
        record(
            &mut recorder,
            &[(1, 2), (1, 2), (3, 4)].repeat(LATER / 6 + 1),
        );
        assert_eq!(recorder.turns(), Turns::Differing);
    }

    #[test]
    fn what_comes_last_and_is_short_does_not_count() {
        let mut recorder = Recorder::begin();
        record(&mut recorder, &[(1, 2), (3, 4)].repeat(FIRST / 4));
        recorder.look_again(1 << 12);
        record(&mut recorder, &[(9, 8)]);
        recorder.close(true);
        assert_eq!(number_of_turns(&recorder.turns()), Some(2));
    }

    #[test]
    fn several_threads_and_receives_from_anyone_have_no_turns() {
        let mut recorder = Recorder::begin();
        record(&mut recorder, &[(1, 2), (3, ANYONE)].repeat(5));
        recorder.close(true);
        assert_eq!(recorder.turns(), Turns::Differing);
        let mut recorder = Recorder::begin();
        record(&mut recorder, &[(1, 2)]);
        assert!(recorder.record(2, |log| log.send(1, 8, None)));
        assert_eq!(recorder.turns(), Turns::Differing);
        assert!(!recorder.is_looking());
    }

    #[test]
    fn a_rank_without_messages_has_a_cycle_without_turns() {
        let mut recorder = Recorder::begin();
        recorder.close(true);
        assert_eq!(recorder.turns(), Turns::Cycle(Cycle::default()));
    }
}
