//! Enumeration of the best factorisations by branch and bound.
//!
//! First the factors are chosen, one source dimension after the other. Then the digits of each
//! target dimension are ordered. A branch is cut as soon as even its cheapest completion costs more
//! than the worst factorisation kept; for this bound every undecided digit counts as the finest
//! digit of its target dimension.

use super::{Factorisation, SourceGrid};
use crate::regular::target::{AxisKind, SlotBox};

/// Most bounds computed for one target.
///
/// Enough for all factorisations of 3D grids of a million ranks, and a few tenths of a second at
/// most: estimated when the search was written, no measurement is recorded.
const MOST_BOUNDS: usize = 1_000_000;

/// Most digits of a periodic dimension for which all orders are tried (120 orders). For more digits
/// only the order by rising cost is tried.
const MOST_PERMUTED_DIGITS: usize = 5;

/// The `keep` cheapest factorisations of a grid onto `target` that cost less than `limit`, cheapest
/// first; empty if the sizes do not factor.
pub(in crate::regular) fn best(
    source: &SourceGrid,
    target: &SlotBox,
    keep: usize,
    limit: f64,
) -> Vec<Factorisation> {
    let targets = target.sizes.len();
    if source.cells() != target.slots() {
        return Vec::new();
    }
    let share = (0..source.dims.len()).map(|i| {
        let open = usize::from(!source.periodic[i]);
        source.weights[i] / source.dims[i].saturating_sub(open).max(1) as f64
    });
    let mut search = FactorSearch {
        source,
        target,
        keep,
        limit,
        share: share.collect(),
        room: target.sizes.clone(),
        factors: vec![1; source.dims.len() * targets],
        hops: vec![0.0; source.dims.len() * targets],
        stacks: vec![Vec::new(); targets],
        digits: Vec::with_capacity(targets),
        found: Vec::with_capacity(keep + 1),
        bounds: 0,
    };
    search.choose(0, 0, source.dims.first().copied().unwrap_or(1));
    search.found
}

/// The state of the search: the factors and digit orders chosen so far.
struct FactorSearch<'a> {
    source: &'a SourceGrid,
    target: &'a SlotBox,
    keep: usize,
    limit: f64,
    /// Cost of one hop more in one step along each source dimension.
    share: Vec<f64>,
    /// For every target dimension, the factor of its size that is not assigned yet.
    room: Vec<usize>,
    /// Factor of each source dimension along each target dimension, row by row.
    factors: Vec<usize>,
    /// Mean hops of a change of each digit, row by row.
    hops: Vec<f64>,
    /// For each target dimension, the source dimensions of its digits, finest digit first.
    stacks: Vec<Vec<usize>>,
    /// Scratch space: hops and radices of one source dimension's digits, for sorting.
    digits: Vec<(f64, usize)>,
    found: Vec<Factorisation>,
    /// Number of bounds computed.
    bounds: usize,
}

