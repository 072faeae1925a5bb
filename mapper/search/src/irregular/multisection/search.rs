//! Several starts, each improved; the best of them share what work is left.

use super::bisect::{Care, Work};
use super::bottom_up;
use super::neighbourhood::Neighbourhoods;
use super::top_down::Halving;
use crate::heuristic::{Effort, Problem};
use crate::refine::chain::Chains;
use crate::refine::site_assignment::SiteAssignment;
use crate::refine::subtree;
use crate::weights::Weights;
use rankfold_model::machine::sites::Sites;
use rankfold_model::placement::Placement;
use rayon::prelude::*;
use std::mem::discriminant;
use std::time::Instant;

/// Bisections of the top-down starts.
const CARE: Care = Care {
    seeds: 1,
    cycles: 1,
    tries: 6,
};
/// Ranks up to which every kind of start is made twice.
const FEW: usize = 2048;
/// Ranks beyond which one top-down start has to do.
const MANY: usize = 16383;
/// Work of a whole search: so much a rank up to one limit, less a rank up to the next.
const WORK_A_RANK: [Work; 2] = [400_000, 60_000];
const WORK: [Work; 2] = [400_000_000, 1_000_000_000];
/// Neighbourhood search gets what the starts have left of it, and at least this part.
const LEAST_PART: Work = 8;
/// Starts go on as long as they took less than this part.
const STARTS_PART: Work = 3;
/// The chains of the given order take this part of it, at most: only bad orders of dense graphs get there.
const GIVEN_PART: Work = 5;
/// Ranks in a region that is refilled, at most.
const REGION: usize = 1200;
/// Solutions that share the first round of neighbourhood search, and the second.
const FINALISTS: [usize; 2] = [4, 2];
/// A finalist costs at most this part more than the best.
const CLOSE: i64 = 200;
/// Starts of the best kind made once more, at most.
const AGAIN: usize = 3;
/// Share of the work each round takes.
const SHARES: [f64; 3] = [0.4, 0.3, 0.3];

/// Where a solution came from.
#[derive(Clone, Copy, Debug)]
enum Start {
    Given,
    TopDown(u64),
    BottomUp(u64),
}

impl Start {
    /// Another start of this kind if `made` of them are made; there is one given order only.
    fn another(self, made: u64) -> Option<Self> {
        match self {
            Self::Given => None,
            Self::TopDown(_) => Some(Self::TopDown(made)),
            Self::BottomUp(_) => Some(Self::BottomUp(made)),
        }
    }
}

/// The search for one problem.
pub(super) struct PoolSearch<'a> {
    weights: &'a Weights,
    sites: &'a Sites,
    given: Vec<u32>,
    seed: u64,
    effort: Effort,
    deadline: Option<Instant>,
}

/// What it found.
pub(super) struct Found {
    pub(super) site_of: Vec<u32>,
    pub(super) starts: u32,
    pub(super) moves: u64,
    pub(super) notes: Vec<String>,
}

/// A solution on its way.
struct Entry<'a> {
    start: Start,
    assignment: SiteAssignment<'a>,
    cost: i64,
    moves: u64,
}

impl<'a> PoolSearch<'a> {
    pub(super) fn new(problem: &Problem<'_>, weights: &'a Weights, sites: &'a Sites) -> Self {
        let block = Placement::block(problem.graph.ranks());
        Self {
            weights,
            sites,
            given: sites.of(&block, problem.machine.slots()),
            seed: problem.seed,
            effort: problem.effort,
            deadline: problem.deadline,
        }
    }

    pub(super) fn run(self) -> Found {
        let once = [Start::Given, Start::TopDown(0), Start::BottomUp(0)];
        let twice = [Start::TopDown(1), Start::BottomUp(1)];
        let starts = match (self.weights.len(), self.effort) {
            (0..=FEW, Effort::Balanced | Effort::Best) => [&once[..], &twice].concat(),
            (..=MANY, Effort::Balanced | Effort::Best) | (0..=FEW, _) => once.to_vec(),
            _ => vec![Start::TopDown(0)],
        };
        let begin = |&start: &Start| self.begin(start);
        let mut pool: Vec<Entry> = starts.par_iter().filter_map(begin).collect();
        let work = self.work();
        self.repeat_best(&mut pool, work);
        let starts: Work = pool.iter().map(|entry| entry.assignment.work).sum();
        let work = work.saturating_sub(starts).max(work / LEAST_PART);
        let mut notes: Vec<String> = pool.iter().map(Entry::describe).collect();
        let count = pool.len() as u32;
        let mut best = self.best_of(pool, work);
        let mut round = SHARES.len() as u64;
        while self.deadline.is_some() && !self.is_late() {
            round += 1;
            best.search(self.seed ^ round << 32, work / 8 + 1);
        }
        notes.push(format!("{} after neighbourhood search", best.describe()));
        Found {
            site_of: best.assignment.into_sites(),
            starts: count,
            moves: best.moves,
            notes,
        }
    }

