//! Fits a tree of switches to latencies.
//!
//! Idea: hosts below one switch are closer to each other than to all other hosts. Average linkage
//! proposes partitions of the hosts into groups (`cuts`), and an information criterion tells which
//! of them explain enough to become a level (`criterion`). Levels are added one by one, each time
//! the partition that improves the criterion most.
//!
//! ```text
//!  linkage of 6 hosts             levels of the tree
//!      ┌─────┴─────┐                     root
//!    ┌─┴─┐       ┌─┴─┐               ┌────┴────┐
//!   ┌┴┐  │      ┌┴┐  │             leaf0     leaf1
//!  h0 h3 h4    h1 h2 h5          h0 h3 h4   h1 h2 h5
//! ```
//!
//! Sources: Sokal and Michener, "A statistical method for evaluating systematic relationships"
//! (University of Kansas Science Bulletin 38, 1958) for average linkage; Schwarz, "Estimating the
//! dimension of a model" (Annals of Statistics 6, 1978) for the criterion. What differs: a
//! partition is improved by moving hosts to the closest group, and levels are nested by a majority
//! vote. Cost: O(n^2) for the linkage and for each partition that is judged.

mod criterion;
mod cuts;

use crate::Latencies;
use crate::centre::{clipped, median};
use criterion::Criterion;

/// The group of every host, numbered from 0.
pub(super) type Groups = Vec<usize>;

/// A tree of switches as nested partitions of the hosts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TreeFit {
    /// From the coarsest level to the finest; each group is within one group of the level before.
    /// Without levels, all hosts are equally far apart.
    pub(super) levels: Vec<Groups>,
}

/// Limit on the number of levels. Chosen by hand; not measured.
const MOST_LEVELS: usize = 3;

/// The tree that fits the latencies best by the information criterion of `criterion`.
pub(super) fn fit(latencies: &Latencies) -> TreeFit {
    let logarithms = clipped(latencies).map(f64::ln);
    let criterion = Criterion::new(&logarithms);
    let candidates = cuts::candidates(&logarithms);
    let mut levels: Vec<Groups> = Vec::new();
    let mut score = criterion.score(&[]).value;
    while levels.len() < MOST_LEVELS {
        /// The smallest improvement of the criterion for which a level is added. Chosen by hand;
        /// Kass and Raftery ("Bayes factors", Journal of the American Statistical Association 90,
        /// 1995) call evidence of more than 10 very strong.
        const LEAST_IMPROVEMENT: f64 = 10.0;
        let with =
            |candidate: &Groups| nested(&[&levels[..], std::slice::from_ref(candidate)].concat());
        let scored = candidates.iter().map(|candidate| {
            let tried = with(candidate);
            (criterion.score(&tried), tried)
        });
        let best = scored.min_by(|a, b| a.0.value.total_cmp(&b.0.value));
        match best {
            Some((better, tried)) if better.value < score - LEAST_IMPROVEMENT && better.falls => {
                score = better.value;
                levels = tried;
            }
            _ => break,
        }
    }
    let mut fit = TreeFit {
        levels: by_majority(nested(&levels)),
    };
    fit.drop_small_steps(latencies);
    fit
}

/// The levels sorted from the coarsest to the finest.
fn nested(levels: &[Groups]) -> Vec<Groups> {
    let mut levels = levels.to_vec();
    levels.sort_by_key(|groups| count(groups));
    levels
}

/// The number of groups.
pub(super) fn count(groups: &[usize]) -> usize {
    groups.iter().max().map_or(0, |last| last + 1)
}

