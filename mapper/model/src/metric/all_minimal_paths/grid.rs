//! Torus and mesh, where the shares are known in closed form.
//!
//! The shortest paths over a displacement x are the orders of its |x| unit steps, so the last step is
//! along dimension d in a fraction |x_d| / |x| of them. On a ring of even size both ways round a
//! half-way displacement are as short, and each has half of that fraction. No path is counted, so nothing overflows.

use super::in_pieces;
use crate::ids::NodeId;
use crate::machine::{Flow, Grid};

/// Bytes through every channel of the grid.
pub(super) fn loads(grid: &Grid, flows: &[Flow]) -> Vec<f64> {
    in_pieces(flows, grid.channels(), |sources, bytes| {
        let mut spread = Spread::new(grid);
        for flows in sources {
            spread.run(flows, bytes);
        }
    })
}

/// Channels of the box between the ends of a flow, roughly.
pub(super) fn steps(grid: &Grid, flow: &Flow) -> u64 {
    let (mut from, mut to) = (flow.from.index(), flow.to.index());
    let (mut nodes, mut dims) = (1, 0);
    for (dim, &k) in grid.dims().iter().enumerate().rev() {
        let apart = grid.displacement(dim, from % k, to % k).unsigned_abs() as u64;
        nodes *= 1 + apart;
        dims += u64::from(apart > 0);
        from /= k;
        to /= k;
    }
    nodes * dims
}

/// Moves the bytes of one source at a time from their destinations towards it.
struct Spread<'a> {
    grid: &'a Grid,
    /// Coordinates of every node.
    coordinates: Vec<Vec<usize>>,
    /// Bytes that end at or pass through every node.
    mass: Vec<f64>,
    /// Nodes with mass, by distance from the source.
    shells: Vec<Vec<u32>>,
}

impl<'a> Spread<'a> {
    fn new(grid: &'a Grid) -> Self {
        let nodes = grid.nodes();
        Self {
            grid,
            coordinates: (0..nodes)
                .map(|n| grid.coordinates(NodeId::at(n)))
                .collect(),
            mass: vec![0.0; nodes],
            shells: vec![Vec::new(); grid.diameter() as usize + 1],
        }
    }

    fn run(&mut self, flows: &[Flow], bytes: &mut [f64]) {
        let source = flows[0].from;
        for flow in flows {
            let distance = self.grid.hops(source, flow.to) as usize;
            self.add(flow.to.index(), distance, flow.bytes as f64);
        }
        for distance in (1..self.shells.len()).rev() {
            let mut shell = std::mem::take(&mut self.shells[distance]);
            for &node in &shell {
                self.step_back(source, NodeId(node), distance, bytes);
            }
            shell.clear();
            self.shells[distance] = shell;
        }
        self.mass[source.index()] = 0.0;
        self.shells[0].clear();
    }

    fn add(&mut self, node: usize, distance: usize, bytes: f64) {
        if self.mass[node] == 0.0 {
            self.shells[distance].push(node as u32);
        }
        self.mass[node] += bytes;
    }

    /// Hands the mass of `node` to its neighbours one hop nearer to `source`.
    fn step_back(&mut self, source: NodeId, node: NodeId, distance: usize, bytes: &mut [f64]) {
        let mass = std::mem::take(&mut self.mass[node.index()]);
        let mut stride = self.grid.nodes();
        for (dim, &k) in self.grid.dims().iter().enumerate() {
            stride /= k;
            let (a, b) = (
                self.coordinates[source.index()][dim],
                self.coordinates[node.index()][dim],
            );
            let steps = self.grid.displacement(dim, a, b);
            if steps == 0 {
                continue;
            }
            let half_way = self.grid.wraps() && 2 * steps.unsigned_abs() == k;
            let both_ways = half_way && k > 2;
            let share = mass * steps.unsigned_abs() as f64 / distance as f64;
            let share = if both_ways { share / 2.0 } else { share };
            for forward in [true, false] {
                if both_ways || forward == (steps > 0) {
                    let before = if forward {
                        (b + k - 1) % k
                    } else {
                        (b + 1) % k
                    };
                    let before = node.index() - b * stride + before * stride;
                    let channel = self.grid.channel(dim, forward, NodeId::at(before));
                    bytes[channel.index()] += share;
                    self.add(before, distance - 1, share);
                }
            }
        }
    }
}
