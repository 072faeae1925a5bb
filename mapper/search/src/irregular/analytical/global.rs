//! Global mapping: springs in equilibrium, spread out until no node is crowded (sections 3.2, 3.3).

use super::instance::MappingInstance;
use super::shifting::{boundaries, shifted};
use super::solver::{System, solve};
use rankfold_model::comm::Affinity;
use rankfold_model::ids::{NodeId, Rank};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Most points nearest to one node with which legalisation can cope, as a multiple of the processes
/// the node takes: gamma of the paper.
const CROWD: u32 = 4;

/// Iterations without a smaller crowd after which the mapping ends. From the paper, section 3.3.
const PATIENCE: u32 = 10;

/// Most iterations in total. The paper's examples take 14 to 56; the limit was not measured.
const MOST_ITERATIONS: u32 = 200;

/// Smallest length of a spreading force's spring, so that its stiffness stays finite.
const NEAREST: f64 = 1e-6;

/// Stiffness of a spring from every process to the middle of the machine, relative to the springs
/// of a typical process. Without it, parts of the graph that no anchor holds have no equilibrium.
const MOORING: f64 = 1e-6;

/// For every dimension, one coordinate of every process.
pub(super) type Points = Vec<Vec<f64>>;

/// A point for every process, and the number of iterations it took.
pub(super) struct GlobalMapping {
    pub(super) points: Points,
    pub(super) iterations: u32,
    /// Largest number of points nearest to one node.
    pub(super) crowd: u32,
}

/// Stage 1 of the paper: a point in the machine for every process.
pub(super) fn map(
    instance: &MappingInstance<'_>,
    anchors: &BTreeMap<Rank, NodeId>,
) -> GlobalMapping {
    let dims = instance.grid.dims();
    let mut springs = Springs::new(instance.affinity(), anchors);
    let mut points: Points = dims
        .iter()
        .map(|&k| vec![(k - 1) as f64 / 2.0; instance.processes()])
        .collect();
    for (process, &node) in anchors {
        for (dim, at) in instance.grid.coordinates(node).into_iter().enumerate() {
            points[dim][process.index()] = at as f64;
        }
    }
    let mut ends = points.clone();
    let (mut least, mut waited) = (u32::MAX, 0);
    for iterations in 1.. {
        points
            .par_iter_mut()
            .zip(&ends)
            .zip(dims)
            .for_each(|((x, ends), &k)| springs.relax(x, ends, (k - 1) as f64 / 2.0));
        let bins = Bins::new(instance, &points);
        waited = if bins.crowd < least { 0 } else { waited + 1 };
        least = least.min(bins.crowd);
        let spread = bins.crowd <= CROWD * instance.wanted.iter().copied().max().unwrap_or(1);

        if spread || waited == PATIENCE || iterations == MOST_ITERATIONS {
            return GlobalMapping {
                points,
                iterations,
                crowd: bins.crowd,
            };
        }
        let moved = bins.shift(instance, &points);
        ends = springs.pull(&points, &moved, dims);
    }
    unreachable!("the last iteration returns")
}

/// The springs between processes, and one spring from each process to the end of its spreading
/// force.
struct Springs<'a> {
    affinity: &'a Affinity,
    /// Number of bytes that make a spring of stiffness 1.
    unit: f64,
    anchored: Vec<bool>,
    /// Stiffness of all springs to other processes together.
    inner: Vec<f64>,
    /// Stiffness of the spring to the end of the spreading force: beta of equation 9.
    outer: Vec<f64>,
    mooring: f64,
}

impl<'a> Springs<'a> {
    fn new(affinity: &'a Affinity, anchors: &BTreeMap<Rank, NodeId>) -> Self {
        let processes = affinity.ranks();
        let bytes = |i| -> f64 { affinity.partners(Rank::at(i)).map(|(_, b)| b as f64).sum() };
        let inner: Vec<f64> = (0..processes).map(bytes).collect();
        let unit = (inner.iter().sum::<f64>() / processes as f64).max(1.0);
        Self {
            affinity,
            unit,
            anchored: (0..processes)
                .map(|i| anchors.contains_key(&Rank::at(i)))
                .collect(),
            inner: inner.into_iter().map(|bytes| bytes / unit).collect(),
            outer: vec![0.0; processes],
            mooring: MOORING,
        }
    }

    /// Moves one coordinate of all processes to equilibrium (equation 5).
    fn relax(&self, x: &mut [f64], ends: &[f64], middle: f64) {
        let rhs: Vec<f64> = (0..x.len())
            .map(|i| {
                if self.anchored[i] {
                    return x[i];
                }
                let anchors = self.partners(i).filter(|&(j, _)| self.anchored[j]);
                let held: f64 = anchors.map(|(j, stiffness)| stiffness * x[j]).sum();
                held + self.outer[i] * ends[i] + self.mooring * middle
            })
            .collect();
        solve(self, &rhs, x);
    }

