//! Decision tables of MVAPICH2. A table names the algorithm of an operation by the number of
//! members on each host, the number of members of the communicator, and the size.

/// Rows for hosts with 1, with 2, and with more members each.
pub(super) struct Table(pub(super) [Rows; 3]);

/// Rows in ascending order of members. Each holds from twice as many members on as the one before.
pub(super) struct Rows {
    /// Members for which the first row is.
    pub(super) least: usize,
    /// Members for which the last row is. It also holds for any more.
    pub(super) most: usize,
    /// Base-two logarithm of the first size, and a letter for that size and one for each doubling.
    pub(super) rows: &'static [(usize, &'static str)],
}

impl Table {
    /// The letter of the algorithm. Hosts with unequal numbers of members have no `each`, and take
    /// the rows for 2 members.
    pub(super) fn algorithm(&self, each: Option<usize>, members: usize, size: u64) -> char {
        let [one, two, more] = &self.0;
        let rows = match each {
            Some(1) => one,
            Some(2) | None => two,
            Some(_) => more,
        };
        let doublings = |number: usize| number.max(1).ilog2() as usize;
        let last = rows.rows.len() - 1;
        let row = if members > rows.most {
            last
        } else {
            doublings(members)
                .saturating_sub(doublings(rows.least))
                .min(last)
        };
        let (first, letters) = rows.rows[row];
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let place = doublings(size).saturating_sub(first).min(letters.len() - 1);
        char::from(letters.as_bytes()[place])
    }
}
