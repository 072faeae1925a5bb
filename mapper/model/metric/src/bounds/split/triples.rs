//! Inequalities among the distances of three ranks.

use std::collections::HashSet;

/// A triple joins if its inequality is broken by more than this many hops. Chosen by hand; not
/// measured.
const BROKEN: f64 = 0.3;

/// The most triples that join at a time, for each slot and rule. Chosen by hand; not measured.
const NEW_A_SLOT: usize = 6;

/// What holds for three ranks a, b, c in every placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TripleRule {
    /// The way from a by b to c is no shorter than the way from a to c.
    Detour,
    /// The three distances add up to the least perimeter at least.
    Perimeter,
}

/// Three ranks, and the price of their inequality.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triple<Price> {
    /// The ranks a, b and c, or free slots from the number of ranks on.
    pub ranks: [u32; 3],
    /// The inequality.
    pub rule: TripleRule,
    /// The price, at least 0.
    pub price: Price,
}

impl<Price> Triple<Price> {
    /// The pairs, each with the sign of its distance in the inequality.
    pub(super) fn signs(&self) -> [([usize; 2], i64); 3] {
        let [a, b, c] = self.ranks.map(|rank| rank as usize);
        let third = match self.rule {
            TripleRule::Detour => -1,
            TripleRule::Perimeter => 1,
        };
        [([a, b], 1), ([b, c], 1), ([a, c], third)]
    }

    /// The right-hand side of the inequality, given the least perimeter of three slots.
    pub(super) fn least(&self, perimeter: i64) -> i64 {
        match self.rule {
            TripleRule::Detour => 0,
            TripleRule::Perimeter => perimeter,
        }
    }

    /// By how much distances break the inequality.
    pub(super) fn broken_by(&self, distances: &[f64], slots: usize, perimeter: i64) -> f64 {
        let sum: f64 = self
            .signs()
            .map(|([a, b], sign)| sign as f64 * distances[a * slots + b])
            .iter()
            .sum();
        self.least(perimeter) as f64 - sum
    }
}

/// The triples whose inequalities the distances break most, without those in `known`.
pub(super) fn broken(
    distances: &[f64],
    slots: usize,
    perimeter: i64,
    known: impl Iterator<Item = ([u32; 3], TripleRule)>,
) -> Vec<Triple<f64>> {
    let known: HashSet<([u32; 3], TripleRule)> = known.collect();
    let mut found: [Vec<(f64, Triple<f64>)>; 2] = Default::default();
    for a in 0..slots {
        let from_a = &distances[a * slots..][..slots];
        for b in a + 1..slots {
            let from_b = &distances[b * slots..][..slots];
            let ab = from_a[b];
            for c in b + 1..slots {
                let (bc, ac) = (from_b[c], from_a[c]);
                let sum = ab + bc + ac;
                let longest = ab.max(bc).max(ac);
                let short = perimeter as f64 - sum;
                if short > BROKEN {
                    found[0].push((short, triple([a, b, c], TripleRule::Perimeter)));
                }
                let lacking = 2.0 * longest - sum;
                if lacking > BROKEN {
                    let order = if longest == ac {
                        [a, b, c]
                    } else if longest == ab {
                        [a, c, b]
                    } else {
                        [b, a, c]
                    };
                    found[1].push((lacking, triple(order, TripleRule::Detour)));
                }
            }
        }
    }
    let chosen = found.into_iter().flat_map(|mut found| {
        found.retain(|(_, triple)| !known.contains(&(triple.ranks, triple.rule)));
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        found.truncate(NEW_A_SLOT * slots);
        found
    });
    chosen.map(|(_, triple)| triple).collect()
}

fn triple(ranks: [usize; 3], rule: TripleRule) -> Triple<f64> {
    Triple {
        ranks: ranks.map(|rank| rank as u32),
        rule,
        price: 0.0,
    }
}
