//! Programs on grids of two dimensions with open ends: LU of the NAS Parallel Benchmarks, Sweep3D,
//! and a surrogate of WRF.

use super::{DOUBLE, Entry, Generator, entry};

/// Source: `proc_grid.f`, `subdomain.f`, `exchange_1.f` and `exchange_3.f` of NPB 3.3 (MPI). The
/// integral over the surface after the last step, which sends a few numbers once, is left out.
pub(super) const LU: Generator = Generator {
    name: "npb-lu",
    about: "NAS LU, class D (408 points a side, 300 steps), a power of two of ranks",
    make: |ranks| lu(ranks, &LU_D),
};

/// Source: Hoisie, Lubeck and Wasserman, "Performance and scalability analysis of teraflop-scale
/// parallel architectures using multidimensional wavefront applications", IJHPCA 14 (2000).
pub(super) const SWEEP3D: Generator = Generator {
    name: "sweep3d",
    about: "Sweep3D, 1000 cells a side, 12 iterations, 6 angles an octant, blocks of 10 planes and 3 angles",
    make: |ranks| sweep3d(ranks, 1000),
};

/// Decomposition as WRF chooses it, and the continental case of its benchmarks.
pub(super) const WRF: Generator = Generator {
    name: "wrf-surrogate",
    about: "surrogate of WRF: its grid of ranks on 425x300 points; bytes in proportion to the sides of patches, not measured",
    make: |ranks| {
        let columns = narrower_side(ranks);
        let grid = Grid {
            columns,
            rows: ranks / columns,
            points: [425, 300],
        };
        // One number for each point of a halo, at least one: only the proportions mean something.
        Ok(grid.messages(|border| (border.points.max(1) * DOUBLE, 1)))
    },
};

/// A problem size of LU.
pub(super) struct Lu {
    /// Points on a side of the cube.
    pub(super) points: usize,
    pub(super) steps: usize,
}

pub(super) const LU_D: Lu = Lu {
    points: 408,
    steps: 300,
};

/// LU refuses ranks with fewer points along a side.
const SMALLEST_SIDE: usize = 4;

pub(super) fn lu(ranks: usize, problem: &Lu) -> Result<Vec<Entry>, String> {
    /// Numbers at a point.
    const VARIABLES: usize = 5;
    /// Layers that the right-hand side takes from a neighbour.
    const LAYERS: usize = 2;
    if !ranks.is_power_of_two() {
        return Err("it runs on powers of two of ranks".into());
    }
    let Lu { points, steps } = *problem;
    let columns = 1 << ranks.ilog2().div_ceil(2);
    if points / columns < SMALLEST_SIDE {
        return Err(format!(
            "this problem has too few points for {columns} ranks along a side"
        ));
    }
    let grid = Grid {
        columns,
        rows: ranks / columns,
        points: [points; 2],
    };
    // Layers are sent for the forcing term, and for the right-hand side before each of two runs,
    // one of them a single step for warming up, and in all of their steps.
    let layers = steps + 4;
    // A sweep sends plane by plane, without the first and the last.
    let sweeps = (steps + 1) * (points - 2);
    Ok(grid.messages(|border| {
        let sent = layers * LAYERS * border.points * points + sweeps * border.interior;
        (sent * VARIABLES * DOUBLE, layers + sweeps)
    }))
}

/// `cells` are those along a side of the cube.
fn sweep3d(ranks: usize, cells: usize) -> Result<Vec<Entry>, String> {
    const ITERATIONS: usize = 12;
    const ANGLES: usize = 6;
    const PLANES_IN_A_BLOCK: usize = 10;
    const ANGLES_IN_A_BLOCK: usize = 3;
    /// Octants that sweep one way along a dimension, of eight.
    const OCTANTS: usize = 4;
    let columns = narrower_side(ranks);
    let grid = Grid {
        columns,
        rows: ranks / columns,
        points: [cells; 2],
    };
    if grid.rows > cells {
        return Err(format!(
            "this problem has too few cells for {} ranks along a side",
            grid.rows
        ));
    }
    let blocks = cells / PLANES_IN_A_BLOCK * (ANGLES / ANGLES_IN_A_BLOCK);
    Ok(grid.messages(|border| {
        let numbers = ITERATIONS * OCTANTS * ANGLES * cells * border.points;
        (numbers * DOUBLE, ITERATIONS * OCTANTS * blocks)
    }))
}

/// The largest divisor that is not above the square root.
fn narrower_side(ranks: usize) -> usize {
    let divides = |&side: &usize| ranks.is_multiple_of(side);
    (1..=ranks.isqrt()).rev().find(divides).unwrap_or(1)
}

/// Points in a grid of ranks, numbered along a row first.
struct Grid {
    columns: usize,
    rows: usize,
    /// Points along a row, and along a column.
    points: [usize; 2],
}

/// Where two ranks meet.
struct Border {
    /// Points along it.
    points: usize,
    /// Those that are not on the surface of the grid.
    interior: usize,
}

impl Border {
    /// The border of the part `index` of `parts` that share a number of points. The first parts
    /// take what is left over.
    fn of_part(points: usize, parts: usize, index: usize) -> Self {
        let points = points / parts + usize::from(index < points % parts);
        let surfaces = usize::from(index == 0) + usize::from(index + 1 == parts);
        Self {
            points,
            interior: points.saturating_sub(surfaces),
        }
    }
}

impl Grid {
    /// Messages both ways between neighbours. `across` gives the bytes and messages across a
    /// border, one way.
    fn messages(&self, across: impl Fn(Border) -> (usize, usize)) -> Vec<Entry> {
        let Self {
            columns,
            rows,
            points: [along_row, along_column],
        } = *self;
        let mut entries = Vec::with_capacity(4 * rows * columns);
        let mut both = |one, other, (bytes, messages)| {
            entries.push(entry(one, other, bytes, messages));
            entries.push(entry(other, one, bytes, messages));
        };
        for rank in 0..rows * columns {
            let (row, column) = (rank / columns, rank % columns);
            if column + 1 < columns {
                both(
                    rank,
                    rank + 1,
                    across(Border::of_part(along_column, rows, row)),
                );
            }
            if row + 1 < rows {
                let border = Border::of_part(along_row, columns, column);
                both(rank, rank + columns, across(border));
            }
        }
        entries
    }
}
