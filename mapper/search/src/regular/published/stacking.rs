//! Stacking (heuristic 1 of section VI).

use super::member::about;
use super::slabs::{SlabHeuristic, Slabs};

/// Slabs of a 2D grid on the planes of a 3D mesh, one like the other.
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
    lay: Slabs { folds: false },
};
