//! The refinement `exhaust`: all ways to put ranks on nodes within the constraints, where these are
//! few.
//!
//! Ranks that share a host are one unit. Units take nodes one after the other, the largest first,
//! then those that exchange most with units before. Few units on full nodes are where walks of
//! exchanges get stuck.
//!
//! Source: our own. Cost: a fixed number of steps, each O(units x nodes).

mod search;
#[cfg(test)]
mod tests;

use rankfold_base::Rank;
use rankfold_problem::heuristic::{
    AboutRefinement, Diagnostics, Problem, Reached, Refinement, Start,
};
use search::Search;
use std::cmp::Reverse;
use std::time::Instant;

/// With more units than this, the steps end long before the search does.
const MOST_UNITS: usize = 12;

/// All ways within the constraints.
#[derive(Debug)]
pub(crate) struct Exhaust;

impl Refinement for Exhaust {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "exhaust",
            "tries all ways to seat ranks that share hosts, where they are few",
        )
        .from_the_best()
        .counting_moves();
        &ABOUT
    }

    fn search_on(&self, problem: &Problem<'_>, starts: &[Start<'_>]) -> Vec<Reached> {
        let begun = Instant::now();
        let best = (0..starts.len()).min_by_key(|&start| starts[start].hop_bytes);
        let Some(start) = best else {
            return Vec::new();
        };
        let units = units(problem);
        if units.len() > MOST_UNITS {
            return Vec::new();
        }
        let before = starts[start].hop_bytes;
        let Some(placement) = Search::new(problem, &units, before).run() else {
            return Vec::new();
        };
        vec![Reached {
            start,
            did: vec![Diagnostics {
                passes: 1,
                moves: placement.ranks() as u64,
                history: vec![before, problem.hop_bytes(&placement)],
                notes: Vec::new(),
            }],
            placement,
            seconds: begun.elapsed().as_secs_f64(),
        }]
    }
}

/// The ranks that share hosts, and each other rank by itself; the largest first.
fn units(problem: &Problem<'_>) -> Vec<Vec<Rank>> {
    let ranks = problem.graph.ranks();
    let mut is_in = vec![false; ranks];
    let mut units: Vec<Vec<Rank>> = Vec::new();
    for rank in (0..ranks).map(Rank::at) {
        if std::mem::replace(&mut is_in[rank.index()], true) {
            continue;
        }
        let mut unit = vec![rank];
        let mut next = 0;
        while let Some(&member) = unit.get(next) {
            for companion in problem.constraints.companions(member) {
                if !std::mem::replace(&mut is_in[companion.index()], true) {
                    unit.push(companion);
                }
            }
            next += 1;
        }
        units.push(unit);
        if units.len() > MOST_UNITS {
            break;
        }
    }
    units.sort_by_key(|unit| Reverse(unit.len()));
    in_order(problem, units)
}

/// The largest units in their order; the single ranks behind them by their bytes to all before.
fn in_order(problem: &Problem<'_>, mut units: Vec<Vec<Rank>>) -> Vec<Vec<Rank>> {
    let first = units.iter().filter(|unit| unit.len() > 1).count();
    for next in first.max(1)..units.len() {
        let before = units[..next].concat();
        let bytes = |unit: &Vec<Rank>| -> u128 {
            let partners = unit
                .iter()
                .flat_map(|&rank| problem.affinity.partners(rank));
            let known = partners.filter(|(partner, _)| before.contains(partner));
            known.map(|(_, bytes)| u128::from(bytes)).sum()
        };
        let most = (next..units.len()).max_by_key(|&at| (bytes(&units[at]), Reverse(at)));
        units.swap(next, most.unwrap_or(next));
    }
    units
}
