//! Division of a grid into parts of given sizes, by a k-d tree along the clusters of the machine or
//! by strips.

use super::clusters::{Cluster, ClusterContent};
use crate::regular::factor::SourceGrid;
use crate::regular::maps::for_each_cell;
use rankfold_base::NodeId;

/// The grid of ranks, or of equal bricks of ranks, that is divided.
pub(super) struct BrickGrid {
    /// Size of every dimension.
    dims: Vec<usize>,
    /// Bytes over the whole grid that travel one step along each dimension.
    crossing: Vec<f64>,
    /// The cells that hold ranks.
    pub(super) cells: Vec<u32>,
}

impl BrickGrid {
    /// The grid in which `brick[d]` cells along every dimension `d` are joined to one; `used` says
    /// which bricks hold ranks.
    pub(super) fn new(source: &SourceGrid, brick: &[usize], used: impl Fn(usize) -> bool) -> Self {
        let dims: Vec<usize> = source.dims.iter().zip(brick).map(|(k, b)| k / b).collect();
        let crossing = (0..dims.len()).map(|d| {
            let steps = (source.dims[d] - 1).max(1);
            source.weights[d] * (dims[d] - 1).max(1) as f64 / steps as f64
        });
        let count: usize = dims.iter().product();
        Self {
            crossing: crossing.collect(),
            cells: (0..count).filter(|&c| used(c)).map(|c| c as u32).collect(),
            dims,
        }
    }

    /// The node of every cell by a k-d tree along the clusters.
    ///
    /// Every cut runs where the fewest bytes are expected to cross. The number of cells on each
    /// side is exact. Source: k-d trees of Hunold et al., "Efficient process-to-node mapping
    /// algorithms for stencil computations", 2020; capacities are added here.
    pub(super) fn by_kd(&self, cluster: &Cluster) -> Vec<NodeId> {
        let mut node_of = vec![NodeId(0); self.dims.iter().product()];
        let mut region = self.cells.clone();
        self.fill(cluster, &mut region, &mut node_of);
        node_of
    }

    fn fill(&self, cluster: &Cluster, region: &mut [u32], node_of: &mut [NodeId]) {
        match &cluster.inside {
            ClusterContent::Node(node) => region.iter().for_each(|&c| node_of[c as usize] = *node),
            ClusterContent::Clusters(clusters) => self.share(clusters, region, node_of),
        }
    }

    /// Divides a region among clusters. Clusters are filled in order; the last ones may stay empty.
    fn share(&self, clusters: &[Cluster], region: &mut [u32], node_of: &mut [NodeId]) {
        if region.is_empty() {
            return;
        }
        if let [cluster] = clusters {
            return self.fill(cluster, region, node_of);
        }
        let (first, second) = clusters.split_at(clusters.len() / 2);
        let room: usize = first.iter().map(|c| c.capacity).sum();
        let count = room.min(region.len());
        if count < region.len() {
            self.cut(region, count);
        }
        let (region, rest) = region.split_at_mut(count);
        self.share(first, region, node_of);
        self.share(second, rest, node_of);
    }

    /// Reorders the region so that the `count` cells of the first side come first.
    fn cut(&self, region: &mut [u32], count: usize) {
        let mut low = vec![usize::MAX; self.dims.len()];
        let mut high = vec![0; self.dims.len()];
        for &cell in &*region {
            for (d, at) in self.coordinates(cell).enumerate() {
                let dim = self.dims.len() - 1 - d;
                low[dim] = low[dim].min(at);
                high[dim] = high[dim].max(at);
            }
        }
        let mut order: Vec<usize> = (0..self.dims.len()).collect();
        let bytes = |d: usize| {
            let extent = high[d] - low[d] + 1;
            match extent {
                1 => f64::INFINITY,
                _ => self.crossing[d] / ((self.dims[d] - 1).max(1) * extent) as f64,
            }
        };
        order.sort_by(|&a, &b| bytes(a).total_cmp(&bytes(b)));
        region.select_nth_unstable_by_key(count, |&cell| {
            let key = order
                .iter()
                .fold(0, |key, &d| key * self.dims[d] + self.coordinate(cell, d));
            (key, cell)
        });
    }

    /// The coordinates of a cell, last dimension first.
    fn coordinates(&self, cell: u32) -> impl Iterator<Item = usize> + '_ {
        let mut rest = cell as usize;
        self.dims.iter().rev().map(move |k| {
            let at = rest % k;
            rest /= k;
            at
        })
    }

    fn coordinate(&self, cell: u32, dim: usize) -> usize {
        let stride: usize = self.dims[dim + 1..].iter().product();
        cell as usize / stride % self.dims[dim]
    }

    /// The node of every cell along strips of `width` cells that run along dimension `along`, up
    /// one strip and down the next. The nodes are filled in the order of the clusters.
    ///
    /// Source: stencil strips of Hunold et al. 2020; width 1 is the paper's hyperplane order.
    pub(super) fn by_strips(&self, cluster: &Cluster, along: usize, width: usize) -> Vec<NodeId> {
        let mut order: Vec<(usize, u32)> = Vec::with_capacity(self.cells.len());
        let mut used = vec![false; self.dims.iter().product()];
        self.cells.iter().for_each(|&c| used[c as usize] = true);
        let mut cell = 0;
        for_each_cell(&self.dims, |at| {
            if used[cell] {
                order.push((self.place_in_strips(at, along, width), cell as u32));
            }
            cell += 1;
        });
        order.sort_unstable();
        let mut node_of = vec![NodeId(0); used.len()];
        let slots = cluster.nodes().into_iter();
        let slots = slots.flat_map(|(node, count)| std::iter::repeat_n(node, count));
        for ((_, cell), node) in order.into_iter().zip(slots) {
            node_of[cell as usize] = node;
        }
        node_of
    }

    /// The position of a cell along the strips as one number: the strip, the position along it, the
    /// position across it. The direction alternates with every turn.
    fn place_in_strips(&self, at: &[usize], along: usize, width: usize) -> usize {
        let (mut place, mut turns) = (0, 0);
        let mut push = |value: usize, size: usize| {
            let value_here = if turns % 2 == 0 {
                value
            } else {
                size - 1 - value
            };
            place = place * size + value_here;
            turns += value;
        };
        let across = (0..at.len()).filter(|&d| d != along);
        for d in across.clone() {
            push(at[d] / width, self.dims[d].div_ceil(width));
        }
        push(at[along], self.dims[along]);
        for d in across {
            push(at[d] % width, width);
        }
        place
    }

    /// Sizes of the divided grid.
    pub(super) fn dims(&self) -> &[usize] {
        &self.dims
    }
}

/// Bricks of `cores` cells whose sides divide the grid, the ones with the least traffic through
/// their surface first.
pub(super) fn bricks(source: &SourceGrid, cores: usize) -> Vec<Vec<usize>> {
    let mut found = crate::regular::target::products(cores, &source.dims);
    found.retain(|brick| {
        brick
            .iter()
            .zip(&source.dims)
            .all(|(b, k)| k.is_multiple_of(*b))
    });
    let surface = |brick: &Vec<usize>| -> f64 {
        let sides = brick.iter().zip(&source.dims).zip(&source.weights);
        sides
            .map(|((&b, &k), w)| w * (k / b - 1) as f64 / (k - 1).max(1) as f64)
            .sum()
    };
    found.sort_by(|a, b| surface(a).total_cmp(&surface(b)));
    found
}
