//! Verifies a grid: decodes every pair of ranks into steps along the grid's dimensions, and counts
//! how much of the traffic follows a stencil.
//!
//! ```text
//! 4 x 3 grid in rows, pair (4, 8)   cells 4 = (1, 1) and 8 = (2, 2)   steps (1, 1): a diagonal
//!  0  1  2
//!  3 [4] 5
//!  6  7 [8]
//!  9 10 11
//! ```
//!
//! Idea: an offset belongs to the stencil if it occurs at most of the cells where it could. The
//! grid's confidence is the lower of two shares: bytes along the stencil, and pairs of the stencil
//! that do exchange bytes. The method is the project's own. Cost: O(pairs x dimensions).

use super::stencil_steps::{MAX_DIMS, Steps, at_index, index, minus, short_way, table_len};
use super::traffic::{Pair, PairTraffic};
use super::{Numbering, Offset, Source, Stencil};
use rayon::prelude::*;

/// An offset belongs to the stencil if at least this share of its possible pairs exchange bytes.
/// Chosen by hand (see [thresholds](super#thresholds-and-their-evidence)).
const PRESENT: f64 = 0.5;

/// An offset with less than `LIGHT` of all bytes belongs to the stencil only if nearly all of its
/// possible pairs exchange bytes. A few light messages along an offset say nothing about the grid.
/// Chosen by hand on matrices of HPCG, miniFE, AMG and NPB MG with 16 to 64 ranks, where 0.3 % of
/// other traffic hid the order of ranks (commit ecad488).
const LIGHT: f64 = 0.01;
const NEARLY_ALL: f64 = 0.95;

/// A dimension is periodic if at least this share of its lines close. Chosen by hand.
const CLOSED: f64 = 0.5;

/// Least bytes that close a line, relative to the mean between neighbours along it. Chosen by hand,
/// so that the messages of a root do not close a path (tests in `tests/hidden.rs`).
const HEAVY: f64 = 0.2;

/// An edge of a box exchanges at most this factor of the bytes of its faces, the same for corners
/// and edges. Chosen by hand.
const RISE: f64 = 1.1;

/// Number of pairs in one task of the parallel loop. Chosen by hand; not measured.
const CHUNK: usize = 1 << 14;

/// The coordinates of members in a grid.
#[derive(Clone, Debug)]
pub(super) struct MemberGrid {
    /// Size of every dimension.
    pub(super) dims: Vec<usize>,
    /// Coordinates of every member.
    pub(super) at: Vec<Steps>,
}

impl MemberGrid {
    /// Coordinates of cells that are numbered row-major.
    pub(super) fn new(dims: Vec<usize>, cells: impl IndexedParallelIterator<Item = usize>) -> Self {
        let at = cells.map(|cell| coordinates(cell, &dims)).collect();
        Self { dims, at }
    }
}

/// Coordinates of a cell; zero beyond the grid's dimensions.
pub(super) fn coordinates(cell: usize, dims: &[usize]) -> Steps {
    let (mut rest, mut at) = (cell, [0; MAX_DIMS]);
    for (c, &k) in at[..dims.len()].iter_mut().zip(dims).rev() {
        *c = (rest % k) as i32;
        rest /= k;
    }
    at
}

/// Traffic, counted by its steps in a grid.
pub(super) struct GridFit<'a> {
    grid: &'a MemberGrid,
    periodic: Vec<bool>,
    /// All bytes.
    bytes: u128,
    /// Bytes that the grid has to explain: all but those of hubs that leave the stencil.
    due: u128,
    /// Counts of every offset, by the [`index`] of its steps.
    seen: Vec<Seen>,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    pairs: usize,
    forward: u64,
    backward: u64,
    /// Bytes of both directions that a hub sends or receives.
    hub: u64,
}

impl Seen {
    fn bytes(&self) -> u128 {
        u128::from(self.forward) + u128::from(self.backward)
    }
}

