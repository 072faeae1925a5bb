//! `exco-sorted`: expand from corner by distance, as the text of section V describes it. Cost:
//! O(n log n) for n ranks.

use super::member::{PlaneSize, about};
use super::object::MeshFit;
use super::plane::{PlaneHeuristic, aligned};

/// Objects and processors sorted by Manhattan distance from a corner.
///
/// The paper's listing walks from cell to cell instead; it is [`EXCO`](super::EXCO). The order by
/// distance needs fewer hops on a third of all planes of up to 400 cells. The paper leaves ties
/// open. Here equally distant cells are ordered by x, so both orders run along their diagonals in
/// the same direction.
///
/// ```
/// use rankfold_search::regular::EXCO_SORTED;
/// // 4x4 objects a..p on a mesh of 2x8
/// assert_eq!(EXCO_SORTED.picture((4, 4), (2, 8)), "\
/// aeicjdko
/// bfmgnhlp");
/// ```
pub const EXCO_SORTED: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "exco-sorted",
        "2D grid and mesh both in the order of the distance from a corner (Bhatele 2010, V.3, its text)",
    ),
    fit: MeshFit::Exact,
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

fn from_corner(size: PlaneSize) -> Vec<usize> {
    let mut cells: Vec<usize> = (0..size.0 * size.1).collect();
    cells.sort_by_key(|cell| cell / size.1 + cell % size.1);
    cells
}
