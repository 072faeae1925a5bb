//! Measurements of networks that are known, for tests and the benchmark `probe`: latency 1 and 0.1
//! more a link, log-normal noise on what is left of it in the minimum, a hundredth of outliers,
//! something of each host's own, hosts in random order.

use crate::Latencies;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::f64::consts::TAU;

/// Hosts of a known network, and both halves of what was measured.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The node of every host.
    pub nodes: Vec<usize>,
    /// Links between hosts.
    pub links: Latencies,
    /// The shortest latencies of the odd passes.
    pub odd: Latencies,
    /// Of the even passes.
    pub even: Latencies,
}

impl Simulated {
    /// The share of the links between hosts, `found` being the links on the way between two of
    /// them, that are links in truth.
    #[must_use]
    pub fn right(&self, found: impl Fn(usize, usize) -> f64) -> f64 {
        let n = self.nodes.len();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let links: Vec<_> = pairs.filter(|&pair| self.links[pair] == 1.0).collect();
        let kept = links.iter().filter(|&&(i, j)| found(i, j) == 1.0);
        kept.count() as f64 / links.len() as f64
    }

    /// The group of every host where so many nodes in a row are one.
    #[must_use]
    pub fn groups(&self, nodes: usize) -> Vec<usize> {
        self.nodes.iter().map(|node| node / nodes).collect()
    }
}

/// Measures a network with `links` between its nodes; `noise` is the relative deviation of the
/// minimum over both halves.
#[must_use]
pub fn measure(
    nodes: usize,
    links: impl Fn(usize, usize) -> f64,
    noise: f64,
    seed: u64,
) -> Simulated {
    /// Standard deviation of the lesser of two numbers of the standard normal distribution: the
    /// root of 1 - 1/pi.
    const OF_TWO: f64 = 0.826;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut of: Vec<usize> = (0..nodes).collect();
    of.shuffle(&mut random);
    let links = Latencies::from_fn(nodes, nodes, |i, j| links(of[i], of[j]));
    let own: Vec<f64> = (0..nodes).map(|_| 0.01 * normal(&mut random)).collect();
    let mut half = || {
        let mut half = Latencies::zeros(nodes, nodes);
        for i in 0..nodes {
            for j in i + 1..nodes {
                let exact = 1.0 + 0.1 * links[(i, j)] + own[i] + own[j];
                let mut seen = exact * (noise / OF_TWO * normal(&mut random)).exp();
                if random.random_bool(0.01) {
                    seen *= random.random_range(1.5..9.5);
                }
                (half[(i, j)], half[(j, i)]) = (seen, seen);
            }
        }
        half
    };
    let (odd, even) = (half(), half());
    Simulated {
        nodes: of,
        links,
        odd,
        even,
    }
}

/// A number of the standard normal distribution (Box and Muller, Annals of Mathematical Statistics
/// 29, 1958).
fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    let uniform: f64 = 1.0 - random.random_range(0.0..1.0);
    let angle = random.random_range(0.0..TAU);
    (-2.0 * uniform.ln()).sqrt() * angle.cos()
}
