//! Best-first search for plans: sequences of steps that end with a factorisation onto the box.
//!
//! A state is a shape that the grid of ranks can be brought into, with the bytes along its
//! dimensions. In every state the factorisations of the shape onto the box complete a plan, and the
//! cheapest of them in closed form is the state's priority. The most promising states are developed
//! by one more step each. A last squeeze inside the box may follow the factorisation.

use super::step::ShapeStep;
use crate::regular::factor::{self, Factorisation, SourceGrid};
use crate::regular::maps::IndexMap;
use crate::regular::maps::helix::Helix;
use crate::regular::target::{AxisKind, SlotBox, products};

/// Most steps before the factorisation.
const DEPTH: usize = 2;

/// Number of states that are developed further after each step.
const BREADTH: usize = 4;

/// Largest ratio by which a dimension is squeezed.
const MOST_SQUEEZE: usize = 4;

/// A step is tried only if its expected cost is below this share of the lowest cost so far.
const WORTHWHILE: f64 = 0.998;

/// Plans are kept up to this multiple of the lowest cost. The closed form is about this exact for
/// squeezes; no measurement is recorded.
const WITHIN: f64 = 1.1;

/// Number of factorisations kept for every state.
const KEPT: usize = 6;

/// A sequence of steps from the grid of ranks to the box.
#[derive(Clone, Debug)]
pub(super) struct ReshapePlan {
    /// Steps before the factorisation.
    before: Vec<ShapeStep>,
    grid: Factorisation,
    /// A squeeze after the factorisation.
    after: Option<ShapeStep>,
    /// Hop-bytes in closed form.
    pub(super) cost: f64,
}

impl ReshapePlan {
    /// The map from the cells of the grid to the slots of the box; `None` if a step does not fit.
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

