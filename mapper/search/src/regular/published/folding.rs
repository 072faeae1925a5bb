//! Folding (heuristic 2 of section VI).

use super::member::about;
use super::slabs::{SlabHeuristic, Slabs};

/// A 2D grid folded like an accordion into a 3D mesh: every second slab is reversed.
///
/// ```
/// use rankfold_search::regular::FOLDING;
/// // 8x2 objects a..p on a mesh of 2x4x2: gh meets ij
/// assert_eq!(FOLDING.picture((8, 2), [2, 4, 2]), "\
/// ab op
/// cd mn
/// ef kl
/// gh ij");
/// ```
pub const FOLDING: SlabHeuristic = SlabHeuristic {
    about: about(
        "folding",
        "2D grid folded like an accordion into a 3D mesh or torus (Bhatele 2010, VI.2)",
    ),
    lay: Slabs { folds: true },
};
