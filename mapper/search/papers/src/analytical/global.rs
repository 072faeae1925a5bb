//! Global mapping: springs in equilibrium, spread out until no node is crowded (sections 3.2, 3.3).

use super::bins::{Bins, Points};
use super::instance::MappingInstance;
use super::local::Refinement;
use super::solver::{System, solve};
use rankfold_base::{NodeId, Rank};
use rankfold_graph::Affinity;
use rankfold_problem::member_options::MemberOptions;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Most points nearest to one node with which legalisation can cope, as a multiple of the processes
/// the node takes. From the paper, section 3.3.
const GAMMA: u32 = 4;

/// Iterations without a smaller crowd after which the mapping ends. From the paper, section 3.3.
const PATIENCE: u32 = 10;

/// Most iterations in total. The paper's examples take 14 to 56; the limit was not measured.
const MOST_ITERATIONS: u32 = 200;

/// What one process more in a crowded bin weighs in local refinement, in hops of all messages of a
/// process. Tried with the exchanges of NPB SP with 1024 ranks on a torus of 8x8x16, without
/// damping: 0.25 leads to 2.53 hops a byte, 0.5 to 2.42, 1 to 2.46.
const CROWDING: f64 = 0.5;

/// The same in the refinement after the last iteration, which legalisation follows. Tried in the
/// same way: 0.25 leads to 2.36 hops a byte, 0.5 to 2.42, 1 to 2.52.
const LAST_CROWDING: f64 = 0.25;

/// The share of a shift that is made: a constant, and a part that falls with the crowd, as
/// FastPlace does it (Viswanathan and Chu 2005). Tried in the same way, with 0.5 for both weights
/// of crowds: whole shifts lead to 2.42 hops a byte, halves to 2.40, these shares to 2.38.
const DAMPING: [f64; 2] = [0.02, 0.5];

/// Smallest length of a spreading force's spring, so that its stiffness stays finite.
const NEAREST: f64 = 1e-6;

/// Stiffness of a spring from every process to the middle of the machine, relative to the springs
/// of a typical process. Without it, parts of the graph that no anchor holds have no equilibrium.
const MOORING: f64 = 1e-6;

/// A point for every process, and the number of iterations it took.
pub(super) struct GlobalMapping {
    pub(super) points: Points,
    pub(super) iterations: u32,
    /// Largest number of points nearest to one node.
    pub(super) crowd: u32,
    /// Sweeps of local refinement in all iterations together.
    pub(super) sweeps: u32,
}

/// What the user may set of the global mapping.
pub(super) struct Spreading {
    /// Most points nearest to a node at the end, as a multiple of the processes the node takes.
    pub(super) gamma: u32,
    pub(super) most_iterations: u32,
    /// Whether every iteration refines locally.
    pub(super) refines: bool,
    /// Whether a shift is made in part only.
    pub(super) damps: bool,
}

impl Spreading {
    /// As the user's options say; without options as the authors' own code does.
    pub(super) fn of(options: &MemberOptions) -> Self {
        let count = |name, without: u32| {
            let given = options
                .count(name)
                .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
            given.unwrap_or(without)
        };
        Self {
            gamma: count("gamma", GAMMA),
            most_iterations: count("max_iter", MOST_ITERATIONS),
            refines: options.word("refine") != Some("none"),
            damps: options.word("damping") != Some("none"),
        }
    }
}

/// Takes back a part of every shift from `points` to `moved`.
fn damp(moved: &mut Points, points: &Points, crowd: u32) {
    let share = (DAMPING[0] + DAMPING[1] / f64::from(crowd)).min(1.0);
    for (moved, points) in moved.iter_mut().flatten().zip(points.iter().flatten()) {
        *moved = points + share * (*moved - points);
    }
}

/// Stage 1 of the paper: a point in the machine for every process.
pub(super) fn map(
    instance: &MappingInstance<'_>,
    anchors: &BTreeMap<Rank, NodeId>,
    spreading: &Spreading,
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
    let refinement = Refinement { instance, anchors };
    let (mut least, mut waited, mut sweeps) = (u32::MAX, 0, 0);
    for iterations in 1.. {
        points
            .par_iter_mut()
            .zip(&ends)
            .zip(dims)
            .for_each(|((x, ends), &k)| springs.relax(x, ends, (k - 1) as f64 / 2.0));
        let bins = Bins::new(instance, &points);
        waited = if bins.crowd < least { 0 } else { waited + 1 };
        least = least.min(bins.crowd);
        let most_wanted = instance.wanted.iter().copied().max().unwrap_or(1);
        let is_spread = bins.crowd <= spreading.gamma.saturating_mul(most_wanted);
        if is_spread || waited == PATIENCE || iterations >= spreading.most_iterations {
            if spreading.refines {
                sweeps += refinement.run(&mut points, LAST_CROWDING);
            }
            return GlobalMapping {
                points,
                iterations,
                crowd: bins.crowd,
                sweeps,
            };
        }
        let mut moved = bins.shift(instance, &points);
        if spreading.damps {
            damp(&mut moved, &points, bins.crowd);
        }
        if spreading.refines {
            sweeps += refinement.run(&mut moved, CROWDING);
        }
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
