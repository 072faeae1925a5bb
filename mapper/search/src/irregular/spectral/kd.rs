//! The tree of cuts through the machine, and the division of points along it by exact capacity.
//!
//! The machine's box is halved across its longest side again and again; this depends on the machine
//! alone, so the tree is made once. Points are divided across the same axes, as many on each side
//! as there are slots.
//!
//! Source: recursive coordinate bisection of both graphs at once, as in geometric task mapping
//! (Deveci et al., IPDPS 2014). Capacities of single nodes, aggregates and groups are added here.
//! Cost: O(n log n) for n points.

use super::region::{Position, Region, Site};
use rayon::prelude::*;

/// Number of points from which the halves are processed in parallel.
const PARALLEL: usize = 4096;

/// Most points that are sorted instead of divided further.
const FEW: usize = 16;

/// A node of the tree of cuts: a box of the machine and the cut through it.
#[derive(Debug)]
pub(super) struct Cuts<const D: usize> {
    slots: u32,
    /// The middle of the box.
    centre: Position<D>,
    halves: Option<Box<Halves<D>>>,
}

#[derive(Debug)]
struct Halves<const D: usize> {
    axis: u32,
    lower: Cuts<D>,
    upper: Cuts<D>,
}

/// Something to place: a rank or an aggregate of ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point<const D: usize> {
    /// The vertex of the point.
    pub(super) vertex: u32,
    /// Before the division the desired position, afterwards the position of a node.
    pub(super) at: Position<D>,
}

impl<const D: usize> Cuts<D> {
    pub(super) fn new(region: &Region<'_, D>) -> Self {
        Self::through(&mut region.sites.clone())
    }

    /// The cut through a list of sites: in the middle of the longest side.
    fn through(sites: &mut [Site<D>]) -> Self {
        let bound = |pick: fn(u32, u32) -> u32| {
            let corner = |a: [u32; D], b: &Site<D>| std::array::from_fn(|d| pick(a[d], b.at[d]));
            sites[1..].iter().fold(sites[0].at, corner)
        };
        let (low, high) = (bound(u32::min), bound(u32::max));
        let slots = sites.iter().map(|site| site.slots).sum();
        let centre = std::array::from_fn(|d| (low[d] + high[d]) as f32 / 2.0);
        let longest = (0..D).rev().max_by_key(|&d| high[d] - low[d]);
        let axis = longest.filter(|&d| high[d] > low[d]);
        let halves = axis.map(|axis| {
            let middle = (low[axis] + high[axis]).div_ceil(2);
            let large = sites.len() >= PARALLEL;
            let (lower, upper) = part(sites, |site| site.at[axis] < middle);
            let (lower, upper) = either(large, || Self::through(lower), || Self::through(upper));
            Box::new(Halves {
                axis: axis as u32,
                lower,
                upper,
            })
        });
        Self {
            slots,
            centre,
            halves,
        }
    }

    /// Moves every point to a node, one point for each slot; there are as many points as slots.
    ///
    /// Points of different groups are kept apart instead of compared by position. Points must come
    /// group by group; an empty list means a single group.
    pub(super) fn deal(&self, points: &mut [Point<D>], groups: &[u32]) {
        let Some(halves) = &self.halves else {
            points.iter_mut().for_each(|point| point.at = self.centre);
            return;
        };
        let (lower, axis) = (halves.lower.slots as usize, halves.axis as usize);
        let group = |point: &Point<D>| groups.get(point.vertex as usize);
        if group(&points[0]) == group(&points[points.len() - 1]) {
            points.select_nth_unstable_by_key(lower, |point| along(axis, point));
        } else {
            part_groups(points, groups, lower, axis);
        }
        let large = points.len() >= PARALLEL;
        let (first, second) = points.split_at_mut(lower);
        either(
            large,
            || halves.lower.deal(first, groups),
            || halves.upper.deal(second, groups),
        );
    }

