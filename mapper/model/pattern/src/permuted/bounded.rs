//! Turns an endless grid into a bounded one: sizes of its dimensions, and which of them are rings.

use super::MemberCells;
use super::finite::{Extent, Finite};
use super::growth::Growth;
use super::template::Template;
use crate::adjacency::Adjacency;
use crate::stencil_steps::{REACH, Steps, minus};
use std::collections::BTreeMap;

/// Largest share of cells that may be empty. Chosen by hand.
const GAPS: f64 = 0.03;

/// Layers at the ends of a dimension may be errors of growth if they have less than these shares of
/// the usual number of members. All three are tried. Chosen by hand.
const THIN: [f64; 3] = [0.0, 0.2, 0.6];

/// Share of the votes of the most frequent ring length that another length needs. Chosen by hand.
const VOTED: f64 = 0.25;

/// Shortest ring that the votes may propose. Shorter rings are part of the template.
const SHORTEST: i32 = 3;

/// The bounded grid that most edges fit, with all members placed.
pub(super) fn layout(
    adjacency: &Adjacency,
    template: &Template,
    growth: Growth<'_>,
) -> Option<MemberCells> {
    let at = growth.at;
    let wraps = wraps(adjacency, template, &at);
    let choices: Vec<Vec<Extent>> = (0..template.dims)
        .map(|d| extents(d, template, &at, &wraps[d]))
        .collect();
    let room =
        adjacency.grown()..=adjacency.members() + (GAPS * adjacency.members() as f64) as usize;
    let grids = combinations(&choices)
        .into_iter()
        .filter(|grid| room.contains(&grid.iter().map(|e| e.size()).product()));
    let finite = grids.map(|grid| Finite::new(adjacency, template, &at, grid));
    let best = finite.max_by_key(Finite::fit)?;
    (!best.is_weak()).then(|| best.filled().repaired().layout())
}

/// For every dimension, lengths of a ring that would turn edges into steps of the template, with
/// the number of these edges.
fn wraps(
    adjacency: &Adjacency,
    template: &Template,
    at: &[Option<Steps>],
) -> Vec<BTreeMap<i32, usize>> {
    let mut votes = vec![BTreeMap::new(); template.dims];
    for (a, b) in adjacency.edges() {
        let (Some(from), Some(to)) = (at[a as usize], at[b as usize]) else {
            continue;
        };
        if template.adjacent(&from, &to) {
            continue;
        }
        let apart = minus(&to, &from);
        let endless = (0..template.dims).filter(|&d| template.ring[d] == 0);
        for dim in endless {
            // The edge would have to be a step: the same distance along all other dimensions, and
            // any step along this one.
            for along in -REACH..=REACH {
                let mut step = template.reduced(&apart);
                step[dim] = along;
                if template.is_step(&step) && apart[dim] != along {
                    let length = (apart[dim] - along).abs();
                    *votes[dim].entry(length).or_default() += 1;
                }
            }
        }
    }
    votes
}

/// The ways in which a dimension may end.
fn extents(
    dim: usize,
    template: &Template,
    at: &[Option<Steps>],
    votes: &BTreeMap<i32, usize>,
) -> Vec<Extent> {
    if template.ring[dim] > 0 {
        let size = template.ring[dim];
        return vec![Extent::Ring { size }];
    }
    let mut layers: BTreeMap<i32, usize> = BTreeMap::new();
    for at in at.iter().flatten() {
        *layers.entry(at[dim]).or_default() += 1;
    }
    let mut usual: Vec<usize> = layers.values().copied().collect();
    usual.sort_unstable();
    let usual = usual[usual.len() / 2] as f64;
    let mut open = Vec::new();
    for thin in THIN {
        layers.retain(|_, &mut members| members as f64 >= thin * usual);
        let ends = layers.keys().next().zip(layers.keys().next_back());
        open.extend(ends.map(|(&first, &last)| Extent::Open {
            first,
            size: last - first + 1,
        }));
    }
    open.dedup();
    let most = votes.values().copied().max().unwrap_or(0) as f64;
    let rings = votes
        .iter()
        .filter(|&(&size, &count)| size >= SHORTEST && count as f64 >= VOTED * most)
        .map(|(&size, _)| Extent::Ring { size });
    open.into_iter().chain(rings).collect()
}

/// All combinations of one extent for every dimension.
fn combinations(choices: &[Vec<Extent>]) -> Vec<Vec<Extent>> {
    choices.iter().fold(vec![Vec::new()], |grids, extents| {
        let longer = |grid: &Vec<Extent>| -> Vec<Vec<Extent>> {
            let each = extents.iter();
            each.map(|&e| [&grid[..], &[e]].concat()).collect()
        };
        grids.iter().flat_map(longer).collect()
    })
}
