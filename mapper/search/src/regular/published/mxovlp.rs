//! `mxovlp`: maximum overlap (heuristic 1 of section V, algorithm 2). Cost: O(n) for n ranks.

use super::member::{CellMap, PlaneSize, about};
use super::object::MeshFit;
use super::plane::{PlaneHeuristic, hops, is_aligned, turned};

/// The largest part that grid and mesh have in common is mapped one to one, then the remainders in
/// the same way.
///
/// The paper's text aligns the longer sides first, its figure 2 does not. Here both maps are made
/// and the one with fewer hops is kept.
///
/// ```
/// use rankfold_search::regular::MXOVLP;
/// // 4x4 objects a..p on a mesh of 2x8
/// assert_eq!(MXOVLP.picture((4, 4), (2, 8)), "\
/// aeimcgko
/// bfjndhlp");
/// ```
pub const MXOVLP: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "mxovlp",
        "maximum overlap of a 2D grid and a 2D mesh, the rest likewise (Bhatele 2010, V.1)",
    ),
    fit: MeshFit::Exact,
    lay: |object, mesh, _| {
        let as_it_is = overlap(object, mesh, false);
        if is_aligned(object, mesh) {
            return as_it_is;
        }
        let aligned = turned(object, &overlap((object.1, object.0), mesh, false));
        if hops(object, mesh, &as_it_is) < hops(object, mesh, &aligned) {
            as_it_is
        } else {
            aligned
        }
    },
};

/// A part of the object grid and the part of the mesh that it fills.
#[derive(Clone, Copy)]
struct Part {
    /// First object cell of the part, and the part's sizes.
    object: PlaneSize,
    object_size: PlaneSize,
    mesh: PlaneSize,
    mesh_size: PlaneSize,
    /// Whether x and y of the object grid are exchanged.
    turned: bool,
}

/// Algorithm 2 with explicit origins for the recursion; `align` turns the part in every step so
/// that the longer sides run in parallel.
pub(super) fn overlap(object: PlaneSize, mesh: PlaneSize, align: bool) -> CellMap {
    let mut layout = vec![0; object.0 * object.1];
    let mut part = Part {
        object: (0, 0),
        object_size: object,
        mesh: (0, 0),
        mesh_size: mesh,
        turned: false,
    };
    loop {
        if align && !is_aligned(part.object_size, part.mesh_size) {
            part = part.turn();
        }
        let (o, p) = (part.object_size, part.mesh_size);
        let common = (o.0.min(p.0), o.1.min(p.1));
        for x in 0..common.0 {
            for y in 0..common.1 {
                let to = (part.mesh.0 + x) * mesh.1 + part.mesh.1 + y;
                layout[part.cell((x, y), object)] = to;
            }
        }
        if o == p {
            return layout;
        }
        part = part.rest(common);
    }
}

impl Part {
    /// Number of the object cell at `(x, y)` of the part.
    fn cell(&self, (x, y): PlaneSize, object: PlaneSize) -> usize {
        let at = (self.object.0 + x, self.object.1 + y);
        let (row, column) = if self.turned { (at.1, at.0) } else { at };
        row * object.1 + column
    }

    fn turn(self) -> Self {
        Self {
            object: (self.object.1, self.object.0),
            object_size: (self.object_size.1, self.object_size.0),
            turned: !self.turned,
            ..self
        }
    }

    /// The parts of grid and mesh that remain when their common part is removed. Both have the same
    /// area, so grid or mesh is used up in each dimension.
    fn rest(self, common: PlaneSize) -> Self {
        let (o, p) = (self.object_size, self.mesh_size);
        if o.0 > p.0 {
            Self {
                object: (self.object.0 + common.0, self.object.1),
                object_size: (o.0 - common.0, o.1),
                mesh: (self.mesh.0, self.mesh.1 + common.1),
                mesh_size: (p.0, p.1 - common.1),
                ..self
            }
        } else {
            Self {
                object: (self.object.0, self.object.1 + common.1),
                object_size: (o.0, o.1 - common.1),
                mesh: (self.mesh.0 + common.0, self.mesh.1),
                mesh_size: (p.0 - common.0, p.1),
                ..self
            }
        }
    }
}
