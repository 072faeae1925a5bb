//! Simulated measurements of known networks, for tests and for `scripts/bench probe`.
//!
//! A latency is 1, and 0.1 for each link between the two hosts, and a small delay of each host. The
//! shortest latency of a pair has log-normal noise; one in a hundred is an outlier. Hosts are in
//! random order. The model and its constants were chosen by hand.

use crate::Latencies;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::f64::consts::TAU;

/// The hosts of a known network, and the two halves of its simulated measurements.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The true node of every host.
    pub nodes: Vec<usize>,
    /// The true number of links between hosts.
    pub links: Latencies,
    /// The shortest latencies of the odd passes.
    pub odd: Latencies,
    /// The shortest latencies of the even passes.
    pub even: Latencies,
}

impl Simulated {
    /// The share of the true links that were found: of the pairs of hosts that are one link apart
    /// in truth, those for which `found`, the reconstructed number of links, is 1 as well.
    #[must_use]
    pub fn right(&self, found: impl Fn(usize, usize) -> f64) -> f64 {
        let n = self.nodes.len();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let links: Vec<_> = pairs.filter(|&pair| self.links[pair] == 1.0).collect();
        let kept = links.iter().filter(|&&(i, j)| found(i, j) == 1.0);
        kept.count() as f64 / links.len() as f64
    }

    /// The true group of every host if `nodes` consecutive nodes form a group.
    #[must_use]
    pub fn groups(&self, nodes: usize) -> Vec<usize> {
        self.nodes.iter().map(|node| node / nodes).collect()
    }
}

/// Simulates the measurement of a network. `links` is the number of links between two of its nodes,
/// `noise` the relative standard deviation of the shorter one of the two halves' latencies.
#[must_use]
pub fn measure(
    nodes: usize,
    links: impl Fn(usize, usize) -> f64,
    noise: f64,
    seed: u64,
) -> Simulated {
    /// The standard deviation of the smaller of two numbers of the standard normal distribution:
    /// from theory, the square root of 1 - 1/pi.
    const DEVIATION_OF_MINIMUM: f64 = 0.826;
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
                let mut seen = exact * (noise / DEVIATION_OF_MINIMUM * normal(&mut random)).exp();
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

/// A random number of the standard normal distribution (Box and Muller, "A note on the generation
/// of random normal deviates", Annals of Mathematical Statistics 29, 1958).
fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    let uniform: f64 = 1.0 - random.random_range(0.0..1.0);
    let angle = random.random_range(0.0..TAU);
    (-2.0 * uniform.ln()).sqrt() * angle.cos()
}
