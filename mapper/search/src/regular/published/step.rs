//! `step`: step embedding (heuristic 6 of section V, after Aleliunas and Rosenberg 1982). Cost:
//! O(n) for n ranks.

use super::member::{CellMap, PlaneSize, about};
use super::plane::{PlaneHeuristic, aligned};
use crate::regular::maps::squeeze::squeeze;

/// The columns of the grid as staircases through the mesh.
///
/// The paper only names the technique, which turns rectangles into squarer ones on meshes with room
/// to spare. For equal areas a [squeeze](crate::regular) does the same. Where a squeeze does not
/// fit, the cells of the grid fill the mesh row by row.
///
/// ```
/// use rankfold_search::regular::STEP;
/// // 4x6 objects a..x on a mesh of 3x8: columns of 4 climb through rows of 3
/// assert_eq!(STEP.picture((4, 6), (3, 8)), "\
/// gabcdefl
/// mnhijkqr
/// stuopvwx");
/// ```
pub const STEP: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "step",
        "columns of a 2D grid as staircases in the mesh (Bhatele 2010, V.6; Aleliunas and Rosenberg 1982)",
    ),
    lay: |object, mesh, _| aligned(object, mesh, staircases),
};

fn staircases(object: PlaneSize, mesh: PlaneSize) -> CellMap {
    let map = if object.1 >= mesh.1 {
        squeeze(object, mesh)
    } else {
        let turn = |(a, b)| (b, a);
        squeeze(turn(object), turn(mesh)).map(|map| map.transposed())
    };
    match map {
        Some(map) => map.image().iter().map(|&cell| cell as usize).collect(),
        None => (0..object.0 * object.1).collect(),
    }
}
