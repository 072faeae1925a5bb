//! Simulated annealing with moves towards partners, window by window.
//!
//! The temperature falls from step to step, and with each step the partition changes. The last
//! temperature is not cold: the exchanges that follow remove the disorder left faster than cold
//! moves would, since nearly all cold moves are rejected.
//!
//! A placement at its certified lower bound is left alone. Large grids of ranks are placed alike
//! everywhere, so that annealing a sample of the windows shows whether it gains anything in the
//! others.

use super::exchange::exchange;
use super::local::{Board, Local};
use super::metropolis::Metropolis;
use super::window::Window;
use super::{BoardSearch, Exchanges, LOOKUPS, with_sizes};
use crate::heuristic::{AboutRefinement, Diagnostics, Effort, Problem, Refinement};
use crate::refine::amount::Amount;
use rankfold_model::metric;
use rankfold_model::placement::Placement;
use std::time::Instant;

/// Temperatures, one partition each.
const STEPS: usize = 48;

/// Last temperature, in units of a rank's mean share of all bytes.
const COLD: f64 = 0.16;

/// Mean messages of a rank up to which the number of moves is not cut down; with more, each move
/// takes longer.
const MESSAGES: f64 = 16.0;

/// Moves usually tried in all, and the most of each rank.
const MOVES: f64 = 12e6;
const MOST_EACH: f64 = 20_000.0;

/// The fewest moves tried of each rank; tiny worlds get little more, the square of their size over
/// ten.
const LEAST_EACH: f64 = 100.0;

/// Windows annealed as a sample, and the number of windows from which on a sample is taken first.
const SAMPLES: usize = 2;
const MANY: usize = 12;

/// Hop-bytes lower than exchanges alone find, on tori and meshes.
#[derive(Debug)]
pub(crate) struct Anneal;

impl Refinement for Anneal {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "anneal",
            "tori and meshes: annealing with moves towards partners (after Betz and Rose 1997), then exchanges",
        )
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
            // Annealing may end above its start; then nothing has happened.
            did.history.truncate(1);
            did.moves = 0;
        }
        did
    }
}

/// How hot an annealing starts, and how long it lasts.
struct Params {
    /// First temperature, in units of a rank's mean share of all bytes.
    first: f64,
    /// Moves, in units of the usual number.
    moves: f64,
}

impl Params {
    fn of(effort: Effort) -> Self {
        match effort {
            // What is good in the start survives.
            Effort::Hurried | Effort::Fast | Effort::Balanced => Self {
                first: 0.6,
                moves: 1.0,
            },
            // There are moves enough to find the good anew.
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
    /// Why annealing would come to nothing, if that is known.
    fn futile<A: Amount, const D: usize>(
        &self,
        problem: &Problem<'_>,
        board: &mut Board<'_, D>,
        hop_bytes: u128,
    ) -> Option<&'static str> {
        if hop_bytes <= metric::quick_lower_bound_of(problem.affinity, problem.machine).hop_bytes {
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

/// How many moves at which temperature.
#[derive(Clone)]
pub(super) struct Schedule {
    number: usize,
    first: f64,
    /// Moves tried of each rank in all.
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
        let Params { first, moves } = Params::of(problem.effort);
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
            // The temperature follows the clock.
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
            temperature: self.first * (COLD / self.first).powf(done),
            moves_each: self.moves_each / STEPS as f64,
        })
    }
}

impl Step {
    /// Walks in a window, by the random numbers of one stream, and says how many moves were made.
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
