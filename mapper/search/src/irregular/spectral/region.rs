//! The part of a mesh or torus on which ranks with partners are laid out.

use rankfold_base::{NodeId, SlotId, Slots};
use rankfold_machine::Grid;
use rayon::prelude::*;
use std::cmp::Reverse;

/// Number of centres tried where the job leaves slots free.
const CENTRES: usize = 8;

/// A position in the region, in hops along every axis. Means of positions lie between nodes.
pub(super) type Position<const D: usize> = [f32; D];

/// A node of the region.
#[derive(Clone, Debug)]
pub(super) struct Site<const D: usize> {
    /// Coordinates of the node relative to the region's origin.
    pub(super) at: [u32; D],
    /// Number of slots used on the node, at least one.
    pub(super) slots: u32,
}

/// A set of nodes with exactly as many slots as there are ranks to lay out.
///
/// Dimensions of size 1 are left out. On a torus the origin is moved so that no run of unused
/// coordinates divides the region.
#[derive(Debug)]
pub(super) struct Region<'a, const D: usize> {
    grid: &'a Grid,
    /// The dimension of the machine that is each axis.
    pub(super) axes: Vec<usize>,
    origin: [usize; D],
    /// Length of the ring along each axis; infinite for an open axis.
    ring: [f32; D],
    /// The nodes of the region.
    pub(super) sites: Vec<Site<D>>,
}

impl<'a, const D: usize> Region<'a, D> {
    /// The most compact set of `ranks` slots around one of several centres, or all slots if there
    /// are no more.
    ///
    /// There must be at least `ranks` slots, and at most `D` dimensions of two nodes or more.
    pub(super) fn new(grid: &'a Grid, slots: &Slots, ranks: usize) -> Self {
        let axes: Vec<usize> = (0..grid.dims().len())
            .filter(|&d| grid.dims()[d] > 1)
            .collect();
        let mut region = Self {
            grid,
            origin: [0; D],
            ring: [f32::INFINITY; D],
            axes,
            sites: Vec::new(),
        };
        if grid.wraps() {
            for (ring, &dim) in region.ring.iter_mut().zip(&region.axes) {
                *ring = grid.dims()[dim] as f32;
            }
        }
        region.sites = region.choose(slots, ranks);
        region.move_origin();
        region
    }

    fn choose(&self, slots: &Slots, ranks: usize) -> Vec<Site<D>> {
        let usable: Vec<Site<D>> = (0..self.grid.nodes())
            .into_par_iter()
            .map(NodeId::at)
            .filter(|&node| slots.capacity(node) > 0)
            .map(|node| Site {
                at: self.coordinates(node),
                slots: slots.capacity(node),
            })
            .collect();
        if slots.len() == ranks {
            return usable;
        }
        let count = CENTRES.min(usable.len());
        let found = (0..count).into_par_iter().map(|i| {
            let centre = &usable[i * usable.len() / count];
            let (spread, sites) = self.around(centre, &usable, ranks);
            (spread, i, sites)
        });
        found
            .min_by_key(|&(spread, i, _)| (spread, i))
            .map(|(.., sites)| sites)
            .unwrap_or_default()
    }

    /// The nodes in growing boxes around `centre` until `ranks` fit, and the sum of the distances
    /// of their slots from `centre`.
    fn around(&self, centre: &Site<D>, usable: &[Site<D>], ranks: usize) -> (usize, Vec<Site<D>>) {
        let steps = |site: &Site<D>| -> [isize; D] {
            let mut steps = [0; D];
            for ((step, &dim), (&from, &to)) in
                (steps.iter_mut().zip(&self.axes)).zip(centre.at.iter().zip(&site.at))
            {
                *step = self.grid.displacement(dim, from as usize, to as usize);
            }
            steps
        };
        let distance =
            |site: &Site<D>| -> usize { steps(site).map(isize::unsigned_abs).iter().sum() };
        let mut sites = usable.to_vec();
        sites.sort_by_cached_key(|site| (layer(steps(site)), distance(site)));
        let (mut left, mut spread) = (ranks, 0);
        for site in &mut sites {
            site.slots = site.slots.min(u32::try_from(left).unwrap_or(u32::MAX));
            left -= site.slots as usize;
            spread += site.slots as usize * distance(site);
        }
        sites.retain(|site| site.slots > 0);
        (spread, sites)
    }

    fn move_origin(&mut self) {
        for axis in 0..self.axes.len() {
            let size = self.grid.dims()[self.axes[axis]];
            if !self.grid.wraps() {
                continue;
            }
            let mut used = vec![false; size];
            self.sites
                .iter()
                .for_each(|site| used[site.at[axis] as usize] = true);
            let origin = after_longest_gap(&used);
            self.origin[axis] = origin;
            for site in &mut self.sites {
                site.at[axis] = ((site.at[axis] as usize + size - origin) % size) as u32;
            }
        }
    }

