//! The three parts of a split: what each is worth, and what each takes for the distance of a pair.

use super::super::assignment::cheapest_assignment;
use super::instance::Instance;
use super::spectrum::{Spectrum, centred, lift_above};
use super::triples::Triple;

/// Eigenvalues of hops below this are rounding errors of 0.
const ZERO: f64 = 1e-9;

/// Costs of an assignment are scaled to this, so that they can be solved in whole numbers.
const LARGEST_COST: f64 = (1u64 << 50) as f64;

/// A split of the bytes between all pairs, in units.
#[derive(Clone)]
pub(super) struct Prices {
    /// The bytes that the star of a rank (row) has for another rank (column).
    pub(super) shares: Vec<f64>,
    /// The diagonal of the rest.
    pub(super) diagonal: Vec<f64>,
    pub(super) triples: Vec<Triple<f64>>,
    /// The price of every slot in the assignment of ranks to slots.
    pub(super) slots: Vec<f64>,
}

/// What a split is worth, and along which distances it can be improved.
pub(super) struct Estimate {
    pub(super) value: f64,
    /// The hops from a rank (row) to another one (column) in the star of the row.
    pub(super) star: Vec<f64>,
    /// The distances that the rest takes.
    pub(super) rest: Vec<f64>,
    /// The price of every slot.
    pub(super) slots: Vec<f64>,
}

/// The hops of a machine, prepared for splits.
pub(super) struct Parts<'a> {
    pub(super) instance: &'a Instance,
    /// Eigenvalues of the centred hops, ascending, without the one of the vector e.
    ascending: Vec<f64>,
}

impl Prices {
    /// All bytes in the rest.
    pub(super) fn new(slots: usize) -> Self {
        Self {
            shares: vec![0.0; slots * slots],
            diagonal: vec![0.0; slots],
            triples: Vec::new(),
            slots: vec![0.0; slots],
        }
    }

    /// What is left of the bytes for the rest.
    fn rest(&self, instance: &Instance) -> Vec<f64> {
        let slots = instance.slots;
        let mut rest: Vec<f64> = instance.units.iter().map(|&units| units as f64).collect();
        for a in 0..slots {
            for b in 0..slots {
                rest[a * slots + b] -= self.shares[a * slots + b] + self.shares[b * slots + a];
            }
            rest[a * slots + a] = self.diagonal[a];
        }
        for triple in &self.triples {
            for ([a, b], sign) in triple.signs() {
                rest[a * slots + b] -= sign as f64 * triple.price;
                rest[b * slots + a] -= sign as f64 * triple.price;
            }
        }
        rest
    }
}

impl<'a> Parts<'a> {
    pub(super) fn new(instance: &'a Instance) -> Option<Self> {
        let hops: Vec<f64> = instance.hops.iter().map(|&hops| hops as f64).collect();
        let lift = lift_above(&hops);
        let spectrum = Spectrum::of(centred(&hops, instance.slots, -lift))?;
        let others = spectrum.values[..instance.slots - 1].iter().rev();
        Some(Self {
            instance,
            ascending: others
                .map(|&value| if value.abs() < ZERO { 0.0 } else { value })
                .collect(),
        })
    }

