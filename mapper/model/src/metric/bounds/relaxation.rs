//! Most bytes that can be between ranks near each other, relaxed to a linear program whose dual
//! certifies it.
//!
//! With y(u, v) = 1 if u and v are near each other and 0 if not, every placement satisfies
//!
//! * sum over v of y(u, v) <= room: there are no more slots near anybody,
//! * y(u, v) + y(v, w) - y(u, w) <= 1 where nearness is [transitive](Rule::Transitive),
//! * y(u, v) + y(v, w) + y(u, w) <= 2 where [no three](Rule::NoTriangle) are near each other.
//!
//! For any prices z(u) >= 0 and t(u, v, w) >= 0 of these constraints, the bytes between near ranks
//! are at most
//!
//! ```text
//! room * sum z + right-hand sides * t + sum over pairs of max(0, bytes - prices of the pair in its constraints)
//! ```
//!
//! by weak duality, whatever made the prices. They are made by the primal-dual hybrid gradient
//! method of Chambolle and Pock (2011) with the diagonal steps of Pock and Chambolle (2011), alpha
//! = 1. The transitive case is that of the linear programs for graph partitioning of Grötschel and
//! Wakabayashi (1989).

/// Two ranks and the bytes between them, both ways; 0 where the pair only stands in constraints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) ends: [u32; 2],
    pub(super) bytes: f64,
}

/// The numbers of the pairs (u, v), (v, w) and (u, w).
pub(super) type Triple = [u32; 3];

/// What holds for three ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// If u is near v and v near w, so is u near w.
    Transitive,
    /// One pair at least is not near.
    NoTriangle,
}

/// Rounding of the sums is far below this share of the value.
const ROUNDING: f64 = 1e-9;

/// The linear program.
pub(super) struct Relaxation<'a> {
    pub(super) ranks: usize,
    /// Most others near a rank.
    pub(super) room: f64,
    pub(super) pairs: &'a [Pair],
    pub(super) triples: &'a [Triple],
    pub(super) rule: Rule,
}

impl Relaxation<'_> {
    /// Bytes that no placement exceeds: the least value of the dual met in so many rounds.
    pub(super) fn most_bytes(&self, rounds: usize) -> f64 {
        let all: f64 = self.pairs.iter().map(|pair| pair.bytes).sum();
        if all <= 0.0 {
            return 0.0;
        }
        // Prices are in units of the mean pair.
        let unit = all / self.pairs.iter().filter(|pair| pair.bytes > 0.0).count() as f64;
        let (third, right) = match self.rule {
            Rule::Transitive => (-1.0, 1.0),
            Rule::NoTriangle => (1.0, 2.0),
        };
        let (step_of_pair, step_of_rank) = self.steps();
        let mut near = vec![0.0; self.pairs.len()];
        let mut rank_price = vec![0.0; self.ranks];
        let mut triple_price = vec![0.0; self.triples.len()];
        let mut gain = vec![0.0; self.pairs.len()];
        let mut taken = vec![0.0; self.ranks];
        let mut least = f64::INFINITY;
        for _ in 0..rounds {
            let mut value = self.room * rank_price.iter().sum::<f64>();
            for (gain, pair) in gain.iter_mut().zip(self.pairs) {
                let [u, v] = pair.ends.map(|end| rank_price[end as usize]);
                *gain = pair.bytes / unit - u - v;
            }
            for (&[a, b, c], price) in self.triples.iter().zip(&triple_price) {
                gain[a as usize] -= price;
                gain[b as usize] -= price;
                gain[c as usize] -= third * price;
                value += right * price;
            }
            value += gain.iter().map(|gain| gain.max(0.0)).sum::<f64>();
            least = least.min(value);

            taken.fill(-self.room);
            let pairs = self.pairs.iter().zip(&step_of_pair);
            for ((near, ahead), (pair, step)) in near.iter_mut().zip(&mut gain).zip(pairs) {
                let next = (*near + step * *ahead).clamp(0.0, 1.0);
                *ahead = 2.0 * next - *near;
                *near = next;
                for end in pair.ends {
                    taken[end as usize] += *ahead;
                }
            }
            let ahead = &gain;
            for ((price, taken), step) in rank_price.iter_mut().zip(&taken).zip(&step_of_rank) {
                *price = f64::max(0.0, *price + step * taken);
            }
            for (price, &[a, b, c]) in triple_price.iter_mut().zip(self.triples) {
                let sum = ahead[a as usize] + ahead[b as usize] + third * ahead[c as usize];
                *price = f64::max(0.0, *price + (sum - right) / 3.0);
            }
        }
        (least * unit * (1.0 + ROUNDING)).min(all)
    }

    /// The steps of pairs and of ranks: one over the number of constraints a pair is in, of pairs a
    /// rank is in.
    fn steps(&self) -> (Vec<f64>, Vec<f64>) {
        let mut constraints = vec![2.0; self.pairs.len()];
        for pair in self.triples.iter().flatten() {
            constraints[*pair as usize] += 1.0;
        }
        let mut pairs = vec![1e-9; self.ranks];
        for end in self.pairs.iter().flat_map(|pair| pair.ends) {
            pairs[end as usize] += 1.0;
        }
        let inverse = |counts: Vec<f64>| counts.into_iter().map(|count: f64| 1.0 / count).collect();
        (inverse(constraints), inverse(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The complete graph of four ranks, one byte a pair.
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
        // A third of the pairs of every triangle is not near; a rank has room for two.
        assert!((four(Rule::NoTriangle, 3.0) - 4.0).abs() < 0.05);
        assert!((four(Rule::Transitive, 3.0) - 6.0).abs() < 0.05);
        assert!((four(Rule::Transitive, 1.0) - 2.0).abs() < 0.05);
    }
}
