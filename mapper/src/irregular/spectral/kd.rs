//! The machine cut in halves again and again, and points dealt out to the halves by exact capacity.
//!
//! Where a cut runs depends on the machine alone, so the tree of cuts is made once. Points are cut across
//! the same axis, by as many as there are slots on either side: recursive coordinate bisection of both
//! graphs at once, as in geometric task mapping (Deveci et al., IPDPS 2014).

use super::region::{Position, Region, Site};
use rayon::prelude::*;

/// Points from which on the two halves are dealt out side by side.
const PARALLEL: usize = 4096;

/// A box of nodes and the cut through it.
#[derive(Debug)]
pub(super) struct Cuts<const D: usize> {
    slots: usize,
    /// Middle of the box.
    centre: Position<D>,
    halves: Option<Box<Halves<D>>>,
}

#[derive(Debug)]
struct Halves<const D: usize> {
    axis: usize,
    lower: Cuts<D>,
    upper: Cuts<D>,
}

/// Something to place: a rank or an aggregate of ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point<const D: usize> {
    /// Its vertex.
    pub(super) vertex: u32,
    /// Points of different groups are kept apart rather than compared.
    pub(super) group: u32,
    /// Number of ranks.
    pub(super) ranks: f32,
    /// Where it would like to be; where it is, once dealt out.
    pub(super) at: Position<D>,
}

impl<const D: usize> Cuts<D> {
    pub(super) fn new(region: &Region<'_, D>) -> Self {
        Self::through(&mut region.sites.clone())
    }

    /// Across the longest side, in the middle.
    fn through(sites: &mut [Site<D>]) -> Self {
        let bound = |pick: fn(usize, usize) -> usize| {
            let corner = |a: [usize; D], b: &Site<D>| std::array::from_fn(|d| pick(a[d], b.at[d]));
            sites[1..].iter().fold(sites[0].at, corner)
        };
        let (low, high) = (bound(usize::min), bound(usize::max));
        let slots = sites.iter().map(|site| site.slots).sum();
        let centre = std::array::from_fn(|d| (low[d] + high[d]) as f32 / 2.0);
        let longest = (0..D).rev().max_by_key(|&d| high[d] - low[d]);
        let axis = longest.filter(|&d| high[d] > low[d]);
        let halves = axis.map(|axis| {
            let middle = (low[axis] + high[axis]).div_ceil(2);
            sites.sort_by_key(|site| site.at[axis] >= middle);
            let lower = sites.partition_point(|site| site.at[axis] < middle);
            let (lower, upper) = sites.split_at_mut(lower);
            Box::new(Halves {
                axis,
                lower: Self::through(lower),
                upper: Self::through(upper),
            })
        });
        Self {
            slots,
            centre,
            halves,
        }
    }

    /// Moves every point to a node, one slot for each; there are as many points as slots, grouped.
    pub(super) fn deal(&self, points: &mut [Point<D>]) {
        let Some(halves) = &self.halves else {
            points.iter_mut().for_each(|point| point.at = self.centre);
            return;
        };
        let lower = halves.lower.slots;
        if points[0].group == points[points.len() - 1].group {
            points.select_nth_unstable_by(lower, |a, b| along(halves.axis, a, b));
        } else {
            part_groups(points, lower, halves.axis);
        }
        let large = points.len() >= PARALLEL;
        let (first, second) = points.split_at_mut(lower);
        either(
            large,
            || halves.lower.deal(first),
            || halves.upper.deal(second),
        );
    }

    /// The same for aggregates, as exactly as they allow; each ends in the middle of the last box it shares.
    pub(super) fn deal_aggregates(&self, points: &mut [Point<D>]) {
        let (Some(halves), true) = (&self.halves, points.len() > 1) else {
            points.iter_mut().for_each(|point| point.at = self.centre);
            return;
        };
        points.sort_unstable_by(|a, b| along(halves.axis, a, b));
        let ranks: f32 = points.iter().map(|point| point.ranks).sum();
        let wanted = ranks * halves.lower.slots as f32 / self.slots as f32;
        let mut below = 0.0;
        let mut lower = 0;
        while lower < points.len() && below + 0.5 * points[lower].ranks <= wanted {
            below += points[lower].ranks;
            lower += 1;
        }
        let large = points.len() >= PARALLEL;
        let (first, second) = points.split_at_mut(lower);
        either(
            large,
            || halves.lower.deal_aggregates(first),
            || halves.upper.deal_aggregates(second),
        );
    }
}

