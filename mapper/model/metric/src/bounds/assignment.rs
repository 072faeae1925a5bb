//! Linear assignment: every row gets a column of its own, at the least sum of costs.
//!
//! Source: Kuhn 1955 with potentials, as of Jonker and Volgenant 1987. Cost: O(rows² x columns).

/// A cheapest assignment, and the prices that prove it.
pub(super) struct Assignment {
    /// The least sum of costs.
    pub(super) cost: i64,
    /// The column of every row.
    pub(super) column_of: Vec<usize>,
    /// The price of every column, at most 0. The sum of all prices, plus for every row the least
    /// cost minus price of any column, is the least sum of costs.
    pub(super) prices: Vec<i64>,
}

/// The cheapest assignment; there are at least as many columns as rows.
pub(super) fn cheapest_assignment(costs: &[Vec<i64>]) -> Assignment {
    let columns = costs.first().map_or(0, Vec::len);
    // Row and column 0 are helpers: column 0 holds the row that is being assigned.
    let mut of_row = vec![0i64; costs.len() + 1];
    let mut of_column = vec![0i64; columns + 1];
    let mut row_at = vec![0usize; columns + 1];
    for row in 1..=costs.len() {
        row_at[0] = row;
        let mut at = 0;
        let mut least = vec![i64::MAX; columns + 1];
        let mut from = vec![0usize; columns + 1];
        let mut used = vec![false; columns + 1];
        while row_at[at] != 0 {
            used[at] = true;
            let here = row_at[at];
            let (mut next, mut step) = (0, i64::MAX);
            for column in (1..=columns).filter(|&column| !used[column]) {
                let cost = costs[here - 1][column - 1] - of_row[here] - of_column[column];
                if cost < least[column] {
                    (least[column], from[column]) = (cost, at);
                }
                if least[column] < step {
                    (next, step) = (column, least[column]);
                }
            }
            for column in 0..=columns {
                if used[column] {
                    of_row[row_at[column]] += step;
                    of_column[column] -= step;
                } else if column > 0 {
                    least[column] -= step;
                }
            }
            at = next;
        }
        while at != 0 {
            row_at[at] = row_at[from[at]];
            at = from[at];
        }
    }
    let mut column_of = vec![0; costs.len()];
    for column in (1..=columns).filter(|&column| row_at[column] > 0) {
        column_of[row_at[column] - 1] = column - 1;
    }
    let paid = column_of.iter().zip(costs);
    Assignment {
        cost: paid.map(|(&column, costs)| costs[column]).sum(),
        column_of,
        prices: of_column.split_off(1.min(of_column.len())),
    }
}