    /// Moves every aggregate to the middle of the smallest box that holds it. The ranks in a box
    /// equal the slots of the box as nearly as aggregates can be divided.
    pub(super) fn deal_aggregates(&self, points: &mut [Point<D>], ranks: &[f32]) {
        let (Some(halves), true) = (&self.halves, points.len() > 1) else {
            points.iter_mut().for_each(|point| point.at = self.centre);
            return;
        };
        let all = sum(points, ranks);
        let wanted = all * halves.lower.slots as f32 / self.slots as f32;
        let lower = select_ranks(points, ranks, wanted, halves.axis as usize);
        let large = points.len() >= PARALLEL;
        let (first, second) = points.split_at_mut(lower);
        either(
            large,
            || halves.lower.deal_aggregates(first, ranks),
            || halves.upper.deal_aggregates(second, ranks),
        );
    }
}

/// Reorders the items so that those for which `below` holds come first; returns both parts.
fn part<T>(items: &mut [T], below: impl Fn(&T) -> bool) -> (&mut [T], &mut [T]) {
    let (mut start, mut end) = (0, items.len());
    while start < end {
        if below(&items[start]) {
            start += 1;
        } else {
            end -= 1;
            items.swap(start, end);
        }
    }
    items.split_at_mut(start)
}

fn sum<const D: usize>(points: &[Point<D>], ranks: &[f32]) -> f32 {
    points.iter().map(|p| ranks[p.vertex as usize]).sum()
}

/// Reorders the points so that the lowest along an axis, with about `wanted` ranks, come first;
/// returns the number of these points. The point at the border is one of them if more than half of
/// its ranks are wanted.
fn select_ranks<const D: usize>(
    points: &mut [Point<D>],
    ranks: &[f32],
    wanted: f32,
    axis: usize,
) -> usize {
    let (mut start, mut end, mut below) = (0, points.len(), 0.0);
    while end - start > FEW {
        let here = &mut points[start..end];
        let middle = here.len() / 2;
        here.select_nth_unstable_by_key(middle, |point| along(axis, point));
        let more = sum(&here[..middle], ranks);
        if below + more <= wanted {
            below += more;
            start += middle;
        } else {
            end = start + middle;
        }
    }
    let here = &mut points[start..end];
    here.sort_unstable_by_key(|point| along(axis, point));
    let taken = here.iter().take_while(|point| {
        let ranks = ranks[point.vertex as usize];
        let wanted = below + 0.5 * ranks <= wanted;
        below += ranks;
        wanted
    });
    start + taken.count()
}

/// Runs both closures, in parallel if `parallel` is set.
fn either<T: Send>(
    parallel: bool,
    first: impl FnOnce() -> T + Send,
    second: impl FnOnce() -> T + Send,
) -> (T, T) {
    if parallel {
        rayon::join(first, second)
    } else {
        (first(), second())
    }
}

/// A key that orders points along an axis, and points at equal positions by vertex.
///
/// The bits of a float are ordered like those of an integer except for the sign, as in
/// [`f32::total_cmp`].
fn along<const D: usize>(axis: usize, point: &Point<D>) -> u64 {
    let bits = point.at[axis].to_bits() as i32;
    let ordered = bits ^ (((bits >> 31) as u32) >> 1) as i32 ^ i32::MIN;
    u64::from(ordered as u32) << 32 | u64::from(point.vertex)
}

/// Reorders groups of points so that the cut after `lower` points divides as few groups as
/// possible.
fn part_groups<const D: usize>(points: &mut [Point<D>], groups: &[u32], lower: usize, axis: usize) {
    let number = |point: &Point<D>| groups[point.vertex as usize];
    let mut sides = [
        Vec::with_capacity(lower),
        Vec::with_capacity(points.len() - lower),
    ];
    let mut room = [lower, points.len() - lower];
    for group in points.chunk_by_mut(|a, b| number(a) == number(b)) {
        let roomier = usize::from(room[1] > room[0]);
        let here = group.len().min(room[roomier]);
        let first = if roomier == 0 {
            here
        } else {
            group.len() - here
        };
        if first > 0 && first < group.len() {
            group.select_nth_unstable_by_key(first, |point| along(axis, point));
        }
        sides[0].extend_from_slice(&group[..first]);
        sides[1].extend_from_slice(&group[first..]);
        room = [room[0] - first, room[1] - (group.len() - first)];
    }
    points.copy_from_slice(&sides.concat());
}

