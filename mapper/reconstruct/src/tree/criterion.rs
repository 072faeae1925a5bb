//! What a set of levels is worth: how well it explains the latencies, against how much it had to be
//! told.

use super::{Groups, count};
use crate::Latencies;
use crate::centre::median;

/// Judges levels by latencies, given as logarithms.
pub(super) struct Judge<'a> {
    logarithms: &'a Latencies,
}

/// A score; lower is better.
pub(super) struct Score {
    pub(super) value: f64,
    /// Whether hosts of finer groups are closer.
    pub(super) falls: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(logarithms: &'a Latencies) -> Self {
        Self { logarithms }
    }

    /// Schwarz, "Estimating the dimension of a model" (Annals of Statistics 6, 1978); a level's
    /// free parameters are the groups of its hosts, or of the groups within.
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
        let told = 2.0 * (of_finest + of_others) + levels.len() as f64 * pairs.ln();
        Score {
            value: pairs * (residual / pairs).ln() + told,
            falls: of_level.iter().all(|of| !of.is_empty())
                && medians.windows(2).all(|pair| pair[0] > pair[1]),
        }
    }
}
