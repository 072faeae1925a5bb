//! A ring of ranks laid into a plane so that every step, the closing one included, is one hop.
//!
//! The ring runs through all rows from the second column on, one row forth and the next row back,
//! and returns along the first column. The number of rows must be even. Cost: O(n) for n cells.
//! This is the usual Hamiltonian cycle of a grid. With four columns and four rows:
//!
//! ```text
//! 0 1 2 3
//! f 6 5 4
//! e 7 8 9
//! d c b a
//! ```

use super::IndexMap;

/// The map of a ring of `rows * columns` cells onto the plane; `None` if the number of rows is odd
/// or there are fewer than two columns.
pub(in crate::regular) fn cycle((rows, columns): (usize, usize)) -> Option<IndexMap> {
    if !rows.is_multiple_of(2) || columns < 2 {
        return None;
    }
    let out = |row: usize| {
        (1..columns).map(move |c| {
            if row.is_multiple_of(2) {
                row * columns + c
            } else {
                row * columns + columns - c
            }
        })
    };
    let home = (1..rows).rev().map(|row| row * columns);
    let cells = std::iter::once(0)
        .chain((0..rows).flat_map(out))
        .chain(home);
    let image = cells.map(|cell| cell as u32).collect();
    Some(IndexMap::new(
        vec![rows * columns],
        vec![rows, columns],
        image,
    ))
}
