//! All shortest paths between two nodes of a torus or mesh, with the share of the bytes that each
//! channel carries if every path takes as much.
//!
//! The nodes on the paths form a box. From a node of the box, the share of the paths that goes on
//! along a dimension is the steps left along it over all steps left. Where a tie makes both ways
//! round a ring equally short, there is a box for each way. The metric of all minimal paths has the
//! same shares, for many flows at a time. Cost: O(channels of the boxes).

use super::GridNetwork;
use rankfold_base::{ChannelId, NodeId};

impl GridNetwork {
    /// Calls `visit` with the channels of all shortest paths, and with their shares.
    pub(super) fn all_paths(
        &self,
        from: NodeId,
        to: NodeId,
        visit: &mut dyn FnMut(ChannelId, f64),
    ) {
        let (start, end) = (self.grid.coordinates(from), self.grid.coordinates(to));
        let dims = 0..start.len();
        let steps: Vec<isize> = dims
            .map(|dim| self.grid.displacement(dim, start[dim], end[dim]))
            .collect();
        let tie = |&dim: &usize| {
            let size = self.grid.dims()[dim];
            self.grid.wraps() && size > 2 && 2 * steps[dim].unsigned_abs() == size
        };
        let ties: Vec<usize> = (0..start.len()).filter(tie).collect();
        let ways = 1usize << ties.len();
        for way in 0..ways {
            let mut steps = steps.clone();
            for (bit, &dim) in ties.iter().enumerate() {
                if way >> bit & 1 == 1 {
                    steps[dim] = -steps[dim];
                }
            }
            self.one_box(&start, &steps, 1.0 / ways as f64, visit);
        }
    }

    /// The paths within one box, which take `share` of the bytes together.
    fn one_box(
        &self,
        start: &[usize],
        steps: &[isize],
        share: f64,
        visit: &mut dyn FnMut(ChannelId, f64),
    ) {
        let sizes: Vec<usize> = steps.iter().map(|s| s.unsigned_abs() + 1).collect();
        let cells = sizes.iter().product();
        // The share of the bytes that passes each node of the box; its nodes in row-major order.
        let mut passing = vec![0.0; cells];
        passing[0] = share;
        let mut at = vec![0; sizes.len()];
        for cell in 0..cells {
            let left: usize = at.iter().zip(&sizes).map(|(at, size)| size - 1 - at).sum();
            let node = self.node_of(start, steps, &at);
            let mut stride = 1;
            for dim in (0..sizes.len()).rev() {
                let ahead = sizes[dim] - 1 - at[dim];
                if ahead > 0 {
                    let going = passing[cell] * ahead as f64 / left as f64;
                    passing[cell + stride] += going;
                    visit(self.grid.channel(dim, steps[dim] > 0, node), going);
                }
                stride *= sizes[dim];
            }
            for dim in (0..sizes.len()).rev() {
                at[dim] += 1;
                if at[dim] < sizes[dim] {
                    break;
                }
                at[dim] = 0;
            }
        }
    }

    /// The node of a box that is `at` steps from its start.
    fn node_of(&self, start: &[usize], steps: &[isize], at: &[usize]) -> NodeId {
        let coordinate = |dim: usize| {
            let size = self.grid.dims()[dim];
            if steps[dim] > 0 {
                (start[dim] + at[dim]) % size
            } else {
                (start[dim] + size - at[dim]) % size
            }
        };
        let there: Vec<usize> = (0..start.len()).map(coordinate).collect();
        self.grid.node_at(&there)
    }
}
