//! Measures the bandwidths of the links of a network, by streams that share these links.

use super::crew::Crew;
use crate::probe::plan::{Pair, matching, neighbours};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_abi::mpi::Result;
use rankfold_reconstruct::{Latencies, NetworkStructure};
use std::time::Duration;

/// The length of a measurement. In shorter measurements the filling and emptying of queues weighs
/// too much. Chosen by hand; not measured.
pub(super) const WINDOW: Duration = Duration::from_millis(500);

/// The number of messages of a stream that are on the way at once. Chosen by hand; not measured.
const CREDITS: usize = 16;

/// The measured bandwidths.
#[derive(Clone, Debug, Default)]
pub(super) struct Bandwidths {
    /// The bandwidth of one stream alone, in bytes per second.
    pub(super) single: f64,
    /// The bandwidth of each kind of link of the structure.
    pub(super) links: Vec<f64>,
    /// Half round trips by message size.
    pub(super) by_size: Vec<(u64, f64)>,
    /// The bandwidth of the slowest stream among random pairs at once, relative to a stream alone.
    pub(super) contended: Option<f64>,
}

/// The message size of a stream with about this rate. Small messages would be limited by the
/// processors, and of large messages too few would fit into the window. The limits were chosen by
/// hand; not measured.
pub(super) fn bytes_at(rate: f64) -> usize {
    const SMALLEST: usize = 4 << 10;
    const LARGEST: usize = 1 << 20;
    const SECONDS: f64 = 2e-3;
    let fitting = (rate * SECONDS) as usize;
    fitting
        .clamp(SMALLEST, LARGEST)
        .next_power_of_two()
        .min(LARGEST)
}

/// Measures half round trips by message size, between a few pairs of close hosts.
pub(super) fn by_size(crew: &Crew, latencies: &Latencies) -> Result<Vec<(u64, f64)>> {
    const SIZES: [usize; 5] = [1, 1 << 10, 1 << 13, 1 << 16, 1 << 19];
    const PAIRS: usize = 3;
    /// The time for one pair and one size.
    const SECONDS: f64 = 0.25;
    let pairs: Vec<Pair> = closest(latencies).into_iter().take(PAIRS).collect();
    let mut rows: Vec<(u64, f64)> = Vec::new();
    for bytes in SIZES {
        let expected = rows
            .last()
            .map_or(1e-5, |&(before, time)| time * bytes as f64 / before as f64);
        if expected > SECONDS {
            break;
        }
        let count = ((SECONDS / expected / 2.0) as usize).clamp(2, 25);
        let mut seen = Vec::new();
        for pair in &pairs {
            seen.extend(crew.ping(std::slice::from_ref(pair), bytes, count)?);
        }
        rows.push((bytes as u64, median(seen)));
    }
    Ok(rows)
}

