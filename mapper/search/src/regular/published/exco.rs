//! Expand from corner (heuristic 3 of section V, algorithm 3).

use super::member::{Size, about};
use super::plane::{PlaneHeuristic, aligned};

/// Objects and processors both in the order of their Manhattan distance from a corner.
///
/// The order of equals is not told; it is by x here, so both run along their diagonals the same way.
///
/// ```
/// use rankfold_search::regular::EXCO;
/// // 4x4 objects a..p on a mesh of 2x8
/// assert_eq!(EXCO.picture((4, 4), (2, 8)), "\
/// aeicjdko
/// bfmgnhlp");
/// ```
pub const EXCO: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "exco",
        "2D grid and mesh both unrolled from a corner (Bhatele 2010, V.3)",
    ),
    lay: |object, mesh, _| {
        aligned(object, mesh, |object, mesh| {
            let mut layout = vec![0; object.0 * object.1];
            for (cell, to) in from_corner(object).into_iter().zip(from_corner(mesh)) {
                layout[cell] = to;
            }
            layout
        })
    },
};

fn from_corner(size: Size) -> Vec<usize> {
    let mut cells: Vec<usize> = (0..size.0 * size.1).collect();
    cells.sort_by_key(|cell| cell / size.1 + cell % size.1);
    cells
}
