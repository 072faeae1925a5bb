//! Decides which structure a network has, and how certain that is.
//!
//! Grid and tree are fitted to the shortest latencies of the odd passes and judged by their
//! correlation with the latencies of the even passes, and the other way round. A structure that
//! only fits noise does not predict the other half (cross-validation in two folds). With noise, the
//! two halves correlate with each other by some `ceiling` < 1; the true latencies then correlate
//! with one half by at most sqrt(ceiling), the correction for attenuation of Spearman ("The proof
//! and measurement of association between two things", American Journal of Psychology 15, 1904).
//! The figure of merit q is therefore the mean correlation over sqrt(ceiling).

use crate::centre::{centred, clipped, correlation};
use crate::{Latencies, grid, tree};

/// The structure of a network, and where each host is in it.
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkStructure {
    /// A torus or a mesh.
    Grid {
        /// Size of every dimension, the largest first.
        sizes: Vec<usize>,
        /// Whether the dimensions are rings: a torus.
        wraps: bool,
        /// Node of every host; nodes are numbered lexicographically, the last dimension fastest.
        nodes: Vec<usize>,
    },
    /// A tree of switches.
    Tree {
        /// For each level, the coarsest first, the group of every host. Each group is within one
        /// group of the level before. There is at least one level.
        levels: Vec<Vec<usize>>,
    },
    /// All hosts are equally far from each other, as far as the latencies tell.
    Flat,
}

/// How much of a reconstruction is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// No structure: only the list of hosts.
    HostsOnly,
    /// The groups of hosts that the fits of both halves of the measurements share.
    CoarseLevelsOnly,
    /// The whole structure.
    Sure,
}

/// The structure that [`decide()`] reconstructs.
#[derive(Clone, Debug, PartialEq)]
pub struct Reconstruction {
    /// The part of the structure that is certain.
    pub structure: NetworkStructure,
    /// How much of the structure is certain.
    pub certainty: Certainty,
    /// Correlation of the structure with the half of the measurements that it was not fitted to,
    /// over the largest correlation that the noise allows. It is between 0 and 1 or a little more.
    pub q: f64,
    /// Correlation between the two halves of the measurements, after the delays of the hosts are
    /// removed.
    pub ceiling: f64,
}

/// The smallest q at which the whole structure is certain. Chosen by hand; `scripts/bench probe`
/// counts the simulated networks that are written as certain and are wrong.
const SURE: f64 = 0.95;
/// The smallest q at which the shared levels of a tree are certain. Chosen by hand; not measured.
const LIKELY: f64 = 0.75;

/// The smallest adjusted Rand index at which the groups fitted to one half of the measurements
/// count as the groups fitted to all measurements. Chosen by hand; not measured.
const SAME: f64 = 0.9;
/// As [`SAME`], for a q of [`SURE`] or more. It is lower since a fit to all measurements is better
/// than a fit to one half. Without such a limit, leaf switches of `tree:8x4x8` at a noise of 0.1
/// were written as certain with adjusted Rand indices of 0.80 and 0.88 (simulated as in
/// `scripts/bench probe`). The value was chosen by hand.
const SIMILAR: f64 = 0.5;

/// If the two halves correlate by less, they are noise. Chosen by hand; not measured.
const NOISE: f64 = 0.1;
/// A grid must correlate better than a tree by this much, because it has more parameters. Chosen by
/// hand; not measured.
const GRID_MARGIN: f64 = 0.02;
/// The smallest number of hosts for which a structure is looked for. With fewer hosts there are so
/// few pairs that random differences between cores look like a structure. Chosen by hand.
const FEWEST_HOSTS: usize = 8;

