//! Graphs that resemble grids but are none.

use super::worlds::random;
use crate::{Pattern, analyze};
use rand::RngExt as _;
use rankfold_graph::Message;
use rankfold_graph::samples::{graph, message};
use std::collections::BTreeSet;

const BYTES: u64 = 1000;

fn both_ways(pairs: impl IntoIterator<Item = (usize, usize)>) -> Vec<Message> {
    let ways = |(a, b)| [message(a, b, BYTES), message(b, a, BYTES)];
    pairs.into_iter().flat_map(ways).collect()
}

/// Delaunay triangulation of random points in a square, by its definition: two points are joined if
/// some circle through both contains no other point. O(n^3); for a few hundred points.
fn delaunay(points: usize, seed: u64) -> Vec<Message> {
    let mut random = random(seed);
    let at: Vec<(f64, f64)> = (0..points)
        .map(|_| (random.random(), random.random()))
        .collect();
    let mut pairs = BTreeSet::new();
    for a in 0..points {
        for b in a + 1..points {
            if (a != b) && has_empty_circle(&at, a, b) {
                pairs.insert((a, b));
            }
        }
    }
    both_ways(pairs)
}

/// Whether some circle through two points contains no third. The centre of such a circle is on
/// their bisector, and every other point excludes a part of the bisector.
fn has_empty_circle(at: &[(f64, f64)], a: usize, b: usize) -> bool {
    let (dx, dy) = (at[b].0 - at[a].0, at[b].1 - at[a].1);
    let middle = ((at[a].0 + at[b].0) / 2.0, (at[a].1 + at[b].1) / 2.0);
    let half = (dx * dx + dy * dy) / 4.0;
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for (i, p) in at.iter().enumerate() {
        if i == a || i == b {
            continue;
        }
        let (x, y) = (p.0 - middle.0, p.1 - middle.1);
        // The centre is middle + t (-dy, dx). The point is outside if x^2 + y^2 - 2 t s >= half.
        let s = -dy * x + dx * y;
        let t = (x * x + y * y - half) / (2.0 * s);
        if s > 0.0 {
            to = to.min(t);
        } else {
            from = from.max(t);
        }
        if from > to {
            return false;
        }
    }
    true
}

/// Recursive matrix graph: each edge descends into one quadrant of the matrix, again and again.
fn power_law(scale: u32, edges: usize, seed: u64) -> Vec<Message> {
    let mut random = random(seed);
    let mut end = || {
        let (mut a, mut b) = (0, 0);
        for _ in 0..scale {
            let quadrant: f64 = random.random();
            (a, b) = (2 * a, 2 * b);
            match quadrant {
                q if q < 0.57 => {}
                q if q < 0.76 => b += 1,
                q if q < 0.95 => a += 1,
                _ => (a, b) = (a + 1, b + 1),
            }
        }
        (a, b)
    };
    both_ways((0..edges).map(|_| end()))
}

/// Leaves of a quadtree (`dims` 2) or octree (3) that is refined around a sphere. Leaves that share
/// a face exchange messages.
fn adaptive(dims: usize, depth: u32) -> (usize, Vec<Message>) {
    let size = 1usize << depth;
    let mut owner = vec![0; size.pow(dims as u32)];
    let mut leaves = 0;
    refine(&vec![0; dims], size, &mut owner, &mut leaves, size);
    let mut pairs = BTreeSet::new();
    for cell in 0..owner.len() {
        for d in 0..dims {
            let stride = size.pow(d as u32);
            if cell / stride % size + 1 < size && owner[cell] != owner[cell + stride] {
                pairs.insert((owner[cell], owner[cell + stride]));
            }
        }
    }
    (leaves, both_ways(pairs))
}

fn refine(at: &[usize], side: usize, owner: &mut [usize], leaves: &mut usize, size: usize) {
    let radius = 0.35 * size as f64;
    let centre = 0.45 * size as f64;
    let far = at
        .iter()
        .map(|&c| (c as f64 + side as f64 / 2.0 - centre).powi(2));
    let away = (far.sum::<f64>().sqrt() - radius).abs();
    let dims = at.len() as u32;
    let corner = |i: usize, side: usize| -> Vec<usize> {
        (0..dims as usize)
            .map(|d| at[d] + (i / 2usize.pow(d as u32) % 2) * side)
            .collect()
    };
    if side > 1 && (away < side as f64 || side > size / 4) {
        for child in 0..2usize.pow(dims) {
            refine(&corner(child, side / 2), side / 2, owner, leaves, size);
        }
        return;
    }
    for cell in 0..side.pow(dims) {
        let index = at
            .iter()
            .enumerate()
            .map(|(d, &c)| (c + cell / side.pow(d as u32) % side) * size.pow(d as u32));
        owner[index.sum::<usize>()] = *leaves;
    }
    *leaves += 1;
}

fn assert_irregular(name: &str, ranks: usize, messages: Vec<Message>) {
    let pattern = analyze(&graph(ranks, messages));
    assert!(
        matches!(pattern, Pattern::Irregular { .. }),
        "{name}: {pattern:?}"
    );
}

#[test]
fn delaunay_triangulations_are_no_grids() {
    for (points, seed) in [(60, 1), (128, 2), (400, 3)] {
        assert_irregular("Delaunay", points, delaunay(points, seed));
    }
}

#[test]
fn power_law_graphs_are_no_grids() {
    for (scale, edges, seed) in [(6, 200, 1), (8, 1500, 2), (10, 8000, 3), (11, 4000, 4)] {
        assert_irregular("RMAT", 1 << scale, power_law(scale, edges, seed));
    }
}

#[test]
fn adaptive_meshes_are_no_grids() {
    for (dims, depth) in [(2, 4), (2, 5), (2, 6), (3, 3), (3, 4)] {
        let (leaves, messages) = adaptive(dims, depth);
        assert!(
            leaves > 20 && leaves < 1 << (dims as u32 * depth),
            "{leaves}"
        );
        assert_irregular("AMR", leaves, messages);
    }
}

#[test]
fn a_hub_with_few_other_pairs_is_no_grid_of_these() {
    let trees: [&[(usize, usize)]; 2] = [
        &[(1, 0), (2, 1), (3, 1), (4, 2), (5, 1), (6, 4), (7, 1)],
        &[(1, 0), (2, 0), (3, 0), (4, 1), (5, 0)],
    ];
    for tree in trees {
        assert_irregular("tree", tree.len() + 1, both_ways(tree.iter().copied()));
    }
}
