//! `exco`: expand from corner (heuristic 3 of section V, algorithm 3).
//!
//! Cost: O(n^2) for n ranks in the worst case, since a search for the nearest free cell may pass
//! all cells.

use super::member::{CellMap, PlaneSize, about};
use super::object::MeshFit;
use super::plane::{FreeProcessors, PlaneHeuristic, aligned};

/// Two walks side by side from a corner, one over the objects and one over the processors. The next
/// cell of a walk is the free cell nearest to the current cell (the paper's `findNearest2D`).
///
/// The paper leaves ties open. Here the lexicographically first of equally near cells is taken.
///
/// ```
/// use rankfold_search::regular::EXCO;
/// // 4x4 objects a..p on a mesh of 2x8
/// assert_eq!(EXCO.picture((4, 4), (2, 8)), "\
/// aeimnjfb
/// dhlpokgc");
/// ```
pub const EXCO: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "exco",
        "2D grid and mesh both walked from a corner, nearest free cell next (Bhatele 2010, V.3)",
    ),
    fit: MeshFit::Exact,
    lay: |object, mesh, _| {
        aligned(object, mesh, |object, mesh| {
            side_by_side(walk(object, &[0]), walk(mesh, &[0]))
        })
    },
};

/// The cells in the order in which walkers visit them.
///
/// The walkers take turns, one cell each; each goes on from the cell it visited last. A walker
/// whose start is taken begins at the nearest free cell.
pub(super) fn walk(size: PlaneSize, starts: &[usize]) -> Vec<usize> {
    let mut free = FreeProcessors::all(size);
    let mut at = starts.to_vec();
    (0..size.0 * size.1)
        .map(|step| {
            let walker = &mut at[step % starts.len()];
            *walker = free.take_nearest((*walker / size.1, *walker % size.1));
            *walker
        })
        .collect()
}

/// The map that puts the i-th object on the i-th processor.
pub(super) fn side_by_side(objects: Vec<usize>, processors: Vec<usize>) -> CellMap {
    let mut layout = vec![0; objects.len()];
    for (cell, to) in objects.into_iter().zip(processors) {
        layout[cell] = to;
    }
    layout
}
