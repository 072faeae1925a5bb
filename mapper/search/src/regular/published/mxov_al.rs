//! `mxov+al`: maximum overlap with alignment (heuristic 2 of section V). Cost: O(n) for n ranks.

use super::member::about;
use super::mxovlp::overlap;
use super::object::MeshFit;
use super::plane::PlaneHeuristic;

/// Maximum overlap in which the longer sides of grid and mesh are aligned again for every
/// remainder.
///
/// ```
/// use rankfold_search::regular::MXOV_AL;
/// // 6x4 objects a..x on a mesh of 8x3: the remaining 6x1 lie along the longer side of 2x3
/// assert_eq!(MXOV_AL.picture((6, 4), (8, 3)), "\
/// abc
/// efg
/// ijk
/// mno
/// qrs
/// uvw
/// dhl
/// ptx");
/// ```
pub const MXOV_AL: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "mxov+al",
        "maximum overlap, longer sides aligned for every rest (Bhatele 2010, V.2)",
    ),
    fit: MeshFit::Exact,
    lay: |object, mesh, _| overlap(object, mesh, true),
};
