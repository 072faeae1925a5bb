//! Position relaxation: ranks move towards their partners and are divided among the nodes again.
//!
//! In every round each rank starts at the position of its node and moves towards the weighted mean
//! of its partners for some sweeps. The machine is then cut again through the resulting points,
//! exact to the slot. The round with the fewest hop-bytes is kept. Many sweeps move whole regions
//! and few sweeps repair borders, so the number of sweeps falls from stage to stage, and coarse
//! levels come first.
//!
//! Source: new here. It has the form of SimPL, a placer for circuits (Kim, Lee and Markov, ICCAD
//! 2010), with the exact cuts as legaliser. It makes spectral coordinates usable for bodies that
//! are not boxes: for a long body with wings and 65 536 ranks a prototype went from 4.07 to 2.03
//! hops per byte after exchanges. Cost: O(m) for a sweep over m edges, O(n log n) for each cut of n
//! vertices.

use super::aggregate::Hierarchy;
use super::graph::{CHUNK, Graph};
use super::kd::{Cuts, dealt};
use super::region::{Position, Region};
use rankfold_problem::heuristic::Effort;
use rayon::prelude::*;

/// Share of the way to the mean of its partners that a rank moves in one sweep. From a prototype;
/// other values were not recorded.
const STEP: f32 = 0.7;

/// Share of the cost that a round must save to count as a gain. From the same prototype.
const GAIN: f64 = 1e-3;

/// How much an embedding tries: number of layouts, number of layouts relaxed, and number of rounds.
/// The rounds of the higher efforts are a prototype's, the other numbers were chosen by hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thoroughness {
    /// Ranks of all layouts tried together, and of all layouts relaxed: small graphs get more
    /// layouts.
    pub(super) tried: usize,
    pub(super) relaxed: usize,
    /// Number of rounds without a gain after which the next stage with fewer sweeps begins.
    pub(super) patience: usize,
    /// Most rounds on the finest level of a graph with more than [`SMALL`] vertices.
    rounds_on_finest: usize,
}

impl Thoroughness {
    /// Low efforts leave to exchanges what exchanges can repair.
    pub(super) fn of(effort: Effort) -> Self {
        match effort {
            Effort::Hurried | Effort::Fast => Self {
                tried: 1 << 14,
                relaxed: 1 << 10,
                patience: 1,
                rounds_on_finest: 2,
            },
            Effort::Balanced | Effort::Best => Self {
                tried: 1 << 20,
                relaxed: 1 << 16,
                patience: 2,
                rounds_on_finest: 12,
            },
        }
    }
}

/// For levels of at most so many vertices, the number of sweeps of a round in each stage.
///
/// Large levels need few sweeps, since coarser levels have moved what was far from its place. The
/// stages of 60, 20 and 6 sweeps are those of a prototype: on one level of 65 536 ranks, 60, 20, 6,
/// 2 left 2.18 hops per byte. A start at 180 sweeps left 2.10 but took seconds.
const COARSE: [(usize, &[usize]); 3] = [
    (SMALL, &[60, 20, 6]),
    (1 << 16, &[20, 6]),
    (usize::MAX, &[6]),
];

/// Sweeps of a round on the finest of several levels. A 3D graph of 65 536 ranks took
/// 2.140 hops per byte after exchanges with 2 sweeps in a prototype, 2.126 with 6, 2.107 with 20.
const FINEST: &[usize] = &[6];

/// Sweeps of a round on the finest level of a graph with at most [`SMALL`] vertices.
const FINEST_OF_SMALL: &[usize] = &[20, 6, 2];

/// Most vertices for which the relaxation is most thorough, since it takes little time there.
pub(super) const SMALL: usize = 1 << 14;

/// Most rounds on one level. Chosen by hand; reached only if every round gains.
const ROUNDS: usize = 40;

/// A position for every vertex, and the hop-bytes of these positions in units of the mean weight of
/// the graph's edges.
#[derive(Clone, Debug)]
pub(super) struct RatedPositions<const D: usize> {
    pub(super) positions: Vec<Position<D>>,
    pub(super) cost: f64,
}

/// The best layout after relaxation. `start` is a layout of level `from`; if that is the finest
/// level, the result is at worst `start` itself.
pub(super) fn relax<const D: usize>(
    hierarchy: &Hierarchy,
    from: usize,
    region: &Region<'_, D>,
    cuts: &Cuts<D>,
    start: RatedPositions<D>,
    thoroughness: Thoroughness,
) -> RatedPositions<D> {
    let (levels, parents) = (&hierarchy.levels, &hierarchy.parents);
    let level = |number: usize| HierarchyLevel {
        graph: &levels[number],
        region,
        cuts,
        exact: number == 0,
        patience: thoroughness.patience,
    };
    let mut coarse = vec![start.positions.clone()];
    for number in from + 1..levels.len() {
        let finer = &coarse[coarse.len() - 1];
        let (graph, next) = (&levels[number - 1], &levels[number]);
        coarse.push(means(graph, &parents[number - 1], next, finer));
    }
    let mut positions = coarse.pop().unwrap_or_default();
    for number in (1..levels.len()).rev() {
        let level = level(number);
        let first = if number == from {
            start.clone()
        } else {
            level.layout(level.settle(&positions))
        };
        let best = level.rounds(first, positions, coarse_stages(level.graph.len()), ROUNDS);
        let parent = &parents[number - 1];
        positions = parent.iter().map(|&p| best.positions[p as usize]).collect();
    }
    let finest = level(0);
    if finest.graph.len() <= SMALL {
        return finest.rounds(start, positions, FINEST_OF_SMALL, ROUNDS);
    }
    let first = match from {
        0 => start,
        _ => finest.layout(finest.settle(&positions)),
    };
    finest.rounds(first, positions, FINEST, thoroughness.rounds_on_finest)
}

