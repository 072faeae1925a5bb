//! Expand from corner (heuristic 3 of section V, algorithm 3).

use super::member::{CellMap, Size, about};
use super::plane::{Free, PlaneHeuristic, aligned};

/// Two walks side by side, one over the objects and one over the processors, both from a corner:
/// the next cell is always the free one nearest to the current cell (`findNearest2D`).
///
/// Of equally near cells the lexicographically first is taken.
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
    lay: |object, mesh, _| {
        aligned(object, mesh, |object, mesh| {
            side_by_side(walk(object, &[0]), walk(mesh, &[0]))
        })
    },
};

/// The cells in the order in which walkers take them, one cell each in turn; every walker goes on
/// from its own last cell. A walker whose start is taken begins next to it.
pub(super) fn walk(size: Size, starts: &[usize]) -> Vec<usize> {
    let mut free = Free::all(size);
    let mut at = starts.to_vec();
    (0..size.0 * size.1)
        .map(|step| {
            let walker = &mut at[step % starts.len()];
            *walker = free.take_nearest((*walker / size.1, *walker % size.1));
            *walker
        })
        .collect()
}

/// The n-th object on the n-th processor.
pub(super) fn side_by_side(objects: Vec<usize>, processors: Vec<usize>) -> CellMap {
    let mut layout = vec![0; objects.len()];
    for (cell, to) in objects.into_iter().zip(processors) {
        layout[cell] = to;
    }
    layout
}
