//! Every factorisation that may be among the best, by branch and bound.
//!
//! A branch is cut as soon as even the cheapest completion is not good enough: first while the
//! factors of one source dimension after another are chosen, then while the digits of one target
//! dimension after another are stacked. What is not decided yet counts as if every digit were the
//! finest one.

use super::{Factorisation, Source};
use crate::regular::target::{Axis, Target};

/// Bounds computed per target, a few tenths of a second: enough for all factorisations of 3D grids
/// of a million ranks.
const MOST: usize = 1_000_000;

/// Digits of a ring up to which all their orders are tried.
const DIGITS_OF_RING: usize = 5;

/// The `keep` best factorisations of a grid onto `target` that cost less than `limit`, best first;
/// none if no factors fit.
pub(in crate::regular) fn best(
    source: &Source,
    target: &Target,
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
        looked: 0,
    };
    search.choose(0, 0, source.dims.first().copied().unwrap_or(1));
    search.found
}

struct FactorSearch<'a> {
    source: &'a Source,
    target: &'a Target,
    keep: usize,
    limit: f64,
    /// What one hop more of one step along each source dimension costs.
    share: Vec<f64>,
    /// What every target dimension still has to take.
    room: Vec<usize>,
    /// Share of each source dimension in each target dimension, row by row.
    factors: Vec<usize>,
    /// Mean hops when a digit changes, row by row.
    hops: Vec<f64>,
    /// Source dimensions whose digits are stacked in each target dimension, finest first.
    stacks: Vec<Vec<usize>>,
    /// Hops and radices of one dimension, for sorting.
    digits: Vec<(f64, usize)>,
    found: Vec<Factorisation>,
    looked: usize,
}

impl FactorSearch<'_> {
    fn targets(&self) -> usize {
        self.room.len()
    }

    /// What a candidate must cost less than.
    fn threshold(&self) -> f64 {
        match self.found.last() {
            Some(last) if self.found.len() == self.keep => last.cost.min(self.limit),
            _ => self.limit,
        }
    }

    /// Chooses the factors of source dimension `i` from target dimension `j` on; `rest` is what is
    /// left of it.
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
            if self.looked > MOST {
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

    /// All ways to stack the digits of the factors chosen.
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

    /// Chooses who comes next, at `depth`, in the stack of target dimension `j`, and all above.
    fn stack(&mut self, j: usize, depth: usize) {
        if j == self.targets() {
            return self.keep();
        }
        let height = self.stacks[j].len();
        if depth + 1 >= height {
            // The last one has no choice, and one alone is the finest.
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

    /// Mean hops of all digits of a target dimension by their order.
    fn set_hops(&mut self, j: usize) {
        let targets = self.targets();
        let mut below = 1;
        for &i in &self.stacks[j] {
            let hops = one_step(self.target.axes[j], below) * self.target.stretch[j];
            self.hops[i * targets + j] = hops;
            below *= self.factors[i * targets + j];
        }
    }

    /// All digits of a target dimension as if each were the finest.
    fn set_finest(&mut self, j: usize) {
        let targets = self.targets();
        let finest = one_step(self.target.axes[j], 1) * self.target.stretch[j];
        for &i in &self.stacks[j] {
            self.hops[i * targets + j] = finest;
        }
    }

    /// Whether the least cost possible is good enough.
    fn is_worth_it(&mut self) -> bool {
        self.looked += 1;
        let threshold = self.threshold();
        let mut cost = 0.0;
        for i in 0..self.source.dims.len() {
            cost += self.share[i] * self.least_hops(i);
            if cost >= threshold {
                return false;
            }
        }
        self.looked <= MOST
    }

    /// Hops of all steps along a source dimension, the ends not joined: cheap digits change most
    /// often.
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

    /// Keeps what is chosen now, if it is among the best.
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

    /// The cheapest order of the digits of source dimension `i`, fastest first, and its hops.
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
        if order.len() > DIGITS_OF_RING {
            return (hops(&order), order);
        }
        let orders = permutations(&order).into_iter();
        orders
            .map(|order| (hops(&order), order))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or_default()
    }

    /// Mean hops from the first value of a digit to the last, over all values of the part below it,
    /// which is mirrored if the last value is odd.
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
        let apart = |low: usize| match radix.is_multiple_of(2) {
            true => radix * below - 1 - 2 * low,
            false => (radix - 1) * below,
        };
        let total: usize = (0..below).map(|low| axis.hops(apart(low))).sum();
        self.target.stretch[j] * total as f64 / below as f64
    }
}

/// Mean hops when a digit above `below` cells changes by one, those cells being mirrored: from
/// every place among them as far as to the border and back, 2 low + 1.
fn one_step(axis: Axis, below: usize) -> f64 {
    match axis {
        Axis::Path => below as f64,
        Axis::Ring(size) => {
            // Up to here the way across the border is no longer than the way round.
            let short = below.min((size + 2) / 4);
            let round = below - short;
            let lows = (below * (below - 1) - short * short.saturating_sub(1)) as f64;
            let total = (short * short) as f64 + (round * (size - 1)) as f64 - lows;
            total / below as f64
        }
        Axis::Level(_) | Axis::Cores => axis.hops(1) as f64,
    }
}

/// Hops of all steps along a source dimension with the given digit order: a digit changes once for
/// every value of the digits above it, radix - 1 times.
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

/// Hops from the last cell along a source dimension round to the first: the slowest digit goes from
/// end to end, and so do those below it as long as all radices above are odd. Even ones have turned
/// them back.
fn wrap_hops(row: &[usize], hops: &[f64], order: &[usize]) -> f64 {
    let slow_first: Vec<usize> = order.iter().rev().copied().collect();
    let odd = slow_first
        .iter()
        .take_while(|&&j| !row[j].is_multiple_of(2));
    let going_all_the_way = &slow_first[..slow_first.len().min(odd.count() + 1)];
    going_all_the_way.iter().map(|&j| hops[j]).sum()
}

/// Every order of the items, in lexicographic order of positions.
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
        for axis in (2..=17)
            .map(Axis::Ring)
            .chain([Axis::Path, Axis::Level(4), Axis::Cores])
        {
            let most = if let Axis::Ring(size) = axis {
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
