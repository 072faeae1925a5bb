//! What `stacking` and `folding` share: a 2D grid cut into one slab for every plane of a 3D mesh.

use super::member::{CellMap, LayoutRule, PlaneSize, Published};
use super::plane::hops;
use super::{AFFN, COCE, COCE_SORTED, EXCO, EXCO_SORTED, MXOV_AL, MXOVLP};
use rankfold_problem::heuristic::NotApplicable;

/// A heuristic that maps a 2D object grid onto a 3D processor mesh with as many cells, slab by
/// slab.
///
/// The longer side is cut into as many slabs as the mesh is long in its smallest dimension. Every
/// slab is laid onto a plane perpendicular to that dimension, all slabs in the same way: by the 2D
/// heuristic that needs the fewest hops. `exco` and `coce` take part in both of their variants.
pub type SlabHeuristic = Published<Slabs>;

/// How consecutive slabs are oriented.
#[derive(Clone, Copy, Debug)]
pub struct Slabs {
    /// Whether every second slab is reversed, so that objects next to a cut lie opposite to each
    /// other.
    pub(super) folds: bool,
}

impl LayoutRule for Slabs {
    const DIMS: usize = 3;

    fn lay(
        &self,
        object: PlaneSize,
        mesh: &[usize],
        _: u64,
    ) -> Result<(CellMap, Vec<String>), NotApplicable> {
        let (layout, base) = self
            .cells(object, [mesh[0], mesh[1], mesh[2]])
            .ok_or_else(|| {
                NotApplicable("the longer side cannot be cut into equal slabs".into())
            })?;
        Ok((layout, vec![base]))
    }
}

impl Slabs {
    /// The mesh cell of every object, and a description of the 2D problem and the heuristic chosen
    /// for it; `None` if the slabs would not be of equal size.
    fn cells(&self, object: PlaneSize, mesh: [usize; 3]) -> Option<(CellMap, String)> {
        let depth = (0..3).min_by_key(|&d| mesh[d])?;
        let plane: Vec<usize> = (0..3).filter(|&d| d != depth).map(|d| mesh[d]).collect();
        let cut_x = object.0 >= object.1;
        let long = object.0.max(object.1);
        let thick = long / mesh[depth];
        if thick * mesh[depth] != long {
            return None;
        }
        let slab = if cut_x {
            (thick, object.1)
        } else {
            (object.0, thick)
        };
        let (base, layout) = best_base(slab, (plane[0], plane[1]))?;
        let cells = (0..object.0 * object.1).map(|cell| {
            let (x, y) = (cell / object.1, cell % object.1);
            let along = if cut_x { x } else { y };
            let (layer, mut along) = (along / thick, along % thick);
            if self.folds && layer % 2 == 1 {
                along = thick - 1 - along;
            }
            let (x, y) = if cut_x { (along, y) } else { (x, along) };
            let at = layout[x * slab.1 + y];
            let mut coordinates = vec![at / plane[1], at % plane[1]];
            coordinates.insert(depth, layer);
            (coordinates[0] * mesh[1] + coordinates[1]) * mesh[2] + coordinates[2]
        });
        let note = format!(
            "slabs of {}x{} laid on {}x{} by {base}",
            slab.0, slab.1, plane[0], plane[1]
        );
        Some((cells.collect(), note))
    }
}

impl SlabHeuristic {
    /// A picture of the planes of the mesh perpendicular to its smallest dimension, with the
    /// objects lettered row by row.
    ///
    /// # Panics
    /// If the grid cannot be laid onto the mesh, or if it has more cells than there are letters.
    #[must_use]
    pub fn picture(&self, object: (usize, usize), mesh: [usize; 3]) -> String {
        let (layout, _) = self.lay.cells(object, mesh).expect("equal slabs");
        let mut letters = vec![' '; layout.len()];
        for (object, cell) in layout.into_iter().enumerate() {
            letters[cell] = char::from(b'a' + u8::try_from(object).expect("few cells"));
        }
        let depth = (0..3).min_by_key(|&d| mesh[d]).expect("three sizes");
        let [a, b] = [(1, 2), (0, 2), (0, 1)].map(|(a, b)| [a, b])[depth];
        let strides = [mesh[1] * mesh[2], mesh[2], 1];
        let rows = (0..mesh[a]).map(|row| {
            let planes = (0..mesh[depth]).map(|layer| {
                let cells = (0..mesh[b])
                    .map(|c| letters[row * strides[a] + c * strides[b] + layer * strides[depth]]);
                cells.collect::<String>()
            });
            planes.collect::<Vec<_>>().join(" ")
        });
        rows.collect::<Vec<_>>().join("\n")
    }
}

/// The 2D layout of a slab with the fewest hops. Equal sizes keep their coordinates.
fn best_base(slab: PlaneSize, plane: PlaneSize) -> Option<(&'static str, CellMap)> {
    if slab.0 * slab.1 != plane.0 * plane.1 {
        return None;
    }
    let bases = [MXOVLP, MXOV_AL, EXCO_SORTED, COCE_SORTED, AFFN, EXCO, COCE];
    bases
        .iter()
        .map(|base| (base.about.name, (base.lay)(slab, plane, 0)))
        .min_by_key(|(_, layout)| hops(slab, plane, layout))
}
