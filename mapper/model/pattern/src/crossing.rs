//! Finds all-to-alls along the rows and along the columns of a table of ranks, as Fourier
//! transforms on pencils have them, and all-to-alls of groups of any size that exchange nothing
//! else.
//!
//! Idea: with all-to-alls along the rows and columns of a table of ranks, each rank exchanges bytes
//! with the other ranks of its row and with those of its column. No rank of the row exchanges bytes
//! with a rank of the column, so the partners of one rank fall into the two lines. Every rank
//! elsewhere has one partner in that row and one in that column; these two tell the cell of the
//! rank. All pairs are then compared with the cells. The method is the project's own. Cost:
//! O(pairs).
//!
//! ```text
//!  0-1-2-3    0 has the partners 1, 2, 3 (its row) and 4, 8 (its column): no pair joins the two
//!  4 5 6 7    6 has the partners 2 and 4 of these   ─> row of 4, column of 2
//!  8 9 a b    3 groups of 4 ranks, and across them 4 groups of 3
//! ```

use super::adjacency::Adjacency;
use super::groups::{FULL, SMALLEST, components, uniform};
use super::traffic::{Pair, PairTraffic};
use super::{MOSTLY, Overlay, thresholds};

/// Members whose partners are looked at: those of the first may have strays. Chosen by hand.
const ASKED: u32 = 8;

/// The rows and the columns, those with more bytes first. One of them must be as large as a group:
/// rings of three ranks and pairs are also lines of a grid.
pub(super) fn of(traffic: &PairTraffic, all: u128) -> Option<[Overlay; 2]> {
    // A square table has the fewest pairs.
    let members = traffic.members() as f64;
    let fewest = FULL * members * (members.sqrt() - 1.0);
    if (traffic.pairs.len() as f64) < fewest {
        return None;
    }
    let thresholds = thresholds::thresholds(traffic).into_iter();
    thresholds
        .map(|least| traffic.filtered(|pair| pair.bytes() >= least))
        .find_map(|heavy| {
            (0..ASKED.min(heavy.members() as u32)).find_map(|member| {
                Table::around(heavy.adjacency(), member)?.confirmed(traffic, &heavy, all)
            })
        })
}

/// Groups of any size whose members exchange bytes with all others of their group and nobody else.
pub(super) fn apart(traffic: &PairTraffic) -> Option<Overlay> {
    let (count, size) = uniform(
        traffic,
        &components(traffic.members(), traffic.pairs.iter()),
        2,
    )?;
    let bytes = traffic.bytes();
    Some(Overlay::Groups { count, size, bytes })
}

/// Cells of members.
struct Table {
    /// Number of rows and of columns.
    sizes: [usize; 2],
    /// Row and column of every member.
    cells: Vec<[u32; 2]>,
}

impl Table {
    /// The table whose first row and first column are the partners of `first`.
    fn around(adjacency: &Adjacency, first: u32) -> Option<Self> {
        let partners = adjacency.of_member(first);
        let (&one, others) = partners.split_first()?;
        let (mut row, column): (Vec<u32>, Vec<u32>) = others
            .iter()
            .partition(|&&other| adjacency.adjacent(one, other));
        row.push(one);
        let sizes = [column.len() + 1, row.len() + 1];
        let smallest = sizes.into_iter().min()?;
        let members = adjacency.members();
        if smallest < 2 || sizes.into_iter().max()? < SMALLEST || sizes[0] * sizes[1] != members {
            return None;
        }
        let mut cells = vec![[u32::MAX; 2]; members];
        cells[first as usize] = [0, 0];
        for (axis, line) in [(1, &row), (0, &column)] {
            for (place, &member) in (1..).zip(line) {
                cells[member as usize][axis] = place;
                cells[member as usize][1 - axis] = 0;
            }
        }
        for (axis, line) in [(1, &row), (0, &column)] {
            for (place, &member) in (1..).zip(line) {
                for &other in adjacency.of_member(member) {
                    let cell = &mut cells[other as usize][axis];
                    if *cell == u32::MAX {
                        *cell = place;
                    }
                }
            }
        }
        let mut taken = vec![false; members];
        for &[row, column] in &cells {
            let cell = row as usize * sizes[1] + column as usize;
            if row == u32::MAX || column == u32::MAX || std::mem::replace(&mut taken[cell], true) {
                return None;
            }
        }
        Some(Self { sizes, cells })
    }

    /// The rows and columns, if nearly all of their pairs are heavy and carry most of the bytes.
    fn confirmed(
        &self,
        traffic: &PairTraffic,
        heavy: &PairTraffic,
        all: u128,
    ) -> Option<[Overlay; 2]> {
        let pairs = heavy.pairs.iter().filter(|pair| self.line(pair).is_some());
        let possible: usize = traffic.members() * (self.sizes[0] + self.sizes[1] - 2) / 2;
        let mut bytes = [0; 2];
        for pair in &traffic.pairs {
            if let Some(axis) = self.line(pair) {
                bytes[axis] += u128::from(pair.bytes());
            }
        }
        let explained = (bytes[0] + bytes[1]) as f64 >= MOSTLY * all as f64;
        (explained && pairs.count() as f64 >= FULL * possible as f64).then(|| {
            let lines = |axis: usize| Overlay::Groups {
                count: self.sizes[axis],
                size: self.sizes[1 - axis],
                bytes: bytes[axis],
            };
            if bytes[0] >= bytes[1] {
                [lines(0), lines(1)]
            } else {
                [lines(1), lines(0)]
            }
        })
    }

    /// 0 for a pair within a row, 1 within a column.
    fn line(&self, pair: &Pair) -> Option<usize> {
        let (low, high) = (
            self.cells[pair.low as usize],
            self.cells[pair.high as usize],
        );
        (0..2).find(|&axis| low[axis] == high[axis])
    }
}
