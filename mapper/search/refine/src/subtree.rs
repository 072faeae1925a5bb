//! Exchanges of whole subtrees, for hop-bytes: all ranks of one leaf switch, router or group with
//! all ranks of another.
//!
//! On networks such as dragonflies, the distance between two subtrees depends on which switches own
//! the cables between them. Then the arrangement of subtrees matters, and no exchange of single
//! ranks leads from one arrangement to a better one. At each level, subtrees are exchanged next to
//! partners while that lowers the cost, with the mean distance between two subtrees for the
//! distance of their ranks; the exact cost decides whether the result is kept.
//!
//! Source: our own; the descent is the pairwise exchange of the quadratic assignment problem, with
//! subtrees for facilities.
//!
//! Cost: a table of g x g distances at a level with g subtrees, and O(g x partners) for the
//! exchanges tried of one subtree in one round.

use super::site_assignment::{self, SiteAssignment};
use rankfold_base::Placement;
use rankfold_machine::Machine;
use rankfold_machine::sites::{Level, Sites};
use rankfold_problem::heuristic::{AboutRefinement, Diagnostics, Problem, Refinement};
use rankfold_problem::weights::Weights;
use std::collections::BTreeMap;

/// The most rounds over all subtrees of a level. Chosen by hand; the descent ends earlier as a
/// rule.
const ROUNDS: usize = 20;
/// Mean distances between subtrees are rounded to 1 / `PART` hops.
const PART: f64 = 16.0;
/// A level with more subtrees than this is left alone, unless each subtree is a single site: the
/// table of distances grows with the square of the number.
const MOST: usize = 1024;

/// Exchanges of subtrees.
#[derive(Debug)]
pub struct Subtree;

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

/// Exchanges subtrees of every level, the lowest first; returns the cost saved.
pub fn improve(assignment: &mut SiteAssignment<'_>) -> i64 {
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
    let stays = |rank: &u32| assignment.stays(*rank);
    let keeps = |site: u32| assignment.members(site).iter().any(stays);
    let keeps = |group: u32| groups.sites(group).any(keeps);
    let mut exchange = SubtreeExchange::new(&weights, assignment.sites, (groups, parents), keeps);
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

/// The subtrees of one level, and the position of each group of ranks: the subtree whose nodes it
/// takes.
struct SubtreeExchange<'a> {
    weights: &'a Weights,
    groups: &'a Level,
    parents: &'a Level,
    /// Mean hops between positions, in units of 1 / [`PART`] hops, row-major.
    hops: Vec<u32>,
    /// The shape of every position. In two positions of the same shape, the sites, in order, take
    /// equally many ranks.
    shape: Vec<usize>,
    /// The position of every group.
    position: Vec<u32>,
    /// The group in every position.
    occupant: Vec<u32>,
    work: u64,
}

impl<'a> SubtreeExchange<'a> {
    /// The subtrees of which `keeps` is true have ranks that stay, and so have no shape in common
    /// with others.
    fn new(
        weights: &'a Weights,
        sites: &'a Sites,
        (groups, parents): (&'a Level, &'a Level),
        keeps: impl Fn(u32) -> bool,
    ) -> Self {
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
        let shape = (0..)
            .zip(&members)
            .map(|(group, sites_of)| {
                let capacities: Vec<u32> = sites_of.iter().map(|&s| sites.capacity(s)).collect();
                let alone = keeps(group).then_some(group);
                let next = shapes.len();
                *shapes.entry((alone, capacities)).or_insert(next)
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

    /// Carries out exchanges that put a group next to a partner and lower the cost, until a round
    /// finds none.
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

    /// The parents of the positions of a group's partners, ascending.
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

    /// Tries to exchange the group into each position under `parent`; whether an exchange was
    /// carried out.
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
