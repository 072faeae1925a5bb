//! Several starts, each improved; the best of them share the work that is left.

use super::bisect::{Care, Work};
use super::bottom_up;
use super::neighbourhood::Neighbourhoods;
use super::top_down::Halving;
use crate::heuristic::{Effort, Problem};
use crate::refine::chain::{Chains, Reach};
use crate::refine::site_assignment::SiteAssignment;
use crate::refine::subtree;
use crate::weights::Weights;
use rankfold_model::placement::Placement;
use rankfold_model::sites::Sites;
use rayon::prelude::*;
use std::mem::discriminant;
use std::time::Instant;

/// Bisections of the top-down starts.
const CARE: Care = Care {
    seeds: 1,
    cycles: 1,
    tries: 6,
};
/// Work of a whole search a rank, and in all: the first pair holds until the second allows more.
const WORK_A_RANK: [Work; 2] = [400_000, 60_000];
const WORK: [Work; 2] = [400_000_000, 1_000_000_000];
/// Neighbourhood search gets the work the starts have left over, and at least this part of the
/// whole: an eighth.
const LEAST_PART: Work = 8;
/// More starts are made while the starts so far took less than this part of the whole: a third.
const STARTS_PART: Work = 3;
/// The chains from the given order take at most this part of the whole. Only bad orders of dense
/// graphs need it.
const GIVEN_PART: Work = 5;
/// Most ranks in a region that neighbourhood search empties and refills.
const REGION: usize = 1200;
/// How many solutions share the first round of neighbourhood search, and the second; the third has
/// one.
const FINALISTS: [usize; 2] = [4, 2];
/// A solution that costs more than the best by over this part of its cost, half a percent, is no
/// finalist.
const CLOSE: i64 = 200;
/// The kind of start that came out best is made again from other seeds, at most this many times.
const AGAIN: usize = 3;
/// Share of the neighbourhood search's work that each round takes.
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

/// How much a search may try.
struct Params {
    starts: Vec<Start>,
    /// Work of the whole search.
    work: Work,
    chains: Reach,
}

impl Params {
    /// Ranks up to which every kind of start is made twice.
    const FEW: usize = 2048;
    /// Ranks beyond which one top-down start has to do.
    const MANY: usize = 16383;

    fn of(effort: Effort, ranks: usize) -> Self {
        let once = [Start::Given, Start::TopDown(0), Start::BottomUp(0)];
        let twice = [Start::TopDown(1), Start::BottomUp(1)];
        let starts = match (ranks, effort) {
            (0..=Self::FEW, Effort::Balanced | Effort::Best) => [&once[..], &twice].concat(),
            (..=Self::MANY, Effort::Balanced | Effort::Best) | (0..=Self::FEW, _) => once.to_vec(),
            _ => vec![Start::TopDown(0)],
        };
        let few = (WORK_A_RANK[0] * ranks as Work).min(WORK[0]);
        let work = few.max(WORK_A_RANK[1] * ranks as Work).min(WORK[1]);
        Self {
            starts,
            work: match effort {
                Effort::Hurried | Effort::Fast => work / 8,
                Effort::Balanced => work,
                Effort::Best => work * 8,
            },
            chains: Reach::of(effort, ranks),
        }
    }
}

/// The search for one problem.
pub(super) struct PoolSearch<'a> {
    weights: &'a Weights,
    sites: &'a Sites,
    given: Vec<u32>,
    seed: u64,
    params: Params,
    deadline: Option<Instant>,
}

/// What it found.
pub(super) struct Found {
    pub(super) site_of: Vec<u32>,
    pub(super) starts: u32,
    pub(super) moves: u64,
    pub(super) notes: Vec<String>,
}

/// A solution that is being improved.
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
            params: Params::of(problem.effort, problem.graph.ranks()),
            deadline: problem.deadline,
        }
    }

    pub(super) fn run(self) -> Found {
        let begin = |&start: &Start| self.begin(start);
        let mut pool: Vec<Entry> = self.params.starts.par_iter().filter_map(begin).collect();
        let work = self.params.work;
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

    /// Starts of the best kind from more seeds: one, and while starts are cheap beside the `work`
    /// to come.
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

    /// Work at which the chains of a start end.
    fn limit(&self, start: Start) -> Work {
        match start {
            Start::Given => self.params.work / GIVEN_PART,
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
        let mut chains = Chains::new(&assignment, self.params.chains);
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
