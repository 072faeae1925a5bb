//! Corners to centre with everything sorted by distance.

use super::member::{CellMap, Size, about};
use super::plane::{Free, PlaneHeuristic, aligned, neighbours};

/// From all four corners at once, every object belonging to its nearest corner.
///
/// [`COCE`](super::COCE) walks from cell to cell; this order needs fewer hops on three fifths of
/// all planes of up to 400 cells. Objects of a corner take its processors in the order of the
/// Manhattan distance, equals in row order. What becomes of a corner's surplus is not told: such an
/// object takes the free processor nearest to its first neighbour that is placed already.
///
/// ```
/// use rankfold_search::regular::COCE_SORTED;
/// // 4x4 objects a..p on a mesh of 2x8
/// assert_eq!(COCE_SORTED.picture((4, 4), (2, 8)), "\
/// aebfjnim
/// dchgklop");
/// ```
pub const COCE_SORTED: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "coce-sorted",
        "2D grid and mesh filled from all four corners in the order of distance (Bhatele 2010, V.4, its text)",
    ),
    lay: |object, mesh, _| aligned(object, mesh, corners_to_centre),
};

fn corners_to_centre(object: Size, mesh: Size) -> CellMap {
    let mut layout = vec![None; object.0 * object.1];
    let mut free = Free::all(mesh);
    let mut left = Vec::new();
    for (objects, processors) in by_corner(object).into_iter().zip(by_corner(mesh)) {
        for (&cell, &to) in objects.iter().zip(&processors) {
            layout[cell] = Some(to);
            free.take(to);
        }
        left.extend(objects.into_iter().skip(processors.len()));
    }
    for cell in left {
        let near = neighbours(cell, object).find_map(|n| layout[n]);
        let near = near.unwrap_or_default();
        layout[cell] = Some(free.take_nearest((near / mesh.1, near % mesh.1)));
    }
    layout.into_iter().flatten().collect()
}

/// The cells nearest to each corner, by distance.
fn by_corner(size: Size) -> [Vec<usize>; 4] {
    let mut lists: [Vec<(usize, usize)>; 4] = Default::default();
    for cell in 0..size.0 * size.1 {
        let (x, y) = (cell / size.1, cell % size.1);
        let (back, right) = (size.0 - 1 - x, size.1 - 1 - y);
        let distances = [x + y, x + right, back + y, back + right];
        let nearest = (0..4).min_by_key(|&corner| distances[corner]);
        let corner = nearest.unwrap_or_default();
        lists[corner].push((distances[corner], cell));
    }
    lists.map(|mut list| {
        list.sort_unstable();
        list.into_iter().map(|(_, cell)| cell).collect()
    })
}
