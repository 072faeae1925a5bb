//! Numbers of nodes and of node pairs by distance, from which lower bounds are computed.

/// The number of nodes, and of node pairs, at each distance in hops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceProfile {
    /// For every r, the sum of the entries 0 to r is at least the number of nodes within r hops of
    /// any node. If one node has the most nodes within every distance, these are the numbers of
    /// nodes at each distance from it. Entry 0 is 1, the node itself.
    pub around: Vec<u64>,
    /// The number of ordered pairs of different nodes at each distance; entry 0 is 0.
    pub pairs: Vec<u64>,
}

impl DistanceProfile {
    /// The profile of a network of `nodes` nodes in which `around` is the same for every node.
    #[must_use]
    pub fn same_everywhere(around: Vec<u64>, nodes: usize) -> Self {
        let mut pairs: Vec<u64> = around.iter().map(|n| n * nodes as u64).collect();
        pairs[0] = 0;
        Self { around, pairs }
    }

    /// The profile of a torus (`wraps`) or mesh.
    ///
    /// Distances are sums over the dimensions, so the numbers of nodes are convolutions. The middle
    /// of a path has the most nodes within every distance.
    #[must_use]
    pub fn grid(dims: &[usize], wraps: bool) -> Self {
        let (mut around, mut pairs) = (vec![1], vec![1]);
        for &k in dims {
            // Every node of a ring has as many nodes at each distance as the middle of a path.
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

/// Collects the numbers of nodes by distance from one node after the other.
#[derive(Debug)]
pub(super) struct ProfileBuilder {
    /// The largest number of nodes within each distance of any node so far.
    within: Vec<u64>,
    pairs: Vec<u64>,
}

impl Default for ProfileBuilder {
    fn default() -> Self {
        Self {
            within: vec![1],
            pairs: vec![0],
        }
    }
}

impl ProfileBuilder {
    /// Adds `nodes` nodes that have `counts[h]` nodes at distance h each.
    pub(super) fn add(&mut self, counts: &[u64], nodes: u64) {
        if counts.len() > self.pairs.len() {
            let everyone = self.within[self.within.len() - 1];
            self.within.resize(counts.len(), everyone);
            self.pairs.resize(counts.len(), 0);
        }
        let mut reached = 0;
        for (hops, within) in self.within.iter_mut().enumerate() {
            let here = counts.get(hops).copied().unwrap_or(0);
            reached += here;
            *within = reached.max(*within);
            self.pairs[hops] += here * nodes;
        }
    }

    /// The profile of all nodes that were added.
    pub(super) fn profile(mut self) -> DistanceProfile {
        self.pairs[0] = 0;
        let mut around = self.within;
        for hops in (1..around.len()).rev() {
            around[hops] -= around[hops - 1];
        }
        let trim = |counts: &mut Vec<u64>| {
            let last = counts.iter().rposition(|&n| n > 0).unwrap_or(0);
            counts.truncate(last + 1);
        };
        trim(&mut around);
        trim(&mut self.pairs);
        DistanceProfile {
            around,
            pairs: self.pairs,
        }
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
    use crate::parse;
    use rankfold_base::NodeId;

    #[test]
    fn profiles_count_every_pair_and_dominate_every_node() {
        for spec in [
            "torus:5x4",
            "torus:2x3x1",
            "mesh:5x4",
            "mesh:2x3x3",
            "tree:3x1x2",
            "xgft:2,2,3:1,2,2",
            "dragonfly:2,3,1,4",
            "ibcore:hosts=14,leaf=3,up=2,line=2,spines=2",
            "percs:3",
            "tianhe3:2x2,4",
            "tianhe3:3x2,5",
            "tianhe3:2x3,1",
            "dragonfly:1,3,2,3",
            "dragonfly:2,5,3,7",
            "dragonfly:1,17,1,9",
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
            assert_eq!(profile.around.iter().sum::<u64>(), topology.nodes() as u64);
        }
    }
}
