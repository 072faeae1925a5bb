//! Maximum overlap with alignment (heuristic 2 of section V).

use super::member::about;
use super::mxovlp::overlap;
use super::plane::PlaneHeuristic;

/// Maximum overlap that aligns the longer sides again for every rest.
///
/// ```
/// use rankfold_search::regular::MXOV_AL;
/// // 6x4 objects a..x on a mesh of 8x3: the rest of 6x1 lies along the longer side of 2x3
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
    lay: |object, mesh, _| overlap(object, mesh, true),
};
