//! A ring of ranks around a plane without a jump.
//!
//! Out along the rows from the second column on, one row forth and the next one back, and home
//! along the first column; there must be an even number of rows.
//!
//! ```text
//! 0 1 2 3
//! b 6 5 4
//! a 7 8 9
//! ...
//! ```

use super::IndexMap;

/// Maps a ring of `rows * columns` onto the plane; `None` if the number of rows is odd.
pub(in crate::regular) fn cycle((rows, columns): (usize, usize)) -> Option<IndexMap> {
    if !rows.is_multiple_of(2) || columns < 2 {
        return None;
    }
    let out = |row: usize| {
        (1..columns).map(move |c| match row.is_multiple_of(2) {
            true => row * columns + c,
            false => row * columns + columns - c,
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
