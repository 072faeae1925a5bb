//! What the heuristics from 2D grids to 2D meshes share: alignment, the nearest free processor, and
//! pictures for their documentation.

use super::member::{CellMap, LayoutRule, PlaneSize, Published};
use super::object::MeshFit;
use rankfold_problem::heuristic::NotApplicable;

/// A heuristic that maps a 2D object grid onto a 2D processor mesh.
pub type PlaneHeuristic = Published<Plane>;

/// The rule of a 2D heuristic: a map for the sizes of an object grid and a mesh, and a seed.
pub(super) type Plane = fn(PlaneSize, PlaneSize, u64) -> CellMap;

impl LayoutRule for Plane {
    const DIMS: usize = 2;

    fn lay(
        &self,
        object: PlaneSize,
        mesh: &[usize],
        seed: u64,
    ) -> Result<(CellMap, Vec<String>), NotApplicable> {
        Ok((self(object, (mesh[0], mesh[1]), seed), Vec::new()))
    }
}

impl PlaneHeuristic {
    /// A picture of the processor mesh with the objects lettered row by row; rows are x, columns
    /// are y, and a dot is a processor without object.
    ///
    /// # Panics If the mesh does not fit the heuristic, or if the grid has more cells than there
    /// are letters.
    #[must_use]
    pub fn picture(&self, object: (usize, usize), mesh: (usize, usize)) -> String {
        let (cells, room) = (object.0 * object.1, mesh.0 * mesh.1);
        let fits = cells == room || (self.fit == MeshFit::Roomy && cells < room);
        assert!(fits && cells <= 26, "{cells} cells on {room}");
        let mut letters = vec!['.'; room];
        for (object, cell) in (self.lay)(object, mesh, 0).into_iter().enumerate() {
            letters[cell] = char::from(b'a' + object as u8);
        }
        let rows = letters.chunks(mesh.1).map(|row| row.iter().collect());
        rows.collect::<Vec<String>>().join("\n")
    }
}

/// Lays out the object grid with its longer side along the longer side of the mesh. All heuristics
/// of the paper begin so.
pub(super) fn aligned(
    object: PlaneSize,
    mesh: PlaneSize,
    lay: impl Fn(PlaneSize, PlaneSize) -> CellMap,
) -> CellMap {
    if is_aligned(object, mesh) {
        lay(object, mesh)
    } else {
        turned(object, &lay((object.1, object.0), mesh))
    }
}

pub(super) fn is_aligned(object: PlaneSize, mesh: PlaneSize) -> bool {
    (object.0 >= object.1) == (mesh.0 >= mesh.1)
}

/// The layout of an object grid, given the layout of the grid with x and y exchanged.
pub(super) fn turned(object: PlaneSize, layout: &[usize]) -> CellMap {
    let cells = 0..object.0 * object.1;
    cells
        .map(|cell| layout[cell % object.1 * object.0 + cell / object.1])
        .collect()
}

/// Hops of all edges of a grid with a 5-point stencil on a mesh without wrap-around.
pub(super) fn hops(object: PlaneSize, mesh: PlaneSize, layout: &[usize]) -> usize {
    let apart = |a: usize, b: usize| {
        let (p, q) = (layout[a], layout[b]);
        (p / mesh.1).abs_diff(q / mesh.1) + (p % mesh.1).abs_diff(q % mesh.1)
    };
    (0..object.0 * object.1)
        .map(|cell| {
            let right = (cell % object.1 + 1 < object.1).then(|| apart(cell, cell + 1));
            let down = (cell / object.1 + 1 < object.0).then(|| apart(cell, cell + object.1));
            right.unwrap_or(0) + down.unwrap_or(0)
        })
        .sum()
}

/// The cells next to a cell, in ascending order.
pub(super) fn neighbours(cell: usize, size: PlaneSize) -> impl Iterator<Item = usize> + Clone {
    let (x, y) = (cell / size.1, cell % size.1);
    let candidates = [
        (x > 0).then(|| cell - size.1),
        (y > 0).then(|| cell - 1),
        (y + 1 < size.1).then_some(cell + 1),
        (x + 1 < size.0).then_some(cell + size.1),
    ];
    candidates.into_iter().flatten()
}

/// The processors that hold no object yet.
pub(super) struct FreeProcessors {
    mesh: PlaneSize,
    free: Vec<bool>,
}

impl FreeProcessors {
    pub(super) fn all(mesh: PlaneSize) -> Self {
        Self {
            mesh,
            free: vec![true; mesh.0 * mesh.1],
        }
    }

    pub(super) fn take(&mut self, cell: usize) {
        self.free[cell] = false;
    }

    /// Takes the free processor with the smallest Manhattan distance from `(x, y)`, the
    /// lexicographically first of equals (the paper's `findNearest2D`).
    pub(super) fn take_nearest(&mut self, (x, y): PlaneSize) -> usize {
        let cell = (0..self.mesh.0 + self.mesh.1)
            .find_map(|distance| self.at_distance(distance, (x, y)))
            .expect("a processor is free");
        self.take(cell);
        cell
    }

    fn at_distance(&self, distance: usize, (x, y): PlaneSize) -> Option<usize> {
        let rows = x.saturating_sub(distance)..=(x + distance).min(self.mesh.0 - 1);
        rows.flat_map(|row| {
            let across = distance - row.abs_diff(x);
            let left = y.checked_sub(across);
            let right = Some(y + across).filter(|&c| across > 0 && c < self.mesh.1);
            [left, right].map(|column| column.map(|c| row * self.mesh.1 + c))
        })
        .flatten()
        .find(|&cell| self.free[cell])
    }
}
