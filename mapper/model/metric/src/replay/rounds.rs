//! Several exchanges, one after the other, of which ranks begin the next one while others are still
//! in the one before.
//!
//! Ranks whose messages share links come to their next exchange at different times, and then share
//! links with others than before. The time of many exchanges is the mean of the first few, times
//! their number. A front that sweeps over a grid fills it once: its second exchange follows the
//! first one closely. The time of many such exchanges is that of the first few, and for each
//! further one the mean of those after the first.

use super::engine::{Course, Engine};
use super::messages::ExchangeMessage;
use super::paths::Paths;
use super::steps::Steps;
use rankfold_graph::ProgramTurns;

/// Number of exchanges that are replayed. Measured by `scripts/bench turns`: with one exchange,
/// times on a torus were up to 18 % too long; with four the median error was 1.4 % for rows,
/// stages, sweeps, shifts and graphs, and with eight 0.5 %.
const ROUNDS: u32 = 8;

/// Number of exchanges where most bytes are eager, except in fronts. In a replay nothing holds back
/// the sender of an eager message, so that ranks drift apart further than the buffers of real links
/// let them: 16 ranks on shaped links (`scripts/demo`) took 74 ms for an exchange, which is 90 ms
/// by the replay of four and 108 ms by that of eight.
const EAGER_ROUNDS: u32 = 4;

/// Exchanges overlap if the third of equal messages on a network of its own takes less than this
/// share of the first one.
const OVERLAP: f64 = 0.99;

/// A few exchanges, one after the other.
#[derive(Debug)]
pub(super) struct Rounds {
    pub(super) messages: Vec<ExchangeMessage>,
    pub(super) steps: Steps,
    number: u32,
    /// Whether an exchange follows closely where messages share no link.
    do_overlap: bool,
}

impl Rounds {
    /// `None` if all ranks wait for each other between exchanges, or if there is one exchange.
    pub(super) fn new(turns: &ProgramTurns, messages: &[ExchangeMessage]) -> Option<Self> {
        if turns.synchronised || turns.exchanges < 1.5 {
            return None;
        }
        let ends = Self::of(turns, messages, 3).ends_alone()?;
        let do_overlap = ends[2] - ends[1] < OVERLAP * ends[0];
        let most = if do_overlap || !are_eager(messages) {
            ROUNDS
        } else {
            EAGER_ROUNDS
        };
        let number = most.min(turns.exchanges.round() as u32);
        Some(Self {
            do_overlap,
            ..Self::of(turns, messages, number)
        })
    }

    fn of(turns: &ProgramTurns, messages: &[ExchangeMessage], number: u32) -> Self {
        Self {
            messages: messages.repeat(number as usize),
            steps: Steps::in_turns(turns, number),
            number,
            do_overlap: false,
        }
    }

    /// Number of exchanges.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// When each exchange ends if every message takes the same time.
    fn ends_alone(&self) -> Option<Vec<f64>> {
        let course = alone(&self.messages, &self.steps, |_| 1.0)?;
        Some(self.ends(&course))
    }

    /// When each exchange ends.
    fn ends(&self, course: &Course) -> Vec<f64> {
        let ranks = 0..course.finished.len();
        let end_of = |round: u32| {
            let of_rank = ranks.clone().map(|rank| {
                let own = self.steps.of(rank);
                let next = own.start + (own.end - own.start) / self.number * round;
                match course.steps.get(next as usize) {
                    Some(&(entered, _)) if next < own.end => entered,
                    _ => course.finished[rank],
                }
            });
            of_rank.fold(0.0, f64::max)
        };
        (1..=self.number).map(end_of).collect()
    }

    /// The time of `times` exchanges, from the course of the first few.
    pub(super) fn time(&self, course: &Course, times: f64) -> f64 {
        let ends = self.ends(course);
        let (number, last) = (ends.len() as f64, ends[ends.len() - 1]);
        if !self.do_overlap {
            return times * last / number;
        }
        let further = (last - ends[0]) / (number - 1.0);
        last + (times - number).max(0.0) * further
    }

    /// No course of `times` exchanges is shorter if no message is shorter than `least` says.
    pub(super) fn least(&self, times: f64, least: impl Fn(&ExchangeMessage) -> f64) -> f64 {
        let course = alone(&self.messages, &self.steps, least);
        let ends = course.map_or(vec![0.0], |course| self.ends(&course));
        if self.do_overlap {
            // Only the first exchange takes that long.
            ends[0]
        } else {
            times * ends[ends.len() - 1] / ends.len() as f64
        }
    }
}

/// Whether most bytes are in eager messages.
fn are_eager(messages: &[ExchangeMessage]) -> bool {
    let bytes = |eager| -> f64 {
        let some = messages.iter().filter(|message| message.is_eager == eager);
        some.map(|message| message.bytes).sum()
    };
    bytes(true) > bytes(false)
}

/// The course of messages that share no link and keep no rank busy, where a message takes the time
/// that `time` gives. `None` if ranks wait for each other in a circle.
pub(super) fn alone(
    messages: &[ExchangeMessage],
    steps: &Steps,
    time: impl Fn(&ExchangeMessage) -> f64,
) -> Option<Course> {
    let idle = |message: &ExchangeMessage| ExchangeMessage {
        busy: 0.0,
        ..*message
    };
    let idle: Vec<ExchangeMessage> = messages.iter().map(idle).collect();
    let mut paths = Paths::alone(messages.iter().map(time).collect());
    let course = Engine::new(&idle, steps, &mut paths, steps.ranks()).run(u64::MAX)?;
    let is_over = course.finished.iter().all(|time| time.is_finite());
    is_over.then_some(course)
}
