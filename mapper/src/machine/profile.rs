//! How far apart nodes are, counted: what lower bounds are made of.

use super::Distances;
use crate::ids::NodeId;

/// Numbers of nodes and node pairs by distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceProfile {
    /// Nodes at each distance from the best placed node. For every r the sum of the entries up to r is at
    /// least the number of nodes within r hops of any node; entry 0 is 1, the node itself.
    pub around: Vec<u64>,
    /// Ordered pairs of different nodes at each distance; entry 0 is 0.
    pub pairs: Vec<u64>,
}

impl DistanceProfile {
    /// The profile of a network of `nodes` nodes that looks the same from each of them.
    #[must_use]
    pub fn same_everywhere(around: Vec<u64>, nodes: usize) -> Self {
        let mut pairs: Vec<u64> = around.iter().map(|n| n * nodes as u64).collect();
        pairs[0] = 0;
        Self { around, pairs }
    }

    /// The profile of any network, by looking at every pair of nodes.
    #[must_use]
    pub fn count(distances: &Distances, nodes: usize) -> Self {
        let (mut within, mut pairs) = (vec![1], vec![0]);
        let mut here: Vec<u64> = Vec::new();
        for a in (0..nodes).map(NodeId::at) {
            here.fill(0);
            for b in (0..nodes).map(NodeId::at) {
                let hops = distances.hops(a, b) as usize;
                if hops >= here.len() {
                    here.resize(hops + 1, 0);
                }
                here[hops] += 1;
            }
            within.resize(here.len(), within[within.len() - 1]);
            pairs.resize(here.len(), 0);
            let mut reached = 0;
            for (hops, &count) in here.iter().enumerate() {
                reached += count;
                within[hops] = reached.max(within[hops]);
                pairs[hops] += count;
            }
        }
        pairs[0] = 0;
        let mut around = within.clone();
        for hops in 1..around.len() {
            around[hops] = within[hops] - within[hops - 1];
        }
        around.truncate(
            around
                .iter()
                .rposition(|&n| n > 0)
                .map_or(1, |last| last + 1),
        );
        Self { around, pairs }
    }

    /// The profile of the product of rings (`wraps`) or paths of the given sizes.
    ///
    /// Distances add over the dimensions, so counts convolve. No node of a path is better placed than
    /// its middle.
    #[must_use]
    pub fn grid(dims: &[usize], wraps: bool) -> Self {
        let (mut around, mut pairs) = (vec![1], vec![1]);
        for &k in dims {
            // A ring looks from everywhere as a path does from its middle.
            let middle: Vec<u64> = (0..=k / 2)
                .map(|t| if t == 0 || 2 * t == k { 1 } else { 2 })
                .collect();
            let along = if wraps {
                middle.iter().map(|n| n * k as u64).collect()
            } else {
                (0..k as u64)
                    .map(|t| if t == 0 { k as u64 } else { 2 * (k as u64 - t) })
                    .collect::<Vec<u64>>()
            };
            around = convolve(&around, &middle);
            pairs = convolve(&pairs, &along);
        }
        pairs[0] = 0;
        Self { around, pairs }
    }
}

fn convolve(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut sums = vec![0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            sums[i + j] += x * y;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::parse;

    #[test]
    fn profiles_count_every_pair_and_dominate_every_node() {
        for spec in [
            "torus:5x4",
            "torus:2x3x1",
            "mesh:5x4",
            "mesh:2x3x3",
            "tree:3x1x2",
            "xgft:2,2,3:1,2,2",
        ] {
            let topology = parse(spec).unwrap();
            let profile = topology.distance_profile();
            let nodes = || (0..topology.nodes()).map(NodeId::at);
            let mut pairs = vec![0; profile.pairs.len()];
            for a in nodes() {
                let mut around = vec![0; profile.around.len().max(profile.pairs.len())];
                for b in nodes() {
                    around[topology.hops(a, b) as usize] += 1u64;
                }
                for (all, here) in pairs.iter_mut().zip(&around).skip(1) {
                    *all += here;
                }
                for r in 0..profile.around.len() {
                    let within = |counts: &[u64]| counts[..=r].iter().sum::<u64>();
                    assert!(
                        within(&profile.around) >= within(&around),
                        "{spec}, {a}, {r}"
                    );
                }
            }
            assert_eq!(profile.pairs, pairs, "{spec}");
            let counted = DistanceProfile::count(&topology.distances(), topology.nodes());
            assert_eq!(counted, profile, "{spec}");
            assert_eq!(profile.around.iter().sum::<u64>(), topology.nodes() as u64);
        }
    }
}