    /// The worth of a split, without regard to rounding errors.
    pub(super) fn estimate(&self, prices: &Prices) -> Option<Estimate> {
        let instance = self.instance;
        let slots = instance.slots;
        let rest = prices.rest(instance);
        let spectrum = Spectrum::of(centred(&rest, slots, lift_above(&rest)))?;
        let sums: Vec<f64> = rest.chunks(slots).map(|row| row.iter().sum()).collect();
        let all: f64 = sums.iter().sum();
        let ranks = slots as f64;
        let mean = instance.row_sums.iter().sum::<i64>() as f64 / (ranks * ranks);
        let (costs, orders) = self.star_costs(&prices.shares, &sums);
        let (assigned, at, slot_prices) = assigned(instance, &costs);
        let products = spectrum.values[1..].iter().zip(&self.ascending);
        let product: f64 = products.map(|(rest, hops)| rest * hops).sum();
        let bonus: f64 = prices
            .triples
            .iter()
            .map(|triple| triple.price * triple.least(instance.perimeter) as f64)
            .sum();
        let mut star = vec![0.0; slots * slots];
        for (rank, order) in orders.iter().enumerate() {
            for (&other, &hops) in order.iter().zip(instance.nearest(at[rank])) {
                star[rank * slots + other as usize] = hops as f64;
            }
        }
        let row = |rank: usize| instance.row_sums[at[rank]] as f64 / ranks - mean / 2.0;
        let mut distances = self.seen_by_rest(&spectrum);
        for a in 0..slots {
            for b in 0..slots {
                distances[a * slots + b] += row(a) + row(b);
            }
        }
        Some(Estimate {
            value: assigned + (product - all * mean) / 2.0 + bonus,
            star,
            rest: distances,
            slots: slot_prices,
        })
    }

    /// What every rank costs in every centre: its star and its part of the rest. And for every
    /// rank, the others by descending share.
    fn star_costs(&self, shares: &[f64], sums: &[f64]) -> (Vec<Vec<f64>>, Vec<Vec<u32>>) {
        let instance = self.instance;
        let slots = instance.slots;
        let of_rank = |(rank, shares): (usize, &[f64])| {
            let mut order: Vec<u32> = (0..slots as u32)
                .filter(|&it| it as usize != rank)
                .collect();
            order.sort_by(|&a, &b| shares[b as usize].total_cmp(&shares[a as usize]));
            let sorted: Vec<f64> = order.iter().map(|&other| shares[other as usize]).collect();
            let cost = |slot: usize| {
                let pairs = sorted.iter().zip(instance.nearest(slot));
                let star: f64 = pairs.map(|(share, &hops)| share * hops as f64).sum();
                star + sums[rank] * instance.row_sums[slot] as f64 / slots as f64
            };
            (instance.centres().map(cost).collect(), order)
        };
        shares.chunks(slots).enumerate().map(of_rank).unzip()
    }

    /// The product of the eigenvectors of the rest with the eigenvalues of the hops: the distances
    /// for which the rest costs least, up to row sums.
    fn seen_by_rest(&self, spectrum: &Spectrum) -> Vec<f64> {
        let used: Vec<usize> = (0..self.ascending.len())
            .filter(|&k| self.ascending[k] != 0.0)
            .collect();
        let columns: Vec<usize> = used.iter().map(|&k| k + 1).collect();
        let vectors = spectrum.vectors.select_columns(&columns);
        let mut scaled = vectors.clone();
        for (mut column, &k) in scaled.column_iter_mut().zip(&used) {
            column *= self.ascending[k];
        }
        // The product is symmetric, so the order of its rows and columns does not matter.
        (scaled * vectors.transpose()).as_slice().to_vec()
    }
}

/// The cheapest assignment of ranks to slots: its cost, the slot of every rank, and the prices of
/// slots that prove it up to the scaling of costs.
fn assigned(instance: &Instance, costs: &[Vec<f64>]) -> (f64, Vec<usize>, Vec<f64>) {
    let slots = instance.slots;
    if instance.is_alike {
        let cost = costs.iter().map(|row| row[0]).sum();
        return (cost, vec![0; slots], vec![0.0; slots]);
    }
    let largest = costs
        .iter()
        .flatten()
        .fold(1.0, |most: f64, cost| most.max(cost.abs()));
    let scale = LARGEST_COST / largest / slots as f64;
    let whole: Vec<Vec<i64>> = costs
        .iter()
        .map(|row| row.iter().map(|cost| (cost * scale) as i64).collect())
        .collect();
    let found = cheapest_assignment(&whole);
    let cost = found
        .column_of
        .iter()
        .zip(costs)
        .map(|(&at, row)| row[at])
        .sum();
    let prices = found.prices.iter().map(|&price| price as f64 / scale);
    (cost, found.column_of, prices.collect())
}
