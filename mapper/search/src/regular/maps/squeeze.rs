//! Squeezing: a grid made less tall and wider by any ratio, nearly all of its edges kept.
//!
//! Every column of the source becomes a path through the rows of the target that never goes down.
//! Where the column is too tall, some rows take one cell more of it. Those wider rows move up or
//! down by one from column to column and turn at the ends, so that neighbouring paths fit into each
//! other. Six columns a..f of four rows in three rows:
//!
//! ```text
//! abcdef          aabcdeff
//! abcdef   --->   abbcdeef
//! abcdef          abccddef
//! abcdef
//! ```
//!
//! Squeezing b rows into a: steps up a column stay one hop, and of the steps along a row a share of
//! (b - a) / b takes three. That is the closed form where b - a divides a, of what Aleliunas and
//! Rosenberg ("On embedding rectangular grids in square grids", 1982) and Ellis do in steps; other
//! ratios are as good up to roundings. The wider rows are beads on a ring of twice the rows, read
//! forth and back, equally far apart and one step on for every column: every row then is as often
//! the wider one as any other.

use super::IndexMap;

/// Maps `columns x height` into `wide x rows`, the first dimension along the rows; `None` if it
/// does not fit.
///
/// Columns may be several times too tall: every row then takes several cells of each.
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

/// Which rows are the wider ones.
struct Schedule {
    rows: usize,
    /// Wider rows a column.
    extra: usize,
    /// How often each row can still be the wider one.
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

    /// The wider rows of a column, each as often as it takes an extra cell.
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

    /// The nearest row with room, rather one that is not wider yet. Roundings make beads meet.
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

/// Lays columns beside one another, each row's cells from the left or from the right, whichever
/// makes the edges along the column and to the column before shorter.
struct Weaver {
    /// Cells already in every row.
    filled: Vec<usize>,
    /// (place in the row, row) of every cell of the column laid last.
    path: Vec<(usize, usize)>,
}

/// The best way to reach a row, by the direction its cells run: hops so far and the direction of
/// the row before.
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
            let cell = |t| (place(start, count, t, directions[row]), row);
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
                let exit = place(start, count_before, count_before - 1, before == 1);
                let entry = place(self.filled[row], count, 0, direction == 1);
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
            .map(|(t, &(x, r))| place(start, count, t, backward).abs_diff(x) + row.abs_diff(r))
            .sum()
    }
}

fn place(start: usize, count: usize, cell: usize, backward: bool) -> usize {
    if backward {
        start + count - 1 - cell
    } else {
        start + cell
    }
}
