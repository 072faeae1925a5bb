//! BT and SP of the NAS Parallel Benchmarks: a cube in diagonal multipartition.
//!
//! With n x n ranks every rank has n cells, one in each layer along any dimension. The neighbours
//! of a rank along x, y and z are the same for all of its cells: the next rank in its row, in its
//! column, and on the diagonal of the periodic square. Faces of two layers go both ways in every
//! step. Each solver along a dimension sends its systems forwards and its solutions backwards, from
//! cell to cell.
//!
//! Source: `make_set.f`, `copy_faces.f` and the solvers of NPB 3.3 (MPI).

use super::{DOUBLE, Entry, Generator, entry};

pub(super) const BT: Generator = Generator {
    name: "npb-bt",
    about: "NAS BT, class D (408 points a side, 250 steps), a square number of ranks",
    make: |ranks| messages(ranks, &BT_D),
};

pub(super) const SP: Generator = Generator {
    name: "npb-sp",
    about: "NAS SP, class D (408 points a side, 500 steps), a square number of ranks",
    make: |ranks| messages(ranks, &SP_D),
};

/// A program and its problem size.
pub(super) struct Problem {
    /// Points on a side of the cube.
    pub(super) points: usize,
    pub(super) steps: usize,
    /// Numbers for each point of a face that a solver sends forwards and backwards.
    pub(super) forwards: usize,
    pub(super) backwards: usize,
    pub(super) buffers: Buffers,
}

/// The points of a face for which a solver sends numbers.
#[derive(Clone, Copy)]
pub(super) enum Buffers {
    /// Those of a cell that is one point longer than the cells are: buffers have one size.
    LargestCell,
    /// Those of the cell that are not on the surface of the cube.
    Interior,
}

/// BT sends blocks of 5 x 5 and a vector of 5.
pub(super) const BT_D: Problem = Problem {
    points: 408,
    steps: 250,
    forwards: 30,
    backwards: 5,
    buffers: Buffers::LargestCell,
};

pub(super) const SP_D: Problem = Problem {
    points: 408,
    steps: 500,
    forwards: 22,
    backwards: 10,
    buffers: Buffers::Interior,
};

/// Layers of a face, and variables at every point.
const LAYERS: usize = 2;
const VARIABLES: usize = 5;
/// The programs refuse smaller cells.
const SMALLEST_SIDE: usize = 3;

/// The next rank along x, y and z, as steps in rows and columns of the square.
const FORWARDS: [(usize, isize); 3] = [(0, 1), (1, 0), (1, -1)];

pub(super) fn messages(ranks: usize, problem: &Problem) -> Result<Vec<Entry>, String> {
    let side = ranks.isqrt();
    if side * side != ranks {
        let (below, above) = (side * side, (side + 1) * (side + 1));
        return Err(format!(
            "it runs on square numbers of ranks, such as {below} and {above}"
        ));
    }
    if problem.points / side < SMALLEST_SIDE {
        let most = (problem.points / SMALLEST_SIDE).pow(2);
        return Err(format!("this problem has cells for at most {most} ranks"));
    }
    let square = Square { side, problem };
    // Faces are exchanged before the first step, in a step for warming up, and in every step.
    let count = problem.steps + 2 + (problem.steps + 1) * (side - 1);
    let mut entries = Vec::with_capacity(6 * ranks);
    for rank in 0..ranks {
        for (axis, (down, right)) in FORWARDS.into_iter().enumerate() {
            let row = (rank / side + down) % side;
            let column = (rank % side).wrapping_add_signed(right + side as isize) % side;
            let next = row * side + column;
            let forwards = square.bytes(rank, axis, side - 1, problem.forwards);
            let backwards = square.bytes(next, axis, 0, problem.backwards);
            entries.push(entry(rank, next, forwards, count));
            entries.push(entry(next, rank, backwards, count));
        }
    }
    Ok(entries)
}

/// The ranks in a square, each with as many cells as the square has rows.
struct Square<'a> {
    side: usize,
    problem: &'a Problem,
}

impl Square<'_> {
    /// The bytes that a rank sends one way along an axis. The cells in the layer `last` send none:
    /// they lie at that end of the cube. A solver sends so many numbers for each point of a face.
    fn bytes(&self, rank: usize, axis: usize, last: usize, numbers: usize) -> usize {
        let (mut faces, mut solved) = (0, 0);
        for cell in self.cells(rank).filter(|cell| cell[axis] != last) {
            let across = [cell[(axis + 1) % 3], cell[(axis + 2) % 3]];
            faces += across
                .map(|layer| self.length(layer))
                .iter()
                .product::<usize>();
            solved += across
                .map(|layer| self.solved(layer))
                .iter()
                .product::<usize>();
        }
        let steps = self.problem.steps;
        let exchanged = (steps + 2) * faces * LAYERS * VARIABLES;
        (exchanged + (steps + 1) * solved * numbers) * DOUBLE
    }

    /// The layers of a rank's cells along x, y and z.
    fn cells(&self, rank: usize) -> impl Iterator<Item = [usize; 3]> {
        let side = self.side;
        let (row, column) = (rank / side, rank % side);
        (0..side).map(move |cell| [(column + cell) % side, (row + side - cell) % side, cell])
    }

    /// The points of the cells of a layer, across the layer. The first layers take what is left
    /// over when the points are divided.
    fn length(&self, layer: usize) -> usize {
        let points = self.problem.points;
        points / self.side + usize::from(layer < points % self.side)
    }

    /// The points for which a solver sends numbers, along a side of a cell.
    fn solved(&self, layer: usize) -> usize {
        match self.problem.buffers {
            Buffers::LargestCell => self.problem.points / self.side + 1,
            Buffers::Interior => {
                let surfaces = usize::from(layer == 0) + usize::from(layer + 1 == self.side);
                self.length(layer) - surfaces
            }
        }
    }
}