impl FactorSearch<'_> {
    fn targets(&self) -> usize {
        self.room.len()
    }

    /// The cost that a factorisation must stay below to be kept.
    fn threshold(&self) -> f64 {
        match self.found.last() {
            Some(last) if self.found.len() == self.keep => last.cost.min(self.limit),
            _ => self.limit,
        }
    }

    /// Chooses the factors of source dimension `i` from target dimension `j` on; `rest` is the part
    /// of the source dimension's size that is not assigned yet.
    fn choose(&mut self, i: usize, j: usize, rest: usize) {
        let (targets, dims) = (self.targets(), self.source.dims.len());
        if i == dims {
            return self.stack_all();
        }
        if j == targets {
            if rest == 1 {
                let next = self.source.dims.get(i + 1).copied().unwrap_or(1);
                self.choose(i + 1, 0, next);
            }
            return;
        }
        let room = self.room[j];
        let only = if i + 1 == dims { room } else { 1 };
        for factor in only..=rest.min(room) {
            if self.bounds > MOST_BOUNDS {
                return;
            }
            if rest.is_multiple_of(factor) && room.is_multiple_of(factor) {
                self.factors[i * targets + j] = factor;
                self.room[j] = room / factor;
                self.choose(i, j + 1, rest / factor);
            }
        }
        self.room[j] = room;
        self.factors[i * targets + j] = 1;
    }

    /// Tries all orders of the digits for the factors chosen.
    fn stack_all(&mut self) {
        let targets = self.targets();
        for (j, stack) in self.stacks.iter_mut().enumerate() {
            stack.clear();
            let finest = one_step(self.target.axes[j], 1) * self.target.stretch[j];
            for i in 0..self.source.dims.len() {
                if self.factors[i * targets + j] > 1 {
                    stack.push(i);
                    self.hops[i * targets + j] = finest;
                }
            }
        }
        if self.is_worth_it() {
            self.stack(0, 0);
        }
    }

    /// Tries every digit at position `depth` of target dimension `j`, then all positions above.
    fn stack(&mut self, j: usize, depth: usize) {
        if j == self.targets() {
            return self.keep();
        }
        let height = self.stacks[j].len();
        if depth + 1 >= height {
            // The last digit has no choice left, and a digit alone is the finest.
            if height > 1 {
                self.set_hops(j);
                if !self.is_worth_it() {
                    return;
                }
            }
            return self.stack(j + 1, 0);
        }
        for next in depth..height {
            self.stacks[j][depth..=next].rotate_right(1);
            self.stack(j, depth + 1);
            self.stacks[j][depth..=next].rotate_left(1);
        }
        self.set_finest(j);
    }

    /// Sets the mean hops of all digits of a target dimension according to their order.
    fn set_hops(&mut self, j: usize) {
        let targets = self.targets();
        let mut below = 1;
        for &i in &self.stacks[j] {
            let hops = one_step(self.target.axes[j], below) * self.target.stretch[j];
            self.hops[i * targets + j] = hops;
            below *= self.factors[i * targets + j];
        }
    }

    /// Sets the mean hops of all digits of a target dimension as if each were the finest digit.
    fn set_finest(&mut self, j: usize) {
        let targets = self.targets();
        let finest = one_step(self.target.axes[j], 1) * self.target.stretch[j];
        for &i in &self.stacks[j] {
            self.hops[i * targets + j] = finest;
        }
    }

    /// Whether the cheapest completion of the current choices can be kept.
    fn is_worth_it(&mut self) -> bool {
        self.bounds += 1;
        let threshold = self.threshold();
        let mut cost = 0.0;
        for i in 0..self.source.dims.len() {
            cost += self.share[i] * self.least_hops(i);
            if cost >= threshold {
                return false;
            }
        }
        self.bounds <= MOST_BOUNDS
    }

    /// A lower bound on the hops of all steps along a source dimension, wrap-around excluded: the
    /// digits that are cheapest to change are assumed to change most often.
    fn least_hops(&mut self, i: usize) -> f64 {
        let row = i * self.room.len()..(i + 1) * self.room.len();
        let (hops, factors) = (&self.hops[row.clone()], &self.factors[row]);
        self.digits.clear();
        let digits = hops.iter().copied().zip(factors.iter().copied());
        self.digits.extend(digits.filter(|&(_, radix)| radix > 1));
        self.digits.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut above = self.source.dims[i];
        let hops = self.digits.iter().map(|&(hops, radix)| {
            above /= radix;
            ((radix - 1) * above) as f64 * hops
        });
        hops.sum()
    }

    /// Keeps the factorisation chosen now if it is among the cheapest.
    fn keep(&mut self) {
        let mut cost = 0.0;
        let mut fast_first = Vec::with_capacity(self.source.dims.len());
        for i in 0..self.source.dims.len() {
            let (hops, order) = self.best_order(i);
            cost += self.share[i] * hops;
            fast_first.push(order);
        }
        if cost >= self.threshold() {
            return;
        }
        let rows = self.factors.chunks(self.targets());
        let candidate = Factorisation {
            factors: rows.map(<[usize]>::to_vec).collect(),
            fast_first,
            fine_first: self.stacks.clone(),
            cost,
        };
        let at = self.found.partition_point(|f| f.cost <= cost);
        self.found.insert(at, candidate);
        self.found.truncate(self.keep);
    }

    /// The cheapest order of the digits of source dimension `i`, fastest digit first, and its hops.
    fn best_order(&self, i: usize) -> (f64, Vec<usize>) {
        let targets = self.targets();
        let row = &self.factors[i * targets..][..targets];
        let step = &self.hops[i * targets..][..targets];
        let mut order: Vec<usize> = (0..targets).filter(|&j| row[j] > 1).collect();
        order.sort_by(|&a, &b| step[a].total_cmp(&step[b]));
        if !self.source.periodic[i] {
            return (steps_hops(row, step, &order), order);
        }
        let jump: Vec<f64> = (0..targets).map(|j| self.end_to_end(i, j)).collect();
        let hops = |order: &[usize]| steps_hops(row, step, order) + wrap_hops(row, &jump, order);
        if order.len() > MOST_PERMUTED_DIGITS {
            return (hops(&order), order);
        }
        let orders = permutations(&order).into_iter();
        orders
            .map(|order| (hops(&order), order))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or_default()
    }

    /// Mean hops between the first and the last value of a digit, over all positions within the
    /// cells of the finer digits. These positions are mirrored at the last value if that value is
    /// odd.
    fn end_to_end(&self, i: usize, j: usize) -> f64 {
        let targets = self.targets();
        let radix = self.factors[i * targets + j];
        if radix == 1 {
            return 0.0;
        }
        let below = self.stacks[j].iter().take_while(|&&other| other != i);
        let below: usize = below
            .map(|&other| self.factors[other * targets + j])
            .product();
        let axis = self.target.axes[j];
        let apart = |low: usize| {
            if radix.is_multiple_of(2) {
                radix * below - 1 - 2 * low
            } else {
                (radix - 1) * below
            }
        };
        let total: usize = (0..below).map(|low| axis.hops(apart(low))).sum();
        self.target.stretch[j] * total as f64 / below as f64
    }
}

