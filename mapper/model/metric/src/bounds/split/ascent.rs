//! The climb from split to split.

use super::instance::Instance;
use super::parts::{Estimate, Parts, Prices};
use super::triples::{Triple, broken};

/// The share of the last direction in the next one. Measured with a prototype on nug30 of QAPLIB,
/// 250 steps: bounds of 5808 with 0, 5816 with 0.5 and 5265 with 0.8.
const MOMENTUM: f64 = 0.5;

/// Triples join and leave every so many steps. Chosen by hand.
const STEPS_BETWEEN_TRIPLES: usize = 5;

/// After so many steps without a better split, steps become shorter by [`SHORTENED`]. Chosen by
/// hand.
const PATIENCE: usize = 12;
const SHORTENED: f64 = 0.7;

/// In a long climb, patience is one of so many parts of all steps. Measured with 3000 steps: nug30
/// of QAPLIB 5851 with a patience of 30, 5841 with 12; a part of fe_512 with 64 ranks on
/// torus:4x4x4 0.6 % higher.
const PARTS_OF_A_CLIMB: usize = 100;

/// The bound that steps aim at exceeds the best one by this share; and the stars alone, where those
/// are the best, by the other. Chosen by hand.
const AIM: f64 = 0.06;
const AIM_OVER_STARS: f64 = 0.33;

/// A climb under way.
pub(super) struct Ascent<'a> {
    parts: Parts<'a>,
    prices: Prices,
    /// The last direction.
    direction: Direction,
    /// The best split so far, and its worth.
    best: (f64, Prices),
    /// The worth of stars alone.
    stars: f64,
}

/// What a step adds to the prices, for each unit of its length.
struct Direction {
    shares: Vec<f64>,
    diagonal: Vec<f64>,
    /// As many as there are triples.
    triples: Vec<f64>,
}

impl<'a> Ascent<'a> {
    /// At the better of two splits: all bytes in the rest, or all in the stars.
    pub(super) fn new(instance: &'a Instance) -> Option<Self> {
        let parts = Parts::new(instance)?;
        let slots = instance.slots;
        let rest = Prices::new(slots);
        let mut stars = Prices::new(slots);
        stars.shares = instance
            .units
            .iter()
            .map(|&units| units as f64 / 2.0)
            .collect();
        let worth = parts.estimate(&stars)?;
        stars.slots = worth.slots;
        Some(Self {
            direction: Direction {
                shares: vec![0.0; slots * slots],
                diagonal: vec![0.0; slots],
                triples: Vec::new(),
            },
            best: (worth.value, stars),
            stars: worth.value,
            prices: rest,
            parts,
        })
    }

    /// The best split after so many steps. `None` where an eigenvalue cannot be found.
    pub(super) fn climbed(mut self, steps: usize) -> Option<Prices> {
        let patience = PATIENCE.max(steps / PARTS_OF_A_CLIMB);
        let (mut length, mut in_vain, mut highest) = (1.0, 0, f64::MIN);
        for step in 0..steps {
            let estimate = self.parts.estimate(&self.prices)?;
            self.prices.slots.clone_from(&estimate.slots);
            if estimate.value > highest {
                (highest, in_vain) = (estimate.value, 0);
            } else {
                in_vain += 1;
                if in_vain % patience == 0 {
                    length *= SHORTENED;
                }
            }
            if estimate.value > self.best.0 {
                self.best = (estimate.value, self.prices.clone());
            }
            if step % STEPS_BETWEEN_TRIPLES == 0 {
                self.renew_triples(&estimate);
            }
            let aim = (highest * (1.0 + AIM)).max(self.stars * (1.0 + AIM_OVER_STARS));
            self.turn(&estimate);
            self.go(length * (aim - estimate.value));
        }
        Some(self.best.1)
    }

    /// Drops the triples without a price, and adds those whose inequalities are broken.
    fn renew_triples(&mut self, estimate: &Estimate) {
        let priced: Vec<bool> = self
            .prices
            .triples
            .iter()
            .map(|it| it.price > 0.0)
            .collect();
        retain(&mut self.prices.triples, &priced);
        retain(&mut self.direction.triples, &priced);
        let instance = self.parts.instance;
        let known = self.prices.triples.iter().map(|it| (it.ranks, it.rule));
        let new: Vec<Triple<f64>> =
            broken(&estimate.rest, instance.slots, instance.perimeter, known);
        self.direction.triples.extend(new.iter().map(|_| 0.0));
        self.prices.triples.extend(new);
    }

    /// Turns the direction towards the supergradient.
    fn turn(&mut self, estimate: &Estimate) {
        let (slots, perimeter) = (self.parts.instance.slots, self.parts.instance.perimeter);
        let blend = |old: &mut f64, new: f64| *old = MOMENTUM * *old + (1.0 - MOMENTUM) * new;
        let direction = &mut self.direction;
        let hops = estimate.star.iter().zip(&estimate.rest);
        for (share, (star, rest)) in direction.shares.iter_mut().zip(hops) {
            blend(share, star - rest);
        }
        for rank in 0..slots {
            direction.shares[rank * slots + rank] = 0.0;
            blend(
                &mut direction.diagonal[rank],
                estimate.rest[rank * slots + rank] / 2.0,
            );
        }
        for (towards, triple) in direction.triples.iter_mut().zip(&self.prices.triples) {
            let by = triple.broken_by(&estimate.rest, slots, perimeter);
            // A price of 0 cannot fall.
            let is_stuck = triple.price <= 0.0 && by < 0.0;
            blend(towards, if is_stuck { 0.0 } else { by });
        }
    }

    /// Goes a step that would raise a linear worth by `rise`.
    fn go(&mut self, rise: f64) {
        let Direction {
            shares,
            diagonal,
            triples,
        } = &self.direction;
        let squares: f64 = shares
            .iter()
            .chain(diagonal)
            .chain(triples)
            .map(|x| x * x)
            .sum();
        if squares <= 0.0 {
            return;
        }
        let step = rise / squares;
        let along = |values: &mut [f64], direction: &[f64]| {
            values
                .iter_mut()
                .zip(direction)
                .for_each(|(value, towards)| *value += step * towards);
        };
        along(&mut self.prices.shares, shares);
        along(&mut self.prices.diagonal, diagonal);
        for (triple, towards) in self.prices.triples.iter_mut().zip(triples) {
            triple.price = (triple.price + step * towards).max(0.0);
        }
    }
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().is_none_or(|&kept| kept));
}
