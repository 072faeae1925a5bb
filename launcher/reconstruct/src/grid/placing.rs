//! Places hosts on grid points by the eigenvectors of their latencies.
//!
//! The coordinates of hosts come from eigenvectors, the ideal coordinates of grid points from the
//! sizes of the grid. A linear assignment (Kuhn, "The Hungarian method for the assignment problem",
//! Naval Research Logistics Quarterly 2, 1955) minimises the sum of the squared distances between
//! hosts and their points, in O(n^3).

use super::sizes::Sizes;
use super::{FEW_HOSTS, Spectrum, components};
use crate::Latencies;
use pathfinding::kuhn_munkres::kuhn_munkres_min;
use pathfinding::matrix::Matrix;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Number of random starts of the component analysis. Chosen by hand; not measured.
const STARTS: usize = 5;

/// A few placements of the hosts on the points of the grid, the most promising one first. A
/// placement is the point of every host.
pub(super) fn starts(
    eigen: &Spectrum,
    sizes: &Sizes,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<Vec<usize>> {
    let n = eigen.values.len();
    let columns = columns(sizes);
    // Dimensions of equal size share an eigenspace, so they are separated together.
    let mut alike: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (dimension, &size) in sizes.of.iter().enumerate() {
        alike.entry(size).or_default().push(dimension);
    }
    let groups: Vec<(Vec<usize>, Vec<Latencies>)> = alike
        .into_values()
        .map(|dimensions| {
            let of_group: Vec<usize> = dimensions
                .iter()
                .flat_map(|&d| columns[d].clone())
                .collect();
            let basis = eigen.vectors.select_columns(&of_group) * (n as f64).sqrt();
            (dimensions, components::independent(&basis, STARTS, random))
        })
        .collect();
    let kept = if n <= FEW_HOSTS { STARTS } else { 1 };
    let most = groups.iter().map(|(_, turned)| turned.len()).max();
    (0..most.unwrap_or(0).min(kept))
        .map(|start| {
            let mut hosts = vec![Vec::new(); n];
            let mut points = vec![Vec::new(); n];
            for (dimensions, turned) in &groups {
                let turned = &turned[start.min(turned.len() - 1)];
                embed(sizes, dimensions, turned, &mut hosts, &mut points);
            }
            assign(&hosts, &points)
        })
        .collect()
}

/// The eigenvectors that are the coordinates of each dimension, as positions in the order from the
/// most negative eigenvalue on: the first two of a ring, the first one of a path.
fn columns(sizes: &Sizes) -> Vec<Vec<usize>> {
    let mut all: Vec<(f64, usize)> = (0..sizes.of.len())
        .flat_map(|dimension| {
            let values = sizes.eigenvalues(dimension).into_iter();
            let negative = values.filter(|&value| value < -1e-9);
            negative.map(move |value| (value, dimension))
        })
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut columns = vec![Vec::new(); sizes.of.len()];
    for (place, &(_, dimension)) in all.iter().enumerate() {
        let wanted = if sizes.is_ring(dimension) { 2 } else { 1 };
        if columns[dimension].len() < wanted {
            columns[dimension].push(place);
        }
    }
    columns
}

/// Appends the measured coordinates of the hosts, and the ideal coordinates of the grid points, for
/// `dimensions` of equal size. `turned` holds the separated eigenvectors of these dimensions.
fn embed(
    sizes: &Sizes,
    dimensions: &[usize],
    turned: &Latencies,
    hosts: &mut [Vec<f64>],
    points: &mut [Vec<f64>],
) {
    let size = sizes.of[dimensions[0]];
    let coordinate = |point: usize, dimension: usize| sizes.coordinates(point)[dimension] as f64;
    if sizes.is_ring(dimensions[0]) {
        for (&dimension, (a, b)) in dimensions.iter().zip(circles(turned)) {
            let angles: Vec<f64> = (0..hosts.len())
                .map(|host| turned[(host, b)].atan2(turned[(host, a)]))
                .collect();
            let phase = phase(&angles, size);
            for (host, angle) in hosts.iter_mut().zip(&angles) {
                host.extend([(angle - phase).cos(), (angle - phase).sin()]);
            }
            for (at, point) in points.iter_mut().enumerate() {
                let angle = TAU * coordinate(at, dimension) / size as f64;
                point.extend([angle.cos(), angle.sin()]);
            }
        }
        return;
    }
    for (column, &dimension) in dimensions.iter().enumerate() {
        let n = hosts.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| turned[(a, column)].total_cmp(&turned[(b, column)]));
        for (place, &host) in order.iter().enumerate() {
            hosts[host].push(2.0 * (place as f64 + 0.5) / n as f64 - 1.0);
        }
        for (at, point) in points.iter_mut().enumerate() {
            point.push(2.0 * (coordinate(at, dimension) + 0.5) / size as f64 - 1.0);
        }
    }
}

/// Pairs the columns that are cosine and sine of one angle: the squares of such columns add up to a
/// constant, so their correlation is the most negative.
fn circles(turned: &Latencies) -> Vec<(usize, usize)> {
    let squares = turned.map(|value| value * value - 1.0);
    let mut left: Vec<usize> = (0..turned.ncols()).collect();
    let mut pairs = Vec::new();
    while left.len() > 1 {
        let together = |&(a, b): &(usize, usize)| squares.column(a).dot(&squares.column(b));
        let all = left.iter().flat_map(|&a| left.iter().map(move |&b| (a, b)));
        let best = all
            .filter(|(a, b)| a < b)
            .min_by(|x, y| together(x).total_cmp(&together(y)));
        let Some((a, b)) = best else { break };
        left.retain(|&column| column != a && column != b);
        pairs.push((a, b));
    }
    pairs
}

/// The angle by which the hosts of a ring are rotated against `size` equally spaced points: the
/// circular mean of the angles modulo one step.
fn phase(angles: &[f64], size: usize) -> f64 {
    let steps = size as f64;
    let (sin, cos) = angles.iter().fold((0.0, 0.0), |(sin, cos), angle| {
        (sin + (steps * angle).sin(), cos + (steps * angle).cos())
    });
    f64::atan2(sin, cos) / steps
}

/// The grid point of each host for which the sum of squared distances is smallest.
fn assign(hosts: &[Vec<f64>], points: &[Vec<f64>]) -> Vec<usize> {
    /// Factor by which squared distances, at most 4 for each dimension, become integers.
    const SCALE: f64 = 1e6;
    let n = hosts.len();
    let apart = Matrix::from_fn(n, n, |(host, point)| {
        let pairs = hosts[host].iter().zip(&points[point]);
        (pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>() * SCALE) as i64
    });
    let (_, assigned) = kuhn_munkres_min(&apart);
    assigned
}