fn either(parallel: bool, first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if parallel {
        rayon::join(first, second);
    } else {
        first();
        second();
    }
}

fn along<const D: usize>(axis: usize, a: &Point<D>, b: &Point<D>) -> std::cmp::Ordering {
    a.at[axis]
        .total_cmp(&b.at[axis])
        .then(a.vertex.cmp(&b.vertex))
}

/// Reorders groups so that the cut after `lower` points runs through as few of them as possible.
fn part_groups<const D: usize>(points: &mut [Point<D>], lower: usize, axis: usize) {
    let mut sides = [
        Vec::with_capacity(lower),
        Vec::with_capacity(points.len() - lower),
    ];
    let mut room = [lower, points.len() - lower];
    for group in points.chunk_by_mut(|a, b| a.group == b.group) {
        let roomier = usize::from(room[1] > room[0]);
        let here = group.len().min(room[roomier]);
        let first = if roomier == 0 {
            here
        } else {
            group.len() - here
        };
        if first > 0 && first < group.len() {
            group.select_nth_unstable_by(first, |a, b| along(axis, a, b));
        }
        sides[0].extend_from_slice(&group[..first]);
        sides[1].extend_from_slice(&group[first..]);
        room = [room[0] - first, room[1] - (group.len() - first)];
    }
    points.copy_from_slice(&sides.concat());
}

/// Deals out one point per vertex and returns where each ended.
pub(super) fn dealt<const D: usize>(
    mut points: Vec<Point<D>>,
    deal: impl FnOnce(&mut [Point<D>]),
) -> Vec<Position<D>> {
    deal(&mut points);
    points.par_sort_unstable_by_key(|point| point.vertex);
    points.into_iter().map(|point| point.at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Grid;
    use crate::placement::Slots;

    fn points(at: &[[f32; 2]], group: impl Fn(usize) -> u32) -> Vec<Point<2>> {
        let point = |(vertex, &at): (usize, &[f32; 2])| Point {
            vertex: vertex as u32,
            group: group(vertex),
            ranks: 1.0,
            at,
        };
        at.iter().enumerate().map(point).collect()
    }

    #[test]
    fn capacities_are_met_to_the_slot() {
        let grid = Grid::new(vec![4, 3], false);
        let capacities = [1, 0, 2, 3, 1, 0, 0, 0, 5, 1, 1, 1];
        let region: Region<'_, 2> = Region::new(&grid, &Slots::new(&capacities), 15);
        let spread: Vec<[f32; 2]> = (0..15)
            .map(|i| [(i * 7 % 15) as f32, (i * 4 % 15) as f32])
            .collect();
        let found = dealt(points(&spread, |_| 0), |p| Cuts::new(&region).deal(p));
        let mut count = [0; 12];
        found
            .iter()
            .for_each(|at| count[region.node(at).index()] += 1);
        assert_eq!(count, capacities);
    }

    #[test]
    fn a_grid_of_points_finds_its_own_place() {
        let grid = Grid::new(vec![4, 6], true);
        let region: Region<'_, 2> = Region::new(&grid, &Slots::new(&[1; 24]), 24);
        let own: Vec<[f32; 2]> = (0..24).map(|i| [(i / 6) as f32, (i % 6) as f32]).collect();
        assert_eq!(
            dealt(points(&own, |_| 0), |p| Cuts::new(&region).deal(p)),
            own
        );
    }

    #[test]
    fn groups_stay_together() {
        let grid = Grid::new(vec![8], false);
        let region: Region<'_, 2> = Region::new(&grid, &Slots::new(&[1; 8]), 8);
        let all_alike = [[0.0; 2]; 8];
        let found = dealt(points(&all_alike, |v| v as u32 / 4), |p| {
            Cuts::new(&region).deal(p);
        });
        let side = |at: &[f32; 2]| at[0] >= 4.0;
        assert!(found[..4].iter().all(|at| side(at) == side(&found[0])));
        assert!(found[4..].iter().all(|at| side(at) != side(&found[0])));
    }

    #[test]
    fn aggregates_are_balanced_by_ranks() {
        let grid = Grid::new(vec![4], false);
        let region: Region<'_, 2> = Region::new(&grid, &Slots::new(&[1; 4]), 4);
        let mut three = points(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], |_| 0);
        three[0].ranks = 2.0;
        let found = dealt(three, |p| Cuts::new(&region).deal_aggregates(p));
        assert_eq!(found, [[0.5, 0.0], [2.0, 0.0], [3.0, 0.0]]);
    }
}
