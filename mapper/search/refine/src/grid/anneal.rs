//! Simulated annealing on hop-bytes, on meshes and tori, window by window.
//!
//! Ranks move towards their partners by Metropolis' rule ([`metropolis`](super::metropolis)) while
//! the temperature falls from step to step; with each step the partition into windows changes. The
//! last temperature is not cold: the exchanges that follow remove the remaining disorder faster
//! than cold moves would, since nearly all cold moves are rejected.
//!
//! ```text
//! step         0           1           2         ...   last       then
//! temperature  first       lower       lower     ...   last       exchanges only
//! windows      |  |  |     | |  |  |   |  | |  |       |  |  |    |  |  |
//! ```
//!
//! A placement at its certified lower bound is left alone. Large grids of ranks are placed alike
//! everywhere: there, a sample of the windows is annealed first, and the rest only if the sample
//! gains.
//!
//! Source: Kirkpatrick, Gelatt and Vecchi 1983; moves after Betz and Rose, FPL 1997. Different:
//! windows are annealed side by side with the rest of the placement held fixed.
//!
//! Cost: a fixed number of moves for each rank, each O(partners of the moved ranks).

use super::exchange::exchange;
use super::local::{Board, Local};
use super::metropolis::Metropolis;
use super::window::Window;
use super::{BoardSearch, Exchanges, LOOKUPS, with_sizes};
use crate::amount::Amount;
use rankfold_base::Placement;
use rankfold_problem::heuristic::{AboutRefinement, Diagnostics, Effort, Problem, Refinement};
use std::time::Instant;

/// The number of temperatures, each with a partition of its own. Chosen by hand; not measured by
/// itself, as are all constants of this file without a note.
const STEPS: usize = 48;

/// The last temperature, in units of a rank's mean share of all bytes. Measured when it was raised:
/// at eight times the earlier value, the exchanges that follow do what the coldest moves did.
const LAST_TEMPERATURE: f64 = 0.16;

/// Up to this mean number of messages of a rank, the number of moves is not cut down. With more
/// messages, each move takes longer.
const MESSAGES: f64 = 16.0;

/// The usual number of moves tried.
const MOVES: f64 = 12e6;
/// The most moves tried of each rank.
const MOST_EACH: f64 = 20_000.0;

/// The fewest moves tried of each rank. A world of n ranks gets at most n x n / 10 more, so that
/// tiny worlds take no time.
const LEAST_EACH: f64 = 100.0;

/// The number of windows annealed as a sample.
const SAMPLES: usize = 2;
/// From this number of windows on, a sample is annealed first. Measured when added: a 256x256 grid
/// on torus:32x32x64 at effort balanced took 2.2 CPU seconds instead of 8.9, with the same
/// hop-bytes.
const MANY: usize = 12;

/// With at most this many ranks, effort balanced anneals one placement for long instead of several.
/// Measured when added: five worlds of 256 ranks on torus:8x8x4, one placement with 5 times the
/// moves beside three placements: 1.5 % fewer hop-bytes in the mean, 0.7 % more in one of the five,
/// for 1.5 times the CPU time of the whole search. With 3, 4 and 6 times the moves, a first
/// temperature of 0.8 was 1.5 % worse in the mean than 0.6. 512 ranks were not measured.
const ONCE: usize = 512;

/// Annealing on hop-bytes, on meshes and tori.
#[derive(Debug)]
pub(crate) struct Anneal;

/// Whether effort balanced anneals the best placement alone and for long.
pub fn anneals_once(problem: &Problem<'_>) -> bool {
    problem.graph.ranks() <= ONCE
        && problem.machine.topology().structure().grid().is_some()
        && !problem.objective.is_decided_by_anneals()
}

impl Refinement for Anneal {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "anneal",
            "tori and meshes: annealing with moves towards partners (after Betz and Rose 1997), then exchanges",
        )
        .on(|machine| machine.topology().structure().grid().is_some())
        .at_least(Effort::Balanced);
        &ABOUT
    }

    fn refine(&self, problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics {
        let found = problem
            .machine
            .topology()
            .structure()
            .grid()
            .and_then(|grid| {
                let mut annealed = placement.clone();
                let annealing = Annealing(Schedule::new(problem));
                let did = with_sizes(problem, grid, &mut annealed, annealing)?;
                Some((annealed, did))
            });
        let Some((annealed, mut did)) = found else {
            return Diagnostics::default();
        };
        if did.history.last() < did.history.first() {
            *placement = annealed;
        } else {
            // Annealing may end with more hop-bytes than its start. Then the start stays.
            did.history.truncate(1);
            did.moves = 0;
        }
        did
    }
}

/// The first temperature and the length of an annealing.
struct Intensity {
    /// The first temperature, in units of a rank's mean share of all bytes.
    first: f64,
    /// The number of moves, in units of [`MOVES`].
    moves: f64,
}

