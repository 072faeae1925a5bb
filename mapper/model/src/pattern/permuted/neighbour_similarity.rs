//! How alike the neighbours of one member are, and of the origin of a template.

use super::template::Template;
use crate::pattern::adjacency::{Adjacency, shared};
use crate::pattern::stencil_steps::{Steps, minus};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

/// How alike two neighbours of the origin are: whether they are neighbours of each other, and how
/// many neighbours they share. Where two steps add up to more than a corner of a square, only those
/// among the neighbours of the origin count, since they are all there even in a small grid.
pub(super) type Similarity = (bool, u32);

pub(super) fn difference(a: Similarity, b: Similarity) -> u32 {
    u32::from(a.0 != b.0) + a.1.abs_diff(b.1)
}

/// How alike the neighbours of one member are.
pub(super) struct Seen {
    /// Similarity of every two of them.
    pub(super) likeness: Vec<Vec<Similarity>>,
    /// Neighbours that all pairs share, taken together.
    pub(super) common: u32,
    rows: Vec<Row>,
}

impl Seen {
    /// Neighbours in the order of what they have in common with the others, the most first: those
    /// along one dimension of a box pin down where its corners are, not the other way round.
    pub(super) fn most_common_first(&self) -> Vec<usize> {
        let shared = |&n: &usize| Reverse(self.likeness[n].iter().map(|l| l.1).sum::<u32>());
        let mut order: Vec<usize> = (0..self.likeness.len()).collect();
        order.sort_by_cached_key(shared);
        order
    }

    pub(super) fn around(adjacency: &Adjacency, member: u32, only_near: bool) -> Self {
        let likeness = around(adjacency, adjacency.of_member(member), only_near);
        Self {
            common: likeness.iter().flatten().map(|l| l.1).sum::<u32>() / 2,
            rows: rows(&likeness).collect(),
            likeness,
        }
    }
}

fn around(adjacency: &Adjacency, neighbours: &[u32], only_near: bool) -> Vec<Vec<Similarity>> {
    let near = |&a: &u32| -> Vec<u32> {
        let near = neighbours.iter().copied();
        near.filter(|&b| adjacency.adjacent(a, b)).collect()
    };
    let near: Vec<Vec<u32>> = neighbours.iter().map(near).collect();
    table(neighbours.len(), |a, b| {
        let common = match only_near {
            true => shared(&near[a], &near[b]),
            false => adjacency.common(neighbours[a], neighbours[b]),
        };
        (adjacency.adjacent(neighbours[a], neighbours[b]), common)
    })
}

fn table(size: usize, entry: impl Fn(usize, usize) -> Similarity) -> Vec<Vec<Similarity>> {
    (0..size)
        .map(|a| (0..size).map(|b| entry(a, b)).collect())
        .collect()
}

/// Similarity of every two steps of a template.
#[derive(Clone)]
pub(super) struct Tables {
    pub(super) likeness: Vec<Vec<Similarity>>,
    /// Whether only neighbours of the origin count as shared.
    pub(super) near: bool,
    /// The different rows of `likeness`.
    rows: BTreeSet<Row>,
}

impl Tables {
    pub(super) fn of(template: &Template) -> Self {
        let steps = &template.steps;
        let mut ways: HashMap<Steps, u32> = HashMap::new();
        for a in steps {
            for b in steps {
                *ways.entry(template.reduced(&minus(a, b))).or_default() += 1;
            }
        }
        let around: Vec<Vec<u32>> = steps.iter().map(|a| template.around(a)).collect();
        let near = !template.is_star() && around.iter().any(|list| !list.is_empty());
        let likeness = table(steps.len(), |a, b| {
            let apart = template.reduced(&minus(&steps[a], &steps[b]));
            let common = match near {
                true => shared(&around[a], &around[b]),
                false => ways.get(&apart).copied().unwrap_or(0),
            };
            (template.adjacent(&steps[a], &steps[b]), common)
        });
        Self {
            rows: rows(&likeness).collect(),
            likeness,
            near,
        }
    }

    /// No way to lay neighbours with these likenesses onto the steps has fewer differences.
    ///
    /// Each neighbour's row is compared with the step's that it has least in conflict with; two
    /// rows account for the difference of one pair.
    pub(super) fn least_differences(&self, seen: &Seen) -> u32 {
        let least = |row: &Row| self.rows.iter().map(|of_step| row.least(of_step)).min();
        let mut all: Vec<u32> = seen.rows.iter().filter_map(least).collect();
        all.sort_unstable();
        // The others are strays.
        all.truncate(self.likeness.len());
        all.iter().sum::<u32>().div_ceil(2)
    }
}

/// What a neighbour has in common with the others, the most first, whoever they are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    common: Vec<u32>,
    adjacent: Vec<u32>,
}

fn rows(likeness: &[Vec<Similarity>]) -> impl Iterator<Item = Row> + '_ {
    likeness.iter().enumerate().map(|(this, row)| {
        let others = row.iter().enumerate().filter(|&(other, _)| other != this);
        let sorted = |value: fn(&Similarity) -> u32| {
            let mut values: Vec<u32> = others.clone().map(|(_, l)| value(l)).collect();
            values.sort_unstable_by(|a, b| b.cmp(a));
            values
        };
        Row {
            common: sorted(|l| l.1),
            adjacent: sorted(|l| u32::from(l.0)),
        }
    })
}

impl Row {
    /// Least differences if every entry of the shorter row meets another entry of the longer one.
    fn least(&self, other: &Self) -> u32 {
        least(&self.common, &other.common) + least(&self.adjacent, &other.adjacent)
    }
}

/// Least sum of differences if every entry of the shorter of two descending lists meets another
/// entry of the longer one: at best the greatest meet the greatest, and the least meet the least.
fn least(a: &[u32], b: &[u32]) -> u32 {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let above = few.iter().zip(many).map(|(f, m)| f.saturating_sub(*m));
    let below = few.iter().rev().zip(many.iter().rev());
    let below = below.map(|(f, m)| m.saturating_sub(*f));
    above.sum::<u32>() + below.sum::<u32>()
}
