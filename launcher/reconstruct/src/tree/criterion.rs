//! Scores the levels of a tree: how well they explain the latencies, against the number of free
//! parameters.

use super::{Groups, count};
use crate::Latencies;
use crate::centre::median;

/// Scores levels by the logarithms of latencies.
pub(super) struct Criterion<'a> {
    logarithms: &'a Latencies,
}

/// The score of some levels.
pub(super) struct Score {
    /// The information criterion; lower is better.
    pub(super) value: f64,
    /// Whether the median latency falls from each level to the next finer one.
    pub(super) falls: bool,
}

impl<'a> Criterion<'a> {
    pub(super) fn new(logarithms: &'a Latencies) -> Self {
        Self { logarithms }
    }

    /// Scores levels by the criterion of Schwarz, "Estimating the dimension of a model" (Annals of
    /// Statistics 6, 1978): the logarithm of the residual variance, times the number of pairs, plus
    /// a penalty. The penalty of a level is the information in the choice of a group for each host,
    /// or for each group of the next finer level, instead of the number of parameters of the paper.
    pub(super) fn score(&self, levels: &[Groups]) -> Score {
        let n = self.logarithms.nrows();
        let mut of_level = vec![Vec::new(); levels.len() + 1];
        for i in 0..n {
            for j in i + 1..n {
                let level = levels
                    .iter()
                    .filter(|groups| groups[i] == groups[j])
                    .count();
                of_level[level].push(self.logarithms[(i, j)]);
            }
        }
        let medians: Vec<f64> = of_level.iter().map(|of| median(of.clone())).collect();
        let squares = of_level
            .iter()
            .zip(&medians)
            .flat_map(|(of, median)| of.iter().map(move |value| (value - median).powi(2)));
        let pairs = (n * (n - 1) / 2) as f64;
        let residual = squares.sum::<f64>().max(1e-12 * pairs);
        let choice = |hosts: usize, groups: usize| hosts as f64 * (groups.max(2) as f64).ln();
        let sizes: Vec<usize> = levels.iter().map(|groups| count(groups)).collect();
        let of_finest = sizes.last().map_or(0.0, |&groups| choice(n, groups));
        let of_others: f64 = sizes.windows(2).map(|pair| choice(pair[1], pair[0])).sum();
        let penalty = 2.0 * (of_finest + of_others) + levels.len() as f64 * pairs.ln();
        Score {
            value: pairs * (residual / pairs).ln() + penalty,
            falls: of_level.iter().all(|of| !of.is_empty())
                && medians.windows(2).all(|pair| pair[0] > pair[1]),
        }
    }
}
