//! Annealing on the times of links, for predicted time and for congestion.
//!
//! An anneal exchanges ranks, whole nodes and whole subtrees, and lowers a smooth stand-in for the
//! time on the busiest link plus a share of the mean transfer
//! ([`LinkTimes`](rankfold_problem::objective::LinkTimes)). The temperature falls from a tiny share
//! of the energy on, so that what is good in the start survives. The exponent of the norm over
//! links rises from 4 to 16: first many links are unloaded, then the busiest ones; with 4 to the
//! end, placements are ruined. A descent on the exact time comes last.
//!
//! ```text
//!              first part             later part              last descent
//! lowers       norm with exponent 4   norm with exponent 16   the exact time
//! accepts      rises, at a temperature that falls             gains only
//! moves        of all ranks           more of busy links      of the ranks whose messages
//!                                                             take longest
//! ```
//!
//! Annealing keeps much of its start, and placements with few hop-bytes differ in their busiest
//! links. So anneals start from the best placement by the objective, a descent's result as a rule.
//! At the highest effort, several placements are annealed side by side, and the best result once
//! more. Few ranks have time for hot anneals as well, which forget their start.
//!
//! Source: simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) with the rule of Metropolis et
//! al. 1953. Different: the start is good and the first temperature low; moves are aimed at
//! partners and at busy links; a move whose transfer costs too much is dropped before its routes
//! are followed.
//!
//! Cost: each anneal passes a fixed number of links, or stops at the deadline. A move passes the
//! links on the routes of its ranks' messages, before and after it.

mod anneal;

use anneal::{Annealed, FIRST_TEMPERATURE, LinkAnneal, Schedule};
use rankfold_base::Placement;
use rankfold_metric::replay::MOST_RANKS as MOST_REPLAYED_RANKS;
use rankfold_metric::{self as metric, BoundEffort};
use rankfold_problem::heuristic::{
    AboutRefinement, Diagnostics, Effort, Problem, Reached, Refinement, Start,
};
use rankfold_problem::objective::AnnealStart;
use rankfold_problem::team::dealt;
use rayon::prelude::*;
use std::time::Instant;

/// With more ranks than this, anneals run only at the highest effort. Measured when set: 65536
/// ranks on a torus of as many nodes took 50 of 53 CPU seconds at effort balanced, 7 of 9 at fast,
/// for no gain.
const MOST_RANKS: usize = 1 << 15;

/// Anneals from the best placements by the objective.
#[derive(Debug)]
pub(crate) struct AnnealTime;

/// The work of the anneals. Measured for effort hurried with 4 million links, single-threaded, 4096
/// ranks on fat trees and dragonflies: 0.3 to 2.1 CPU seconds. The other numbers are chosen by
/// hand.
#[derive(Clone, Copy, Debug)]
struct Budget {
    /// The number of placements to start from.
    starts: usize,
    /// Whether the best result is annealed once more.
    again: bool,
    /// The number of links that each anneal passes for every rank.
    each: u64,
    /// The most links that each anneal passes.
    most: u64,
}

/// With at most this many ranks, effort balanced anneals several placements, and the best result
/// once more. Measured when set, objective time, the 16 ranks of amr_512 nearest to rank 40 on
/// torus:4x4, two seeds: 6.0 and 1.7 % lower, for 0.26 CPU seconds more. Six cases of 48 to 128
/// ranks gained 0.0 to 0.2 %, for 0.3 to 1 CPU seconds more.
const FEW_RANKS: usize = 32;

impl Budget {
    fn of(effort: Effort, ranks: usize) -> Self {
        let (starts, again, each, most) = match effort {
            Effort::Hurried => (1, false, 30_000, 3_000_000),
            Effort::Fast => (1, false, 30_000, 20_000_000),
            Effort::Balanced if ranks <= FEW_RANKS => (4, true, 240_000, 100_000_000),
            Effort::Balanced => (1, false, 60_000, 100_000_000),
            Effort::Best => (8, true, 3_000_000, 20_000_000_000),
        };
        Self {
            starts,
            again,
            each,
            most,
        }
    }
}

