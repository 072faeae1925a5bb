//! Seeds: one member and its neighbours, laid onto a template.
//!
//! Idea: depth-first search over the neighbours. Each is laid onto the free step where its
//! similarities with the neighbours laid before fit best
//! ([`neighbour_similarity`](super::neighbour_similarity)); the search backtracks when the
//! differences exceed a tolerance. The method is the project's own. Cost: at most [`BUDGET`] steps
//! for each attempt.

use super::neighbour_similarity::{Seen, Similarity, Tables, difference};
use super::template::Template;
use crate::adjacency::Adjacency;
use crate::stencil_steps::{MAX_DIMS, Steps};
use std::cell::OnceCell;

/// Members tried as the origin, for each tolerance. Chosen by hand.
const TRIES: usize = 8;

/// Shares of shared neighbours that may be wrong: none first, then as many as noise may cause.
/// Chosen by hand.
const TOLERANCES: [f64; 3] = [0.0, 0.05, 0.12];

/// Most steps of one attempt. Chosen by hand; not measured.
const BUDGET: usize = 1500;

/// Members with their cells, the origin first.
pub(super) type Seed = Vec<(u32, Steps)>;

/// A member whose neighbourhood may be laid onto templates. Holds the similarities of its
/// neighbours, counting all shared neighbours, and only near ones.
struct Origin {
    member: u32,
    seen: [OnceCell<Seen>; 2],
}

impl Origin {
    fn seen(&self, adjacency: &Adjacency, only_near: bool) -> &Seen {
        let seen = &self.seen[usize::from(only_near)];
        seen.get_or_init(|| Seen::around(adjacency, self.member, only_near))
    }
}

/// Members of one degree that are tried as origins for every template.
pub(super) struct Origins {
    pub(super) degree: usize,
    members: Vec<Origin>,
}

impl Origins {
    /// A few members for each of the highest degrees, in descending order of degree.
    pub(super) fn of(adjacency: &Adjacency) -> Vec<Self> {
        let degrees = adjacency.seed_degrees().into_iter();
        degrees
            .map(|degree| {
                let members = 0..adjacency.members() as u32;
                let fit: Vec<u32> = members
                    .filter(|&m| adjacency.of_member(m).len() == degree)
                    .collect();
                // Spread over all members, so that one noisy region does not use up all tries.
                let stride = fit.len().div_ceil(TRIES).max(1);
                let members = fit.into_iter().step_by(stride).map(|member| Origin {
                    member,
                    seen: Default::default(),
                });
                Self {
                    degree,
                    members: members.collect(),
                }
            })
            .collect()
    }
}

/// Ways to lay the neighbourhood of some origin onto the template, the most exact first. A member
/// with too few neighbours leaves steps free; one with too many has strays among them.
pub(super) fn all<'a>(
    adjacency: &'a Adjacency,
    template: &'a Template,
    origins: &'a Origins,
) -> impl Iterator<Item = Seed> + 'a {
    let tables = Tables::of(template);
    let tries = TOLERANCES.into_iter().flat_map(|tolerance| {
        let origins = origins.members.iter();
        origins.map(move |origin| (origin, tolerance))
    });
    tries
        .filter_map(move |(origin, tolerance)| lay(adjacency, template, &tables, origin, tolerance))
}

/// The state of the depth-first search.
struct Laying<'a> {
    template: &'a Template,
    tables: &'a Tables,
    /// Similarity of every pair of neighbours of the origin.
    seen: &'a [Vec<Similarity>],
    /// The order in which neighbours are laid.
    order: &'a [usize],
    /// The step of each neighbour laid so far, in that order; `None` for a stray.
    laid: Vec<Option<usize>>,
    free: Vec<bool>,
    /// Number of neighbours that must still be strays.
    strays: usize,
    budget: usize,
}

fn lay(
    adjacency: &Adjacency,
    template: &Template,
    tables: &Tables,
    origin: &Origin,
    tolerance: f64,
) -> Option<Seed> {
    let seen = origin.seen(adjacency, tables.near);
    let slack = (tolerance * f64::from(seen.common)) as u32;
    if tables.least_differences(seen) > slack {
        return None;
    }
    let members = adjacency.of_member(origin.member);
    let in_order = |order: Vec<usize>| {
        let mut laying = Laying {
            template,
            tables,
            seen: &seen.likeness,
            order: &order,
            laid: Vec::new(),
            free: vec![true; template.steps.len()],
            strays: members.len().saturating_sub(template.steps.len()),
            budget: BUDGET,
        };
        let laid = laying.extend(slack).then_some(laying.laid)?;
        Some((order, laid))
    };
    // If nothing may be wrong, a different order may avoid a dead end.
    let exact = slack == 0;
    let (order, laid) = in_order((0..members.len()).collect())
        .or_else(|| exact.then(|| in_order(seen.most_common_first())).flatten())?;
    let laid = order.iter().zip(laid);
    let neighbours = laid.filter_map(|(&n, step)| Some((members[n], template.steps[step?])));
    Some(
        std::iter::once((origin.member, [0; MAX_DIMS]))
            .chain(neighbours)
            .collect(),
    )
}

impl Laying<'_> {
    /// Lays all remaining neighbours with at most `slack` differences in all.
    fn extend(&mut self, slack: u32) -> bool {
        let next = self.laid.len();
        if next == self.seen.len() {
            return true;
        }
        let mut choices: Vec<(u32, usize)> = (0..self.free.len())
            .filter(|&step| self.free[step])
            .filter_map(|step| Some((self.differences(next, step, slack)?, step)))
            .collect();
        choices.sort_unstable();
        if next == 0 {
            // Equivalent steps lead to the same result, rotated or mirrored.
            let mut known = Vec::new();
            choices.retain(|&(_, step)| {
                let orbit = self.template.orbit(&self.template.steps[step]);
                let new = !known.contains(&orbit);
                known.push(orbit);
                new
            });
        }
        for (differences, step) in choices {
            if self.budget == 0 {
                return false;
            }
            self.budget -= 1;
            self.laid.push(Some(step));
            self.free[step] = false;
            if self.extend(slack - differences) {
                return true;
            }
            self.laid.pop();
            self.free[step] = true;
        }
        if self.strays > 0 && self.budget > 0 {
            self.budget -= 1;
            self.strays -= 1;
            self.laid.push(None);
            if self.extend(slack) {
                return true;
            }
            self.laid.pop();
            self.strays += 1;
        }
        false
    }

    /// Number of differences of a neighbour on a step, compared with those laid before; `None` if
    /// more than `slack`.
    fn differences(&self, next: usize, step: usize, slack: u32) -> Option<u32> {
        let (of_next, of_step) = (&self.seen[self.order[next]], &self.tables.likeness[step]);
        let mut before = self.order.iter().zip(&self.laid);
        before.try_fold(0, |sum, (&other, laid)| {
            let more = laid.map_or(0, |laid| difference(of_next[other], of_step[laid]));
            Some(sum + more).filter(|&sum| sum <= slack)
        })
    }
}
