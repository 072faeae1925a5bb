//! Similarity of the neighbours of one member, compared with the steps of a template.

use super::template::Template;
use crate::adjacency::{Adjacency, shared};
use crate::stencil_steps::{Steps, minus};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

/// Similarity of two neighbours of the origin: whether they are neighbours of each other, and how
/// many neighbours they share. Where two steps may add up to more than the corner of a square, only
/// shared neighbours next to the origin count, since these exist even in a small grid.
pub(super) type Similarity = (bool, u32);

pub(super) fn difference(a: Similarity, b: Similarity) -> u32 {
    u32::from(a.0 != b.0) + a.1.abs_diff(b.1)
}

/// Similarities among the neighbours of one member.
pub(super) struct Seen {
    /// Similarity of every pair of neighbours.
    pub(super) likeness: Vec<Vec<Similarity>>,
    /// Number of shared neighbours, summed over all pairs.
    pub(super) common: u32,
    rows: Vec<Row>,
}

impl Seen {
    /// Neighbours ordered by what they share with the others, the most first. In a box, the
    /// neighbours along one dimension determine the corners, and not the other way round.
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
        let common = if only_near {
            shared(&near[a], &near[b])
        } else {
            adjacency.common(neighbours[a], neighbours[b])
        };
        (adjacency.adjacent(neighbours[a], neighbours[b]), common)
    })
}

fn table(size: usize, entry: impl Fn(usize, usize) -> Similarity) -> Vec<Vec<Similarity>> {
    (0..size)
        .map(|a| (0..size).map(|b| entry(a, b)).collect())
        .collect()
}

/// Similarities among the steps of a template.
#[derive(Clone)]
pub(super) struct Tables {
    pub(super) likeness: Vec<Vec<Similarity>>,
    /// Whether only neighbours of the origin count as shared.
    pub(super) near: bool,
    /// The distinct rows of `likeness`.
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
            let common = if near {
                shared(&around[a], &around[b])
            } else {
                ways.get(&apart).copied().unwrap_or(0)
            };
            (template.adjacent(&steps[a], &steps[b]), common)
        });
        Self {
            rows: rows(&likeness).collect(),
            likeness,
            near,
        }
    }

    /// A lower bound on the differences of any way to lay neighbours with these similarities onto
    /// the steps.
    ///
    /// Each neighbour's row is compared with the step whose row differs least. The difference of
    /// one pair is counted in two rows.
    pub(super) fn least_differences(&self, seen: &Seen) -> u32 {
        let least = |row: &Row| self.rows.iter().map(|of_step| row.least(of_step)).min();
        let mut all: Vec<u32> = seen.rows.iter().filter_map(least).collect();
        all.sort_unstable();
        // The remaining neighbours are strays.
        all.truncate(self.likeness.len());
        all.iter().sum::<u32>().div_ceil(2)
    }
}

/// What a neighbour shares with the others, in descending order.
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
    /// Least number of differences if every entry of the shorter row is matched with its own entry
    /// of the longer row.
    fn least(&self, other: &Self) -> u32 {
        least(&self.common, &other.common) + least(&self.adjacent, &other.adjacent)
    }
}

/// Least sum of differences if every entry of the shorter of two descending lists is matched with
/// its own entry of the longer one. At best, the greatest entries match the greatest, and the least
/// the least.
fn least(a: &[u32], b: &[u32]) -> u32 {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let above = few.iter().zip(many).map(|(f, m)| f.saturating_sub(*m));
    let below = few.iter().rev().zip(many.iter().rev());
    let below = below.map(|(f, m)| m.saturating_sub(*f));
    above.sum::<u32>() + below.sum::<u32>()
}
