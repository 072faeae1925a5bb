//! `affn`: affine mapping (heuristic 5 of section V, algorithm 4).
//!
//! Cost: O(n^2) for n ranks in the worst case, since a search for the nearest free cell may pass
//! all cells.

use super::member::about;
use super::object::MeshFit;
use super::plane::{FreeProcessors, PlaneHeuristic, aligned};

/// The grid stretched to the size of the mesh. An object whose processor is taken goes to the
/// nearest free processor.
///
/// Algorithm 4 counts coordinates from 1, which would leave the mesh. They count from 0 here.
///
/// ```
/// use rankfold_search::regular::AFFN;
/// // 4x4 objects a..p on a mesh of 2x8
/// assert_eq!(AFFN.picture((4, 4), (2, 8)), "\
/// abefijmn
/// cdghklop");
/// ```
pub const AFFN: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "affn",
        "2D grid stretched to the mesh, nearest free processor (Bhatele 2010, V.5)",
    ),
    fit: MeshFit::Exact,
    lay: |object, mesh, _| {
        aligned(object, mesh, |object, mesh| {
            let mut free = FreeProcessors::all(mesh);
            (0..object.0 * object.1)
                .map(|cell| {
                    let (x, y) = (cell / object.1, cell % object.1);
                    free.take_nearest((mesh.0 * x / object.0, mesh.1 * y / object.1))
                })
                .collect()
        })
    },
};