impl<'a> GridFit<'a> {
    pub(super) fn of(traffic: &PairTraffic, grid: &'a MemberGrid) -> Self {
        Self::with_rings(traffic, grid, periodic(traffic, grid))
    }

    /// As [`of`](Self::of), for given periodic dimensions.
    pub(super) fn with_rings(
        traffic: &PairTraffic,
        grid: &'a MemberGrid,
        periodic: Vec<bool>,
    ) -> Self {
        let mut fit = Self {
            grid,
            periodic,
            bytes: traffic.bytes(),
            due: 0,
            seen: Vec::new(),
        };
        let empty = || vec![Seen::default(); table_len(grid.dims.len())];
        let chunks = traffic.pairs.par_chunks(CHUNK);
        fit.seen = chunks
            .map(|pairs| {
                let mut seen = empty();
                for pair in pairs {
                    fit.count(traffic, pair, &mut seen);
                }
                seen
            })
            .reduce(empty, add);
        fit.due = fit.due(traffic);
        fit
    }

    /// Drops all traffic that goes beyond the next cells.
    pub(super) fn keep_next_cells(&mut self) {
        let dims = self.grid.dims.len();
        for (index, seen) in self.seen.iter_mut().enumerate() {
            let steps = at_index(index, dims);
            if steps[..dims].iter().any(|step| step.abs() > 1) {
                *seen = Seen::default();
            }
        }
    }

    /// Distance of the ends of `pair` in cells, along the dimension where it is greatest.
    pub(super) fn reach(&self, pair: &Pair) -> usize {
        let steps = self.steps(pair);
        let reaches = steps.iter().map(|step| step.unsigned_abs() as usize);
        reaches.max().unwrap_or(0)
    }

    fn count(&self, traffic: &PairTraffic, pair: &Pair, seen: &mut [Seen]) {
        let steps = self.steps(pair);
        let canonical = self.canonical(steps);
        let Some(index) = index(&canonical, self.grid.dims.len()) else {
            return;
        };
        let seen = &mut seen[index];
        let (forward, backward) = if canonical == steps {
            (pair.up, pair.down)
        } else {
            (pair.down, pair.up)
        };
        seen.pairs += 1;
        seen.forward += forward;
        seen.backward += backward;
        if of_hub(traffic, pair) {
            seen.hub += pair.bytes();
        }
    }

    /// All bytes, less those of hubs that do not follow the stencil.
    fn due(&self, traffic: &PairTraffic) -> u128 {
        let of_hubs = traffic.pairs.iter().filter(|p| of_hub(traffic, p));
        let of_hubs: u128 = of_hubs.map(|p| u128::from(p.bytes())).sum();
        let matched: u128 = self.stencil().map(|(_, s, _)| u128::from(s.hub)).sum();
        traffic.bytes() - of_hubs + matched
    }

    /// Number of pairs along the stencil.
    pub(super) fn pairs(&self) -> usize {
        self.stencil().map(|(_, seen, _)| seen.pairs).sum()
    }

    /// Whether pairs whose ends differ in more dimensions exchange no more bytes in the mean: an
    /// edge no more than its faces, a corner no more than its edges.
    pub(super) fn falls(&self) -> bool {
        let k = self.grid.dims.len();
        let mean = |seen: &Seen| seen.bytes() as f64 / seen.pairs.max(1) as f64;
        let fewer = |steps: &Steps, dim: usize| {
            let mut fewer = *steps;
            fewer[dim] = 0;
            let seen = &self.seen[index(&self.canonical(fewer), k)?];
            (seen.pairs > 0).then_some(seen)
        };
        self.stencil().all(|(steps, seen, _)| {
            let differing = (0..k).filter(|&dim| steps[dim] != 0);
            let mut nearer = differing.filter_map(|dim| fewer(&steps, dim));
            nearer.all(|nearer| mean(&seen) <= RISE * mean(nearer))
        })
    }

    /// Bytes along the stencil.
    pub(super) fn carried(&self) -> u128 {
        self.stencil().map(|(_, seen, _)| seen.bytes()).sum()
    }

