//! One reading of the ranks as a grid: every edge decoded into steps along the dimensions.

use super::offsets::MOST_DIMS;
use super::{Numbering, Offset, Stencil};
use crate::comm::CommGraph;
use crate::ids::Rank;

/// Most steps along one dimension: wide stencils reach two cells far.
const REACH: i32 = 2;

/// Share of its cells that an offset must occur at to belong to the stencil.
const PRESENT: f64 = 0.5;

/// Share of the lines of a dimension that must close for it to be periodic.
const CLOSED: f64 = 0.5;

type Steps = [i32; MOST_DIMS];

/// The graph's edges counted by their steps in a grid of the given sizes.
pub(super) struct Reading {
    ranks: usize,
    dims: Vec<usize>,
    periodic: Vec<bool>,
    total: u128,
    /// By [`index`](Self::index) of the steps.
    seen: Vec<Seen>,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    pairs: usize,
    forward: u64,
    backward: u64,
}

impl Reading {
    pub(super) fn of(graph: &CommGraph, dims: Vec<usize>) -> Self {
        let mut reading = Self {
            ranks: graph.ranks(),
            periodic: periodic(graph, &dims),
            total: graph.total_bytes(),
            seen: vec![Seen::default(); (2 * REACH as usize + 1).pow(dims.len() as u32)],
            dims,
        };
        for m in graph.messages() {
            let Some(steps) = reading.steps(m.from, m.to) else {
                continue;
            };
            let canonical = reading.canonical(steps);
            let seen = &mut reading.seen[index(&canonical, reading.dims.len())];
            let answered = m.from > m.to && graph.bytes(m.to, m.from) > 0;
            seen.pairs += usize::from(!answered);
            if canonical == steps {
                seen.forward += m.bytes;
            } else {
                seen.backward += m.bytes;
            }
        }
        reading
    }

    /// Share of all bytes along offsets that belong to the stencil.
    pub(super) fn matched_bytes(&self) -> f64 {
        let matched: u128 = self
            .stencil()
            .map(|(_, seen, _)| u128::from(seen.forward) + u128::from(seen.backward))
            .sum();
        matched as f64 / self.total as f64
    }

    /// The grid, unless some dimension has no neighbours along it.
    pub(super) fn into_stencil(self) -> Option<Stencil> {
        let k = self.dims.len();
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
            points: 1 + 2 * offsets.len(),
            confidence: self.matched_bytes().min(present),
            offsets,
            periodic: self.periodic,
            dims: self.dims,
            numbering: Numbering::Rows,
        })
    }

    /// Offsets that belong to the stencil: steps, what was seen, pairs there could be.
    fn stencil(&self) -> impl Iterator<Item = (Steps, Seen, usize)> + '_ {
        self.seen
            .iter()
            .enumerate()
            .filter(|(_, seen)| seen.pairs > 0)
            .map(|(index, &seen)| {
                let steps = steps_at(index, self.dims.len());
                (steps, seen, self.possible(&steps))
            })
            .filter(|(_, seen, possible)| seen.pairs as f64 >= PRESENT * *possible as f64)
    }

    /// Steps from one rank to another along each dimension, the short way round; `None` if too many.
    fn steps(&self, from: Rank, to: Rank) -> Option<Steps> {
        let mut steps = [0; MOST_DIMS];
        let (mut a, mut b) = (from.index(), to.index());
        for (dim, &k) in self.dims.iter().enumerate().rev() {
            let mut step = (b % k) as i64 - (a % k) as i64;
            if self.periodic[dim] && 2 * step.unsigned_abs() as usize > k {
                step -= step.signum() * k as i64;
            }
            if step.abs() > i64::from(REACH) {
                return None;
            }
            steps[dim] = step as i32;
            a /= k;
            b /= k;
        }
        Some(steps)
    }

    /// Of an offset and its opposite, the one whose first non-zero step is positive. Half-way round a
    /// ring both directions are one, so such steps are always positive and do not decide.
    fn canonical(&self, steps: Steps) -> Steps {
        let half: [bool; MOST_DIMS] =
            std::array::from_fn(|dim| dim < self.dims.len() && self.half_way(dim, steps[dim]));
        let leading = (0..MOST_DIMS).find(|&dim| steps[dim] != 0 && !half[dim]);
        let sign = leading.map_or(1, |dim| steps[dim].signum());
        std::array::from_fn(|dim| match half[dim] {
            true => steps[dim].abs(),
            false => sign * steps[dim],
        })
    }

    fn half_way(&self, dim: usize, step: i32) -> bool {
        self.periodic[dim] && 2 * step.unsigned_abs() as usize == self.dims[dim]
    }

    /// Pairs of ranks that are `steps` apart.
    fn possible(&self, steps: &Steps) -> usize {
        let cells: usize = (0..self.dims.len())
            .map(|dim| match self.periodic[dim] {
                true => self.dims[dim],
                false => self.dims[dim].saturating_sub(steps[dim].unsigned_abs() as usize),
            })
            .product();
        let own_opposite =
            (0..self.dims.len()).all(|dim| steps[dim] == 0 || self.half_way(dim, steps[dim]));
        debug_assert!(cells <= self.ranks);
        if own_opposite { cells / 2 } else { cells }
    }
}

/// Dimensions most of whose lines have a message between their two ends.
fn periodic(graph: &CommGraph, dims: &[usize]) -> Vec<bool> {
    let mut stride = graph.ranks();
    dims.iter()
        .map(|&k| {
            stride /= k;
            if k <= 2 {
                return false;
            }
            let ends = (0..graph.ranks())
                .filter(|rank| (rank / stride).is_multiple_of(k))
                .filter(|&rank| {
                    let (first, last) = (Rank::at(rank), Rank::at(rank + (k - 1) * stride));
                    graph.bytes(first, last) > 0 || graph.bytes(last, first) > 0
                })
                .count();
            ends as f64 >= CLOSED * (graph.ranks() / k) as f64
        })
        .collect()
}

fn index(steps: &Steps, dims: usize) -> usize {
    steps[..dims].iter().fold(0, |index, &s| {
        index * (2 * REACH as usize + 1) + (s + REACH) as usize
    })
}

fn steps_at(mut index: usize, dims: usize) -> Steps {
    let mut steps = [0; MOST_DIMS];
    for step in steps[..dims].iter_mut().rev() {
        *step = (index % (2 * REACH as usize + 1)) as i32 - REACH;
        index /= 2 * REACH as usize + 1;
    }
    steps
}
