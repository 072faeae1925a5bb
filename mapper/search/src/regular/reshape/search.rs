//! Best-first search over shapes.
//!
//! The state is the shape the grid of ranks has been brought into, with the bytes along its
//! dimensions. From every state the factorisations onto the box are one way to finish; the best of
//! them in closed form is the state's priority. A last squeeze inside the box is possible too.

use super::step::Step;
use crate::regular::factor::{self, Factorisation, Source};
use crate::regular::maps::IndexMap;
use crate::regular::maps::helix::Helix;
use crate::regular::target::{Axis, Target, products};

/// Steps before the factorisation.
const DEPTH: usize = 2;

/// States that are developed further, the most promising ones.
const BREADTH: usize = 4;

/// Most that a dimension is squeezed by.
const SQUEEZE: usize = 4;

/// What is expected to gain less than this is not looked at.
const WORTH: f64 = 0.998;

/// Ways that cost so many times what the cheapest costs are kept: the closed form is no more exact
/// than that where it comes to squeezes.
const NEAR: f64 = 1.1;

/// Factorisations kept of every state.
const KEEP: usize = 6;

/// A way from the grid of ranks to the box.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    before: Vec<Step>,
    grid: Factorisation,
    after: Option<Step>,
    /// Hop-bytes in closed form.
    pub(super) cost: f64,
}

impl Plan {
    /// From the cells of the grid to the places in the box.
    pub(super) fn map(&self, dims: &[usize]) -> Option<IndexMap> {
        let mut map = IndexMap::pad(dims, dims);
        for step in &self.before {
            map = map.then(&step.map(map.to())?);
        }
        map = map.then(&self.grid.map());
        if let Some(step) = &self.after {
            map = map.then(&step.map(map.to())?);
        }
        Some(map)
    }

    /// What is done, in words.
    pub(super) fn describe(&self, source: &Source) -> String {
        let mut shape = source.clone();
        let mut words = Vec::new();
        for step in &self.before {
            words.push(step.describe(&shape.dims));
            shape = step.apply(&shape).unwrap_or(shape);
        }
        words.push(self.grid.describe());
        if let Some(step) = &self.after {
            words.push(step.describe(&self.grid.to()));
        }
        words.join("; ")
    }
}

/// Hop-bytes in closed form that no way is expected to beat.
pub(super) fn floor(shape: &Source, cores: usize) -> f64 {
    let leaving = (cores as f64).powf(-1.0 / shape.dims.len() as f64);
    shape.weights.iter().sum::<f64>() * leaving
}

/// A shape and the steps that lead to it.
#[derive(Clone)]
struct State {
    before: Vec<Step>,
    shape: Source,
}

impl State {
    /// No way from here is expected to cost less: every step is a hop, unless it stays inside a
    /// node, and of the steps in a cube of c cells the share c^(-1/dims) leaves it.
    fn floor(&self, cores: usize) -> f64 {
        floor(&self.shape, cores)
    }
}

/// The factorisations of a grid onto a box as they are, best first in closed form.
pub(super) fn direct(source: &Source, target: &Target) -> Vec<Plan> {
    let grids = factor::best(source, target, KEEP, f64::INFINITY).into_iter();
    grids
        .map(|grid| Plan {
            before: Vec::new(),
            after: None,
            cost: grid.cost,
            grid,
        })
        .collect()
}

