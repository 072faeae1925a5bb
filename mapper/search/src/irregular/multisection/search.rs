//! The starts of multisection, and how they share the work: every start is improved, the best ones
//! go on.

use super::bisect::{BisectionEffort, Work};
use super::bottom_up;
use super::neighbourhood::Neighbourhoods;
use super::top_down::Halving;
use rankfold_machine::sites::Sites;
use rankfold_problem::heuristic::{Effort, Problem};
use rankfold_problem::weights::Weights;
use rankfold_refine::chain::{Chains, Reach};
use rankfold_refine::site_assignment::SiteAssignment;
use rankfold_refine::subtree;
use rayon::prelude::*;
use std::mem::discriminant;
use std::time::Instant;

/// Effort of the bisections of the top-down starts, where starts are cheap or time is short. One
/// seed with V-cycles: further seeds gained less than further starts (prototype on 8 cases of 1k
/// and 4k ranks: 4 seeds -0.4 %, 2 V-cycles -0.35 %).
const CARE: BisectionEffort = BisectionEffort {
    seeds: 1,
    cycles: 1,
    tries: 6,
};
/// Effort of the bisections of the top-down starts for more than [`SearchLimits::FEW`] ranks from
/// effort balanced on. The divisions of the seeds are combined. The measurement is of 8192 ranks on
/// 192 nodes with distances 1:10:100. Two starts with 8 seeds were compared with two starts with 4
/// seeds and the given order: hop-bytes were 0.959 times as many for a geometric graph in 3D, 0.988
/// for a Delaunay graph and 0.998 for a geometric graph in 2D. A third start gained nothing.
const MUCH_CARE: BisectionEffort = BisectionEffort {
    seeds: 8,
    cycles: 0,
    tries: 12,
};
/// Work of a whole search: per rank, and in total. The first numbers hold until the second ones
/// allow more.
const WORK_A_RANK: [Work; 2] = [400_000, 60_000];
const WORK: [Work; 2] = [400_000_000, 1_000_000_000];
/// The neighbourhood search gets the work that the starts leave, and at least this part of the
/// whole (one eighth).
const LEAST_PART: Work = 8;
/// Starts are added while the starts so far took less than this part of the whole work (one third).
const STARTS_PART: Work = 3;
/// The chains that improve the given order take at most this part of the whole work (one fifth).
/// Only dense graphs in a bad order reach the limit.
const GIVEN_PART: Work = 5;
/// The chains that improve one start of more than [`SearchLimits::FEW`] ranks stop after this many
/// times the work of the whole search. Starts of power laws alone reach the limit. One of 16000
/// ranks has 1.5 % more hop-bytes with the limit; without it, the chains took 41579 M look-ups,
/// where the work of the whole search is 120 M.
const CHAINS: Work = 8;
/// The given order of more than [`SearchLimits::FEW`] ranks is improved where its cost exceeds
/// that of the best start by less than this part (one half). Chosen by hand: from orders that are
/// farther away, chains take as long as a top-down start, and end at twice the cost of one.
const NEAR: i64 = 2;
/// Most ranks of a region that the neighbourhood search empties and fills. From a prototype with
/// 64k ranks, in which regions of this size took 5 ms each; other sizes were not compared.
const REGION: usize = 1200;
/// Number of solutions in the first and in the second round of the neighbourhood search; the third
/// round has one.
const FINALISTS: [usize; 2] = [4, 2];
/// Solutions whose cost exceeds the lowest by more than this part (half a percent) get no
/// neighbourhood search.
const CLOSE: i64 = 200;
/// Most additional starts of the kind that has the lowest cost, from other seeds. In a prototype,
/// repeated starts differed by up to 3 % on 2D stencils.
const AGAIN: usize = 3;
/// Share of the neighbourhood search's work in each round.
const SHARES: [f64; 3] = [0.4, 0.3, 0.3];

/// The kind of a start, with the number of starts of that kind before it.
#[derive(Clone, Copy, Debug)]
enum Start {
    Given,
    TopDown(u64),
    BottomUp(u64),
}

impl Start {
    /// The next start of this kind, after `made` starts of it; `None` for the given order.
    fn another(self, made: u64) -> Option<Self> {
        match self {
            Self::Given => None,
            Self::TopDown(_) => Some(Self::TopDown(made)),
            Self::BottomUp(_) => Some(Self::BottomUp(made)),
        }
    }
}