/// Reconstructs the structure of a network from the shortest latencies of the odd passes and of the
/// even passes. The seed is that of the random starts of the fit of a grid.
///
/// # Panics
/// If the matrices are not square, or differ in size.
#[must_use]
pub fn decide(odd: &Latencies, even: &Latencies, seed: u64) -> Reconstruction {
    assert!(odd.is_square() && odd.shape() == even.shape());
    let n = odd.nrows();
    let nothing = |q, ceiling| Reconstruction {
        structure: NetworkStructure::Flat,
        certainty: Certainty::HostsOnly,
        q,
        ceiling,
    };
    if n < FEWEST_HOSTS {
        return nothing(0.0, 0.0);
    }
    let seen = [odd, even].map(|half| centred(&clipped(half)));
    let ceiling = correlation(&seen[0], &seen[1]);
    if ceiling < NOISE {
        return nothing(0.0, ceiling);
    }
    let trees = [tree::fit(odd), tree::fit(even)];
    let of_trees = [
        held_out(&trees[0].predicted(odd), &seen[1]),
        held_out(&trees[1].predicted(even), &seen[0]),
    ];
    let grids = [odd, even].map(|half| grid::fit(half, seed));
    let of_grids = [(&grids[0], &seen[1]), (&grids[1], &seen[0])]
        .map(|(fit, unseen)| fit.as_ref().map_or(0.0, |fit| held_out(&fit.hops, unseen)));
    let mean = |[a, b]: [f64; 2]| f64::midpoint(a, b);
    let (of_tree, of_grid) = (mean(of_trees), mean(of_grids));
    let q = of_tree.max(of_grid) / ceiling.sqrt();
    let all = odd.zip_map(even, f64::min);
    let is_grid = of_grid > of_tree + GRID_MARGIN;
    let found = |structure, certainty| Reconstruction {
        structure,
        certainty,
        q,
        ceiling,
    };
    if is_grid {
        return if q >= SURE {
            found(best_fit(&all, true, seed), Certainty::Sure)
        } else {
            nothing(q, ceiling)
        };
    }
    let whole = tree::fit(&all);
    // Most pairs of hosts are in different groups of the upper levels of a tree. So q is high even
    // if the groups of the lowest level are wrong, and each level is compared on its own.
    let alike = if q >= SURE { SIMILAR } else { SAME };
    let levels = agreed(&trees, &whole, alike);
    if q >= SURE && levels.len() == whole.levels.len() {
        return found(best_fit(&all, false, seed), Certainty::Sure);
    }
    if q < LIKELY || levels.is_empty() {
        return nothing(q, ceiling);
    }
    found(
        NetworkStructure::Tree { levels },
        Certainty::CoarseLevelsOnly,
    )
}

/// The grid (`is_grid`) or the tree that fits the latencies best, however badly it fits.
/// [`decide()`] tells whether the structure is certain.
#[must_use]
pub fn best_fit(all: &Latencies, is_grid: bool, seed: u64) -> NetworkStructure {
    if is_grid && let Some(fit) = grid::fit(all, seed) {
        return NetworkStructure::Grid {
            sizes: fit.sizes.of,
            wraps: fit.sizes.wraps,
            nodes: fit.points,
        };
    }
    match tree::fit(all).levels {
        levels if levels.is_empty() => NetworkStructure::Flat,
        levels => NetworkStructure::Tree { levels },
    }
}

/// Correlation of predicted latencies with measurements that the prediction was not fitted to.
fn held_out(predicted: &Latencies, unseen: &Latencies) -> f64 {
    correlation(&centred(predicted), unseen)
}

/// The levels of the tree `whole` that the trees of both halves have as well: with groups whose
/// adjusted Rand index is at least `alike`.
fn agreed(halves: &[tree::TreeFit; 2], whole: &tree::TreeFit, alike: f64) -> Vec<Vec<usize>> {
    let in_both = |level: &&Vec<usize>| {
        halves.iter().all(|half| {
            let mut known = half.levels.iter();
            known.any(|other| tree::adjusted_rand_index(level, other) >= alike)
        })
    };
    whole.levels.iter().filter(in_both).cloned().collect()
}
