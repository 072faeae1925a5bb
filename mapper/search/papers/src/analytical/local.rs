//! Local refinement inside a global iteration, after FastPlace (Viswanathan and Chu 2005, iterative
//! local refinement): processes move to the bins beside theirs, one by one.
//!
//! The paper does not mention this step, but the authors' own code has it in every global
//! iteration. A sweep visits all processes. Each process tries the bins before and behind its own
//! along every dimension, at the same place inside the bin. A move is worth the hops that it saves
//! the process's bytes on average, plus the crowd that it relieves, weighted. The best move is made
//! if it is worth more than staying. Sweeps repeat until one of them moves few processes.
//! Wrap-around links play no part, as in the springs.
//!
//! Cost: O(m d) for each sweep with m pairs of processes and d dimensions.

use super::bins::{Bins, Points};
use super::instance::MappingInstance;
use rankfold_base::{NodeId, Rank};
use std::collections::BTreeMap;

/// Most sweeps in one global iteration. Chosen by hand; on the exchanges of NPB SP sweeps end
/// before.
const MOST_SWEEPS: u32 = 20;

/// A move is made if it is worth more than this many hops a byte; rounding makes no moves.
const LEAST_WORTH: f64 = 1e-9;

/// Sweeps end when one of them moves less than one process in this number. Chosen by hand;
/// not measured.
const FEW_MOVES: usize = 100;

/// Refines the points of one instance.
pub(super) struct Refinement<'a> {
    pub(super) instance: &'a MappingInstance<'a>,
    /// The fixed processes, which do not move.
    pub(super) anchors: &'a BTreeMap<Rank, NodeId>,
}

impl Refinement<'_> {
    /// Refines the points, and returns the number of sweeps. `crowding` is what one process more in
    /// a crowded bin weighs, in hops of all messages of a process.
    pub(super) fn run(&self, points: &mut Points, crowding: f64) -> u32 {
        let mut bins = Bins::new(self.instance, points);
        for sweep in 1..=MOST_SWEEPS {
            let moves = self.sweep(points, &mut bins, crowding);
            if FEW_MOVES * moves < self.instance.processes() {
                return sweep;
            }
        }
        MOST_SWEEPS
    }

    /// Visits every process once, and returns the number of moves.
    fn sweep(&self, points: &mut Points, bins: &mut Bins, crowding: f64) -> usize {
        let free =
            (0..self.instance.processes()).filter(|&i| !self.anchors.contains_key(&Rank::at(i)));
        let moved = free.filter(|&i| {
            let Some((dim, step, node)) = self.best_move(i, points, bins, crowding) else {
                return false;
            };
            points[dim][i] += step;
            bins.take(i, node);
            true
        });
        moved.count()
    }

    /// The best move of a process: the dimension, the step along it, and the bin it leads to.
    /// `None` if every move is worth less than staying.
    fn best_move(
        &self,
        i: usize,
        points: &Points,
        bins: &Bins,
        crowding: f64,
    ) -> Option<(usize, f64, NodeId)> {
        let grid = self.instance.grid;
        let from = bins.node_of[i];
        let at = grid.coordinates(from);
        let here = bins.load(self.instance, from, 0);
        let steps = (0..at.len()).flat_map(|dim| [(dim, -1), (dim, 1)]);
        let moves = steps.filter_map(|(dim, step)| {
            let beside = at[dim].checked_add_signed(step)?;
            let mut to = at.clone();
            to[dim] = Some(beside).filter(|&c| c < grid.dims()[dim])?;
            let to = grid.node_at(&to);
            let relieved = here - bins.load(self.instance, to, 1);
            let worth = self.shorter(i, dim, step as f64, points) + crowding * relieved;
            Some((worth, (dim, step as f64, to)))
        });
        let best = moves.max_by(|(a, _), (b, _)| a.total_cmp(b));
        best.filter(|&(worth, _)| worth > LEAST_WORTH)
            .map(|(_, best)| best)
    }

    /// The hops that a byte of a process saves on average if it takes a step along a dimension.
    fn shorter(&self, i: usize, dim: usize, step: f64, points: &Points) -> f64 {
        let x = &points[dim];
        let (mut saved, mut all) = (0.0, 0.0);
        for (j, bytes) in self.instance.affinity().partners(Rank::at(i)) {
            let apart = x[i] - x[j.index()];
            saved += bytes as f64 * (apart.abs() - (apart + step).abs());
            all += bytes as f64;
        }
        if all > 0.0 { saved / all } else { 0.0 }
    }
}
