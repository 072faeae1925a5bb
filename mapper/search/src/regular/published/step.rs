//! `step`: step embedding (heuristic 6 of section V, after Aleliunas and Rosenberg 1982). Cost:
//! O(n) for n ranks on a mesh of as many processors; O(n k) on a larger mesh with sides of up to k.

use super::member::{CellMap, PlaneSize, about};
use super::object::MeshFit;
use super::plane::{PlaneHeuristic, aligned, hops, turned};
use crate::regular::maps::squeeze::squeeze;

/// The columns of the grid as staircases through the mesh.
///
/// The paper only names the technique, which turns rectangles into squarer ones on meshes that may
/// have more processors than the grid has objects. A [squeeze](crate::regular) does the same here.
/// On a larger mesh, every number of rows that has room for the grid is tried, with either side of
/// the grid along them, and the layout with the fewest hops is taken. Where no squeeze fits, the
/// cells of the grid fill the mesh row by row.
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
    fit: MeshFit::Roomy,
    lay: |object, mesh, _| aligned(object, mesh, staircases),
};

fn staircases(object: PlaneSize, mesh: PlaneSize) -> CellMap {
    let turn = |(a, b)| (b, a);
    let along = (1..=mesh.1).filter_map(|rows| squeezed(object, (mesh.0, rows), mesh));
    let across = (1..=mesh.0).filter_map(|rows| {
        let layout = squeezed(turn(object), (mesh.1, rows), turn(mesh))?;
        let upright = layout
            .into_iter()
            .map(|at| at % mesh.0 * mesh.1 + at / mesh.0);
        Some(turned(object, &upright.collect::<Vec<_>>()))
    });
    let all = along.chain(across);
    all.min_by_key(|layout| hops(object, mesh, layout))
        .unwrap_or_else(|| (0..object.0 * object.1).collect())
}

/// The grid squeezed into the first `rows` columns of the mesh; `None` if that has too little room.
fn squeezed(object: PlaneSize, (wide, rows): PlaneSize, mesh: PlaneSize) -> Option<CellMap> {
    let map = squeeze(object, (wide, rows))?;
    let cells = map.image().iter().map(|&cell| cell as usize);
    Some(cells.map(|at| at / rows * mesh.1 + at % rows).collect())
}