/// With at most [`FEW_RANKS`], where replays decide, so many anneals are hot: they begin at
/// [`HOT_TEMPERATURE`], in units of the energy at the start, and have [`HOT_WORK`] times the work
/// of the others. Measured when added, effort balanced, predicted times with over without: 24
/// random geometric graphs of 16 to 32 ranks on tori, meshes, trees and a dragonfly 0.977 in the
/// geometric mean, 0.91 to 1.01 by case, for 2.2 CPU seconds in place of 1.1; the 19 cases of
/// `scripts/bench small --objective time` up to 32 ranks 0.995, 0.96 to 1.03, for 2.4 in place of
/// 1.5. Other numbers were not tried.
const HOT_ANNEALS: usize = 4;
const HOT_WORK: u64 = 2;
const HOT_TEMPERATURE: f64 = 0.03;

/// Whether an anneal is worth its time here.
fn is_affordable(problem: &Problem<'_>) -> bool {
    problem.graph.ranks() <= MOST_RANKS || problem.effort == Effort::Best
}

/// Anneals of [variants](rankfold_problem::objective::AnnealAim::variants) have their work over
/// this number, so that a search does not take much longer.
const VARIED: u64 = 4;

/// Whether the best placements are replayed, so that several different ones are of use.
fn replays_decide(problem: &Problem<'_>) -> bool {
    problem.objective.is_predicted_time()
        && problem.effort >= Effort::Balanced
        && problem.graph.ranks() <= MOST_REPLAYED_RANKS
}

/// Whether anneals run and find the winner as a rule: the searches before them then only find their
/// starts.
pub fn anneals_decide(problem: &Problem<'_>) -> bool {
    problem.objective.is_decided_by_anneals() && is_affordable(problem)
}

impl Refinement for AnnealTime {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "anneal-time",
            "exchanges ranks, nodes and subtrees on the exact routes at a falling temperature, to unload the busiest links",
        )
        .from_the_best();
        &ABOUT
    }

    fn search_on(&self, problem: &Problem<'_>, starts: &[Start<'_>]) -> Vec<Reached> {
        let aim = problem.objective.anneal(problem.graph, problem.machine);
        let fewest = starts.iter().map(|start| start.hop_bytes).min();
        let (Some(aim), Some(fewest), true) = (aim, fewest, is_affordable(problem)) else {
            return Vec::new();
        };
        let limit = problem.objective.most_hop_bytes(fewest);
        let valued = valued(starts, limit, |placement| aim.value(placement));
        let Some(&(lowest, first)) = valued.first() else {
            return Vec::new();
        };
        let best = AnnealStart {
            placement: starts[first].placement,
            value: lowest,
            has_fewest_hop_bytes: starts[first].hop_bytes == fewest,
        };
        if aim.is_optimal(&best, congestion_bound(problem)) {
            return Vec::new();
        }
        let variants = if replays_decide(problem) {
            aim.variants()
        } else {
            Vec::new()
        };
        let own = aim.link_times().into_iter().map(|times| (times, 1));
        let variants = variants.into_iter().map(|times| (times, VARIED));
        let mut all = Vec::new();
        for (times, divisor) in own.chain(variants) {
            if let Some(search) = LinkAnneal::new(times, problem.machine, problem.constraints) {
                all.extend(annealed(problem, &search, starts, &valued, divisor));
            }
        }
        if aim.keeps_only_gains() {
            all.retain(|reached| {
                problem.hop_bytes(&reached.placement) <= limit
                    && aim.value(&reached.placement) < lowest
            });
        }
        all
    }
}

/// No placement has a lower highest congestion. Takes next to no time.
fn congestion_bound(problem: &Problem<'_>) -> f64 {
    let (links, effort) = (problem.machine.by_links(), BoundEffort::Quick);
    let over_links = metric::lower_bound_of(problem.affinity, &links, effort).hop_bytes;
    metric::congestion_bound(problem.graph, &links, over_links, effort).congestion
}

