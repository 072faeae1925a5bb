//! `coce-sorted`: corners to centre by distance, as the text of section V describes it. Cost:
//! O(n log n) for n ranks, plus the searches for objects that their corner has no processor for.

use super::member::{CellMap, PlaneSize, about};
use super::object::MeshFit;
use super::plane::{FreeProcessors, PlaneHeuristic, aligned, neighbours};

/// Objects and processors sorted by distance from the nearest of the four corners.
///
/// [`COCE`](super::COCE) walks from cell to cell instead. The order by distance needs fewer hops on
/// three fifths of all planes of up to 400 cells. The objects of a corner take the corner's
/// processors in the order of Manhattan distance, equally distant ones in row order. The paper does
/// not say what happens to a corner's surplus objects: here such an object takes the free processor
/// nearest to its first neighbour that is placed already.
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
    fit: MeshFit::Exact,
    lay: |object, mesh, _| aligned(object, mesh, corners_to_centre),
};

fn corners_to_centre(object: PlaneSize, mesh: PlaneSize) -> CellMap {
    let mut layout = vec![None; object.0 * object.1];
    let mut free = FreeProcessors::all(mesh);
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

/// For each corner, the cells that are nearest to it, by distance.
fn by_corner(size: PlaneSize) -> [Vec<usize>; 4] {
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
