//! Windows: boxes into which the machine is divided, so that each can be searched on its own.

use rankfold_base::NodeId;
use rankfold_machine::Grid;

/// Window coordinates, one per axis; unused axes are 0.
pub(super) type Position<const D: usize> = [i32; D];

/// The length of the ring of an axis without wrap-around: so long that no route goes round it.
const OPEN: i32 = i32::MAX / 2;

/// How far the borders of the partitions are shifted along each axis, as fractions (numerator,
/// denominator) of a window's side.
const SHIFTS: [[(usize, usize); 3]; 4] = [
    [(0, 1), (0, 1), (0, 1)],
    [(1, 2), (1, 2), (1, 2)],
    [(3, 4), (1, 2), (1, 4)],
    [(1, 4), (3, 4), (1, 2)],
];

/// The axes of a grid that have at least two nodes.
#[derive(Debug)]
pub(super) struct Shape<const D: usize> {
    /// The number of nodes along each axis; 1 beyond the last axis.
    size: [usize; D],
    /// The length of each axis if it wraps around, or [`OPEN`].
    ring: Position<D>,
}

/// A box of nodes, which may extend across wrap-around links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window<const D: usize> {
    start: [usize; D],
    pub(super) side: [usize; D],
}

impl<const D: usize> Shape<D> {
    /// The shape of a grid with at most `D` axes of two nodes or more; `None` if there are more.
    pub(super) fn new(grid: &Grid) -> Option<Self> {
        let sides = grid.dims().iter().copied().filter(|&k| k > 1);
        let axes = sides.clone().count();
        if axes > D {
            return None;
        }
        let (mut size, mut ring) = ([1; D], [OPEN; D]);
        for (axis, k) in sides.enumerate() {
            size[axis] = k;
            if grid.wraps() {
                ring[axis] = k as i32;
            }
        }
        Some(Self { size, ring })
    }

    pub(super) fn size(&self) -> [usize; D] {
        self.size
    }

    pub(super) fn ring(&self) -> Position<D> {
        self.ring
    }

    pub(super) fn nodes(&self) -> usize {
        self.size.iter().product()
    }

    pub(super) fn coordinates(&self, node: NodeId) -> Position<D> {
        let mut rest = node.index();
        let mut at = [0; D];
        for axis in (0..D).rev() {
            at[axis] = (rest % self.size[axis]) as i32;
            rest /= self.size[axis];
        }
        at
    }

    /// The windows of a partition, of about `nodes` nodes at most. Partitions differ in their
    /// borders.
    pub(super) fn windows(&self, nodes: usize, partition: usize) -> Vec<Window<D>> {
        let parts = self.parts(nodes);
        let along = |axis: usize| {
            let (part, of) = SHIFTS[partition % SHIFTS.len()][axis % 3];
            self.intervals(axis, parts[axis], part, of)
        };
        let mut windows = vec![Window {
            start: [0; D],
            side: [1; D],
        }];
        for axis in 0..D {
            let intervals = along(axis);
            windows = windows
                .iter()
                .flat_map(|window| {
                    intervals.iter().map(|&(start, side)| {
                        let mut window = *window;
                        (window.start[axis], window.side[axis]) = (start, side);
                        window
                    })
                })
                .collect();
        }
        windows
    }

    /// The number of windows along each axis.
    fn parts(&self, nodes: usize) -> [usize; D] {
        let mut parts = [1; D];
        let side = |parts: &[usize; D], axis: usize| self.size[axis].div_ceil(parts[axis]);
        while (0..D).map(|axis| side(&parts, axis)).product::<usize>() > nodes {
            let Some(longest) = (0..D).rev().max_by_key(|&axis| side(&parts, axis)) else {
                break;
            };
            parts[longest] += 1;
        }
        parts
    }

    /// Starts and lengths of `parts` intervals of an axis, shifted by `part` / `of` of their
    /// length.
    fn intervals(&self, axis: usize, parts: usize, part: usize, of: usize) -> Vec<(usize, usize)> {
        let size = self.size[axis];
        if parts == 1 {
            return vec![(0, size)];
        }
        let shift = size * part / of / parts;
        let mut starts: Vec<usize> = (0..parts).map(|i| i * size / parts + shift).collect();
        if self.ring[axis] == OPEN && shift > 0 {
            starts.insert(0, 0);
        }
        let after = starts[1..].iter().copied();
        let end = if self.ring[axis] == OPEN {
            size
        } else {
            size + starts[0]
        };
        let ends: Vec<usize> = after.chain(std::iter::once(end)).collect();
        let intervals = starts.into_iter().zip(ends);
        intervals.map(|(start, end)| (start, end - start)).collect()
    }
}

impl<const D: usize> Window<D> {
    pub(super) fn nodes(&self) -> usize {
        self.side.iter().product()
    }

    /// The number of axes along which there is more than one node.
    pub(super) fn axes(&self) -> usize {
        let last = self.side.iter().rposition(|&side| side > 1);
        last.map_or(0, |last| last + 1)
    }

    /// The position of a node relative to the window's first node; on a ring, not below 0.
    #[inline]
    pub(super) fn position(&self, at: &Position<D>, ring: &Position<D>) -> Position<D> {
        std::array::from_fn(|axis| {
            let from_start = at[axis] - self.start[axis] as i32;
            if from_start < 0 && ring[axis] != OPEN {
                from_start + ring[axis]
            } else {
                from_start
            }
        })
    }

    /// The node at a position inside the window.
    pub(super) fn node(&self, position: &Position<D>, shape: &Shape<D>) -> NodeId {
        NodeId::at((0..D).fold(0, |node, axis| {
            let size = shape.size[axis];
            node * size + (self.start[axis] + position[axis] as usize) % size
        }))
    }

    /// The number of the cell at a position; `None` outside the window.
    #[inline]
    pub(super) fn cell(&self, position: &Position<D>) -> Option<usize> {
        let mut cell = 0;
        for (&at, &side) in position.iter().zip(&self.side) {
            let at = at as usize;
            if at >= side {
                return None;
            }
            cell = cell * side + at;
        }
        Some(cell)
    }

    /// The position of a cell.
    pub(super) fn position_of(&self, mut cell: usize) -> Position<D> {
        let mut at = [0; D];
        for axis in (0..D).rev() {
            at[axis] = (cell % self.side[axis]) as i32;
            cell /= self.side[axis];
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_partition_covers_every_node_once() {
        for (dims, wraps) in [
            (vec![40, 1, 24, 7], true),
            (vec![33, 50], false),
            (vec![5000], true),
        ] {
            let shape: Shape<3> = Shape::new(&Grid::new(dims, wraps)).unwrap();
            for turn in 0..5 {
                let mut seen = vec![0; shape.nodes()];
                let windows = shape.windows(500, turn);
                assert!(windows.len() > 1);
                for window in windows {
                    for cell in 0..window.nodes() {
                        let position = window.position_of(cell);
                        let node = window.node(&position, &shape);
                        seen[node.index()] += 1;
                        let back = window.position(&shape.coordinates(node), &shape.ring());
                        assert_eq!((back, window.cell(&back)), (position, Some(cell)));
                    }
                }
                assert!(seen.iter().all(|&n| n == 1), "turn {turn}");
            }
        }
    }

    #[test]
    fn small_machines_are_one_window() {
        let shape: Shape<3> = Shape::new(&Grid::new(vec![16, 16, 16], true)).unwrap();
        assert_eq!(shape.windows(4096, 1).len(), 1);
    }
}