/// Mean hops when a digit above `below` mirrored cells changes by one: a cell at distance `low`
/// from the border is 2 low + 1 hops from its mirror image.
fn one_step(axis: AxisKind, below: usize) -> f64 {
    match axis {
        AxisKind::Path => below as f64,
        AxisKind::Ring(size) => {
            // Up to this distance the way across the border is no longer than the way round.
            let short = below.min((size + 2) / 4);
            let round = below - short;
            let lows = (below * (below - 1) - short * short.saturating_sub(1)) as f64;
            let total = (short * short) as f64 + (round * (size - 1)) as f64 - lows;
            total / below as f64
        }
        AxisKind::Level(_) | AxisKind::Cores => axis.hops(1) as f64,
    }
}

/// Hops of all steps along a source dimension with the given digit order. A digit changes
/// `radix - 1` times for every value of the digits above it.
fn steps_hops(row: &[usize], hops: &[f64], order: &[usize]) -> f64 {
    let mut above: usize = row.iter().product();
    order
        .iter()
        .map(|&j| {
            above /= row[j];
            ((row[j] - 1) * above) as f64 * hops[j]
        })
        .sum()
}

/// Hops from the last cell along a source dimension to the first.
///
/// The slowest digit goes from end to end. A faster digit does so too while all slower radices are
/// odd; an even radix above it has turned the digit back to its first value.
fn wrap_hops(row: &[usize], hops: &[f64], order: &[usize]) -> f64 {
    let slow_first: Vec<usize> = order.iter().rev().copied().collect();
    let odd = slow_first
        .iter()
        .take_while(|&&j| !row[j].is_multiple_of(2));
    let going_all_the_way = &slow_first[..slow_first.len().min(odd.count() + 1)];
    going_all_the_way.iter().map(|&j| hops[j]).sum()
}

/// Every order of `items`, in lexicographic order of their positions.
fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    (0..items.len())
        .flat_map(|i| {
            let rest = [&items[..i], &items[i + 1..]].concat();
            permutations(&rest)
                .into_iter()
                .map(move |tail| [&[items[i]], &tail[..]].concat())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_step_in_closed_form_is_the_mean_over_all_places() {
        for axis in (2..=17).map(AxisKind::Ring).chain([
            AxisKind::Path,
            AxisKind::Level(4),
            AxisKind::Cores,
        ]) {
            let most = if let AxisKind::Ring(size) = axis {
                size / 2
            } else {
                8
            };
            for below in 1..=most {
                let total: usize = (0..below).map(|low| axis.hops(2 * low + 1)).sum();
                let mean = total as f64 / below as f64;
                assert!(
                    (one_step(axis, below) - mean).abs() < 1e-12,
                    "{axis:?} {below}"
                );
            }
        }
    }
}