/// Ways with squeezes and windings that are expected to cost not much more than `least`, what the
/// cheapest way known costs; best first in closed form.
pub(super) fn detours(source: &Source, target: &Target, mut least: f64) -> Vec<Plan> {
    let cores = *target.sizes.last().unwrap_or(&1);
    let mut found = Vec::new();
    let mut seen: Vec<Source> = Vec::new();
    let mut states = vec![State {
        before: Vec::new(),
        shape: source.clone(),
    }];
    for depth in 0..=DEPTH {
        states.sort_by(|a, b| a.floor(cores).total_cmp(&b.floor(cores)));
        let mut ranked: Vec<(f64, State)> = Vec::new();
        for state in states {
            if state.floor(cores) >= least * WORTH {
                break;
            }
            if seen.contains(&state.shape) {
                continue;
            }
            seen.push(state.shape.clone());
            let plans = finishes(&state, target, least);
            let best = plans.iter().map(|p| p.cost).fold(f64::INFINITY, f64::min);
            least = least.min(best);
            found.extend(plans);
            ranked.push((best, state));
        }
        if depth == DEPTH {
            break;
        }
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let promising = ranked.into_iter().take(BREADTH);
        states = promising
            .flat_map(|(_, s)| successors(&s, target))
            .collect();
    }
    found.retain(|plan: &Plan| plan.cost < least * NEAR);
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    found
}

/// Factorisations onto the box, and onto shapes that a last squeeze brings into it.
fn finishes(state: &State, target: &Target, least: f64) -> Vec<Plan> {
    let with = |after: Option<Step>, target: &Target, least: f64| {
        let ways = factor::best(&state.shape, target, KEEP, least * NEAR);
        let plan = move |grid: Factorisation| Plan {
            before: state.before.clone(),
            after: after.clone(),
            cost: grid.cost,
            grid,
        };
        ways.into_iter().map(plan).collect::<Vec<_>>()
    };
    let mut plans = match state.before.is_empty() {
        true => Vec::new(),
        false => with(None, target, least),
    };
    let mut least = plans.iter().map(|p| p.cost).fold(least, f64::min);
    let bytes: f64 = state.shape.weights.iter().sum();
    for (step, before) in last_squeezes(&state.shape, target) {
        // Some dimension's steps at least are lengthened.
        let stretch = before.stretch.iter().product::<f64>();
        let shortest = state.shape.weights.iter().copied().fold(bytes, f64::min);
        if bytes + (stretch - 1.0) * shortest < least * WORTH {
            let more = with(Some(step), &before, least);
            least = more.iter().map(|p| p.cost).fold(least, f64::min);
            plans.extend(more);
        }
    }
    plans
}

fn successors(state: &State, target: &Target) -> Vec<State> {
    let shape = &state.shape;
    let mut next: Vec<Vec<Step>> = Vec::new();
    next.extend(squeezes(shape, target).map(|s| vec![s]));
    next.extend(paddings(shape, target).map(|s| vec![s]));
    next.extend(cycles(shape, target).map(|s| vec![s]));
    next.extend(windings(shape, target));
    next.into_iter()
        .filter_map(|steps| {
            let mut state = state.clone();
            for step in steps {
                state.shape = step.apply(&state.shape)?;
                state.before.push(step);
            }
            Some(state)
        })
        .collect()
}

/// Every way to squeeze one dimension in favour of another, by [`SQUEEZE`] at most, so that the
/// cells are as many as places in the box.
fn squeezes(shape: &Source, target: &Target) -> impl Iterator<Item = Step> {
    let slots = target.slots();
    pairs(shape.dims.len()).flat_map(move |(i, j)| {
        let others: usize = others(&shape.dims, (i, j));
        let area = slots / others;
        let (wide, tall) = (shape.dims[i], shape.dims[j]);
        let fits = slots.is_multiple_of(others);
        (tall.div_ceil(SQUEEZE)..tall)
            .filter(move |&rows| fits && area.is_multiple_of(rows))
            .map(move |rows| (area / rows, rows))
            .filter(move |&to| can_squeeze((wide, tall), to))
            .map(move |to| Step::Squeeze { dims: (i, j), to })
    })
}

/// Shapes that the grid is a corner of and that have as many cells as the box has places.
fn paddings(shape: &Source, target: &Target) -> impl Iterator<Item = Step> {
    let slots = target.slots();
    let cells: usize = shape.dims.iter().product();
    let limits: Vec<usize> = shape
        .dims
        .iter()
        .map(|k| if slots == cells { 0 } else { k * slots / cells })
        .collect();
    products(slots, &limits)
        .into_iter()
        .filter(|to| to.iter().zip(&shape.dims).all(|(to, k)| to >= k))
        .map(|to| Step::Pad { to })
}

