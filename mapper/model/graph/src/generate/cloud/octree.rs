//! An octree over points in a periodic cube, its leaves along Morton's curve.

use super::matter::Point;

/// Sides of the finest cells are this power of two in the cube.
const DEPTH: u32 = 16;
/// A cell with more points is divided. Chosen by hand.
const POINTS_PER_LEAF: usize = 8;

/// A direction to a neighbour, in cells of the own size.
pub(super) type Step = [i64; 3];

/// The six neighbours across a face.
pub(super) const FACES: [Step; 6] = [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
];

/// The neighbours across faces, edges and corners.
pub(super) const ALL_NEIGHBOURS: [Step; 26] = all_neighbours();

const fn all_neighbours() -> [Step; 26] {
    let mut steps = [[0; 3]; 26];
    let mut code = 0;
    while code < 27 {
        let step = [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1];
        // The cell itself has the code in the middle.
        if code != 13 {
            steps[(if code < 13 { code } else { code - 1 }) as usize] = step;
        }
        code += 1;
    }
    steps
}

/// A cell that is not divided.
#[derive(Debug)]
pub(super) struct Leaf {
    /// Number on Morton's curve of the first finest cell inside.
    start: u64,
    /// How often the cube was divided.
    pub(super) depth: u32,
    /// How many points lie inside.
    pub(super) points: usize,
}

/// All leaves, in the order of the curve. They fill the cube.
#[derive(Debug)]
pub(super) struct Octree {
    pub(super) leaves: Vec<Leaf>,
}

impl Octree {
    pub(super) fn new(points: &[Point]) -> Self {
        let side = (1u64 << DEPTH) as f64;
        let mut codes: Vec<u64> = points
            .iter()
            .map(|point| code(point.map(|x| (x * side) as u64)))
            .collect();
        codes.sort_unstable();
        let mut tree = Self { leaves: Vec::new() };
        tree.divide(&codes, 0, 0);
        tree
    }

    /// Adds the leaves of the cell that begins at `start`; `codes` are those of its points.
    fn divide(&mut self, codes: &[u64], start: u64, depth: u32) {
        if codes.len() <= POINTS_PER_LEAF || depth == DEPTH {
            let points = codes.len();
            self.leaves.push(Leaf {
                start,
                depth,
                points,
            });
            return;
        }
        let eighth = 1u64 << (3 * (DEPTH - depth - 1));
        let mut rest = codes;
        for child in 0..8 {
            let end = start + (child + 1) * eighth;
            let (inside, after) = rest.split_at(rest.partition_point(|&code| code < end));
            self.divide(inside, start + child * eighth, depth + 1);
            rest = after;
        }
    }

    /// The leaf at the origin of the cell that lies one step from a leaf and is as large. Finer
    /// leaves may share that cell.
    pub(super) fn neighbour(&self, leaf: &Leaf, step: Step) -> usize {
        let side = 1i64 << (DEPTH - leaf.depth);
        let cube = 1i64 << DEPTH;
        let own = cell(leaf.start);
        let there = std::array::from_fn(|axis| {
            (own[axis] as i64 + step[axis] * side).rem_euclid(cube) as u64
        });
        let code = code(there);
        self.leaves.partition_point(|leaf| leaf.start <= code) - 1
    }
}

/// The number on Morton's curve of a finest cell: the bits of its coordinates in turn.
fn code(cell: [u64; 3]) -> u64 {
    (0..DEPTH)
        .flat_map(|bit| (0..3).map(move |axis| (bit, axis)))
        .map(|(bit, axis)| (cell[axis as usize] >> bit & 1) << (3 * bit + axis))
        .sum()
}

/// The finest cell with a number on the curve: the inverse of [`code`].
fn cell(code: u64) -> [u64; 3] {
    std::array::from_fn(|axis| {
        (0..DEPTH)
            .map(|bit| (code >> (3 * bit as usize + axis) & 1) << bit)
            .sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_fill_the_cube_once_and_hold_all_points() {
        let tree = Octree::new(&super::super::matter::clustered(2000));
        let mut next = 0;
        for leaf in &tree.leaves {
            assert_eq!(leaf.start, next);
            next += 1 << (3 * (DEPTH - leaf.depth));
        }
        assert_eq!(next, 1 << (3 * DEPTH));
        assert_eq!(
            tree.leaves.iter().map(|leaf| leaf.points).sum::<usize>(),
            2000
        );
    }

    #[test]
    fn a_step_there_and_a_step_back_meet_the_same_leaf_of_one_size() {
        let tree = Octree::new(&super::super::matter::clustered(2000));
        let mut met = 0;
        for (index, leaf) in tree.leaves.iter().enumerate() {
            for step in ALL_NEIGHBOURS {
                let there = &tree.leaves[tree.neighbour(leaf, step)];
                if there.depth == leaf.depth {
                    assert_eq!(tree.neighbour(there, step.map(|side| -side)), index);
                    met += 1;
                }
            }
        }
        assert!(met > tree.leaves.len());
    }

    #[test]
    fn every_direction_is_another_one() {
        let distinct: std::collections::BTreeSet<Step> = ALL_NEIGHBOURS.into();
        assert_eq!(distinct.len(), 26);
        assert!(!distinct.contains(&[0, 0, 0]));
    }
}
