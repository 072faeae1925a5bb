//! Simulated annealing with moves towards partners, window by window.
//!
//! The temperature falls from step to step, and with each step the partition changes. The last one is still
//! warm: exchanges that follow get rid of what is left of the disorder faster than cold moves do, nearly none of
//! which is accepted.
//!
//! What is at its certified lower bound is left alone. Large grids of ranks are placed alike everywhere: a few
//! windows show whether annealing finds anything in them.

use super::exchange::exchange;
use super::local::{Board, Local};
use super::metropolis::Metropolis;
use super::window::Window;
use super::{BoardSearch, Exchanges, LOOKUPS, with_sizes};
use crate::heuristic::{AboutRefinement, Diagnostics, Effort, Problem, Refinement};
use crate::refine::seating::Amount;
use rankfold_model::metric;
use rankfold_model::placement::Placement;
use std::time::Instant;

/// Temperatures, one partition each.
const STEPS: usize = 48;

/// First temperature, in units of a rank's mean share of all bytes: what is good in the start survives.
const WARM: f64 = 0.6;

/// First temperature where there are moves enough to find the good anew.
const HOT: f64 = 0.8;

/// Last temperature.
const COLD: f64 = 0.16;

/// Messages a rank takes part in up to which it gets its full number of moves; with more, they take longer.
const MESSAGES: f64 = 16.0;

/// Moves tried in all, and the most of each rank, for [`Effort::Balanced`].
const MOVES: f64 = 12e6;
const MOST_EACH: f64 = 20_000.0;

/// The least of each rank; tiny worlds get little more, the square of their size over ten.
const LEAST_EACH: f64 = 100.0;

/// Times as many for [`Effort::Best`].
const BEST: f64 = 200.0;

/// Windows that show whether the others are worth annealing, and the windows from which on they are asked.
const SAMPLES: usize = 2;
const MANY: usize = 12;

/// Hop-bytes lower than exchanges alone find, on tori and meshes.
#[derive(Debug)]
pub struct Anneal;

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
        let last = Exchanges.run::<A, D>(problem, board);
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
        if hop_bytes <= metric::lower_bound_of(problem.affinity, problem.machine).hop_bytes {
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
            exchange(local, |_| true, LOOKUPS)
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
        let (more, first) = match problem.effort {
            Effort::Best => (BEST, HOT),
            _ => (1.0, WARM),
        };
        let needed = LEAST_EACH + ranks * ranks / 10.0;
        let most = MOST_EACH.min(needed);
        let each = (more * MOVES / ranks).clamp(LEAST_EACH, more * most);
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