    /// The ends of the spreading forces that hold every process where it was shifted to; also sets
    /// the stiffness of their springs.
    fn pull(&mut self, points: &Points, moved: &Points, dims: &[usize]) -> Points {
        let mut ends = moved.clone();
        for i in 0..self.inner.len() {
            let force: Vec<f64> = (0..dims.len())
                .map(|d| {
                    let pulls = self
                        .partners(i)
                        .map(|(j, s)| s * (moved[d][i] - points[d][j]));
                    pulls.sum()
                })
                .collect();
            let strength = force.iter().map(|f| f * f).sum::<f64>().sqrt();
            let way = (0..dims.len())
                .map(|d| way_out(moved[d][i], force[d], dims[d]))
                .fold(f64::INFINITY, f64::min);
            let length = (way * strength).max(NEAREST);
            if self.anchored[i] || strength == 0.0 || !way.is_finite() {
                self.outer[i] = 0.0;
                continue;
            }
            self.outer[i] = strength / length;
            for d in 0..dims.len() {
                ends[d][i] += force[d] / strength * length;
            }
        }
        ends
    }

    fn partners(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let partners = self.affinity.partners(Rank::at(i));
        partners.map(|(j, bytes)| (j.index(), bytes as f64 / self.unit))
    }
}

/// The multiple of `force` that leads from `x` to the boundary of the domain, -1/2 or k - 1/2.
fn way_out(x: f64, force: f64, k: usize) -> f64 {
    let wall = if force > 0.0 { k as f64 - 0.5 } else { -0.5 };
    if force == 0.0 {
        f64::INFINITY
    } else {
        ((wall - x) / force).max(0.0)
    }
}

impl System for Springs<'_> {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() {
            y[i] = self.diagonal(i) * x[i];
            if self.anchored[i] {
                continue;
            }
            let free = self.partners(i).filter(|&(j, _)| !self.anchored[j]);
            y[i] -= free.map(|(j, stiffness)| stiffness * x[j]).sum::<f64>();
        }
    }

    fn diagonal(&self, i: usize) -> f64 {
        if self.anchored[i] {
            1.0
        } else {
            self.inner[i] + self.outer[i] + self.mooring
        }
    }
}

/// The node nearest to every point, and the number of points nearest to each node.
struct Bins {
    node_of: Vec<NodeId>,
    count: Vec<u32>,
    crowd: u32,
}

impl Bins {
    fn new(instance: &MappingInstance<'_>, points: &Points) -> Self {
        let node_of = nearest_nodes(instance, points);
        let mut count = vec![0; instance.wanted.len()];
        for node in &node_of {
            count[node.index()] += 1;
        }
        Self {
            crowd: count.iter().copied().max().unwrap_or(0),
            count,
            node_of,
        }
    }

    /// The points after cell shifting: every coordinate is shifted along its own row of bins.
    fn shift(&self, instance: &MappingInstance<'_>, points: &Points) -> Points {
        let dims = instance.grid.dims();
        let along = |d: usize| -> Vec<f64> {
            let mut rows: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
            let points = points[d].iter().zip(&self.node_of);
            points
                .map(|(&x, &node)| {
                    let mut at = instance.grid.coordinates(node);
                    let bin = std::mem::replace(&mut at[d], 0);
                    let row = rows.entry(instance.grid.node_at(&at)).or_insert_with(|| {
                        let crowd = (0..dims[d]).map(|c| {
                            at[d] = c;
                            let node = instance.grid.node_at(&at).index();
                            f64::from(self.count[node]) / f64::from(instance.wanted[node].max(1))
                        });
                        boundaries(&crowd.collect::<Vec<_>>())
                    });
                    shifted(x, bin, row)
                })
                .collect()
        };
        (0..dims.len()).into_par_iter().map(along).collect()
    }
}

/// The node nearest to every point.
pub(super) fn nearest_nodes(instance: &MappingInstance<'_>, points: &Points) -> Vec<NodeId> {
    let dims = instance.grid.dims();
    let bin = |x: f64, k: usize| (x.round().max(0.0) as usize).min(k - 1);
    (0..instance.processes())
        .map(|i| {
            let at: Vec<usize> = points
                .iter()
                .zip(dims)
                .map(|(x, &k)| bin(x[i], k))
                .collect();
            instance.grid.node_at(&at)
        })
        .collect()
}