/// The starts with at most `limit` hop-bytes, by index with their value, the lowest value first. Of
/// starts with the same value and the same hop-bytes, only the first is listed.
fn valued(
    starts: &[Start<'_>],
    limit: u128,
    value: impl Fn(&Placement) -> f64 + Sync,
) -> Vec<(f64, usize)> {
    let starts_numbered = starts.par_iter().enumerate();
    let mut valued: Vec<(f64, usize)> = starts_numbered
        .filter(|(_, start)| start.hop_bytes <= limit)
        .map(|(number, start)| (value(start.placement), number))
        .collect();
    valued.sort_by(|a, b| a.0.total_cmp(&b.0));
    valued.dedup_by_key(|(value, number)| (value.to_bits(), starts[*number].hop_bytes));
    valued
}

/// Anneals from the first of `valued`, side by side, some of them hot, and perhaps from the best
/// result once more.
/// Each anneal has the work of its budget over `divisor`.
fn annealed(
    problem: &Problem<'_>,
    search: &LinkAnneal<'_>,
    starts: &[Start<'_>],
    valued: &[(f64, usize)],
    divisor: u64,
) -> Vec<Reached> {
    let budget = Budget::of(problem.effort, problem.graph.ranks());
    let work = budget.most.min(budget.each * problem.graph.ranks() as u64) / divisor;
    let anneal = |placement: &Placement, schedule, number: usize| {
        let begun = Instant::now();
        let seed = problem.seed ^ (number as u64 + 1) << 40;
        let found = search.anneal(placement, schedule, seed)?;
        let did = diagnostics(problem, placement, &found);
        let seconds = begun.elapsed().as_secs_f64();
        Some((found.after, found.placement, did, seconds))
    };
    let valued = &valued[..budget.starts.min(valued.len())];
    let deadline = if budget.again {
        problem.half_way()
    } else {
        problem.deadline
    };
    let warm = Schedule {
        work,
        deadline,
        temperature: FIRST_TEMPERATURE,
    };
    let hot = Schedule {
        work: HOT_WORK * work,
        temperature: HOT_TEMPERATURE,
        ..warm
    };
    let is_small = problem.graph.ranks() <= FEW_RANKS && replays_decide(problem);
    let count = valued.len() + if is_small { HOT_ANNEALS } else { 0 };
    let reached = dealt(problem.team, count, |number| {
        let start = valued[number % valued.len()].1;
        let schedule = if number < valued.len() { warm } else { hot };
        let (after, placement, did, seconds) = anneal(starts[start].placement, schedule, number)?;
        let did = vec![did];
        Some((
            after,
            Reached {
                start,
                placement,
                did,
                seconds,
            },
        ))
    });
    let mut reached: Vec<(f64, Reached)> = reached.into_iter().flatten().collect();
    let best = reached.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, best)) = best.filter(|_| budget.again) {
        let schedule = Schedule {
            deadline: problem.deadline,
            ..warm
        };
        let again = dealt(problem.team, 1, |_| {
            anneal(&best.placement, schedule, count)
        });
        let again = again
            .into_iter()
            .flatten()
            .map(|(after, placement, did, seconds)| {
                let did = best.did.iter().cloned().chain([did]).collect();
                let seconds = best.seconds + seconds;
                (
                    after,
                    Reached {
                        start: best.start,
                        placement,
                        did,
                        seconds,
                    },
                )
            });
        let again: Vec<_> = again.collect();
        reached.extend(again);
    }
    reached.into_iter().map(|(_, reached)| reached).collect()
}

fn diagnostics(problem: &Problem<'_>, start: &Placement, found: &Annealed) -> Diagnostics {
    Diagnostics {
        passes: found.rounds,
        moves: found.accepted,
        history: [start, &found.placement]
            .map(|it| problem.hop_bytes(it))
            .to_vec(),
        notes: vec![format!(
            "value {:.4e} to {:.4e}, {} of {} exchanges taken",
            found.before, found.after, found.accepted, found.proposed
        )],
    }
}
