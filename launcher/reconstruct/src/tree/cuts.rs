//! Proposes partitions of the hosts: cuts the dendrogram of average linkage at many heights, and
//! moves every host to the group that it is closest to.

use super::{Groups, count, numbered};
use crate::Latencies;
use kodama::{Method, linkage};
use std::collections::BTreeSet;

/// The proposed partitions, each with at least two groups and at most one group for two hosts.
pub(super) fn candidates(logarithms: &Latencies) -> Vec<Groups> {
    let n = logarithms.nrows();
    let mut condensed: Vec<f64> = (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| logarithms[(i, j)]))
        .collect();
    let least = condensed.iter().copied().fold(f64::INFINITY, f64::min);
    condensed.iter_mut().for_each(|value| *value -= least);
    let merges = linkage(&mut condensed, n, Method::Average);
    let heights: Vec<f64> = merges
        .steps()
        .iter()
        .map(|step| step.dissimilarity)
        .collect();
    let mut partitions: BTreeSet<Groups> = BTreeSet::new();
    for groups in counts(&heights, n) {
        let steps = merges.steps().iter().take(n - groups);
        let cut = cut(steps.map(|step| (step.cluster1, step.cluster2)), n);
        let moved = closest(logarithms, cut);
        if (2..=n / 2).contains(&count(&moved)) {
            partitions.insert(moved);
        }
    }
    partitions.into_iter().collect()
}

/// The numbers of groups to try: those at the largest steps of the linkage, some in between, and
/// those for which all groups can be of equal size.
fn counts(heights: &[f64], n: usize) -> BTreeSet<usize> {
    // All three were chosen by hand; not measured.
    /// Number of largest steps of the linkage that are tried.
    const LARGEST_STEPS: usize = 30;
    /// Numbers of groups that divide the range from 1 to n evenly by their logarithm.
    const BETWEEN: u32 = 12;
    /// The largest size of groups of equal size.
    const MOST_A_GROUP: usize = 64;
    let mut gaps: Vec<(f64, usize)> = heights
        .windows(2)
        .enumerate()
        .map(|(merge, pair)| (pair[1] - pair[0], n - 1 - merge))
        .collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let gaps = gaps
        .into_iter()
        .take(LARGEST_STEPS)
        .map(|(_, groups)| groups);
    let between = (1..BETWEEN).map(|step| {
        let power = f64::from(step) / f64::from(BETWEEN);
        (n as f64).powf(power).round() as usize
    });
    let equal = (2..=MOST_A_GROUP)
        .filter(|size| n.is_multiple_of(*size))
        .map(|size| n / size);
    let all = gaps.chain(between).chain(equal);
    all.filter(|groups| (2..=n / 2).contains(groups)).collect()
}

/// The groups of `n` hosts after some merges of the linkage; merge m creates cluster n + m.
fn cut(merges: impl Iterator<Item = (usize, usize)>, n: usize) -> Groups {
    let mut clusters: Vec<Vec<usize>> = (0..n).map(|host| vec![host]).collect();
    for (a, b) in merges {
        let other = std::mem::take(&mut clusters[b]);
        let mut merged = std::mem::take(&mut clusters[a]);
        merged.extend(other);
        clusters.push(merged);
    }
    let mut of = vec![0; n];
    for (number, cluster) in clusters.iter().enumerate() {
        for &host in cluster {
            of[host] = number;
        }
    }
    numbered(of.into_iter())
}

/// Moves every host to the group that it is closest to, repeatedly until no host moves. The
/// distance to a small group is scaled towards 0, since its mean is less certain.
fn closest(logarithms: &Latencies, mut groups: Groups) -> Groups {
    /// Limit on the rounds. Chosen by hand; not measured.
    const MOST_ROUNDS: usize = 10;
    let n = logarithms.nrows();
    let mean_of = |host: usize| {
        let others = (0..n).filter(|&other| other != host);
        others.map(|other| logarithms[(host, other)]).sum::<f64>() / (n - 1) as f64
    };
    let means: Vec<f64> = (0..n).map(mean_of).collect();
    for _ in 0..MOST_ROUNDS {
        let many = count(&groups);
        let moved = (0..n).map(|host| {
            let (mut sums, mut members) = (vec![0.0; many], vec![0.0; many]);
            for (other, &group) in groups
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != host)
            {
                sums[group] += logarithms[(host, other)] - means[host];
                members[group] += 1.0;
            }
            let evidence = |group: &usize| sums[*group] / (members[*group] + 1.0_f64).sqrt();
            let best = (0..many).min_by(|a, b| evidence(a).total_cmp(&evidence(b)));
            best.unwrap_or_default()
        });
        let moved = numbered(moved.collect::<Vec<_>>().into_iter());
        if moved == groups {
            break;
        }
        groups = moved;
    }
    groups
}
