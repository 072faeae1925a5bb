//! Linear assignment: every row gets a column of its own, at the least sum of costs.
//!
//! Source: Kuhn 1955 with potentials, as of Jonker and Volgenant 1987. Potentials change once a
//! row, after its shortest path is known. Cost: O(rows² x columns).

/// A cheapest assignment, and the prices that prove it.
pub(super) struct Assignment {
    /// The column of every row.
    pub(super) column_of: Vec<usize>,
    /// The price of every column, at most 0. The sum of all prices, plus for every row the least
    /// cost minus price of any column, is the least sum of costs.
    pub(super) prices: Vec<i64>,
}

/// The cheapest assignment; there are at least as many columns as rows.
pub(super) fn cheapest_assignment(costs: &[Vec<i64>]) -> Assignment {
    let mut solver = Solver::default();
    solver.cost_below(costs, i64::MAX);
    let mut column_of = vec![0; costs.len()];
    for (column, &row) in solver.row_at.iter().enumerate() {
        if row != NONE {
            column_of[row] = column;
        }
    }
    Assignment {
        column_of,
        prices: solver.prices,
    }
}

const NONE: usize = usize::MAX;

/// The memory of an assignment, to be used again for the next one.
#[derive(Default)]
pub(super) struct Solver {
    of_row: Vec<i64>,
    /// The price of every column.
    prices: Vec<i64>,
    /// The row that has each column.
    row_at: Vec<usize>,
    /// How far each column is from the row that is being assigned, and the column before it.
    least: Vec<i64>,
    from: Vec<usize>,
    is_reached: Vec<bool>,
    reached: Vec<usize>,
}

impl Solver {
    /// The cost of the cheapest assignment; `None` if it is not below `limit`. Costs are not
    /// negative, if there is a limit.
    pub(super) fn cost_below(&mut self, costs: &[Vec<i64>], limit: i64) -> Option<i64> {
        let columns = costs.first().map_or(0, Vec::len);
        renew(&mut self.of_row, costs.len(), 0);
        renew(&mut self.prices, columns, 0);
        renew(&mut self.row_at, columns, NONE);
        renew(&mut self.from, columns, NONE);
        let mut cost = 0;
        for row in 0..costs.len() {
            cost += self.assign(row, costs);
            if cost >= limit {
                return None;
            }
        }
        (cost < limit).then_some(cost)
    }

    /// Gives a row a column, and returns what that costs.
    fn assign(&mut self, row: usize, costs: &[Vec<i64>]) -> i64 {
        let columns = self.prices.len();
        renew(&mut self.least, columns, i64::MAX);
        renew(&mut self.is_reached, columns, false);
        self.reached.clear();
        let (mut here, mut before, mut way) = (row, NONE, 0);
        let last = loop {
            let next = self.nearest(&costs[here], way - self.of_row[here], before);
            way = self.least[next];
            if self.row_at[next] == NONE {
                break next;
            }
            self.is_reached[next] = true;
            self.reached.push(next);
            (here, before) = (self.row_at[next], next);
        };
        self.of_row[row] += way;
        for &column in &self.reached {
            let further = way - self.least[column];
            self.of_row[self.row_at[column]] += further;
            self.prices[column] -= further;
        }
        let mut column = last;
        while self.from[column] != NONE {
            let before = self.from[column];
            self.row_at[column] = self.row_at[before];
            column = before;
        }
        self.row_at[column] = row;
        way
    }

    /// The nearest column that has not been reached, after a row `way` away has been looked at.
    fn nearest(&mut self, costs: &[i64], way: i64, before: usize) -> usize {
        let (mut next, mut shortest) = (NONE, i64::MAX);
        let known = self.least.iter_mut().zip(&mut self.from);
        let columns = known.zip(costs.iter().zip(&self.prices)).enumerate();
        for (column, ((least, from), (cost, price))) in columns {
            if self.is_reached[column] {
                continue;
            }
            let cost = way + cost - price;
            if cost < *least {
                (*least, *from) = (cost, before);
            }
            if *least < shortest {
                (next, shortest) = (column, *least);
            }
        }
        next
    }
}

fn renew<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    list.clear();
    list.resize(len, value);
}
