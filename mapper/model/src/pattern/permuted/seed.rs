//! One member and its neighbours, laid onto a template.

use super::neighbour_similarity::{Seen, Similarity, Tables, difference};
use super::template::Template;
use crate::pattern::adjacency::Adjacency;
use crate::pattern::stencil_steps::{MOST_DIMS, Steps};
use std::cell::OnceCell;

/// Members tried as the origin, at each tolerance.
const TRIES: usize = 8;

/// Shares of all common neighbours that may be wrong: none first, then what noise does.
const TOLERANCES: [f64; 3] = [0.0, 0.05, 0.12];

/// Neighbours laid in one attempt before it is given up.
const BUDGET: usize = 1500;

/// Members with their cells, the origin first.
pub(super) type Seed = Vec<(u32, Steps)>;

/// A member whose neighbourhood may be laid, and how alike its neighbours are: all of them, and
/// near ones only.
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

/// Members of one degree, to be tried as origins of every template.
pub(super) struct Origins {
    pub(super) degree: usize,
    members: Vec<Origin>,
}

impl Origins {
    /// A few of each of the highest degrees, these first.
    pub(super) fn of(adjacency: &Adjacency) -> Vec<Self> {
        let degrees = adjacency.seed_degrees().into_iter();
        degrees
            .map(|degree| {
                let members = 0..adjacency.members() as u32;
                let fit: Vec<u32> = members
                    .filter(|&m| adjacency.of_member(m).len() == degree)
                    .collect();
                // Spread over the members, so that one bad region does not use up all tries.
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
/// with too few neighbours leaves steps free, one with too many has strays among them.
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

/// Depth-first: neighbours one by one, each onto the steps that fit those before best.
struct Laying<'a> {
    template: &'a Template,
    tables: &'a Tables,
    /// Similarity of every two neighbours of the origin.
    seen: &'a [Vec<Similarity>],
    /// Which neighbour is laid when.
    order: &'a [usize],
    /// The step each neighbour so far is laid onto, in that order; `None` for a stray.
    laid: Vec<Option<usize>>,
    free: Vec<bool>,
    /// Neighbours that must be strays still.
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
    // Where nothing is wrong, one order may lead into a dead end that another one avoids.
    let exact = slack == 0;
    let (order, laid) = in_order((0..members.len()).collect())
        .or_else(|| exact.then(|| in_order(seen.most_common_first())).flatten())?;
    let laid = order.iter().zip(laid);
    let neighbours = laid.filter_map(|(&n, step)| Some((members[n], template.steps[step?])));
    Some(
        std::iter::once((origin.member, [0; MOST_DIMS]))
            .chain(neighbours)
            .collect(),
    )
}

impl Laying<'_> {
    /// Lays all neighbours from the next one on, at most `slack` differences in all.
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
            // Steps that are alike lead to the same layings, turned.
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

    /// How much a neighbour on a step differs from those laid before; `None` if more than `slack`.
    fn differences(&self, next: usize, step: usize, slack: u32) -> Option<u32> {
        let (of_next, of_step) = (&self.seen[self.order[next]], &self.tables.likeness[step]);
        let mut before = self.order.iter().zip(&self.laid);
        before.try_fold(0, |sum, (&other, laid)| {
            let more = laid.map_or(0, |laid| difference(of_next[other], of_step[laid]));
            Some(sum + more).filter(|&sum| sum <= slack)
        })
    }
}
