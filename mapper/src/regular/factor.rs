//! Factorisations of one grid onto another, ranked in closed form.
//!
//! Every source dimension is written as a product with one factor for each target dimension; the factors
//! that land in a target dimension multiply to its size. A source coordinate becomes reflected digits, one
//! per factor; a target coordinate is its digits stacked fine to coarse, reflected again. One step along a
//! source dimension then changes one digit by one. In the finest digit of a target dimension that is one
//! hop; in a digit above `s` cells it is 1, 3, .. or 2s - 1 hops, each equally often.
//!
//! Grids have been embedded by reflected Gray codes since Chan and Saad, "Multigrid algorithms on the
//! hypercube multiprocessor", 1986; mixed radices, boxes, cores, levels and the ranking are ours.

use super::digits;
use super::maps::{IndexMap, dot, for_each_cell, strides};
use super::target::{Axis, Target};
use crate::pattern::Stencil;

/// Factorisations looked at per target. All of them, up to 3D grids of a million ranks.
const MOST: usize = 50_000;

/// A grid as the closed form sees it.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Size of every dimension.
    pub(super) dims: Vec<usize>,
    /// Bytes that go one step along each dimension.
    pub(super) weights: Vec<f64>,
    /// Whether the two ends of a dimension talk.
    pub(super) periodic: Vec<bool>,
}

impl Source {
    /// The grid of a stencil; an offset of several steps weighs on each of its dimensions.
    pub(super) fn of(stencil: &Stencil) -> Self {
        let steps = |dim: usize| {
            let bytes = stencil.offsets.iter().map(|offset| {
                f64::from(offset.steps[dim].abs()) * (offset.forward + offset.backward) as f64
            });
            bytes.sum()
        };
        Self {
            weights: (0..stencil.dims.len()).map(steps).collect(),
            dims: stencil.dims.clone(),
            periodic: stencil.periodic.clone(),
        }
    }
}

/// One way to lay the source grid into the target.
#[derive(Clone, Debug)]
pub(super) struct Factorisation {
    /// `factors[i][j]`: share of source dimension `i` in target dimension `j`.
    factors: Vec<Vec<usize>>,
    /// For every source dimension, the target dimensions of its digits, fastest first.
    fast_first: Vec<Vec<usize>>,
    /// For every target dimension, the source dimensions of its digits, finest first.
    fine_first: Vec<Vec<usize>>,
    /// Expected hop-bytes under the closed form, by the weights of [`best`].
    pub(super) cost: f64,
}

impl Factorisation {
    /// Where every cell goes.
    pub(super) fn map(&self) -> IndexMap {
        let from: Vec<usize> = self.factors.iter().map(|f| f.iter().product()).collect();
        let targets = self.fine_first.len();
        let to: Vec<usize> = (0..targets)
            .map(|j| self.factors.iter().map(|row| row[j]).product())
            .collect();
        let digits: Vec<Vec<usize>> = (0..from.len()).map(|i| self.digits(i, from[i])).collect();
        let strides = strides(&to);
        let mut image = Vec::with_capacity(from.iter().product());
        let mut cell = vec![0; targets];
        for_each_cell(&from, |at| {
            for (j, c) in cell.iter_mut().enumerate() {
                let order = self.fine_first[j].iter();
                *c = digits::stack(
                    order.map(|&i| (digits[i][at[i] * targets + j], self.factors[i][j])),
                );
            }
            image.push(dot(&cell, &strides) as u32);
        });
        IndexMap::new(from, to, image)
    }

    /// Digits of every coordinate along source dimension `i`, a row of one for each target dimension.
    fn digits(&self, i: usize, size: usize) -> Vec<usize> {
        let targets = self.fine_first.len();
        let mut table = vec![0; size * targets];
        for (value, row) in table.chunks_exact_mut(targets).enumerate() {
            let order = &self.fast_first[i];
            let radices = order.iter().map(|&j| self.factors[i][j]);
            for (digit, &j) in digits::split(value, radices).zip(order) {
                row[j] = digit;
            }
        }
        table
    }

    /// `16 = 8 along 0 x 2 along 1, ..`: every source dimension with its factors, the fast one first.
    pub(super) fn describe(&self) -> String {
        let dims = self.factors.iter().zip(&self.fast_first);
        dims.map(|(factors, order)| {
            let size: usize = factors.iter().product();
            let parts: Vec<String> = order
                .iter()
                .map(|&j| format!("{} along {}", factors[j], j))
                .collect();
            format!("{size} = {}", parts.join(" x "))
        })
        .collect::<Vec<_>>()
        .join(", ")
    }
}

/// The `keep` best factorisations of a grid onto `target`, best first; none if no factors fit.
pub(super) fn best(source: &Source, target: &Target, keep: usize) -> Vec<Factorisation> {
    let mut matrices = Vec::new();
    collect_matrices(
        &source.dims,
        &mut target.sizes.clone(),
        &mut Vec::new(),
        &mut matrices,
    );
    let mut found: Vec<Factorisation> = Vec::new();
    for factors in matrices {
        for fine_first in stackings(&factors, target.sizes.len()) {
            let candidate = ordered(&factors, fine_first, source, target);
            let at = found.partition_point(|f| f.cost <= candidate.cost);
            if at < keep {
                found.insert(at, candidate);
                found.truncate(keep);
            }
        }
    }
    found
}