/// Divides one point per vertex with `deal` and returns the position of every vertex.
pub(super) fn dealt<const D: usize>(
    positions: &[Position<D>],
    deal: impl FnOnce(&mut [Point<D>]),
) -> Vec<Position<D>> {
    let points = positions.par_iter().enumerate();
    let points = points.map(|(vertex, &at)| Point {
        vertex: vertex as u32,
        at,
    });
    let mut points: Vec<Point<D>> = points.collect();
    deal(&mut points);
    let mut ended = vec![[0.0; D]; points.len()];
    for point in points {
        ended[point.vertex as usize] = point.at;
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_base::Slots;
    use rankfold_machine::Grid;

    #[test]
    fn capacities_are_met_to_the_slot() {
        let grid = Grid::new(vec![4, 3], false);
        let capacities = [1, 0, 2, 3, 1, 0, 0, 0, 5, 1, 1, 1];
        let region: Region<'_, 2> = Region::new(&grid, &Slots::new(&capacities), 15);
        let spread: Vec<[f32; 2]> = (0..15)
            .map(|i| [(i * 7 % 15) as f32, (i * 4 % 15) as f32])
            .collect();
        let found = dealt(&spread, |p| Cuts::new(&region).deal(p, &[]));
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
        assert_eq!(dealt(&own, |p| Cuts::new(&region).deal(p, &[])), own);
    }

    #[test]
    fn groups_stay_together() {
        let grid = Grid::new(vec![8], false);
        let region: Region<'_, 2> = Region::new(&grid, &Slots::new(&[1; 8]), 8);
        let all_alike = [[0.0; 2]; 8];
        let groups = [0, 0, 0, 0, 1, 1, 1, 1];
        let found = dealt(&all_alike, |p| Cuts::new(&region).deal(p, &groups));
        let side = |at: &[f32; 2]| at[0] >= 4.0;
        assert!(found[..4].iter().all(|at| side(at) == side(&found[0])));
        assert!(found[4..].iter().all(|at| side(at) != side(&found[0])));
    }

    #[test]
    fn aggregates_are_balanced_by_ranks() {
        let grid = Grid::new(vec![4], false);
        let region: Region<'_, 2> = Region::new(&grid, &Slots::new(&[1; 4]), 4);
        let three = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        let cuts = Cuts::new(&region);
        let found = dealt(&three, |p| cuts.deal_aggregates(p, &[2.0, 1.0, 1.0]));
        assert_eq!(found, [[0.5, 0.0], [2.0, 0.0], [3.0, 0.0]]);
    }

    #[test]
    fn many_aggregates_are_parted_as_if_they_were_sorted() {
        let place = |i: usize| [((i * 37) % 101) as f32 - 50.0, 0.0];
        let ranks: Vec<f32> = (0..100).map(|i| (1 + i * i % 7) as f32).collect();
        let mut points: Vec<Point<2>> = (0..100)
            .map(|i| Point {
                vertex: i as u32,
                at: place(i),
            })
            .collect();
        for wanted in [0.0, 1.0, 77.5, 200.0, 1000.0] {
            let lower = select_ranks(&mut points, &ranks, wanted, 0);
            let mut sorted = points.clone();
            sorted.sort_by(|a, b| a.at[0].total_cmp(&b.at[0]));
            let mut below = 0.0;
            let mut count = 0;
            while count < 100 && below + 0.5 * ranks[sorted[count].vertex as usize] <= wanted {
                below += ranks[sorted[count].vertex as usize];
                count += 1;
            }
            assert_eq!(lower, count, "{wanted}");
            assert!(
                points[..lower]
                    .iter()
                    .all(|p| sorted[..lower].iter().any(|q| q.vertex == p.vertex))
            );
        }
    }
}
