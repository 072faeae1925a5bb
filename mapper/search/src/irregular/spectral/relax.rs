//! Position relaxation: ranks drift to the middle of their partners and are dealt out to nodes
//! again.
//!
//! Ours. Every rank starts at its node, moves towards the weighted mean of its partners for some
//! sweeps, and the machine is cut anew through the result, capacities exact; the best round by
//! hop-bytes stays. It has the shape of SimPL's circuit placement (Kim, Lee and Markov, ICCAD
//! 2010), with the cuts as legaliser. Many sweeps move whole regions, few repair borders, so their
//! number falls from round to round, and coarse levels, where a sweep reaches furthest, come first.
//! This is what carries spectral coordinates over to bodies that are no box.

use super::aggregate::Hierarchy;
use super::graph::{CHUNK, Graph};
use super::kd::{Cuts, dealt};
use super::region::{Position, Region};
use crate::heuristic::Effort;
use rayon::prelude::*;

/// How far a rank moves towards the mean of its partners in one sweep.
const STEP: f32 = 0.7;

/// A round must lower the cost by this share to count as a gain.
const GAIN: f64 = 1e-3;

/// How much an embedding may try: layouts before relaxation, layouts relaxed, and rounds of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thoroughness {
    /// Ranks in all layouts tried, and in those of them relaxed: small graphs get more layouts.
    pub(super) tried: usize,
    pub(super) relaxed: usize,
    /// Rounds without gain after which the sweeps are cut down.
    pub(super) patience: usize,
    /// Most rounds on the finest level of a graph that is not small.
    rounds_on_finest: usize,
}

impl Thoroughness {
    /// What exchanges repair as well is left to them if time is short.
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

/// Most vertices of a coarse level, and the sweeps in a round on it, stage by stage. Large levels
/// need few: what was far from its place has been moved on coarser ones.
const COARSE: [(usize, &[usize]); 3] = [
    (SMALL, &[60, 20, 6]),
    (1 << 16, &[20, 6]),
    (usize::MAX, &[6]),
];

/// Sweeps in a round on the finest of several levels.
const FINEST: &[usize] = &[6];

/// Sweeps in a round for graphs of at most [`SMALL`] vertices on the finest level.
const FINEST_OF_SMALL: &[usize] = &[20, 6, 2];

/// Vertices up to which a graph gets the most thorough relaxation, since that takes little time.
pub(super) const SMALL: usize = 1 << 14;

/// Most rounds on one level.
const ROUNDS: usize = 40;

/// A node for every vertex, by its position, and the hop-bytes of that in units of the graph's mean
/// weight.
#[derive(Clone, Debug)]
pub(super) struct RatedPositions<const D: usize> {
    pub(super) positions: Vec<Position<D>>,
    pub(super) cost: f64,
}

/// The best layout found from `start` on, which is one of level `from`; at worst `start` itself if
/// that is the finest.
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
        let first = match number == from {
            true => start.clone(),
            false => level.layout(level.settle(&positions)),
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

fn coarse_stages(vertices: usize) -> &'static [usize] {
    let stages = COARSE.iter().find(|&&(most, _)| vertices <= most);
    stages.map_or(FINEST, |&(_, stages)| stages)
}

/// Where the aggregates of `next` are if the vertices of `graph` are at `positions`.
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

/// One level of the hierarchy and the machine it is laid out on.
pub(super) struct HierarchyLevel<'a, const D: usize> {
    pub(super) graph: &'a Graph,
    pub(super) region: &'a Region<'a, D>,
    pub(super) cuts: &'a Cuts<D>,
    /// Whether vertices are ranks, one to a slot.
    pub(super) exact: bool,
    /// See [`Thoroughness`].
    pub(super) patience: usize,
}

impl<const D: usize> HierarchyLevel<'_, D> {
    /// Rounds from `positions` on, with ever fewer sweeps; the best layout seen, `best` included.
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

    /// Moves every vertex to a node, or an aggregate to the middle of some.
    fn settle(&self, positions: &[Position<D>]) -> Vec<Position<D>> {
        self.settle_groups(positions, &[])
    }

    /// The same with vertices of different groups kept apart, if they are ranks; see
    /// [`Cuts::deal`].
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

    /// Moves every vertex towards the mean of its neighbours, `sweeps` times; messages inside an
    /// aggregate hold it back.
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
        // Rounding may leave the mass just below the degree.
        let pull = STEP / self.graph.mass[vertex].max(degree);
        let own = &positions[vertex];
        std::array::from_fn(|d| own[d] + pull * (sum[d] - degree * own[d]))
    }

    /// Weight x hops over all edges.
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
