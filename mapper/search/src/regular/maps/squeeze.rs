//! Squeezing: a grid made shorter and wider by any ratio, with nearly all of its edges kept.
//!
//! Every column of the source becomes a path through the rows of the target that never goes down.
//! A column is longer than the number of target rows, so some rows take one cell more of it. These
//! wider rows move up or down by one row from column to column and turn back at the ends, so that
//! neighbouring paths interlock. Six columns a..f of four rows, laid into three rows:
//!
//! ```text
//! abcdef          aabcdeff
//! abcdef   --->   abbcdeef
//! abcdef          abccddef
//! abcdef
//! ```
//!
//! When b rows are squeezed into a rows, steps along a column stay one hop, and a share (b - a) / b
//! of the steps along a row takes three hops. The positions of the wider rows are computed as beads
//! on a ring of twice the rows, read forth and back: the beads are equally far apart and move on by
//! one for every column, so that each row is the wider one equally often.
//!
//! Source: Aleliunas and Rosenberg, "On embedding rectangular grids in square grids", 1982, and
//! Ellis reach such embeddings in several steps. This closed form is new here. It is exact where
//! (b - a) divides a, and equally good up to rounding for other ratios. A grid of 100x40 on 125x32
//! takes 1.2015 mean hops, where the best heuristic of Bhatele 2010 takes 1.81
//! (`scripts/bench regular`). Cost: O(n) for n cells.

use super::IndexMap;

/// The map of `columns x height` cells into `wide x rows` cells, the first dimension along the
/// rows; `None` if the target has too little room.
///
/// A column may be several times as high as the target: every row then takes several of its cells.
pub(in crate::regular) fn squeeze(
    (columns, height): (usize, usize),
    (wide, rows): (usize, usize),
) -> Option<IndexMap> {
    let each = height / rows;
    let extra = height % rows;
    let room = wide.checked_sub(each * columns)?;
    if each == 0 || room * rows < extra * columns {
        return None;
    }
    let mut schedule = Schedule::new(rows, extra, room);
    let mut weaver = Weaver::new(height, rows);
    let mut image = Vec::with_capacity(columns * height);
    for column in 0..columns {
        let mut cells = vec![each; rows];
        for row in schedule.column(column) {
            cells[row] += 1;
        }
        weaver.weave(&cells);
        let path = weaver.path.iter();
        image.extend(path.map(|&(x, row)| (x * rows + row) as u32));
    }
    Some(IndexMap::new(
        vec![columns, height],
        vec![wide, rows],
        image,
    ))
}

/// Chooses the rows that take one cell more of a column.
struct Schedule {
    rows: usize,
    /// Number of wider rows in each column.
    extra: usize,
    /// How many more times each row can be a wider row.
    room: Vec<usize>,
}

impl Schedule {
    fn new(rows: usize, extra: usize, room: usize) -> Self {
        Self {
            rows,
            extra,
            room: vec![room; rows],
        }
    }

    /// The wider rows of a column. A row is listed once for every extra cell it takes.
    fn column(&mut self, column: usize) -> Vec<usize> {
        let (rows, extra) = (self.rows, self.extra);
        let mut wider = vec![false; rows];
        let mut chosen = Vec::with_capacity(extra);
        for bead in 0..extra {
            // column + 1/2 + bead * 2 rows / extra, rounded down
            let on_ring = ((2 * column + 1) * extra + 4 * rows * bead) / (2 * extra) % (2 * rows);
            let row = self.nearest(on_ring.min(2 * rows - 1 - on_ring), &wider);
            self.room[row] -= 1;
            wider[row] = true;
            chosen.push(row);
        }
        chosen
    }

    /// The row with room that is nearest to `wanted`, preferably one that is not wider yet.
    /// Rounding can bring two beads to the same row.
    fn nearest(&self, wanted: usize, wider: &[bool]) -> usize {
        if self.room[wanted] > 0 && !wider[wanted] {
            return wanted;
        }
        (0..self.rows)
            .filter(|&row| self.room[row] > 0)
            .min_by_key(|&row| (wider[row], row.abs_diff(wanted)))
            .expect("there is room for every extra cell")
    }
}

/// Lays columns beside one another.
///
/// The cells of a column within one row run to the right or to the left, whichever makes the edges
/// along the column and to the column before shorter.
struct Weaver {
    /// Number of cells already laid in every row.
    filled: Vec<usize>,
    /// (position in the row, row) of every cell of the column laid last.
    path: Vec<(usize, usize)>,
}

/// The best way to reach a row, for each direction its cells can run: hops so far, and the
/// direction of the row before.
type Ways = [(usize, bool); 2];

impl Weaver {
    fn new(height: usize, rows: usize) -> Self {
        Self {
            filled: vec![0; rows],
            path: Vec::with_capacity(height),
        }
    }

    fn weave(&mut self, cells: &[usize]) {
        let ways = self.ways(cells);
        let mut backward = ways.last().is_some_and(|w| w[1].0 < w[0].0);
        let mut directions = vec![false; cells.len()];
        for (row, way) in ways.iter().enumerate().rev() {
            directions[row] = backward;
            backward = way[usize::from(backward)].1;
        }
        self.path.clear();
        for (row, &count) in cells.iter().enumerate() {
            let start = self.filled[row];
            let cell = |t| (position(start, count, t, directions[row]), row);
            self.path.extend((0..count).map(cell));
            self.filled[row] += count;
        }
    }

    fn ways(&self, cells: &[usize]) -> Vec<Ways> {
        let mut ways: Vec<Ways> = Vec::with_capacity(cells.len());
        let mut below = 0;
        for (row, &count) in cells.iter().enumerate() {
            let beside = [false, true].map(|back| self.beside(row, count, below, back));
            let step = |direction: usize, before: usize| {
                let (start, count_before) = (self.filled[row - 1], cells[row - 1]);
                let exit = position(start, count_before, count_before - 1, before == 1);
                let entry = position(self.filled[row], count, 0, direction == 1);
                exit.abs_diff(entry)
            };
            ways.push([0, 1].map(|direction| {
                match ways.last() {
                    None => (beside[direction], false),
                    Some(last) => [0, 1]
                        .map(|b| (last[b].0 + step(direction, b) + beside[direction], b == 1))
                        .into_iter()
                        .min()
                        .unwrap_or_default(),
                }
            }));
            below += count;
        }
        ways
    }

    /// Hops from the cells of a row to their neighbours in the column before.
    fn beside(&self, row: usize, count: usize, below: usize, backward: bool) -> usize {
        let start = self.filled[row];
        self.path
            .get(below..below + count)
            .unwrap_or_default()
            .iter()
            .enumerate()
            .map(|(t, &(x, r))| position(start, count, t, backward).abs_diff(x) + row.abs_diff(r))
            .sum()
    }
}

/// The position in its row of the `cell`-th of `count` cells that begin at `start`.
fn position(start: usize, count: usize, cell: usize, backward: bool) -> usize {
    if backward {
        start + count - 1 - cell
    } else {
        start + cell
    }
}