    /// Share of the bytes to be explained that the grid explains. `beyond` bytes outside this
    /// traffic must be explained in addition.
    pub(super) fn matched(&self, beyond: u128) -> f64 {
        match self.due + beyond {
            0 => 0.0,
            due => self.carried() as f64 / due as f64,
        }
    }

    /// The stencil of the grid, or `None` if some dimension has no neighbours along it. `beyond`
    /// bytes outside this traffic count against the confidence. `all` are the bytes of the whole
    /// graph.
    pub(super) fn stencil_of(&self, beyond: u128, all: u128) -> Option<Stencil> {
        let k = self.grid.dims.len();
        let connected = (0..k).all(|axis| {
            self.stencil()
                .any(|(steps, ..)| (0..k).all(|d| steps[d] == i32::from(d == axis)))
        });
        if !connected {
            return None;
        }
        let (pairs, possible) = self.stencil().fold((0, 0), |(pairs, possible), (_, s, p)| {
            (pairs + s.pairs, possible + p)
        });
        let present = pairs as f64 / possible as f64;
        let offsets: Vec<Offset> = self
            .stencil()
            .map(|(steps, seen, _)| Offset {
                steps: steps[..k].to_vec(),
                forward: seen.forward,
                backward: seen.backward,
            })
            .collect();
        Some(Stencil {
            source: Source::Traffic,
            points: 1 + 2 * offsets.len(),
            confidence: self.matched(beyond).min(present),
            carried: self.carried() as f64 / all as f64,
            offsets,
            periodic: self.periodic.clone(),
            dims: self.grid.dims.clone(),
            numbering: Numbering::Rows,
        })
    }

    /// Offsets that belong to the stencil: steps, counts, and number of possible pairs.
    fn stencil(&self) -> impl Iterator<Item = (Steps, Seen, usize)> + '_ {
        self.seen
            .iter()
            .enumerate()
            .filter(|(_, seen)| seen.pairs > 0)
            .map(|(index, &seen)| {
                let steps = at_index(index, self.grid.dims.len());
                (steps, seen, self.possible(&steps))
            })
            .filter(|(_, seen, possible)| self.belongs(seen, *possible))
    }

    /// Whether an offset with these counts belongs to the stencil, if `possible` pairs are that far
    /// apart.
    fn belongs(&self, seen: &Seen, possible: usize) -> bool {
        let light = (seen.bytes() as f64) < LIGHT * self.bytes as f64;
        let least = if light { NEARLY_ALL } else { PRESENT };
        seen.pairs as f64 >= least * possible as f64
    }

    /// Steps from the lower to the higher member along each dimension, the short way round rings.
    fn steps(&self, pair: &Pair) -> Steps {
        let mut steps = minus(
            &self.grid.at[pair.high as usize],
            &self.grid.at[pair.low as usize],
        );
        for (dim, &ring) in self.periodic.iter().enumerate() {
            if ring {
                steps[dim] = short_way(steps[dim], self.grid.dims[dim] as i32);
            }
        }
        steps
    }

    /// Of an offset and its opposite, the one whose first non-zero step is positive. For a step of
    /// half a ring, both directions are the same; such a step is made positive and does not decide.
    fn canonical(&self, steps: Steps) -> Steps {
        let half: [bool; MAX_DIMS] = std::array::from_fn(|dim| self.half_way(dim, steps[dim]));
        let leading = (0..MAX_DIMS).find(|&dim| steps[dim] != 0 && !half[dim]);
        let sign = leading.map_or(1, |dim| steps[dim].signum());
        std::array::from_fn(|dim| {
            if half[dim] {
                steps[dim].abs()
            } else {
                sign * steps[dim]
            }
        })
    }

    fn half_way(&self, dim: usize, step: i32) -> bool {
        dim < self.grid.dims.len()
            && self.periodic[dim]
            && 2 * step.unsigned_abs() as usize == self.grid.dims[dim]
    }

    /// Number of pairs of cells that are `steps` apart.
    fn possible(&self, steps: &Steps) -> usize {
        let dims = &self.grid.dims;
        let cells: usize = (0..dims.len())
            .map(|dim| {
                if self.periodic[dim] {
                    dims[dim]
                } else {
                    dims[dim].saturating_sub(steps[dim].unsigned_abs() as usize)
                }
            })
            .product();
        let own_opposite =
            (0..dims.len()).all(|dim| steps[dim] == 0 || self.half_way(dim, steps[dim]));
        if own_opposite { cells / 2 } else { cells }
    }
}