    /// The steps in words, for the diagnostics.
    pub(super) fn describe(&self, source: &SourceGrid) -> String {
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

/// Hop-bytes in closed form that no plan for `shape` is expected to beat: every step is one hop
/// unless it stays inside a node, and of the steps in a cube of c cells the share c^(-1/dims)
/// leaves the cube.
pub(super) fn floor(shape: &SourceGrid, cores: usize) -> f64 {
    let leaving = (cores as f64).powf(-1.0 / shape.dims.len() as f64);
    shape.weights.iter().sum::<f64>() * leaving
}

/// A shape and the steps that lead to it.
#[derive(Clone)]
struct State {
    before: Vec<ShapeStep>,
    shape: SourceGrid,
}

impl State {
    /// Hop-bytes in closed form that no plan from this state is expected to beat.
    fn floor(&self, cores: usize) -> f64 {
        floor(&self.shape, cores)
    }
}

/// The cheapest factorisations of the grid itself onto a box, cheapest first in closed form.
pub(super) fn direct(source: &SourceGrid, target: &SlotBox) -> Vec<ReshapePlan> {
    let grids = factor::best(source, target, KEPT, f64::INFINITY).into_iter();
    grids
        .map(|grid| ReshapePlan {
            before: Vec::new(),
            after: None,
            cost: grid.cost,
            grid,
        })
        .collect()
}

/// Plans with steps before or after the factorisation, cheapest first in closed form.
///
/// `least` is the lowest cost of the plans known so far; plans that are expected to cost much more
/// are left out.
pub(super) fn with_steps(
    source: &SourceGrid,
    target: &SlotBox,
    mut least: f64,
) -> Vec<ReshapePlan> {
    let cores = *target.sizes.last().unwrap_or(&1);
    let mut found = Vec::new();
    let mut seen: Vec<SourceGrid> = Vec::new();
    let mut states = vec![State {
        before: Vec::new(),
        shape: source.clone(),
    }];
    for depth in 0..=DEPTH {
        states.sort_by(|a, b| a.floor(cores).total_cmp(&b.floor(cores)));
        let mut ranked: Vec<(f64, State)> = Vec::new();
        for state in states {
            if state.floor(cores) >= least * WORTHWHILE {
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
    found.retain(|plan: &ReshapePlan| plan.cost < least * WITHIN);
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    found
}

/// Plans that end in this state: factorisations onto the box, and factorisations onto boxes that a
/// last squeeze brings into the box.
fn finishes(state: &State, target: &SlotBox, least: f64) -> Vec<ReshapePlan> {
    let with = |after: Option<ShapeStep>, target: &SlotBox, least: f64| {
        let grids = factor::best(&state.shape, target, KEPT, least * WITHIN);
        let plan = move |grid: Factorisation| ReshapePlan {
            before: state.before.clone(),
            after: after.clone(),
            cost: grid.cost,
            grid,
        };
        grids.into_iter().map(plan).collect::<Vec<_>>()
    };
    let mut plans = if state.before.is_empty() {
        Vec::new()
    } else {
        with(None, target, least)
    };
    let mut least = plans.iter().map(|p| p.cost).fold(least, f64::min);
    let bytes: f64 = state.shape.weights.iter().sum();
    for (step, before) in last_squeezes(&state.shape, target) {
        // The steps along at least one dimension become longer.
        let stretch = before.stretch.iter().product::<f64>();
        let shortest = state.shape.weights.iter().copied().fold(bytes, f64::min);
        if bytes + (stretch - 1.0) * shortest < least * WORTHWHILE {
            let more = with(Some(step), &before, least);
            least = more.iter().map(|p| p.cost).fold(least, f64::min);
            plans.extend(more);
        }
    }
    plans
}

/// The states that one more step leads to.
fn successors(state: &State, target: &SlotBox) -> Vec<State> {
    let shape = &state.shape;
    let mut next: Vec<Vec<ShapeStep>> = Vec::new();
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

/// Every squeeze of one dimension in favour of another, by a ratio of at most [`MOST_SQUEEZE`],
/// after which the shape has as many cells as the box has slots.
fn squeezes(shape: &SourceGrid, target: &SlotBox) -> impl Iterator<Item = ShapeStep> {
    let slots = target.slots();
    pairs(shape.dims.len()).flat_map(move |(i, j)| {
        let others: usize = others(&shape.dims, (i, j));
        let area = slots / others;
        let (wide, tall) = (shape.dims[i], shape.dims[j]);
        let fits = slots.is_multiple_of(others);
        (tall.div_ceil(MOST_SQUEEZE)..tall)
            .filter(move |&rows| fits && area.is_multiple_of(rows))
            .map(move |rows| (area / rows, rows))
            .filter(move |&to| can_squeeze((wide, tall), to))
            .map(move |to| ShapeStep::Squeeze { dims: (i, j), to })
    })
}

/// Larger shapes that have the grid as a corner and as many cells as the box has slots.
fn paddings(shape: &SourceGrid, target: &SlotBox) -> impl Iterator<Item = ShapeStep> {
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
        .map(|to| ShapeStep::Pad { to })
}

/// Maps of a periodic dimension onto a cycle in a plane of two dimensions of the box.
fn cycles(shape: &SourceGrid, target: &SlotBox) -> impl Iterator<Item = ShapeStep> {
    let rings = (0..shape.dims.len()).filter(|&dim| shape.periodic[dim]);
    rings.flat_map(move |dim| {
        pairs(target.sizes.len())
            .map(|(u, v)| (target.sizes[u], target.sizes[v]))
            .filter(move |to| to.0 * to.1 == shape.dims[dim] && to.0 % 2 == 0 && to.1 > 1)
            .map(move |to| ShapeStep::Cycle { dim, to })
    })
}

/// Every winding around two whole rings of the machine. The dimension that becomes the tracks may
/// be cut first, so that its pieces fill the other dimensions of the box.
fn windings(shape: &SourceGrid, target: &SlotBox) -> Vec<Vec<ShapeStep>> {
    let rings: Vec<usize> = (0..target.sizes.len())
        .filter(|&d| target.axes[d] == AxisKind::Ring(target.sizes[d]))
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
                let cut = ShapeStep::Cut { dim: dims.1, fine };
                let wind = ShapeStep::Wind { dims, to };
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

/// Squeezes inside the box, each with the target before the squeeze: a box with as many slots as
/// the shape has cells.
fn last_squeezes(shape: &SourceGrid, target: &SlotBox) -> Vec<(ShapeStep, SlotBox)> {
    let cells: usize = shape.dims.iter().product();
    let straight = |d: usize| matches!(target.axes[d], AxisKind::Ring(_) | AxisKind::Path);
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
                (before.axes[u], before.axes[v]) = (AxisKind::Path, AxisKind::Path);
                before.stretch[u] = 1.0 + 2.0 * (tall - to.1) as f64 / tall as f64;
                found.push((ShapeStep::Squeeze { dims: (u, v), to }, before));
            }
        }
    }
    found
}

/// Whether [`squeeze`](crate::regular::maps::squeeze::squeeze) has a map for these sizes.
fn can_squeeze((columns, height): (usize, usize), (wide, rows): (usize, usize)) -> bool {
    let (each, extra) = (height / rows, height % rows);
    wide >= each * columns && (wide - each * columns) * rows >= extra * columns
}

/// Product of all sizes but those of dimensions `i` and `j`.
fn others(sizes: &[usize], (i, j): (usize, usize)) -> usize {
    let not_these = (0..sizes.len()).filter(|&d| d != i && d != j);
    not_these.map(|d| sizes[d]).product()
}

/// Ordered pairs of different indices.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (0..count).filter(move |&j| j != i).map(move |j| (i, j)))
}
