//! Which structure it is, and how sure that is.
//!
//! A structure is fitted to the shortest latencies of the odd passes and judged by those of the
//! even ones, and the other way round: what fits noise alone does not hold there. Both halves agree
//! with each other only as far as noise lets them, and no structure can do better than the root of
//! that.

use crate::centre::{centred, clipped, correlation};
use crate::{Latencies, grid, tree};

/// What the network is.
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkStructure {
    /// A torus or mesh with these sizes, and the node of every host, lexicographic with the last
    /// dimension fastest.
    Grid {
        /// The largest first.
        sizes: Vec<usize>,
        /// Whether its dimensions are rings.
        wraps: bool,
        /// Node of every host.
        nodes: Vec<usize>,
    },
    /// Switches above switches: the group of every host at each level, the coarsest first, each
    /// within the one before.
    Tree {
        /// At least one level.
        levels: Vec<Vec<usize>>,
    },
    /// Nothing tells hosts apart.
    Flat,
}

/// What may be made of a reconstruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Nothing but the hosts.
    HostsOnly,
    /// Groups that both halves of the measurements agree on.
    CoarseLevelsOnly,
    /// All of it.
    Sure,
}

/// The structure found.
#[derive(Clone, Debug, PartialEq)]
pub struct Reconstruction {
    /// As much as is certain.
    pub structure: NetworkStructure,
    /// How certain.
    pub certainty: Certainty,
    /// Correlation of the structure with measurements it has not seen, as a share of the best that
    /// noise allows: from 0 to 1 or a little more.
    pub q: f64,
    /// Correlation of both halves of the measurements, what hosts add taken out.
    pub ceiling: f64,
}

/// From here on a structure is written as it is.
const SURE: f64 = 0.95;
/// From here on levels that both halves agree on are written.
const LIKELY: f64 = 0.75;

/// From this adjusted Rand index on, groups found in half of the measurements are those found in
/// all.
const SAME: f64 = 0.9;
/// The same where the structure is sure: all measurements together tell more than half of them.
const SIMILAR: f64 = 0.5;

/// With less agreement of both halves there is nothing but noise.
const NOISE: f64 = 0.1;
/// A grid has more parameters than a tree: it must be better by as much.
const FAVOUR: f64 = 0.02;
/// Of fewer hosts there are so few pairs that a chance pattern of their cores looks like a
/// structure.
const FEWEST: usize = 8;

/// Decides by the shortest latencies of the odd and of the even passes.
///
/// # Panics
/// The matrices are not square, or of different sizes.
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
    if n < FEWEST {
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
    let is_grid = of_grid > of_tree + FAVOUR;
    let found = |structure, certainty| Reconstruction {
        structure,
        certainty,
        q,
        ceiling,
    };
    if is_grid {
        return match q >= SURE {
            true => found(best_fit(&all, true, seed), Certainty::Sure),
            false => nothing(q, ceiling),
        };
    }
    let whole = tree::fit(&all);
    // The upper levels of a tree tell most pairs apart: q is high however wrong the groups of the
    // lowest are.
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

/// The grid or the tree that fits measurements best, however well that is: [`decide()`] says
/// whether to believe it.
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

/// How well a prediction does on measurements it was not made from.
fn held_out(predicted: &Latencies, unseen: &Latencies) -> f64 {
    correlation(&centred(predicted), unseen)
}

/// The levels of the whole that both halves have, too, with groups that are `alike`.
fn agreed(halves: &[tree::Fit; 2], whole: &tree::Fit, alike: f64) -> Vec<Vec<usize>> {
    let in_both = |level: &&Vec<usize>| {
        halves.iter().all(|half| {
            let mut known = half.levels.iter();
            known.any(|other| tree::adjusted_rand_index(level, other) >= alike)
        })
    };
    whole.levels.iter().filter(in_both).cloned().collect()
}
