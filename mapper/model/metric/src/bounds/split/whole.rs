//! A split in whole units, and the hop-bytes that it proves.

use super::instance::Instance;
use super::parts::Prices;
use super::spectrum::{Spectrum, centred, centring_error, lift_above};
use super::triples::Triple;

/// Entries of the rest beyond this could not be added up exactly.
const LARGEST: f64 = (1u64 << 48) as f64;

/// Sums of products of eigenvalues are off by less than this share of the sum of their sizes.
const ROUNDING: f64 = 1e-12;

/// A split of the bytes between all pairs of ranks, in whole units. Ranks and slots have the same
/// number; the last ranks stand for free slots.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WholeSplit {
    /// A byte is 2 to this power units. If it is negative, bytes are rounded down to units.
    pub(super) unit: i32,
    /// The units that the star of a rank (row) has for another rank (column); row-major.
    pub(super) shares: Vec<i64>,
    /// The diagonal of the rest.
    pub(super) diagonal: Vec<i64>,
    /// Triples with their prices.
    pub(super) triples: Vec<Triple<i64>>,
    /// The price of every slot in the assignment, times twice the squared number of slots.
    pub(super) slots: Vec<i128>,
}

impl WholeSplit {
    /// The split rounded to whole units. `None` where numbers are too large.
    pub(super) fn rounded(instance: &Instance, prices: &Prices) -> Option<Self> {
        let fits = |values: &[f64]| values.iter().all(|value| value.abs() < LARGEST);
        if !fits(&prices.shares) || !fits(&prices.diagonal) {
            return None;
        }
        let whole = |values: &[f64]| values.iter().map(|value| value.round() as i64).collect();
        let triples = prices.triples.iter().filter(|triple| triple.price >= 1.0);
        let square = (instance.slots * instance.slots) as f64;
        Some(Self {
            unit: instance.unit,
            shares: whole(&prices.shares),
            diagonal: whole(&prices.diagonal),
            triples: triples
                .map(|triple| Triple {
                    ranks: triple.ranks,
                    rule: triple.rule,
                    price: triple.price as i64,
                })
                .collect(),
            slots: prices
                .slots
                .iter()
                .map(|price| (2.0 * square * price) as i128)
                .collect(),
        })
    }

    /// What is left of the bytes for the rest.
    pub(super) fn rest(&self, instance: &Instance) -> Vec<i64> {
        let slots = instance.slots;
        let mut rest = instance.units.clone();
        for a in 0..slots {
            for b in 0..slots {
                rest[a * slots + b] -= self.shares[a * slots + b] + self.shares[b * slots + a];
            }
            rest[a * slots + a] = self.diagonal[a];
        }
        for triple in &self.triples {
            for ([a, b], sign) in triple.signs() {
                rest[a * slots + b] -= sign * triple.price;
                rest[b * slots + a] -= sign * triple.price;
            }
        }
        rest
    }

    /// The hop-bytes that no placement is below by this split. `None` where an eigenvalue cannot be
    /// found.
    pub(super) fn hop_bytes(&self, instance: &Instance) -> Option<u128> {
        let rest = self.rest(instance);
        let slots = instance.slots as i128;
        let all: i128 = rest.iter().map(|&units| i128::from(units)).sum();
        let hops: i128 = instance.row_sums.iter().map(|&sum| i128::from(sum)).sum();
        let bonus: i128 = self
            .triples
            .iter()
            .map(|it| i128::from(it.price) * i128::from(it.least(instance.perimeter)))
            .sum();
        // All times twice the squared number of slots.
        let square = slots * slots;
        let exact = self.assigned(instance, &rest) - all * hops + 2 * square * bonus;
        let product = least_product(instance, &rest)?;
        let value = (exact as f64 - ROUNDING * (exact as f64).abs()) / square as f64 + product;
        let bytes = value / 2.0 / 2f64.powi(self.unit);
        // The last sum and divisions are rounded, too.
        Some((bytes - ROUNDING * bytes.abs() - 1e-3).ceil().max(0.0) as u128)
    }

    /// What the assignment of ranks to slots costs at least, times twice the squared number of
    /// slots: the prices of all slots, and for every rank its least cost beyond a slot's price.
    fn assigned(&self, instance: &Instance, rest: &[i64]) -> i128 {
        let slots = instance.slots;
        let square = (slots * slots) as i128;
        let of_rank = |rank: usize| {
            let mut shares = self.shares[rank * slots..][..slots].to_vec();
            shares.remove(rank);
            shares.sort_unstable_by(|a, b| b.cmp(a));
            let row = rest[rank * slots..][..slots].iter();
            let sum: i128 = row.map(|&units| i128::from(units)).sum();
            let cost = |slot: usize| {
                let pairs = shares.iter().zip(instance.nearest(slot));
                let star: i128 = pairs
                    .map(|(&share, &hops)| i128::from(share) * i128::from(hops))
                    .sum();
                let moved = sum * i128::from(instance.row_sums[slot]);
                2 * square * star + 2 * slots as i128 * moved
            };
            if instance.is_alike {
                let dearest = self.slots.iter().max().copied().unwrap_or(0);
                return cost(0) - dearest;
            }
            let beyond = (0..slots).map(|slot| cost(slot) - self.slots[slot]);
            beyond.min().unwrap_or(0)
        };
        let of_slots: i128 = self.slots.iter().sum();
        of_slots + (0..slots).map(of_rank).sum::<i128>()
    }
}

/// A number that the sum of products of the eigenvalues of rest and hops, both centred, is not
/// below, in the order in which it is least.
fn least_product(instance: &Instance, rest: &[i64]) -> Option<f64> {
    let slots = instance.slots;
    let spectrum = |matrix: &[i64], sign: f64| {
        let matrix: Vec<f64> = matrix.iter().map(|&entry| entry as f64).collect();
        let lift = sign * lift_above(&matrix);
        let centred = centred(&matrix, slots, lift);
        let error = centring_error(&matrix, slots, lift);
        let spectrum = Spectrum::of(centred.clone())?;
        let error = spectrum.error(&centred, error);
        Some((spectrum.values, error, lift))
    };
    let (rest, rest_error, rest_lift) = spectrum(rest, 1.0)?;
    let (hops, hops_error, hops_lift) = spectrum(&instance.hops, -1.0)?;
    let (mut sum, mut size, mut error) = (0.0, 0.0, 0.0);
    for (&one, &other) in rest.iter().zip(hops.iter().rev()) {
        let (off_one, off_other) = (rest_error.of(one), hops_error.of(other));
        sum += one * other;
        size += (one * other).abs();
        error += off_one * other.abs() + one.abs() * off_other + off_one * off_other;
    }
    // The vector e has the lifts for eigenvalues, and their product is none of the rest's.
    let lifts = rest_lift * hops_lift;
    Some(sum - lifts - ROUNDING * (size + lifts.abs()) - error * (1.0 + 1e-6))
}