/// The starts and the amount of work for one effort and number of ranks.
struct SearchLimits {
    starts: Vec<Start>,
    /// Work of the whole search.
    work: Work,
    /// How thoroughly the top-down starts are made.
    care: BisectionEffort,
    /// How far the chains of the starts reach.
    chains: Reach,
}

impl SearchLimits {
    /// Most ranks for which every kind of start is made twice.
    const FEW: usize = 2048;
    /// Ranks above which a single top-down start is made.
    const MANY: usize = 16383;

    fn of(effort: Effort, ranks: usize) -> Self {
        let once = [Start::Given, Start::TopDown(0), Start::BottomUp(0)];
        let twice = [Start::TopDown(1), Start::BottomUp(1)];
        let starts = match (ranks, effort) {
            (0..=Self::FEW, Effort::Balanced | Effort::Best) => [&once[..], &twice].concat(),
            (0..=Self::FEW, _) => once.to_vec(),
            (..=Self::MANY, Effort::Balanced | Effort::Best) => [&once[1..], &twice[..1]].concat(),
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
            care: match effort {
                Effort::Balanced | Effort::Best if ranks > Self::FEW => MUCH_CARE,
                _ => CARE,
            },
            chains: Reach::of(effort, ranks),
        }
    }
}

/// The search for one problem: starts, improvement, neighbourhood search.
pub(super) struct PoolSearch<'a> {
    weights: &'a Weights,
    sites: &'a Sites,
    given: Vec<u32>,
    seed: u64,
    limits: SearchLimits,
    deadline: Option<Instant>,
}

/// The best assignment of ranks to sites, and how it was found.
pub(super) struct BestAssignment {
    pub(super) site_of: Vec<u32>,
    pub(super) starts: u32,
    pub(super) moves: u64,
    pub(super) notes: Vec<String>,
}

/// One solution of the search.
struct Entry<'a> {
    start: Start,
    assignment: SiteAssignment<'a>,
    cost: i64,
    moves: u64,
}

impl<'a> PoolSearch<'a> {
    pub(super) fn new(problem: &Problem<'_>, weights: &'a Weights, sites: &'a Sites) -> Self {
        let block = problem.machine.block_order(problem.graph.ranks());
        Self {
            weights,
            sites,
            given: sites.of(&block, problem.machine.slots()),
            seed: problem.seed,
            limits: SearchLimits::of(problem.effort, problem.graph.ranks()),
            deadline: problem.deadline,
        }
    }

    /// Runs the whole search.
    pub(super) fn run(self) -> BestAssignment {
        let begin = |&start: &Start| self.begin(start);
        let mut pool: Vec<Entry> = self.limits.starts.par_iter().filter_map(begin).collect();
        let work = self.limits.work;
        if self.given.len() > SearchLimits::FEW {
            pool.extend(self.given_if_near(&pool));
        } else {
            self.repeat_best(&mut pool, work);
        }
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
        BestAssignment {
            site_of: best.assignment.into_sites(),
            starts: count,
            moves: best.moves,
            notes,
        }
    }

    /// The given order, improved, where that promises something.
    fn given_if_near(&self, pool: &[Entry<'a>]) -> Option<Entry<'a>> {
        let least = pool.iter().map(|entry| entry.cost).min()?;
        let given = SiteAssignment::new(self.weights, self.sites, self.given.clone());
        let is_near = given.cost() < least + least / NEAR;
        is_near.then(|| self.begin(Start::Given)).flatten()
    }

    /// Adds starts of the best kind from other seeds: one, and more while the starts are cheap
    /// compared with `work`.
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

    /// Neighbourhood search on fewer solutions in every round; returns the best solution.
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

    /// The amount of work at which the chains of a start end that has taken `work` so far.
    fn limit(&self, start: Start, work: Work) -> Work {
        match start {
            Start::Given => self.limits.work / GIVEN_PART,
            _ if self.given.len() > SearchLimits::FEW => work + self.limits.work * CHAINS,
            _ => Work::MAX,
        }
    }

    /// Makes a start and improves it by chains and exchanges of subtrees. `None` if the kind of
    /// start does not apply.
    fn begin(&self, start: Start) -> Option<Entry<'a>> {
        let mut work = 0;
        let site_of = match start {
            Start::Given => self.given.clone(),
            Start::TopDown(number) => {
                let halving = Halving {
                    weights: self.weights,
                    sites: self.sites,
                    care: self.limits.care,
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
        let mut chains = Chains::new(&assignment, self.limits.chains);
        let limit = self.limit(start, work);
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
