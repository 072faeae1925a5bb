//! The nodes that are used where the machine has more slots than there are processes. The paper
//! assumes one process for every node.

use rankfold_base::NodeId;
use rankfold_machine::Grid;
use std::cmp::Reverse;

/// The number of processes that every node takes, as many in total as `processes`, on a box of
/// nodes that is as compact as possible.
///
/// `nodes` lists the usable nodes with their capacities. Whole end planes of the box are left out
/// as long as the rest suffices, the smallest plane first. A remainder is left out of the next
/// plane, from its corners inwards.
pub(super) fn footprint(grid: &Grid, nodes: &[(NodeId, u32)], processes: usize) -> Vec<u32> {
    let mut wanted = vec![0; grid.nodes()];
    for &(node, capacity) in nodes {
        wanted[node.index()] = capacity;
    }
    let mut room = ShrinkingBox {
        grid,
        sides: grid.dims().iter().map(|&k| [0, k]).collect(),
        surplus: wanted.iter().sum::<u32>() - processes as u32,
        wanted,
    };
    while room.surplus > 0 {
        room.shrink();
    }
    room.wanted
}

/// The box of nodes while it shrinks.
struct ShrinkingBox<'a> {
    grid: &'a Grid,
    wanted: Vec<u32>,
    /// First coordinate inside the box and first coordinate beyond it, for every dimension.
    sides: Vec<[usize; 2]>,
    /// Capacity of the nodes in the box minus the number of processes.
    surplus: u32,
}

impl ShrinkingBox<'_> {
    /// Leaves out the end plane that holds the least; of equal planes, one across the longest side.
    /// If the surplus is smaller than the plane, only the surplus is left out, from the corners
    /// inwards.
    fn shrink(&mut self) {
        let planes = (0..self.sides.len()).flat_map(|dim| [(dim, 1), (dim, 0)]);
        let planes = planes.map(|(dim, end)| (self.plane(dim, end), dim, end));
        let smallest = planes.min_by_key(|(plane, dim, _)| {
            let [first, beyond] = self.sides[*dim];
            (self.held(plane), Reverse(beyond - first))
        });
        let (mut plane, dim, end) = smallest.expect("a grid has dimensions");
        if self.held(&plane) <= self.surplus {
            self.sides[dim][end] = match end {
                0 => self.sides[dim][0] + 1,
                _ => self.sides[dim][1] - 1,
            };
        }
        plane.sort_by_key(|&node| Reverse(self.off_middle(node)));
        for node in plane {
            let left_out = self.wanted[node.index()].min(self.surplus);
            self.wanted[node.index()] -= left_out;
            self.surplus -= left_out;
        }
    }

    /// The nodes of the box with the first (`end` 0) or the last coordinate along `dim`.
    fn plane(&self, dim: usize, end: usize) -> Vec<NodeId> {
        let [first, beyond] = self.sides[dim];
        let at_end = if end == 0 { first } else { beyond - 1 };
        let sides = self
            .sides
            .iter()
            .map(|&[first, beyond]| (first..beyond).collect());
        let mut along: Vec<Vec<usize>> = sides.collect();
        along[dim] = vec![at_end];
        let nodes = combinations(&along).into_iter();
        nodes.map(|at| self.grid.node_at(&at)).collect()
    }

    fn held(&self, plane: &[NodeId]) -> u32 {
        plane.iter().map(|node| self.wanted[node.index()]).sum()
    }

    /// Twice the number of steps between a node and the middle of the box.
    fn off_middle(&self, node: NodeId) -> usize {
        let at = self.grid.coordinates(node);
        let sides = at.iter().zip(&self.sides);
        sides
            .map(|(x, [first, beyond])| (2 * x + 1).abs_diff(first + beyond))
            .sum()
    }
}

/// Every combination of one coordinate for each dimension, the last dimension changing fastest.
pub(super) fn combinations(along: &[Vec<usize>]) -> Vec<Vec<usize>> {
    along.iter().fold(vec![Vec::new()], |begun, choices| {
        let longer = begun
            .iter()
            .flat_map(|at| choices.iter().map(|&x| [&at[..], &[x]].concat()));
        longer.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(dims: &[usize], processes: usize) -> Vec<usize> {
        let grid = Grid::new(dims.to_vec(), false);
        let nodes: Vec<_> = (0..grid.nodes()).map(|n| (NodeId::at(n), 1)).collect();
        let wanted = footprint(&grid, &nodes, processes);
        (0..grid.nodes())
            .filter(|&node| wanted[node] == 1)
            .collect()
    }

    #[test]
    fn whole_planes_go_first() {
        assert_eq!(used(&[4, 4], 12), (0..12).collect::<Vec<_>>());
        assert_eq!(used(&[4, 8], 4).len(), 4);
        let boxed = used(&[8, 8, 8], 27);
        let grid = Grid::new(vec![8; 3], false);
        for dim in 0..3 {
            let along = boxed
                .iter()
                .map(|&node| grid.coordinates(NodeId::at(node))[dim]);
            assert_eq!(along.clone().max().unwrap() - along.min().unwrap(), 2);
        }
    }

    #[test]
    fn what_is_too_much_goes_from_the_corners_of_a_plane() {
        assert_eq!(used(&[3, 3], 7), [0, 1, 2, 3, 4, 5, 7]);
    }
}