/// Every factor matrix, row by row; `room[j]` is what target dimension `j` still has to take.
fn collect_matrices(
    dims: &[usize],
    room: &mut [usize],
    rows: &mut Vec<Vec<usize>>,
    found: &mut Vec<Vec<Vec<usize>>>,
) {
    if found.len() >= MOST {
        return;
    }
    let Some((&size, rest)) = dims.split_first() else {
        if room.iter().all(|&r| r == 1) {
            found.push(rows.clone());
        }
        return;
    };
    for row in divisor_rows(size, room) {
        room.iter_mut().zip(&row).for_each(|(r, f)| *r /= f);
        rows.push(row);
        collect_matrices(rest, room, rows, found);
        let row = rows.pop().unwrap_or_default();
        room.iter_mut().zip(&row).for_each(|(r, f)| *r *= f);
    }
}

/// Every way to write `size` as a product of divisors of the rooms.
fn divisor_rows(size: usize, room: &[usize]) -> Vec<Vec<usize>> {
    let Some((&first, rest)) = room.split_first() else {
        return if size == 1 {
            vec![Vec::new()]
        } else {
            Vec::new()
        };
    };
    (1..=size.min(first))
        .filter(|f| size.is_multiple_of(*f) && first.is_multiple_of(*f))
        .flat_map(|f| {
            divisor_rows(size / f, rest)
                .into_iter()
                .map(move |tail| [&[f], &tail[..]].concat())
        })
        .collect()
}

/// Every combination of stacking orders, one order per target dimension.
fn stackings(factors: &[Vec<usize>], targets: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all = vec![Vec::new()];
    for j in 0..targets {
        let sources: Vec<usize> = (0..factors.len()).filter(|&i| factors[i][j] > 1).collect();
        let orders = permutations(&sources);
        all = all
            .iter()
            .flat_map(|done: &Vec<Vec<usize>>| {
                orders
                    .iter()
                    .map(move |order| [&done[..], std::slice::from_ref(order)].concat())
            })
            .collect();
    }
    all
}

/// Given the stacking, the digit orders of the source dimensions are independent: the best of each.
fn ordered(
    factors: &[Vec<usize>],
    fine_first: Vec<Vec<usize>>,
    source: &Source,
    target: &Target,
) -> Factorisation {
    let mut cost = 0.0;
    let fast_first = (0..factors.len())
        .map(|i| {
            let row = &factors[i];
            let mean = |apart: Apart| -> Vec<f64> {
                let hops = |j: usize| {
                    let hops = digit_hops(factors, &fine_first[j], (i, j), target.axes[j], apart);
                    hops * target.stretch[j]
                };
                (0..row.len()).map(hops).collect()
            };
            let (step, jump) = (mean(one_step), mean(end_to_end));
            let digits: Vec<usize> = (0..row.len()).filter(|&j| row[j] > 1).collect();
            let orders = permutations(&digits).into_iter();
            let (steps, order) = orders
                .map(|order| {
                    let mut hops = steps_hops(row, &step, &order);
                    if source.periodic[i] {
                        hops += wrap_hops(row, &jump, &order);
                    }
                    (hops, order)
                })
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap_or_default();
            let open = usize::from(!source.periodic[i]);
            let size = row.iter().product::<usize>();
            cost += source.weights[i] * steps / size.saturating_sub(open).max(1) as f64;
            order
        })
        .collect();
    Factorisation {
        factors: factors.to_vec(),
        fast_first,
        fine_first,
        cost,
    }
}

/// How far apart two values of a digit lie, by its radix, the size of the part below and that part's value.
type Apart = fn(usize, usize, usize) -> usize;

/// Mean hops when source dimension `i`'s digit of target dimension `j` changes, over all values of the part
/// below it.
fn digit_hops(
    factors: &[Vec<usize>],
    fine_first: &[usize],
    (i, j): (usize, usize),
    axis: Axis,
    apart: Apart,
) -> f64 {
    let Some(position) = fine_first.iter().position(|&other| other == i) else {
        return 0.0;
    };
    let below: usize = fine_first[..position]
        .iter()
        .map(|&other| factors[other][j])
        .product();
    let radix = factors[i][j];
    let total: usize = (0..below)
        .map(|low| axis.hops(apart(radix, below, low)))
        .sum();
    total as f64 / below as f64
}

/// From one value of a digit to the next, the part below being mirrored.
fn one_step(_: usize, _: usize, low: usize) -> usize {
    2 * low + 1
}

/// From the first value of a digit to the last, which is mirrored if it is odd.
fn end_to_end(radix: usize, below: usize, low: usize) -> usize {
    if radix.is_multiple_of(2) {
        radix * below - 1 - 2 * low
    } else {
        (radix - 1) * below
    }
}

/// Hops of all steps along a source dimension with the given digit order: a digit changes once for every
/// value of the digits above it, radix - 1 times.
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

/// Hops from the last cell along a source dimension round to the first: the slowest digit goes from end to
/// end, and so do those below it as long as all radices above are odd. Even ones have turned them back.
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
