//! The bins of global mapping: the cube around every node, and the processes whose points lie in
//! it.
//!
//! Cost: O(n d) for n processes and d dimensions, for counting and for shifting.

use super::instance::MappingInstance;
use super::shifting::{boundaries, shifted};
use rankfold_base::NodeId;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// For every dimension, one coordinate of every process.
pub(super) type Points = Vec<Vec<f64>>;

/// The node nearest to every point, and the number of points nearest to each node.
pub(super) struct Bins {
    pub(super) node_of: Vec<NodeId>,
    count: Vec<u32>,
    /// Largest number of points nearest to one node.
    pub(super) crowd: u32,
}

impl Bins {
    pub(super) fn new(instance: &MappingInstance<'_>, points: &Points) -> Self {
        let node_of = nearest_nodes(instance, points);
        let mut count = vec![0; instance.wanted.len()];
        for node in &node_of {
            count[node.index()] += 1;
        }
        Self {
            crowd: count.iter().copied().max().unwrap_or(0),
            count,
            node_of,
        }
    }

    /// Moves a process to another bin.
    pub(super) fn take(&mut self, process: usize, to: NodeId) {
        let from = std::mem::replace(&mut self.node_of[process], to);
        self.count[from.index()] -= 1;
        self.count[to.index()] += 1;
    }

    /// The number of processes nearest to a node, and `more`, over the number that the node takes.
    pub(super) fn load(&self, instance: &MappingInstance<'_>, node: NodeId, more: u32) -> f64 {
        let wanted = instance.wanted[node.index()].max(1);
        f64::from(self.count[node.index()] + more) / f64::from(wanted)
    }

    /// The points after cell shifting: every coordinate is shifted along its own row of bins.
    pub(super) fn shift(&self, instance: &MappingInstance<'_>, points: &Points) -> Points {
        let dims = instance.grid.dims();
        let along = |d: usize| -> Vec<f64> {
            let mut rows: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
            let points = points[d].iter().zip(&self.node_of);
            points
                .map(|(&x, &node)| {
                    let mut at = instance.grid.coordinates(node);
                    let bin = std::mem::replace(&mut at[d], 0);
                    let row = rows.entry(instance.grid.node_at(&at)).or_insert_with(|| {
                        let crowd = (0..dims[d]).map(|c| {
                            at[d] = c;
                            let node = instance.grid.node_at(&at).index();
                            f64::from(self.count[node]) / f64::from(instance.wanted[node].max(1))
                        });
                        boundaries(&crowd.collect::<Vec<_>>())
                    });
                    shifted(x, bin, row)
                })
                .collect()
        };
        (0..dims.len()).into_par_iter().map(along).collect()
    }
}

/// The node nearest to every point.
pub(super) fn nearest_nodes(instance: &MappingInstance<'_>, points: &Points) -> Vec<NodeId> {
    let dims = instance.grid.dims();
    let bin = |x: f64, k: usize| (x.round().max(0.0) as usize).min(k - 1);
    (0..instance.processes())
        .map(|i| {
            let at: Vec<usize> = points
                .iter()
                .zip(dims)
                .map(|(x, &k)| bin(x[i], k))
                .collect();
            instance.grid.node_at(&at)
        })
        .collect()
}
