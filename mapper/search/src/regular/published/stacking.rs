//! `stacking`: stacking (heuristic 1 of section VI). Cost: O(n) for n ranks, after the 2D
//! heuristics on one slab.

use super::member::about;
use super::object::MeshFit;
use super::slabs::{SlabHeuristic, Slabs};

/// A 2D grid cut into slabs, all laid onto the planes of a 3D mesh in the same orientation.
///
/// ```
/// use rankfold_search::regular::STACKING;
/// // 8x2 objects a..p on a mesh of 2x4x2: two planes of 4x2
/// assert_eq!(STACKING.picture((8, 2), [2, 4, 2]), "\
/// ab ij
/// cd kl
/// ef mn
/// gh op");
/// ```
pub const STACKING: SlabHeuristic = SlabHeuristic {
    about: about(
        "stacking",
        "slabs of a 2D grid stacked in a 3D mesh or torus (Bhatele 2010, VI.1)",
    ),
    fit: MeshFit::Exact,
    lay: Slabs { folds: false },
};