/// The stages for a coarse level of a number of vertices.
fn coarse_stages(vertices: usize) -> &'static [usize] {
    let stages = COARSE.iter().find(|&&(most, _)| vertices <= most);
    stages.map_or(FINEST, |&(_, stages)| stages)
}

/// The mean positions of the aggregates of `next`, given the positions of the vertices of `graph`.
fn means<const D: usize>(
    graph: &Graph,
    parent: &[u32],
    next: &Graph,
    positions: &[Position<D>],
) -> Vec<Position<D>> {
    let mut means = vec![[0.0; D]; next.len()];
    for ((position, &p), ranks) in positions.iter().zip(parent).zip(&graph.ranks) {
        let share = ranks / next.ranks[p as usize];
        for (mean, c) in means[p as usize].iter_mut().zip(position) {
            *mean += share * c;
        }
    }
    means
}

/// One level of the hierarchy and the machine on which it is laid out.
pub(super) struct HierarchyLevel<'a, const D: usize> {
    pub(super) graph: &'a Graph,
    pub(super) region: &'a Region<'a, D>,
    pub(super) cuts: &'a Cuts<D>,
    /// Whether the vertices are ranks, one for each slot, and not aggregates.
    pub(super) exact: bool,
    /// See [`Thoroughness`].
    pub(super) patience: usize,
}

impl<const D: usize> HierarchyLevel<'_, D> {
    /// Rounds of relaxation from `positions`, stage by stage. Returns the best layout, `best`
    /// included.
    fn rounds(
        &self,
        mut best: RatedPositions<D>,
        mut positions: Vec<Position<D>>,
        stages: &[usize],
        most: usize,
    ) -> RatedPositions<D> {
        let mut rounds = 0;
        for &sweeps in stages {
            let mut idle = 0;
            while idle < self.patience && rounds < most {
                let found = self.layout(self.settle(&self.smooth(&positions, sweeps)));
                positions.clone_from(&found.positions);
                idle += 1;
                if found.cost < best.cost * (1.0 - GAIN) {
                    best = found;
                    idle = 0;
                }
                rounds += 1;
            }
            positions.clone_from(&best.positions);
        }
        best
    }

    pub(super) fn layout(&self, positions: Vec<Position<D>>) -> RatedPositions<D> {
        RatedPositions {
            cost: self.cost(&positions),
            positions,
        }
    }

    /// Moves every vertex to a node, or every aggregate to the middle of several nodes.
    fn settle(&self, positions: &[Position<D>]) -> Vec<Position<D>> {
        self.settle_groups(positions, &[])
    }

    /// Does the same as [`Self::settle`], but keeps ranks of different groups apart (see
    /// [`Cuts::deal`]).
    pub(super) fn settle_groups(
        &self,
        positions: &[Position<D>],
        groups: &[u32],
    ) -> Vec<Position<D>> {
        dealt(positions, |points| {
            if self.exact {
                self.cuts.deal(points, groups);
            } else {
                self.cuts.deal_aggregates(points, &self.graph.ranks);
            }
        })
    }

    /// Moves every vertex towards the mean of its neighbours, `sweeps` times. Messages inside an
    /// aggregate shorten its moves.
    fn smooth(&self, positions: &[Position<D>], sweeps: usize) -> Vec<Position<D>> {
        let mut now = positions.to_vec();
        let mut next = now.clone();
        for _ in 0..sweeps {
            next.par_chunks_mut(CHUNK)
                .enumerate()
                .for_each(|(chunk, next)| {
                    for (i, next) in next.iter_mut().enumerate() {
                        *next = self.drift(&now, chunk * CHUNK + i);
                    }
                });
            std::mem::swap(&mut now, &mut next);
        }
        now
    }

    fn drift(&self, positions: &[Position<D>], vertex: usize) -> Position<D> {
        let (mut sum, mut degree) = ([0.0; D], 0.0);
        for (neighbour, weight) in self.graph.neighbours(vertex) {
            degree += weight;
            for (s, c) in sum.iter_mut().zip(&positions[neighbour]) {
                *s += weight * c;
            }
        }
        // Rounding can leave the mass just below the degree.
        let pull = STEP / self.graph.mass[vertex].max(degree);
        let own = &positions[vertex];
        std::array::from_fn(|d| own[d] + pull * (sum[d] - degree * own[d]))
    }

    /// The sum of weight times hops over all edges.
    fn cost(&self, positions: &[Position<D>]) -> f64 {
        let vertices: Vec<f64> = (0..self.graph.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let end = self.graph.len().min((chunk + 1) * CHUNK);
                (chunk * CHUNK..end)
                    .map(|vertex| {
                        let own = &positions[vertex];
                        let hops =
                            |(v, w): (usize, f32)| w * self.region.distance(own, &positions[v]);
                        f64::from(self.graph.neighbours(vertex).map(hops).sum::<f32>())
                    })
                    .sum()
            })
            .collect();
        vertices.iter().sum::<f64>() / 2.0
    }
}