/// Periodic dimensions as cycles around two open dimensions of the box.
fn cycles(shape: &Source, target: &Target) -> impl Iterator<Item = Step> {
    let rings = (0..shape.dims.len()).filter(|&dim| shape.periodic[dim]);
    rings.flat_map(move |dim| {
        pairs(target.sizes.len())
            .map(|(u, v)| (target.sizes[u], target.sizes[v]))
            .filter(move |to| to.0 * to.1 == shape.dims[dim] && to.0 % 2 == 0 && to.1 > 1)
            .map(move |to| Step::Cycle { dim, to })
    })
}

/// Every way around two whole rings of the machine, one of the dimensions cut to the length of a
/// third.
fn windings(shape: &Source, target: &Target) -> Vec<Vec<Step>> {
    let rings: Vec<usize> = (0..target.sizes.len())
        .filter(|&d| target.axes[d] == Axis::Ring(target.sizes[d]))
        .collect();
    let planes = pairs(rings.len()).map(|(a, b)| (target.sizes[rings[a]], target.sizes[rings[b]]));
    let mut found = Vec::new();
    for to in planes {
        for dims in pairs(shape.dims.len()) {
            let (length, tracks) = (shape.dims[dims.0], shape.dims[dims.1]);
            let fine = length * tracks / (to.0 * to.1);
            let exact = length * tracks == fine * to.0 * to.1;
            if !exact || fine == 0 || !tracks.is_multiple_of(fine) {
                continue;
            }
            if Helix::new(tracks / fine, to).is_some() && tracks > fine {
                let cut = Step::Cut { dim: dims.1, fine };
                let wind = Step::Wind { dims, to };
                let steps = if fine > 1 {
                    vec![cut, wind]
                } else {
                    vec![wind]
                };
                found.push(steps);
            }
        }
    }
    found
}

/// Squeezes inside the box, with the target before each: as many places as the shape has cells.
fn last_squeezes(shape: &Source, target: &Target) -> Vec<(Step, Target)> {
    let cells: usize = shape.dims.iter().product();
    let straight = |d: usize| matches!(target.axes[d], Axis::Ring(_) | Axis::Path);
    let mut found = Vec::new();
    for (u, v) in pairs(target.sizes.len()).filter(|&(u, v)| straight(u) && straight(v)) {
        let others = others(&target.sizes, (u, v));
        if !cells.is_multiple_of(others) {
            continue;
        }
        let to = (target.sizes[u], target.sizes[v]);
        let area = cells / others;
        for tall in (to.1 + 1..=2 * to.1).filter(|&tall| area.is_multiple_of(tall)) {
            let wide = area / tall;
            if can_squeeze((wide, tall), to) {
                let mut before = target.clone();
                (before.sizes[u], before.sizes[v]) = (wide, tall);
                (before.axes[u], before.axes[v]) = (Axis::Path, Axis::Path);
                before.stretch[u] = 1.0 + 2.0 * (tall - to.1) as f64 / tall as f64;
                found.push((Step::Squeeze { dims: (u, v), to }, before));
            }
        }
    }
    found
}

fn can_squeeze((columns, height): (usize, usize), (wide, rows): (usize, usize)) -> bool {
    let (each, extra) = (height / rows, height % rows);
    wide >= each * columns && (wide - each * columns) * rows >= extra * columns
}

fn others(sizes: &[usize], (i, j): (usize, usize)) -> usize {
    let not_these = (0..sizes.len()).filter(|&d| d != i && d != j);
    not_these.map(|d| sizes[d]).product()
}

/// Ordered pairs of different indices.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (0..count).filter(move |&j| j != i).map(move |j| (i, j)))
}