fn of_hub(traffic: &PairTraffic, pair: &Pair) -> bool {
    traffic.hub[pair.low as usize] || traffic.hub[pair.high as usize]
}

fn add(mut a: Vec<Seen>, b: Vec<Seen>) -> Vec<Seen> {
    for (a, b) in a.iter_mut().zip(b) {
        a.pairs += b.pairs;
        a.forward += b.forward;
        a.backward += b.backward;
        a.hub += b.hub;
    }
    a
}

/// Finds the periodic dimensions: those where most lines have a message between their two ends. A
/// single line counts as closed only if the message exceeds what a root sends to everyone;
/// otherwise a root's message to the end of its line would close it.
fn periodic(traffic: &PairTraffic, grid: &MemberGrid) -> Vec<bool> {
    let dims = &grid.dims;
    let mut inner = vec![(0.0, 0.0); dims.len()];
    let mut closing = Vec::new();
    for pair in &traffic.pairs {
        let steps = minus(&grid.at[pair.high as usize], &grid.at[pair.low as usize]);
        let mut along = (0..dims.len()).filter(|&d| steps[d] != 0);
        if let (Some(dim), None) = (along.next(), along.next()) {
            match steps[dim].unsigned_abs() as usize {
                step if step + 1 == dims[dim] => closing.push((dim, pair)),
                1 => inner[dim] = (inner[dim].0 + pair.bytes() as f64, inner[dim].1 + 1.0),
                _ => {}
            }
        }
    }
    let of_hubs = traffic.usual_bytes_of_hubs();
    let mut closed = vec![0; dims.len()];
    for (dim, pair) in closing {
        let of_hub = of_hubs[pair.low as usize].max(of_hubs[pair.high as usize]);
        let bytes = pair.bytes().saturating_sub(of_hub) as f64;
        closed[dim] += usize::from(bytes * inner[dim].1 >= HEAVY * inner[dim].0);
    }
    let cells: usize = dims.iter().product();
    dims.iter()
        .zip(closed)
        .map(|(&k, closed)| k > 2 && closed as f64 >= CLOSED * (cells / k) as f64)
        .collect()
}

/// Finds the dimensions whose ends exchange about as much as neighbours along them. Where all ranks
/// exchange messages with all others, a message between the ends alone proves no ring.
pub(super) fn rings_by_bytes(traffic: &PairTraffic, grid: &MemberGrid) -> Vec<bool> {
    let dims = &grid.dims;
    let (mut closing, mut inner) = (vec![0.0; dims.len()], vec![0.0; dims.len()]);
    for pair in &traffic.pairs {
        let steps = minus(&grid.at[pair.high as usize], &grid.at[pair.low as usize]);
        let mut along = (0..dims.len()).filter(|&d| steps[d] != 0);
        if let (Some(dim), None) = (along.next(), along.next()) {
            match steps[dim].unsigned_abs() as usize {
                1 => inner[dim] += pair.bytes() as f64,
                step if step + 1 == dims[dim] => closing[dim] += pair.bytes() as f64,
                _ => {}
            }
        }
    }
    let ends = dims.iter().zip(closing.iter().zip(&inner));
    ends.map(|(&k, (&closing, &inner))| k > 2 && closing * (k - 1) as f64 >= CLOSED * inner)
        .collect()
}
