//! All shortest paths between two vertices, with the share of the bytes that each channel carries
//! if every path takes as much.
//!
//! The vertices on shortest paths form levels by their distance from the target. Paths are counted
//! from the target back, then shares follow from the source on: of the bytes at a vertex, an edge
//! takes the share of its paths. Parallel cables are one edge, whose bytes they share by their
//! bandwidth, as in the metric of all minimal paths. Cost: O(edges on the paths x log).

use super::Fabric;
use rankfold_base::ChannelId;

/// The vertices at one distance from the target, ascending.
struct Level {
    vertices: Vec<u32>,
    /// Number of paths to the target, in units of the largest number of the level.
    paths: Vec<f64>,
    /// The same in units of the next level: the sum over the edges that lead there.
    sums: Vec<f64>,
    share: Vec<f64>,
}

impl Level {
    fn new(vertices: Vec<u32>) -> Self {
        let zeros = vec![0.0; vertices.len()];
        Self {
            paths: zeros.clone(),
            sums: zeros.clone(),
            share: zeros,
            vertices,
        }
    }

    fn place(&self, vertex: u32) -> usize {
        self.vertices.partition_point(|&v| v < vertex)
    }
}

/// Parallel cables: the first channel, the vertex that they lead to, and their bandwidths.
struct Cables {
    first: usize,
    to: u32,
    bandwidths: Vec<f64>,
}

impl Fabric {
    /// Calls `visit` with the channels of all shortest paths from vertex `from` to node `to`, and
    /// with their shares.
    pub(super) fn all_paths(&self, from: usize, to: usize, visit: &mut dyn FnMut(ChannelId, f64)) {
        let mut levels = vec![Level::new(vec![from as u32])];
        while levels[levels.len() - 1].vertices[0] != to as u32 {
            let here = levels[levels.len() - 1].vertices.iter();
            let mut next: Vec<u32> = here
                .flat_map(|&u| self.closer(u as usize, to))
                .map(|cables| cables.to)
                .collect();
            next.sort_unstable();
            next.dedup();
            levels.push(Level::new(next));
        }
        self.count_paths(&mut levels, to);
        levels[0].share[0] = 1.0;
        for depth in 1..levels.len() {
            let (before, after) = levels.split_at_mut(depth);
            let (here, next) = (&before[depth - 1], &mut after[0]);
            for (place, &u) in here.vertices.iter().enumerate() {
                for cables in self.closer(u as usize, to) {
                    let target = next.place(cables.to);
                    let share = here.share[place] * next.paths[target] / here.sums[place];
                    next.share[target] += share;
                    let all: f64 = cables.bandwidths.iter().sum();
                    for (number, bandwidth) in cables.bandwidths.iter().enumerate() {
                        visit(
                            ChannelId::at(cables.first + number),
                            share * bandwidth / all,
                        );
                    }
                }
            }
        }
    }

    /// Counts the paths to the target, from the last level, which is the target, to the first.
    fn count_paths(&self, levels: &mut [Level], to: usize) {
        let last = levels.len() - 1;
        levels[last].paths[0] = 1.0;
        for depth in (0..last).rev() {
            let (before, after) = levels.split_at_mut(depth + 1);
            let (here, next) = (&mut before[depth], &after[0]);
            for (sum, &u) in here.sums.iter_mut().zip(&here.vertices) {
                let closer = self.closer(u as usize, to).into_iter();
                *sum = closer.map(|cables| next.paths[next.place(cables.to)]).sum();
            }
            let most = here.sums.iter().copied().fold(0.0, f64::max);
            // A count far below the largest of its level stays positive, so that no share is 0/0.
            let scaled = here
                .sums
                .iter()
                .map(|sum| (sum / most).max(f64::MIN_POSITIVE));
            here.paths = scaled.collect();
        }
    }

    /// The cables of a vertex that lead one hop closer to a node.
    fn closer(&self, u: usize, to: usize) -> Vec<Cables> {
        let towards = self.hops.towards(to);
        let closer = towards.from(u).map(|hops| hops - 1);
        let mut all: Vec<Cables> = Vec::new();
        for (number, channel) in self.channels.range(u).zip(self.channels.row(u)) {
            match all.last_mut() {
                Some(cables) if cables.to == channel.to => {
                    cables.bandwidths.push(channel.speed.bandwidth);
                }
                _ if towards.from(channel.to as usize) == closer => all.push(Cables {
                    first: number,
                    to: channel.to,
                    bandwidths: vec![channel.speed.bandwidth],
                }),
                _ => {}
            }
        }
        all
    }
}
