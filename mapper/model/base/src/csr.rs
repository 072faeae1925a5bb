//! Compressed sparse rows: rows of different lengths, stored one after the other in one allocation.

use std::ops::Range;

/// Rows of entries, stored as one list of entries and the start of each row.
///
/// Rows may be the links of every vertex, the members of every group or the receivers of every
/// rank. Matrices that are transposed, multiplied or ordered are `sprs::CsMatI` instead.
///
/// ```
/// use rankfold_base::Csr;
///
/// // Members by group: the groups are met in any order, members of one group keep theirs.
/// let group_of = [1, 0, 1, 3];
/// let members = Csr::grouped(4, group_of.iter().copied().zip(["a", "b", "c", "d"]));
/// assert_eq!(members.row(1), ["a", "c"]);
/// assert_eq!(members.row(2), [""; 0]);
/// assert_eq!((members.rows(), members.entries().len()), (4, 4));
///
/// // Row by row.
/// let mut triangle = Csr::default();
/// for row in 0..3 {
///     triangle.push_row(0..row);
/// }
/// assert_eq!(triangle.iter().collect::<Vec<_>>(), [&[][..], &[0], &[0, 1]]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr<T> {
    /// First entry of every row, followed by the number of entries: length rows + 1.
    starts: Vec<usize>,
    entries: Vec<T>,
}

impl<T> Default for Csr<T> {
    /// No rows.
    fn default() -> Self {
        Self {
            starts: vec![0],
            entries: Vec::new(),
        }
    }
}

impl<T> Csr<T> {
    /// Builds `rows` rows from pairs `(row, entry)` that are ordered by row.
    ///
    /// # Panics
    /// If a row is not less than `rows`, or less than the row before.
    #[must_use]
    pub fn sorted(rows: usize, entries: impl IntoIterator<Item = (usize, T)>) -> Self {
        let entries = entries.into_iter();
        let mut csr = Self {
            starts: Vec::with_capacity(rows + 1),
            entries: Vec::with_capacity(entries.size_hint().0),
        };
        for (row, entry) in entries {
            assert!(row < rows, "row {row} of {rows}");
            assert!(row + 1 >= csr.starts.len(), "row {row} comes too late");
            csr.starts.resize(row + 1, csr.entries.len());
            csr.entries.push(entry);
        }
        csr.starts.resize(rows + 1, csr.entries.len());
        csr
    }

    /// Builds `rows` rows from pairs `(row, entry)` in any order. Entries of one row keep their
    /// order.
    ///
    /// This is a counting sort, which visits the entries twice.
    ///
    /// # Panics
    /// If a row is not less than `rows`.
    #[must_use]
    pub fn grouped(rows: usize, entries: impl Iterator<Item = (usize, T)> + Clone) -> Self
    where
        T: Copy,
    {
        let mut starts = vec![0; rows + 1];
        for (row, _) in entries.clone() {
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut csr = Self {
            entries: Vec::new(),
            starts,
        };
        if let Some((_, any)) = entries.clone().next() {
            csr.entries = vec![any; csr.starts[rows]];
            let mut next = csr.starts.clone();
            for (row, entry) in entries {
                csr.entries[next[row]] = entry;
                next[row] += 1;
            }
        }
        csr
    }

    /// Appends a row.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = T>) {
        self.entries.extend(row);
        self.starts.push(self.entries.len());
    }

    /// Number of rows, empty ones included.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Sorts the entries of every row; equal ones keep their order.
    pub fn sort_rows_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        for row in 0..self.rows() {
            let range = self.range(row);
            self.entries[range].sort_by_key(&key);
        }
    }

    /// The entries of a row.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        &self.entries[self.range(row)]
    }

    /// The indices of a row's entries among [all entries](Self::entries), for tables with one
    /// number for each entry.
    #[inline]
    #[must_use]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// All entries, row after row.
    #[must_use]
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        (0..self.rows()).map(|row| self.row(row))
    }

    /// All entries, each with its row.
    pub fn indexed(&self) -> impl Iterator<Item = (usize, &T)> + Clone {
        (0..self.rows()).flat_map(|row| self.row(row).iter().map(move |entry| (row, entry)))
    }
}

impl<R: IntoIterator> FromIterator<R> for Csr<R::Item> {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut csr = Self::default();
        rows.into_iter().for_each(|row| csr.push_row(row));
        csr
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn however_it_is_built_a_row_holds_its_entries_in_order(
            mut entries in prop::collection::vec((0usize..6, 0u32..100), 0..40),
        ) {
            let grouped = Csr::grouped(6, entries.iter().copied());
            entries.sort_by_key(|&(row, _)| row);
            let of = |row: usize| entries.iter().filter(move |e| e.0 == row).map(|e| e.1);
            let pushed: Csr<u32> = (0..6).map(of).collect();
            prop_assert_eq!(&Csr::sorted(6, entries.iter().copied()), &grouped);
            prop_assert_eq!(&pushed, &grouped);
            let indexed: Vec<_> = grouped.indexed().map(|(row, &entry)| (row, entry)).collect();
            prop_assert_eq!(indexed, entries);
        }
    }

    #[test]
    #[should_panic(expected = "row 0 comes too late")]
    fn rows_that_go_back_are_refused() {
        let _ = Csr::sorted(2, [(1, 'a'), (0, 'b')]);
    }
}
