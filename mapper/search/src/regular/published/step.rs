//! Step embedding (heuristic 6 of section V, after Aleliunas and Rosenberg 1982).

use super::member::{CellMap, Size, about};
use super::plane::{PlaneHeuristic, aligned};
use crate::regular::maps::squeeze::squeeze;

/// Columns of the grid as staircases through the mesh.
///
/// The paper only names the technique, which makes rectangles squarer on meshes with room to spare.
/// The clean form for equal areas is a [squeeze](crate::regular); where it has no room, rows of the
/// grid are laid along the mesh one after the other.
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

fn staircases(object: Size, mesh: Size) -> CellMap {
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
