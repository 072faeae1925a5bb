//! Communication that is no grid: random graphs, meshes of random points, cliques and trees.

use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};
use rankfold_graph::samples::{graph, message};
use rankfold_graph::{CommGraph, Message};
use rankfold_pattern::{self as pattern, Pattern};

const KINDS: &[&str] = &[
    "random",
    "power law",
    "mesh",
    "volume mesh",
    "cliques",
    "tree",
];
const RANKS: &[usize] = &[24, 60, 128, 250, 512, 1000];
const BYTES: u64 = 1000;

/// A random graph, and the name of its kind.
pub(crate) fn draw(random: &mut impl Rng) -> (&'static str, CommGraph) {
    let kind = *KINDS.choose(random).expect("a list");
    let ranks = *RANKS.choose(random).expect("a list");
    let pairs = match kind {
        "random" => (0..4 * ranks)
            .map(|_| (random.random_range(0..ranks), random.random_range(0..ranks)))
            .collect(),
        "power law" => power_law(ranks, random),
        "mesh" => near(ranks, 2, 6.0, random),
        "volume mesh" => near(ranks, 3, 12.0, random),
        "cliques" => cliques(ranks, random),
        _ => (1..ranks)
            .map(|rank| (rank, random.random_range(0..rank)))
            .collect(),
    };
    let both = pairs
        .into_iter()
        .flat_map(|(a, b)| -> [Message; 2] { [message(a, b, BYTES), message(b, a, BYTES)] });
    (kind, graph(ranks, both.collect()))
}

/// Whether the analyser takes the graph for a grid.
pub(crate) fn is_taken_for_a_grid(graph: &CommGraph) -> bool {
    matches!(pattern::analyze(graph), Pattern::Regular { .. })
}

/// Preferential attachment: new ranks choose partners in proportion to the partners' degrees.
fn power_law(ranks: usize, random: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut ends = vec![0];
    let mut pairs = Vec::new();
    for rank in 1..ranks {
        for _ in 0..3 {
            let other = ends[random.random_range(0..ends.len())];
            ends.extend([rank, other]);
            pairs.push((rank, other));
        }
    }
    pairs
}

/// Random points in a square or cube. Points closer than a radius are partners; the radius is
/// chosen for an average of `degree` partners.
fn near(points: usize, dims: u32, degree: f64, random: &mut impl Rng) -> Vec<(usize, usize)> {
    let at: Vec<Vec<f64>> = (0..points)
        .map(|_| (0..dims).map(|_| random.random()).collect())
        .collect();
    let share = degree / points as f64;
    let unit = if dims == 2 {
        std::f64::consts::PI
    } else {
        4.0 / 3.0 * std::f64::consts::PI
    };
    let radius = (share / unit).powf(1.0 / f64::from(dims));
    let apart = |a: usize, b: usize| -> f64 {
        let squares = at[a].iter().zip(&at[b]).map(|(x, y)| (x - y).powi(2));
        squares.sum::<f64>().sqrt()
    };
    (0..points)
        .flat_map(|a| (a + 1..points).map(move |b| (a, b)))
        .filter(|&(a, b)| apart(a, b) < radius)
        .collect()
}

/// Cliques of different sizes, each joined to an earlier one by one message.
fn cliques(ranks: usize, random: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut first = 0;
    while first < ranks {
        let end = (first + random.random_range(3..12)).min(ranks);
        pairs.extend((first..end).flat_map(|a| (a + 1..end).map(move |b| (a, b))));
        if first > 0 {
            pairs.push((random.random_range(0..first), first));
        }
        first = end;
    }
    pairs
}