/// Pairs of hosts, the closest first.
fn closest(latencies: &Latencies) -> Vec<Pair> {
    let n = latencies.nrows();
    let mut pairs: Vec<Pair> = (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
        .collect();
    pairs.sort_by(|&a, &b| latencies[a].total_cmp(&latencies[b]));
    pairs
}

/// Measures streams: first a few streams alone, and then streams that share links of the structure.
pub(super) fn streams(
    crew: &Crew,
    structure: &NetworkStructure,
    latencies: &Latencies,
    by_size: Vec<(u64, f64)>,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Bandwidths> {
    const ALONE: usize = 4;
    let guess = by_size
        .last()
        .map_or(1e8, |&(bytes, time)| bytes as f64 / time);
    let size = (bytes_at(guess), CREDITS);
    let mut alone = Vec::new();
    for pair in closest(latencies).into_iter().take(ALONE) {
        alone.extend(crew.stream(&[pair], size, WINDOW)?);
    }
    let single = median(alone);
    let together = |pairs: &[Pair]| crew.stream(pairs, size, WINDOW);
    let links = match structure {
        NetworkStructure::Grid {
            sizes,
            wraps,
            nodes,
        } => {
            let mut host_at = vec![0; nodes.len()];
            for (host, &node) in nodes.iter().enumerate() {
                host_at[node] = host;
            }
            let mut links = Vec::new();
            for dimension in 0..sizes.len() {
                let mut rates = Vec::new();
                for matching in neighbours(sizes, *wraps, dimension) {
                    let pairs: Vec<Pair> = matching
                        .into_iter()
                        .map(|(a, b)| (host_at[a], host_at[b]))
                        .collect();
                    rates.extend(together(&pairs)?);
                }
                links.push(median(rates));
            }
            links
        }
        NetworkStructure::Tree { levels } => {
            let finest = levels.last().map_or(&[][..], Vec::as_slice);
            let inside: Vec<Pair> = members(finest)
                .iter()
                .filter(|hosts| hosts.len() > 1)
                .map(|hosts| (hosts[0], hosts[1]))
                .collect();
            let mut links = vec![median(together(&inside)?)];
            for (level, groups) in levels.iter().enumerate().rev() {
                let above = level.checked_sub(1).map(|above| &levels[above][..]);
                let pairs = between(groups, above);
                let mut sums = vec![0.0; pairs.len()];
                let flows: Vec<Pair> = pairs.concat();
                let owners = pairs
                    .iter()
                    .enumerate()
                    .flat_map(|(at, of)| of.iter().map(move |_| at));
                for (owner, rate) in owners.zip(together(&flows)?) {
                    sums[owner] += rate;
                }
                links.push(median(sums));
            }
            links
        }
        NetworkStructure::Flat => vec![single],
    };
    let mut contended = Vec::new();
    for _ in 0..2 {
        contended.extend(together(&matching(crew.size(), random))?);
    }
    let slowest = contended.into_iter().fold(f64::INFINITY, f64::min);
    Ok(Bandwidths {
        single,
        links,
        by_size,
        contended: (slowest.is_finite() && single > 0.0).then(|| slowest / single),
    })
}

/// The hosts of every group.
fn members(groups: &[usize]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.iter().max().map_or(0, |last| last + 1)];
    for (host, &group) in groups.iter().enumerate() {
        members[group].push(host);
    }
    members
}

/// Pairs of hosts between pairs of groups below one group of `above`. All hosts of a group are
/// paired with hosts of the other group, so that their streams share the group's link upwards.
pub(super) fn between(groups: &[usize], above: Option<&[usize]>) -> Vec<Vec<Pair>> {
    let members = members(groups);
    let parent = |group: usize| above.map_or(0, |above| above[members[group][0]]);
    let mut waiting: Vec<usize> = Vec::new();
    let mut pairs = Vec::new();
    for group in 0..members.len() {
        match waiting
            .iter()
            .position(|&other| parent(other) == parent(group))
        {
            None => waiting.push(group),
            Some(at) => {
                let other = waiting.remove(at);
                let hosts = members[other].iter().zip(&members[group]);
                pairs.push(hosts.map(|(&a, &b)| (a, b)).collect());
            }
        }
    }
    pairs
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_below_one_switch_meet_with_all_their_hosts() {
        let groups = [0, 0, 1, 1, 2, 2, 3, 3];
        let above = [0, 0, 0, 0, 1, 1, 1, 1];
        let expected = [[(0, 2), (1, 3)], [(4, 6), (5, 7)]];
        assert_eq!(between(&groups, Some(&above)), expected);
        assert_eq!(between(&groups, None), expected);
        assert_eq!(between(&[0, 0, 1, 1, 2], None).len(), 1);
    }

    #[test]
    fn messages_of_a_stream_fit_the_rate() {
        assert_eq!(bytes_at(2.5e6), 8 << 10);
        assert_eq!(bytes_at(1e5), 4 << 10);
        assert_eq!(bytes_at(1e11), 1 << 20);
    }
}