impl Intensity {
    fn of(problem: &Problem<'_>) -> Self {
        match problem.effort {
            Effort::Balanced if anneals_once(problem) => Self {
                first: 0.6,
                moves: 5.0,
            },
            // Cool enough that the good parts of the start survive.
            Effort::Hurried | Effort::Fast | Effort::Balanced => Self {
                first: 0.6,
                moves: 1.0,
            },
            // Warmer, with enough moves to find good parts anew.
            Effort::Best => Self {
                first: 0.8,
                moves: 200.0,
            },
        }
    }
}

pub(super) struct Annealing(pub(super) Schedule);

impl BoardSearch for Annealing {
    fn run<A: Amount, const D: usize>(
        self,
        problem: &Problem<'_>,
        board: &mut Board<'_, D>,
    ) -> Diagnostics {
        let mut did = Diagnostics {
            history: vec![board.hop_bytes(problem)],
            ..Diagnostics::default()
        };
        if let Some(reason) = self.futile::<A, D>(problem, board, did.history[0]) {
            did.notes.push(reason.into());
            return did;
        }
        let mut schedule = self.0;
        while let Some(step) = schedule.next() {
            let windows = board.windows(step.number);
            let found = board.search(&windows, |index, local: &mut Local<A, D>| {
                step.walk(problem, step.number * windows.len() + index, local)
            });
            did.passes += 1;
            did.moves += found.iter().sum::<u64>();
        }
        let last = Exchanges::of(problem.effort).run::<A, D>(problem, board);
        did.moves += last.moves;
        did.history.extend(last.history.last());
        did
    }
}

impl Annealing {
    /// The reason why annealing would gain nothing, if one is known.
    fn futile<A: Amount, const D: usize>(
        &self,
        problem: &Problem<'_>,
        board: &mut Board<'_, D>,
        hop_bytes: u128,
    ) -> Option<&'static str> {
        if hop_bytes <= problem.quick_lower_bound() {
            return Some("at the lower bound: nothing can be better");
        }
        let all = board.windows(0);
        let alike = problem.pattern.stencil().is_some() && problem.deadline.is_none();
        if !alike || all.len() < MANY {
            return None;
        }
        let samples = all.iter().step_by(all.len().div_ceil(SAMPLES));
        let samples: Vec<Window<D>> = samples.copied().collect();
        let start = board.placement.clone();
        board.search(&samples, |index, local: &mut Local<A, D>| {
            let mut schedule = self.0.clone();
            while let Some(step) = schedule.next() {
                step.walk(problem, step.number * samples.len() + index, local);
            }
            exchange(local, |_| true, |_| (), LOOKUPS)
        });
        let gained = board.hop_bytes(problem) < hop_bytes;
        board.restore(start);
        (!gained).then_some("a sample of the windows gained nothing")
    }
}

/// The temperatures of an annealing, and the number of moves at each.
#[derive(Clone)]
pub(super) struct Schedule {
    number: usize,
    first: f64,
    /// The number of moves tried of each rank, over all temperatures.
    pub(super) moves_each: f64,
    deadline: Option<(Instant, Instant)>,
}

struct Step {
    number: usize,
    temperature: f64,
    moves_each: f64,
}

impl Schedule {
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        let ranks = problem.graph.ranks() as f64;
        let messages = 2.0 * problem.graph.pairs() as f64 / ranks;
        let Intensity { first, moves } = Intensity::of(problem);
        let needed = LEAST_EACH + ranks * ranks / 10.0;
        let most = MOST_EACH.min(needed);
        let each = (moves * MOVES / ranks).clamp(LEAST_EACH, moves * most);
        Self {
            number: 0,
            first,
            moves_each: each * (MESSAGES / messages).min(1.0),
            deadline: problem.deadline.map(|end| (Instant::now(), end)),
        }
    }

    fn next(&mut self) -> Option<Step> {
        let number = self.number;
        self.number += 1;
        let done = match self.deadline {
            None => number as f64 / (STEPS - 1) as f64,
            // With a deadline, the temperature follows the clock.
            Some((start, end)) => {
                let whole = end.saturating_duration_since(start).as_secs_f64();
                start.elapsed().as_secs_f64() / whole.max(1e-3)
            }
        };
        if done > 1.0 + 1e-9 {
            return None;
        }
        Some(Step {
            number,
            temperature: self.first * (LAST_TEMPERATURE / self.first).powf(done),
            moves_each: self.moves_each / STEPS as f64,
        })
    }
}

impl Step {
    /// Anneals a window at this step's temperature, and returns the number of moves made. Each
    /// window has a random stream of its own.
    fn walk<A: Amount, const D: usize>(
        &self,
        problem: &Problem<'_>,
        stream: usize,
        local: &mut Local<A, D>,
    ) -> u64 {
        let bytes = problem.graph.total_bytes() as f64 / problem.graph.ranks() as f64;
        let seed = problem.seed ^ (stream as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Metropolis::new(local, seed, self.temperature * bytes).run(self.moves_each)
    }
}
