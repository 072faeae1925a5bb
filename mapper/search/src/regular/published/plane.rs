//! What the 2D-to-2D heuristics share: alignment, the nearest free processor, pictures.

use super::member::{CellMap, Lay, Published, Size};
use crate::heuristic::NotApplicable;

/// A heuristic that maps a 2D object grid onto a 2D processor mesh with as many cells.
pub type PlaneHeuristic = Published<Plane>;

/// The layout for an object grid, a mesh and a seed.
pub(super) type Plane = fn(Size, Size, u64) -> CellMap;

impl Lay for Plane {
    const DIMS: usize = 2;

    fn lay(
        &self,
        object: Size,
        mesh: &[usize],
        seed: u64,
    ) -> Result<(CellMap, Vec<String>), NotApplicable> {
        Ok((self(object, (mesh[0], mesh[1]), seed), Vec::new()))
    }
}

impl PlaneHeuristic {
    /// The processor mesh with the objects on it, lettered row by row: rows are x, columns are y.
    ///
    /// # Panics
    /// If grid and mesh differ in cells, or have more than there are letters.
    #[must_use]
    pub fn picture(&self, object: (usize, usize), mesh: (usize, usize)) -> String {
        let cells = object.0 * object.1;
        assert!(cells == mesh.0 * mesh.1 && cells <= 26, "{cells} cells");
        let mut letters = vec![' '; cells];
        for (object, cell) in (self.lay)(object, mesh, 0).into_iter().enumerate() {
            letters[cell] = char::from(b'a' + object as u8);
        }
        let rows = letters.chunks(mesh.1).map(|row| row.iter().collect());
        rows.collect::<Vec<String>>().join("\n")
    }
}

/// Lays the object grid with its longer side along the mesh's, as all heuristics of the paper
/// begin.
pub(super) fn aligned(object: Size, mesh: Size, lay: impl Fn(Size, Size) -> CellMap) -> CellMap {
    if is_aligned(object, mesh) {
        lay(object, mesh)
    } else {
        turned(object, &lay((object.1, object.0), mesh))
    }
}

pub(super) fn is_aligned(object: Size, mesh: Size) -> bool {
    (object.0 >= object.1) == (mesh.0 >= mesh.1)
}

/// The layout of an object grid, given that of the grid with x and y exchanged.
pub(super) fn turned(object: Size, layout: &[usize]) -> CellMap {
    let cells = 0..object.0 * object.1;
    cells
        .map(|cell| layout[cell % object.1 * object.0 + cell / object.1])
        .collect()
}

/// Hops of all edges of a 5-point grid, on a mesh without wrap-around.
pub(super) fn hops(object: Size, mesh: Size, layout: &[usize]) -> usize {
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

/// The cells beside a cell, ascending.
pub(super) fn neighbours(cell: usize, size: Size) -> impl Iterator<Item = usize> + Clone {
    let (x, y) = (cell / size.1, cell % size.1);
    let candidates = [
        (x > 0).then(|| cell - size.1),
        (y > 0).then(|| cell - 1),
        (y + 1 < size.1).then_some(cell + 1),
        (x + 1 < size.0).then_some(cell + size.1),
    ];
    candidates.into_iter().flatten()
}

/// Processors nobody is on yet.
pub(super) struct Free {
    mesh: Size,
    free: Vec<bool>,
}

impl Free {
    pub(super) fn all(mesh: Size) -> Self {
        Self {
            mesh,
            free: vec![true; mesh.0 * mesh.1],
        }
    }

    pub(super) fn take(&mut self, cell: usize) {
        self.free[cell] = false;
    }

    /// Takes the free processor with the smallest Manhattan distance to `(x, y)`, the
    /// lexicographically first of equals (the paper's `findNearest2D`).
    pub(super) fn take_nearest(&mut self, (x, y): Size) -> usize {
        let cell = (0..self.mesh.0 + self.mesh.1)
            .find_map(|far| self.at_distance(far, (x, y)))
            .expect("a processor is free");
        self.take(cell);
        cell
    }

    fn at_distance(&self, far: usize, (x, y): Size) -> Option<usize> {
        let rows = x.saturating_sub(far)..=(x + far).min(self.mesh.0 - 1);
        rows.flat_map(|row| {
            let across = far - row.abs_diff(x);
            let left = y.checked_sub(across);
            let right = Some(y + across).filter(|&c| across > 0 && c < self.mesh.1);
            [left, right].map(|column| column.map(|c| row * self.mesh.1 + c))
        })
        .flatten()
        .find(|&cell| self.free[cell])
    }
}
