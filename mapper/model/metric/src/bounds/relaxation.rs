//! An upper bound on the bytes between ranks that are near each other, by a linear program.
//!
//! Let y(u, v) be 1 if u and v are near each other, and 0 otherwise. Every placement satisfies:
//!
//! * sum over v of y(u, v) <= room, since no more slots are near any rank,
//! * y(u, v) + y(v, w) - y(u, w) <= 1 where nearness is [transitive](Rule::Transitive),
//! * y(u, v) + y(v, w) + y(u, w) <= 2 where [no three](Rule::NoTriangle) ranks are pairwise near.
//!
//! For any prices z(u) >= 0 and t(u, v, w) >= 0 of these constraints, weak duality says that the
//! bytes between near ranks are at most
//!
//! ```text
//! room * sum z + sum (right-hand side * t)
//!   + sum over pairs of max(0, bytes - prices of the constraints that contain the pair)
//! ```
//!
//! The bound holds whatever prices are used, so the method that finds them need not be exact. Here
//! it is the primal-dual hybrid gradient method (Chambolle & Pock, J. Math. Imaging Vision 40,
//! 2011) with the diagonal step sizes of Pock & Chambolle (ICCV 2011), alpha = 1. It begins with
//! all partners near each other. Where nearness is transitive, the linear program is that of
//! Grötschel & Wakabayashi (1989) for clustering. Cost: O(pairs + triples) for each round.

/// Two ranks and the bytes of both directions between them; 0 for a pair that only occurs in
/// constraints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) ends: [u32; 2],
    pub(super) bytes: f64,
}

/// Indices of the pairs (u, v), (v, w) and (u, w).
pub(super) type Triple = [u32; 3];

/// A constraint on three ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// If u is near v and v is near w, then u is near w.
    Transitive,
    /// At least one of the three pairs is not near.
    NoTriangle,
}

/// Relative allowance for the rounding errors of the sums, which are far smaller.
const ROUNDING: f64 = 1e-9;

/// Steps of nearness are so many times longer than the diagonal ones, and steps of prices so many
/// times shorter. Measured with a prototype on `rgg_1024`, `fe_1024` and `nlpkkt_1024` in groups of
/// 8 and 16: after 50 rounds, 8 reaches more than 1 after 100 to 160; 4 and 16 reach less than 8.
const LONGER: f64 = 8.0;

/// The linear program.
pub(super) struct Relaxation<'a> {
    pub(super) ranks: usize,
    /// Most other ranks that can be near a rank.
    pub(super) room: f64,
    pub(super) pairs: &'a [Pair],
    pub(super) triples: &'a [Triple],
    pub(super) rule: Rule,
}

impl Relaxation<'_> {
    /// A number of bytes that no placement exceeds: the lowest dual value found in `rounds` rounds.
    pub(super) fn most_bytes(&self, rounds: usize) -> f64 {
        let all: f64 = self.pairs.iter().map(|pair| pair.bytes).sum();
        if all <= 0.0 {
            return 0.0;
        }
        // Prices are in units of the mean bytes of a pair.
        let unit = all / self.pairs.iter().filter(|pair| pair.bytes > 0.0).count() as f64;
        let (third, right) = match self.rule {
            Rule::Transitive => (-1.0, 1.0),
            Rule::NoTriangle => (1.0, 2.0),
        };
        let (step_of_pair, step_of_rank) = self.steps();
        let bytes: Vec<f64> = self.pairs.iter().map(|pair| pair.bytes / unit).collect();
        let mut near: Vec<f64> = bytes.iter().map(|&it| f64::from(it > 0.0)).collect();
        let mut rank_price = vec![0.0; self.ranks];
        let mut triple_price = vec![0.0; self.triples.len()];
        let mut gain = bytes.clone();
        let step_of_triple = 1.0 / (3.0 * LONGER);
        let mut ahead = vec![0.0; self.pairs.len()];
        let mut taken = vec![0.0; self.ranks];
        let (mut value, mut least) = (0.0, f64::INFINITY);
        for _ in 0..rounds {
            value += gain.iter().map(|gain| gain.max(0.0)).sum::<f64>();
            least = f64::min(least, value);

            taken.fill(-self.room);
            let pairs = self.pairs.iter().zip(gain.iter().zip(&step_of_pair));
            for ((near, ahead), (pair, (gain, step))) in near.iter_mut().zip(&mut ahead).zip(pairs)
            {
                let next = (*near + step * gain).clamp(0.0, 1.0);
                *ahead = 2.0 * next - *near;
                *near = next;
                for end in pair.ends {
                    taken[end as usize] += *ahead;
                }
            }
            for ((price, taken), step) in rank_price.iter_mut().zip(&taken).zip(&step_of_rank) {
                *price = f64::max(0.0, *price + step * taken);
            }
            value = self.room * rank_price.iter().sum::<f64>();
            for ((gain, bytes), pair) in gain.iter_mut().zip(&bytes).zip(self.pairs) {
                let [u, v] = pair.ends.map(|end| rank_price[end as usize]);
                *gain = bytes - u - v;
            }
            for (price, &[a, b, c]) in triple_price.iter_mut().zip(self.triples) {
                let [a, b, c] = [a, b, c].map(|pair| pair as usize);
                let sum = ahead[a] + ahead[b] + third * ahead[c];
                *price = f64::max(0.0, *price + (sum - right) * step_of_triple);
                gain[a] -= *price;
                gain[b] -= *price;
                gain[c] -= third * *price;
                value += right * *price;
            }
        }
        (least * unit * (1.0 + ROUNDING)).min(all)
    }

    /// Step sizes of pairs and of ranks. The step of a pair is [`LONGER`] divided by the number of
    /// constraints that contain the pair. The step of a rank is one divided by the product of
    /// [`LONGER`] and the number of pairs that contain the rank.
    fn steps(&self) -> (Vec<f64>, Vec<f64>) {
        let mut constraints = vec![2.0; self.pairs.len()];
        for pair in self.triples.iter().flatten() {
            constraints[*pair as usize] += 1.0;
        }
        let mut pairs = vec![1e-9; self.ranks];
        for end in self.pairs.iter().flat_map(|pair| pair.ends) {
            pairs[end as usize] += 1.0;
        }
        let steps = |length: f64, counts: Vec<f64>| -> Vec<f64> {
            counts.into_iter().map(|count| length / count).collect()
        };
        (steps(LONGER, constraints), steps(1.0 / LONGER, pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves the complete graph of four ranks with one byte a pair.
    fn four(rule: Rule, room: f64) -> f64 {
        let ends = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let pairs = ends.map(|ends| Pair { ends, bytes: 1.0 });
        let triangles = [[0, 3, 1], [0, 4, 2], [1, 5, 2], [3, 5, 4]];
        let turns = |[a, b, c]: Triple| [[a, b, c], [b, c, a], [c, a, b]];
        let triples: Vec<Triple> = triangles.into_iter().flat_map(turns).collect();
        let relaxation = Relaxation {
            ranks: 4,
            room,
            pairs: &pairs,
            triples: &triples,
            rule,
        };
        relaxation.most_bytes(500)
    }

    #[test]
    fn the_values_are_those_of_the_linear_program() {
        // One of the three pairs of every triangle is not near; a rank has room for two others.
        assert!((four(Rule::NoTriangle, 3.0) - 4.0).abs() < 0.05);
        assert!((four(Rule::Transitive, 3.0) - 6.0).abs() < 0.05);
        assert!((four(Rule::Transitive, 1.0) - 2.0).abs() < 0.05);
    }
}
