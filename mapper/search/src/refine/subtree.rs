//! Exchanges of whole subtrees: everybody on one leaf switch, router or group with everybody on
//! another.
//!
//! Where distances depend on which switch owns a cable, subtrees of one shape are not alike, and no
//! exchange of single ranks gets from one arrangement of them to a better one.

use super::site_assignment::{self, SiteAssignment};
use crate::heuristic::{AboutRefinement, Diagnostics, Problem, Refinement};
use crate::weights::Weights;
use rankfold_model::machine::Machine;
use rankfold_model::placement::Placement;
use rankfold_model::sites::{Level, Sites};
use std::collections::BTreeMap;

/// Rounds over all subtrees of a level.
const ROUNDS: usize = 20;
/// Distances are averages over subtrees, rounded to this part of a hop.
const PART: f64 = 16.0;
/// Subtrees beyond which a level is left alone, unless each is a single site: the table of
/// distances grows with their square.
const MOST: usize = 1024;

/// Exchanges of subtrees.
#[derive(Debug)]
pub(crate) struct Subtree;

impl Refinement for Subtree {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "subtree",
            "exchanges all ranks of two leaf switches, routers or groups, on switched machines",
        )
        .on(Machine::is_switched);
        &ABOUT
    }

    fn refine(&self, problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics {
        site_assignment::refine(problem, placement, |assignment| {
            improve(assignment);
            assignment.journal().len() as u64
        })
    }
}

/// Exchanges subtrees of every level, the lowest first; returns what it saved.
pub(crate) fn improve(assignment: &mut SiteAssignment<'_>) -> i64 {
    let levels = assignment.sites.levels();
    (1..levels.len())
        .rev()
        .map(|level| improve_level(assignment, level))
        .sum()
}

fn improve_level(assignment: &mut SiteAssignment<'_>, level: usize) -> i64 {
    let (parents, groups) = (
        &assignment.sites.levels()[level - 1],
        &assignment.sites.levels()[level],
    );
    let singles = groups.groups() == assignment.sites.len();
    if groups.groups() < 3 || (!singles && groups.groups() > MOST) {
        return 0;
    }
    let group_of: Vec<u32> = assignment
        .site_of()
        .iter()
        .map(|&s| groups.group_of(s))
        .collect();
    let weights = assignment.weights.between(&group_of, groups.groups());
    let mut exchange = SubtreeExchange::new(&weights, assignment.sites, groups, parents);
    exchange.descend();
    assignment.work += exchange.work + assignment.weights.edges() as u64;
    let before = assignment.cost();
    let kept = assignment.journal().len();
    for (rank, &group) in (0..).zip(&group_of) {
        let to = exchange.position[group as usize];
        if to != group {
            let offset = assignment.site(rank) - groups.sites(group).start;
            assignment.move_to(rank, groups.sites(to).start + offset);
        }
    }
    let saved = before - assignment.cost();
    if saved <= 0 {
        assignment.undo(kept);
    }
    saved.max(0)
}

/// Subtrees of one level and the positions they are in.
struct SubtreeExchange<'a> {
    weights: &'a Weights,
    groups: &'a Level,
    parents: &'a Level,
    /// Mean hops between positions in [`PART`]s, row-major.
    hops: Vec<u32>,
    /// Shape of every position: of two of the same shape, sites in the same order take equally many
    /// ranks.
    shape: Vec<usize>,
    /// Position of every group, and the group in every position.
    position: Vec<u32>,
    occupant: Vec<u32>,
    work: u64,
}

impl<'a> SubtreeExchange<'a> {
    fn new(weights: &'a Weights, sites: &'a Sites, groups: &'a Level, parents: &'a Level) -> Self {
        let count = groups.groups();
        let members: Vec<Vec<u32>> = (0..count as u32)
            .map(|g| groups.sites(g).collect())
            .collect();
        let mut hops = Vec::with_capacity(count * count);
        for a in &members {
            hops.extend(
                members
                    .iter()
                    .map(|b| (sites.mean_hops(a, b) * PART).round() as u32),
            );
        }
        let mut shapes = BTreeMap::new();
        let shape = members
            .iter()
            .map(|sites_of| {
                let capacities: Vec<u32> = sites_of.iter().map(|&s| sites.capacity(s)).collect();
                let next = shapes.len();
                *shapes.entry(capacities).or_insert(next)
            })
            .collect();
        Self {
            weights,
            groups,
            parents,
            work: hops.len() as u64,
            hops,
            shape,
            position: (0..count as u32).collect(),
            occupant: (0..count as u32).collect(),
        }
    }

    /// Takes every exchange next to a partner that lowers the cost, until a round finds none.
    fn descend(&mut self) {
        for _ in 0..ROUNDS {
            let mut any = false;
            for group in 0..self.position.len() as u32 {
                for parent in self.near(group) {
                    any |= self.join(group, parent);
                }
            }
            if !any {
                break;
            }
        }
    }

    /// Parents of the positions the partners of a group are in, ascending.
    fn near(&self, group: u32) -> Vec<u32> {
        let partners = self.weights.partners(group);
        let mut parents: Vec<u32> = partners
            .map(|(partner, _)| {
                let position = self.position[partner as usize];
                self.parents.group_of(self.groups.sites(position).start)
            })
            .collect();
        parents.sort_unstable();
        parents.dedup();
        parents
    }

    /// Tries all positions under `parent`.
    fn join(&mut self, group: u32, parent: u32) -> bool {
        let mut any = false;
        let range = self.parents.sites(parent);
        let first = self.groups.group_of(range.start);
        let last = self.groups.group_of(range.end - 1);
        for position in first..=last {
            let other = self.occupant[position as usize];
            let here = self.position[group as usize];
            if other != group
                && self.shape[here as usize] == self.shape[position as usize]
                && self.change(group, other) < 0
            {
                self.position.swap(group as usize, other as usize);
                self.occupant.swap(here as usize, position as usize);
                any = true;
            }
        }
        any
    }

    /// What exchanging the positions of two groups adds to the cost.
    fn change(&mut self, a: u32, b: u32) -> i64 {
        let (from, to) = (self.position[a as usize], self.position[b as usize]);
        let count = self.position.len();
        let row = |position: u32| &self.hops[position as usize * count..][..count];
        let (here, there) = (row(from), row(to));
        let sum = |group: u32, other: u32, old: &[u32], new: &[u32]| -> i64 {
            let partners = self.weights.partners(group).filter(|&(p, _)| p != other);
            partners
                .map(|(partner, bytes)| {
                    let at = self.position[partner as usize] as usize;
                    bytes * (i64::from(new[at]) - i64::from(old[at]))
                })
                .sum()
        };
        let change = sum(a, b, here, there) + sum(b, a, there, here);
        self.work += (self.weights.degree(a) + self.weights.degree(b)) as u64;
        change
    }
}
