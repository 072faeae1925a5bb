//! Simulations of bodies in space: ranks are points and exchange messages with points around them.
//! Closer points exchange more bytes.

use super::Pair;
use super::neighbours::{Cells, Point};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::f64::consts::PI;

/// Mean number of points within the radius of a geometric graph.
const WITHIN: f64 = 14.0;

/// Number of nearest points that each rank chooses as partners. A rank may have more partners,
/// which chose it.
const NEAREST: usize = 10;

/// Random points in a cube; points within a radius are partners.
pub(super) fn geometric(ranks: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Pair> {
    let points: Vec<Point> = (0..ranks)
        .map(|_| std::array::from_fn(|_| random.random_range(0.0..1.0)))
        .collect();
    let radius = (WITHIN / ranks as f64 * 3.0 / (4.0 * PI)).cbrt();
    let cells = Cells::new(&points, radius);
    let mut pairs = Vec::new();
    for (a, point) in points.iter().enumerate() {
        for (square, b) in cells.around(point, 1) {
            if square < radius * radius && (b as usize) > a {
                pairs.push((a as u32, b, bytes(square / radius / radius, random)));
            }
        }
    }
    pairs
}

/// A cube whose points are denser towards its centre.
pub(super) fn graded(ranks: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Pair> {
    let spread = |point: Point| {
        let from_middle = point.map(|x| 2.0 * x - 1.0);
        let shell = from_middle.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        Some(from_middle.map(|x| 0.5 + 0.5 * x * shell.powf(0.4)))
    };
    nearest(&even(ranks, 3, random, spread), random)
}

/// A square with evenly spread points.
pub(super) fn flat(ranks: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Pair> {
    nearest(&even(ranks, 2, random, Some), random)
}

/// An aircraft: a long cylinder with thin, tapering wings and a fin, unlike any box.
pub(super) fn aircraft(ranks: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Pair> {
    let inside = |[x, y, z]: Point| {
        let (across, up) = (y - 0.5, z - 0.5);
        let hull = across * across + up * up < 0.02;
        let wing = (x - 0.45).abs() < 0.14 - 0.12 * across.abs() && up.abs() < 0.05;
        let fin = x > 0.9 && across.abs() < 0.04 && (0.0..0.4).contains(&up);
        (hull || wing || fin).then_some([x, y, z])
    };
    nearest(&even(ranks, 3, random, inside), random)
}

/// Points spread evenly over the first `axes` axes, like the cells of a mesh. Uses an additive
/// recurrence with jitter. `shape` moves points or drops them.
fn even(
    ranks: usize,
    axes: i32,
    random: &mut Xoshiro256PlusPlus,
    shape: impl Fn(Point) -> Option<Point>,
) -> Vec<Point> {
    // The root of x^(axes + 1) = x + 1 gives the most even recurrence (Roberts 2018).
    let root = (0..60).fold(1.5, |x: f64, _| (1.0 + x).powf(1.0 / f64::from(axes + 1)));
    let jitter = 0.35 / (ranks as f64).powf(1.0 / f64::from(axes));
    let mut index = 0.0;
    let next = std::iter::repeat_with(|| {
        index += 1.0;
        std::array::from_fn(|axis| {
            if axis as i32 >= axes {
                return 0.0;
            }
            let at = (0.5 + index / root.powi(axis as i32 + 1)).fract();
            (at + jitter * random.random_range(-0.5..0.5)).clamp(0.0, 1.0)
        })
    });
    next.filter_map(shape).take(ranks).collect()
}

/// Pairs of every point with its nearest points.
fn nearest(points: &[Point], random: &mut Xoshiro256PlusPlus) -> Vec<Pair> {
    let cells = Cells::for_nearest(points);
    let mut pairs = Vec::new();
    for (a, point) in points.iter().enumerate() {
        let found = cells.nearest(point, a as u32, NEAREST);
        let farthest = found.last().map_or(1.0, |last| last.0);
        for (square, b) in found {
            let (low, high) = (b.min(a as u32), b.max(a as u32));
            pairs.push((low, high, bytes(square / farthest, random)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup_by_key(|&mut (a, b, _)| (a, b));
    pairs
}

/// Bytes that two ranks exchange. `square` is the square of their distance, relative to that of the
/// farthest partner.
fn bytes(square: f64, random: &mut Xoshiro256PlusPlus) -> u64 {
    1 + (100.0 * (-2.0 * square).exp() * random.random_range(0.5..1.5)) as u64
}
