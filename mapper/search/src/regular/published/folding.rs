//! `folding`: folding (heuristic 2 of section VI). Cost: O(n) for n ranks, after the 2D heuristics
//! on one slab.

use super::member::about;
use super::object::MeshFit;
use super::slabs::{SlabHeuristic, Slabs};

/// A 2D grid folded like an accordion into a 3D mesh: every second slab is reversed, so that the
/// edges at a fold lie opposite to each other in neighbouring planes.
///
/// ```
/// use rankfold_search::regular::FOLDING;
/// // 8x2 objects a..p on a mesh of 2x4x2: gh lies beside ij, one plane further
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
    fit: MeshFit::Exact,
    lay: Slabs { folds: true },
};
