//! The layouts that are tried: which rotated coordinate runs along which side of the machine.
//!
//! A layout is a rotation of every component and an order of the machine's axes. Cost: O(n a^2) for
//! n vertices, a axes and each layout.

use super::aggregate::{Hierarchy, Levels};
use super::eigen::{COLUMNS, Eigenpairs, lowest};
use super::region::{Position, Region};
use super::rotate::{Rotation, identity, rotations};
use std::cmp::Reverse;
use std::ops::Range;

/// Fewest ranks of a component that gets eigenvectors; smaller ones are laid out in the order of
/// their ranks.
const SMALLEST: usize = 32;

/// Number of rotations tried, besides no rotation. In a prototype four rotations compared by
/// hop-bytes gained 0.4 and 0.8 % on two graphs of 65 536 ranks.
const ROTATIONS: usize = 3;

/// Most axes for which every order is tried (24 orders).
const ORDERED: usize = 4;

/// All layouts that can be tried for a graph.
pub(super) struct Candidates<const D: usize> {
    bodies: Vec<Body<D>>,
    /// For each order, the machine's axis for the first, second, .. longest coordinate.
    orders: Vec<Vec<usize>>,
    rotations: usize,
}

/// One component in its own coordinates.
struct Body<const D: usize> {
    points: Vec<Position<D>>,
    /// Rotations whose columns are sorted by the extent of the coordinate, the longest first.
    rotations: Vec<Rotation<D>>,
}

impl<const D: usize> Candidates<D> {
    /// The layouts for the finest of `levels`. `components` are ranges of its first vertices. All
    /// later vertices form one more body, laid out in the order of their numbers.
    pub(super) fn new(
        levels: Levels<'_>,
        components: &[Range<usize>],
        region: &Region<'_, D>,
        seed: u64,
    ) -> Self {
        let axes = region.axes.len();
        let body = |range: &Range<usize>| {
            if range.len() < SMALLEST {
                return Body::as_it_comes(range.len());
            }
            if range.len() == levels.levels[0].len() {
                return Body::new(&lowest(levels, seed), axes, seed);
            }
            let part = Hierarchy::new(levels.levels[0].part(range));
            Body::new(&lowest(part.from(0), seed), axes, seed)
        };
        let mut bodies: Vec<Body<D>> = components.iter().map(body).collect();
        let beyond = components.last().map_or(0, |range| range.end);
        let rest = levels.levels[0].len() - beyond;
        if rest > 0 {
            bodies.push(Body::as_it_comes(rest));
        }
        Self {
            rotations: bodies.iter().map(|b| b.rotations.len()).max().unwrap_or(0),
            orders: orders(&region.sides(), components.len() > 1),
            bodies,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rotations * self.orders.len()
    }

    /// Component and coordinates of every vertex; the list of components is empty if there is only
    /// one.
    pub(super) fn coordinates(&self, index: usize) -> (Vec<u32>, Vec<Position<D>>) {
        let (rotation, order) = self.parts(index);
        let (mut groups, mut coordinates) = (Vec::new(), Vec::new());
        for (group, body) in (0..).zip(&self.bodies) {
            if self.bodies.len() > 1 {
                groups.extend(std::iter::repeat_n(group, body.points.len()));
            }
            let turn = &body.rotations[rotation % body.rotations.len()];
            coordinates.extend(body.points.iter().map(|point| turned(point, turn, order)));
        }
        (groups, coordinates)
    }

    pub(super) fn describe(&self, index: usize) -> String {
        let (rotation, order) = self.parts(index);
        format!("rotation {rotation}, coordinates along machine axes {order:?}")
    }

    /// The rotation and the order of a layout. All orders of the best rotation come first.
    fn parts(&self, index: usize) -> (usize, &[usize]) {
        let orders = self.orders.len();
        (index / orders, &self.orders[index % orders])
    }
}

impl<const D: usize> Body<D> {
    fn new(pairs: &Eigenpairs, axes: usize, seed: u64) -> Self {
        const { assert!(D <= COLUMNS) };
        let point =
            |row: &[f32; COLUMNS]| std::array::from_fn(|d| if d < axes { row[d] } else { 0.0 });
        let points: Vec<Position<D>> = pairs.rows.iter().map(point).collect();
        let mut turns = rotations(&points, axes, seed);
        turns.truncate(ROTATIONS);
        turns.push(identity());
        for turn in &mut turns {
            sort_columns(turn, axes, &pairs.values);
        }
        Self {
            points,
            rotations: turns,
        }
    }

