//! `coce`: corners to centre (heuristic 4 of section V).
//!
//! Cost: O(n^2) for n ranks in the worst case, since a search for the nearest free cell may pass
//! all cells.

use super::exco::{side_by_side, walk};
use super::member::{PlaneSize, about};
use super::object::MeshFit;
use super::plane::{PlaneHeuristic, aligned};

/// Expansion from all four corners at once. Four walkers cross the objects and four cross the
/// processors; each goes on from its own current cell as in [`EXCO`](super::EXCO).
///
/// The walkers of both sides take turns in the same order. The paper leaves the order open.
///
/// ```
/// use rankfold_search::regular::COCE;
/// // 4x4 objects a..p on a mesh of 2x8
/// assert_eq!(COCE.picture((4, 4), (2, 8)), "\
/// aefgkjim
/// dcbhlnop");
/// ```
pub const COCE: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "coce",
        "2D grid and mesh both walked from all four corners to the centre (Bhatele 2010, V.4)",
    ),
    fit: MeshFit::Exact,
    lay: |object, mesh, _| {
        aligned(object, mesh, |object, mesh| {
            side_by_side(walk(object, &corners(object)), walk(mesh, &corners(mesh)))
        })
    },
};

fn corners(size: PlaneSize) -> [usize; 4] {
    let cells = size.0 * size.1;
    [0, size.1 - 1, cells - size.1, cells - 1]
}
