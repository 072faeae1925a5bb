//! The legs of a route: one for each dimension, or two where a half-way tie goes both ways.

use super::GridNetwork;
use crate::{Grid, Ties};
use rankfold_base::{ChannelId, NodeId};

/// A way along one dimension.
pub(super) struct Leg {
    dim: usize,
    /// The node that the way starts at, and its coordinate along the dimension.
    from: usize,
    here: usize,
    /// The distance of neighbours along the dimension, in numbers of nodes.
    stride: usize,
    upwards: bool,
    steps: usize,
    /// The share of the bytes that takes this way.
    pub(super) share: f64,
    /// False for the second of the two ways of a tie.
    pub(super) is_first: bool,
}

impl Leg {
    /// Whether the leg is one of the two ways of a tie that goes both ways.
    pub(super) fn is_one_of_two(&self) -> bool {
        self.share < 1.0
    }

    /// Calls `visit` with the channels of the way, in order.
    pub(super) fn each_channel(&self, grid: &Grid, visit: &mut dyn FnMut(ChannelId)) {
        let size = grid.dims()[self.dim];
        let line = self.from - self.here * self.stride;
        let mut at = self.here;
        for _ in 0..self.steps {
            let node = NodeId::at(line + at * self.stride);
            visit(grid.channel(self.dim, self.upwards, node));
            at = match (self.upwards, at) {
                (true, at) if at + 1 == size => 0,
                (true, at) => at + 1,
                (false, 0) => size - 1,
                (false, at) => at - 1,
            };
        }
    }
}

impl GridNetwork {
    /// The rule for half-way ties.
    pub(super) fn ties(&self) -> Ties {
        self.rules.ties.unwrap_or_default()
    }

    /// The dimensions in the order in which they are routed.
    pub(super) fn order(&self) -> Vec<usize> {
        let dims = self.grid.dims().len();
        self.rules
            .order
            .clone()
            .unwrap_or_else(|| (0..dims).collect())
    }

    /// Calls `visit` with the legs of the route between two nodes. The two legs of a tie that goes
    /// both ways follow each other, the one upwards first.
    pub(super) fn along(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(&Leg)) {
        let (start, end) = (self.grid.coordinates(from), self.grid.coordinates(to));
        let mut node = from.index();
        for dim in self.order() {
            let (here, there) = (start[dim], end[dim]);
            let stride: usize = self.grid.dims()[dim + 1..].iter().product();
            let apart = self.grid.displacement(dim, here, there);
            let size = self.grid.dims()[dim];
            let tie = self.grid.wraps() && size > 2 && 2 * apart.unsigned_abs() == size;
            let upwards = if tie {
                self.ties().upwards(here, size)
            } else {
                Some(apart > 0)
            };
            let leg = |upwards, share, is_first| Leg {
                dim,
                from: node,
                here,
                stride,
                upwards,
                steps: apart.unsigned_abs(),
                share,
                is_first,
            };
            match upwards {
                Some(upwards) => visit(&leg(upwards, 1.0, true)),
                None => {
                    visit(&leg(true, 0.5, true));
                    visit(&leg(false, 0.5, false));
                }
            }
            node = node - here * stride + there * stride;
        }
    }
}
