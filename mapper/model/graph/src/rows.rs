//! Compressed sparse matrices whose rows are built in parallel.

use rayon::prelude::*;
use sprs::CsMatI;
use std::cmp::Ordering;
use std::iter::Peekable;

/// A square matrix with 32-bit column indices.
pub(super) type Rows = CsMatI<u64, u32, usize>;

/// Number of rows in one task of the parallel loop. Chosen by hand; not measured.
const CHUNK: usize = 2048;

/// Column and value.
type Cell = (u32, u64);

/// The entries of one row, to be filled.
pub(super) struct Entries<'a> {
    columns: &'a mut [u32],
    data: &'a mut [u64],
}

impl Entries<'_> {
    /// Writes all entries; columns must ascend.
    pub(super) fn fill(self, cells: impl IntoIterator<Item = Cell>) {
        let places = self.columns.iter_mut().zip(self.data);
        for ((column, data), cell) in places.zip(cells) {
            (*column, *data) = cell;
        }
    }
}

/// Builds a matrix of `count` rows. `length` gives the number of entries of a row, and `fill`
/// writes them.
pub(super) fn rows(
    count: usize,
    length: impl Fn(usize) -> usize + Sync,
    fill: impl Fn(usize, Entries<'_>) + Sync,
) -> Rows {
    let lengths: Vec<usize> = (0..count).into_par_iter().map(&length).collect();
    let mut starts = Vec::with_capacity(count + 1);
    starts.push(0);
    for (row, length) in lengths.iter().enumerate() {
        starts.push(starts[row] + length);
    }
    let (mut columns, mut data) = (vec![0; starts[count]], vec![0; starts[count]]);
    let mut rest = Entries {
        columns: &mut columns,
        data: &mut data,
    };
    let chunks: Vec<(usize, Entries<'_>)> = (0..count)
        .step_by(CHUNK)
        .map(|first| {
            let end = count.min(first + CHUNK);
            (first, rest.split_off(starts[end] - starts[first]))
        })
        .collect();
    chunks.into_par_iter().for_each(|(first, mut chunk)| {
        for (row, &length) in (first..).zip(&lengths[first..count.min(first + CHUNK)]) {
            fill(row, chunk.split_off(length));
        }
    });
    CsMatI::new((count, count), starts, columns, data)
}

impl<'a> Entries<'a> {
    /// Splits off the first `length` entries.
    fn split_off(&mut self, length: usize) -> Entries<'a> {
        let (columns, more_columns) = std::mem::take(&mut self.columns).split_at_mut(length);
        let (data, more_data) = std::mem::take(&mut self.data).split_at_mut(length);
        (self.columns, self.data) = (more_columns, more_data);
        Entries { columns, data }
    }
}

/// The entries of a row, columns ascending.
pub(super) fn row(matrix: &Rows, row: usize) -> impl Iterator<Item = Cell> + Clone {
    let range = matrix.indptr().outer_inds_sz(row);
    let (columns, data) = (&matrix.indices()[range.clone()], &matrix.data()[range]);
    columns.iter().copied().zip(data.iter().copied())
}

/// The sum of two rows.
pub(super) fn merged(
    a: impl Iterator<Item = Cell>,
    b: impl Iterator<Item = Cell>,
) -> impl Iterator<Item = Cell> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    std::iter::from_fn(move || match order(&mut a, &mut b)? {
        Ordering::Less => a.next(),
        Ordering::Greater => b.next(),
        Ordering::Equal => {
            let ((column, x), (_, y)) = (a.next()?, b.next()?);
            Some((column, x + y))
        }
    })
}

/// Which of two rows has the next lower column; `None` if both are at their end.
fn order(
    a: &mut Peekable<impl Iterator<Item = Cell>>,
    b: &mut Peekable<impl Iterator<Item = Cell>>,
) -> Option<Ordering> {
    match (a.peek(), b.peek()) {
        (Some(a), Some(b)) => Some(a.0.cmp(&b.0)),
        (Some(_), None) => Some(Ordering::Less),
        (None, Some(_)) => Some(Ordering::Greater),
        (None, None) => None,
    }
}