    fn as_it_comes(ranks: usize) -> Self {
        Self {
            points: (0..ranks).map(|rank| [rank as f32; D]).collect(),
            rotations: vec![identity()],
        }
    }
}

/// Sorts the columns of a rotation by Rayleigh quotient. The lowest quotient is the longest
/// coordinate.
fn sort_columns<const D: usize>(turn: &mut Rotation<D>, axes: usize, values: &[f64; COLUMNS]) {
    let quotient = |column: usize| -> f64 {
        let parts = turn.iter().zip(values).take(axes);
        parts
            .map(|(row, value)| row[column] * row[column] * value)
            .sum()
    };
    let mut order: [usize; D] = std::array::from_fn(|column| column);
    order[..axes].sort_by(|&a, &b| quotient(a).total_cmp(&quotient(b)));
    *turn = turn.map(|row| order.map(|column| row[column]));
}

fn turned<const D: usize>(point: &Position<D>, turn: &Rotation<D>, order: &[usize]) -> Position<D> {
    let mut at = [0.0; D];
    for (column, &axis) in order.iter().enumerate() {
        let coordinate: f64 = point
            .iter()
            .zip(turn)
            .map(|(&x, row)| f64::from(x) * row[column])
            .sum();
        at[axis] = coordinate as f32;
    }
    at
}

/// Orders of the axes, the longest sides first.
///
/// Exchanging equal sides gives no new order, unless components are `parted`: the cuts between
/// components make sides unequal.
fn orders(sides: &[usize], parted: bool) -> Vec<Vec<usize>> {
    let mut longest: Vec<usize> = (0..sides.len()).collect();
    longest.sort_by_key(|&axis| Reverse(sides[axis]));
    if sides.len() > ORDERED {
        return vec![longest];
    }
    let mut orders = vec![Vec::new()];
    for _ in sides {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<usize>| {
                let rest = longest.iter().filter(|axis| !order.contains(axis));
                rest.map(|&axis| [&order[..], &[axis]].concat())
            })
            .collect();
    }
    let met = |order: &Vec<usize>| order.iter().map(|&axis| sides[axis]).collect::<Vec<_>>();
    let mut seen = std::collections::HashSet::new();
    orders.retain(|order| parted || seen.insert(met(order)));
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sides_are_not_told_apart() {
        assert_eq!(orders(&[8, 8, 8], false), [[0, 1, 2]]);
        assert_eq!(orders(&[4, 8, 4], false), [[1, 0, 2], [0, 1, 2], [0, 2, 1]]);
        assert_eq!(orders(&[8, 8, 8], true).len(), 6);
        assert_eq!(orders(&[2, 3, 4], false).len(), 6);
        assert_eq!(orders(&[2, 2, 2, 2, 3], false), [[4, 0, 1, 2, 3]]);
    }

    #[test]
    fn the_longest_coordinate_comes_first() {
        let mut turn: Rotation<3> = identity();
        let mut values = [0.0; COLUMNS];
        values[..3].copy_from_slice(&[3.0, 1.0, 2.0]);
        sort_columns(&mut turn, 3, &values);
        assert_eq!(turned(&[5.0, 6.0, 7.0], &turn, &[2, 0, 1]), [7.0, 5.0, 6.0]);
    }
}