    fn coordinates(&self, node: NodeId) -> [u32; D] {
        let (mut at, mut rest) = ([0; D], node.index());
        let mut axes = self.axes.iter().enumerate().rev().peekable();
        for (dim, &k) in self.grid.dims().iter().enumerate().rev() {
            if let Some((axis, _)) = axes.next_if(|&(_, &of)| of == dim) {
                at[axis] = (rest % k) as u32;
            }
            rest /= k;
        }
        at
    }

    /// The node at a position that is the position of a node.
    pub(super) fn node(&self, position: &Position<D>) -> NodeId {
        // All dimensions without an axis have one node.
        let along = self.axes.iter().zip(position).zip(&self.origin);
        NodeId::at(along.fold(0, |node, ((&dim, &at), &origin)| {
            let k = self.grid.dims()[dim];
            node * k + (at as usize + origin) % k
        }))
    }

    /// Hops between two positions.
    #[inline]
    pub(super) fn distance(&self, a: &Position<D>, b: &Position<D>) -> f32 {
        (0..D)
            .map(|axis| {
                let apart = (a[axis] - b[axis]).abs();
                apart.min(self.ring[axis] - apart)
            })
            .sum()
    }

    /// For every axis, the number of coordinates from the first used node to the last.
    pub(super) fn sides(&self) -> Vec<usize> {
        let reach = |axis: usize| {
            let along = self.sites.iter().map(|site| site.at[axis]);
            let length = along.clone().max().unwrap_or(0) - along.min().unwrap_or(0) + 1;
            length as usize
        };
        (0..self.axes.len()).map(reach).collect()
    }
}

/// The order in which a box grows by one layer at a time: cubes of side 1, 2, 3 and so on are
/// complete before the next layer starts.
fn layer<const D: usize>(steps: [isize; D]) -> (usize, Reverse<usize>) {
    let side = steps.map(|step| 2 * step.unsigned_abs() - usize::from(step < 0));
    let longest = side.into_iter().max().unwrap_or(0);
    let first = side.iter().position(|&s| s == longest);
    (longest, Reverse(first.unwrap_or(0)))
}

/// The end of the longest cyclic run of unused coordinates; 0 if all are used.
fn after_longest_gap(used: &[bool]) -> usize {
    let size = used.len();
    let gap = |end: usize| {
        (1..=size)
            .take_while(|i| !used[(end + size - i) % size])
            .count()
    };
    (0..size)
        .filter(|&end| used[end])
        .max_by_key(|&end| (gap(end), Reverse(end)))
        .unwrap_or(0)
}

/// The free slots in order, given one node for every rank placed.
pub(super) fn free_slots<'a>(
    slots: &'a Slots,
    taken: &[NodeId],
) -> impl Iterator<Item = SlotId> + 'a {
    let mut count = vec![0; slots.nodes()];
    taken.iter().for_each(|node| count[node.index()] += 1);
    (0..slots.nodes())
        .map(NodeId::at)
        .flat_map(move |node| slots.on(node).skip(count[node.index()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ranks_take_a_cube_across_the_wrap() {
        let grid = Grid::new(vec![8, 1, 8], true);
        let mut capacities = vec![1; 64];
        // No node in the middle of the first dimension.
        capacities[16..48].fill(0);
        let region: Region<'_, 3> = Region::new(&grid, &Slots::new(&capacities), 16);
        assert_eq!(region.axes, [0, 2]);
        assert_eq!(region.sites.iter().map(|s| s.slots).sum::<u32>(), 16);
        assert_eq!(region.sides()[0], 4);
        assert_eq!(region.sites.iter().map(|s| s.at[0]).max(), Some(3));
        let nodes = region
            .sites
            .iter()
            .map(|s| region.node(&s.at.map(|c| c as f32)));
        assert!(nodes.clone().all(|node| capacities[node.index()] == 1));
        let rows: std::collections::BTreeSet<usize> = nodes.map(|n| n.index() / 8).collect();
        assert!(rows.is_subset(&[0, 1, 6, 7].into()));
    }

    #[test]
    fn cubes_are_completed_one_after_the_other() {
        let grid = Grid::new(vec![10, 10, 10], true);
        for side in [2, 3, 4, 5] {
            let ranks = side * side * side;
            let region: Region<'_, 3> = Region::new(&grid, &Slots::new(&[1; 1000]), ranks);
            assert_eq!(region.sides(), [side; 3]);
        }
    }

    #[test]
    fn gaps_are_cyclic() {
        let used = |text: &str| text.bytes().map(|b| b == b'x').collect::<Vec<_>>();
        assert_eq!(after_longest_gap(&used("xx..x...")), 0);
        assert_eq!(after_longest_gap(&used("..x.xx..")), 2);
        assert_eq!(after_longest_gap(&used("x....xxx")), 5);
        assert_eq!(after_longest_gap(&used("xxxx")), 0);
    }
}