    /// Starts of the best kind from more seeds: one, and while starts are cheap beside the `work` to come.
    fn repeat_best(&self, pool: &mut Vec<Entry<'a>>, work: Work) {
        if pool.len() < 2 {
            return;
        }
        for turn in 0..AGAIN {
            pool.sort_by_key(|entry| entry.cost);
            let spent: Work = pool.iter().map(|entry| entry.assignment.work).sum();
            if self.is_late() || (turn > 0 && spent > work / STARTS_PART) {
                break;
            }
            let best = pool[0].start;
            let alike = |entry: &&Entry| discriminant(&entry.start) == discriminant(&best);
            let another = best.another(pool.iter().filter(alike).count() as u64);
            let Some(entry) = another.and_then(|start| self.begin(start)) else {
                break;
            };
            pool.push(entry);
        }
    }

    /// The finalists share the work, fewer of them every round.
    fn best_of(&self, mut pool: Vec<Entry<'a>>, work: Work) -> Entry<'a> {
        for (round, share) in SHARES.iter().enumerate().filter(|_| !self.is_late()) {
            pool.sort_by_key(|entry| entry.cost);
            pool.truncate(FINALISTS.get(round).copied().unwrap_or(1));
            let most = pool[0].cost + pool[0].cost / CLOSE;
            pool.retain(|entry| entry.cost <= most);
            let each = (work as f64 * share / pool.len() as f64) as Work;
            let seed = self.seed ^ (round as u64 + 1) << 32;
            pool.par_iter_mut()
                .for_each(|entry| entry.search(seed, each));
        }
        pool.sort_by_key(|entry| entry.cost);
        pool.swap_remove(0)
    }

    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Work of the whole search.
    fn work(&self) -> Work {
        let ranks = self.weights.len() as Work;
        let few = (WORK_A_RANK[0] * ranks).min(WORK[0]);
        let work = few.max(WORK_A_RANK[1] * ranks).min(WORK[1]);
        match self.effort {
            Effort::Fast => work / 8,
            Effort::Balanced => work,
            Effort::Best => work * 8,
        }
    }

    /// Work at which the chains of a start end.
    fn limit(&self, start: Start) -> Work {
        match start {
            Start::Given => self.work() / GIVEN_PART,
            _ => Work::MAX,
        }
    }

    fn begin(&self, start: Start) -> Option<Entry<'a>> {
        let mut work = 0;
        let site_of = match start {
            Start::Given => self.given.clone(),
            Start::TopDown(number) => {
                let halving = Halving {
                    weights: self.weights,
                    sites: self.sites,
                    care: CARE,
                    now: None,
                    warm: false,
                    seed: self.seed ^ number << 48,
                };
                halving.place(&mut work)
            }
            Start::BottomUp(number) => {
                let seed = self.seed ^ number << 48;
                bottom_up::place(self.weights, self.sites, seed, &mut work)?
            }
        };
        let mut assignment = SiteAssignment::new(self.weights, self.sites, site_of);
        assignment.work = work;
        let mut chains = Chains::new(&assignment).at(self.effort);
        let limit = self.limit(start);
        chains.improve_all(&mut assignment, self.seed, limit);
        assignment.clear_journal();
        if subtree::improve(&mut assignment) > 0 {
            chains.improve_moved(&mut assignment, limit);
        }
        assignment.clear_journal();
        Some(Entry {
            start,
            cost: assignment.cost(),
            assignment,
            moves: chains.closed,
        })
    }
}

impl Entry<'_> {
    fn search(&mut self, seed: u64, work: Work) {
        let mut search = Neighbourhoods::new(&self.assignment, seed);
        self.cost -= search.improve(&mut self.assignment, REGION, work);
        self.moves += search.won;
        debug_assert_eq!(self.cost, self.assignment.cost());
    }

    fn describe(&self) -> String {
        let start = match self.start {
            Start::Given => "given order".into(),
            Start::TopDown(number) => format!("top down {}", number + 1),
            Start::BottomUp(number) => format!("bottom up {}", number + 1),
        };
        format!(
            "{start}: {} hop-bytes, {} M look-ups",
            self.cost,
            self.assignment.work / 1_000_000
        )
    }
}