/// Nests the levels: every group of a finer level becomes part of the coarser group that most of
/// its hosts are in.
fn by_majority(mut levels: Vec<Groups>) -> Vec<Groups> {
    for coarse in (0..levels.len().saturating_sub(1)).rev() {
        let (fine, many) = (levels[coarse + 1].clone(), count(&levels[coarse]));
        let mut votes = vec![vec![0; many]; count(&fine)];
        for (host, &group) in fine.iter().enumerate() {
            votes[group][levels[coarse][host]] += 1;
        }
        let elected: Vec<usize> = votes
            .iter()
            .map(|votes| (0..many).max_by_key(|&group| (votes[group], many - group)))
            .map(Option::unwrap_or_default)
            .collect();
        levels[coarse] = numbered(fine.iter().map(|&group| elected[group]));
    }
    levels
}

/// The same groups, numbered from 0 in the order of their first hosts.
pub(super) fn numbered(groups: impl Iterator<Item = usize>) -> Groups {
    let mut seen = Vec::new();
    groups
        .map(|group| {
            seen.iter()
                .position(|&known| known == group)
                .unwrap_or_else(|| {
                    seen.push(group);
                    seen.len() - 1
                })
        })
        .collect()
}

impl TreeFit {
    /// The number of levels at which two hosts are in one group.
    pub(super) fn level(&self, a: usize, b: usize) -> usize {
        let together = self.levels.iter().filter(|groups| groups[a] == groups[b]);
        together.count()
    }

    /// The median latency of the pairs of hosts by their [`TreeFit::level`], from pairs in no
    /// common group to pairs in one group of the finest level.
    pub(super) fn medians(&self, latencies: &Latencies) -> Vec<f64> {
        let n = latencies.nrows();
        let mut of_level = vec![Vec::new(); self.levels.len() + 1];
        for i in 0..n {
            for j in i + 1..n {
                of_level[self.level(i, j)].push(latencies[(i, j)]);
            }
        }
        of_level.into_iter().map(median).collect()
    }

    /// The latency of every pair of hosts that the tree predicts: the median of its level.
    pub(super) fn predicted(&self, latencies: &Latencies) -> Latencies {
        let (n, medians) = (latencies.nrows(), self.medians(latencies));
        Latencies::from_fn(n, n, |i, j| medians[self.level(i, j)])
    }

    /// Drops levels whose step in latency is small compared with the largest step. The fit of a
    /// dragonfly has such levels, which are no switches.
    fn drop_small_steps(&mut self, latencies: &Latencies) {
        /// The smallest share of the largest step that a level must have. Chosen by hand.
        const LEAST_SHARE: f64 = 0.25;
        while self.levels.len() > 1 {
            let medians = self.medians(&clipped(latencies));
            let steps: Vec<f64> = medians.windows(2).map(|pair| pair[0] - pair[1]).collect();
            let largest = steps.iter().copied().fold(0.0, f64::max);
            let small = steps.iter().position(|&step| step < LEAST_SHARE * largest);
            let Some(level) = small else { return };
            self.levels.remove(level);
        }
    }
}

/// The adjusted Rand index of two partitions (Hubert and Arabie, "Comparing partitions", Journal of
/// Classification 2, 1985): 1 for equal partitions, 0 for agreement by chance. A partition is the
/// group of every item; groups are numbered from 0.
#[must_use]
pub fn adjusted_rand_index(a: &[usize], b: &[usize]) -> f64 {
    let mut table = vec![vec![0_u64; count(b)]; count(a)];
    for (&x, &y) in a.iter().zip(b) {
        table[x][y] += 1;
    }
    let two = |k: u64| (k * k.saturating_sub(1) / 2) as f64;
    let together: f64 = table.iter().flatten().map(|&k| two(k)).sum();
    let rows: f64 = table.iter().map(|row| two(row.iter().sum())).sum();
    let columns: f64 = (0..count(b))
        .map(|y| two(table.iter().map(|row| row[y]).sum()))
        .sum();
    let by_chance = rows * columns / two(a.len() as u64);
    let most = f64::midpoint(rows, columns);
    if most == by_chance {
        return 1.0;
    }
    (together - by_chance) / (most - by_chance)
}
