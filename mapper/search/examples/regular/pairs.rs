//! Many pairs of grids and meshes: our heuristics compared with the best published one.

use crate::grid::Case;
use crate::report::Report;
use crate::scale::cpu_seconds;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_problem::heuristic::Heuristic;
use rankfold_search::regular::{
    AFFN, COCE, EXCO, FOLDING, Gray, Hilbert, MXOV_AL, MXOVLP, Pairs, Reshape, STACKING, STEP,
};
use rayon::prelude::*;

/// Number of ranks above which `pairs` takes too long for thousands of cases.
const PAIRS_RANKS: usize = 128;

/// Seed of the samples.
const SEED: u64 = 1;

/// One grid and one machine.
pub(crate) struct Pair {
    dims: Vec<usize>,
    spec: String,
}

impl Pair {
    fn new(dims: Vec<usize>, mesh: &[usize], wraps: bool) -> Self {
        let sizes: Vec<String> = mesh.iter().map(ToString::to_string).collect();
        let family = if wraps { "torus" } else { "mesh" };
        Self {
            dims,
            spec: format!("{family}:{}", sizes.join("x")),
        }
    }
}

/// The results of one pair, in mean hops.
struct Outcome {
    name: String,
    published: f64,
    best: &'static str,
    ours: f64,
    gray: Option<f64>,
    dilation_one_missed: bool,
}

/// Runs a set of pairs, prints one line and records its figures.
pub(crate) fn compare(report: &mut Report, name: &str, pairs: &[Pair]) {
    let cpu = cpu_seconds();
    let outcomes: Vec<Outcome> = pairs.par_iter().filter_map(run).collect();
    let cpu = cpu_seconds() - cpu;
    let count = |which: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|o| which(o)).count();
    let wins = count(&|o| o.ours < o.published);
    let losses: Vec<&Outcome> = outcomes.iter().filter(|o| o.ours > o.published).collect();
    let missed = count(&|o| o.dilation_one_missed);
    let mean = |value: &dyn Fn(&Outcome) -> f64| {
        (outcomes.iter().map(|o| value(o).ln()).sum::<f64>() / outcomes.len() as f64).exp()
    };
    let figures = [
        ("pairs", outcomes.len() as f64),
        ("wins", wins as f64),
        ("ties", (outcomes.len() - wins - losses.len()) as f64),
        ("losses", losses.len() as f64),
        ("published", mean(&|o| o.published)),
        ("gray", mean(&|o| o.gray.unwrap_or(o.ours))),
        ("ours", mean(&|o| o.ours)),
        ("ratio", mean(&|o| o.ours / o.published)),
        ("cpu_seconds", cpu),
    ];
    let key = name.replace(' ', "");
    let mut row = vec![name.to_string()];
    for (index, (what, value)) in figures.into_iter().enumerate() {
        report.figure(&format!("pairs.{key}.{what}"), value);
        row.push(match index {
            0..4 => format!("{value:.0}"),
            8 => format!("{value:.1}"),
            _ => format!("{value:.4}"),
        });
    }
    report.row(&row);
    for loss in losses.iter().take(5) {
        println!(
            "    {}: ours {:.4}, {} {:.4}",
            loss.name, loss.ours, loss.best, loss.published
        );
    }
    let none_lost = losses.is_empty();
    report.claim(
        none_lost,
        &format!("{name}: never worse than the best published heuristic"),
    );
    report.claim(
        missed == 0,
        &format!("{name}: one hop wherever a factorisation has one hop"),
    );
}

fn run(pair: &Pair) -> Option<Outcome> {
    let case = Case::with_known_grid(&pair.dims, &pair.spec);
    let suite: [&dyn Heuristic; 9] = [
        &MXOVLP, &MXOV_AL, &EXCO, &COCE, &AFFN, &STEP, &STACKING, &FOLDING, &Hilbert,
    ];
    let mut published: Vec<(f64, &'static str)> = suite
        .iter()
        .filter_map(|h| Some((case.hops(*h)?, h.about().name)))
        .collect();
    if case.graph.ranks() <= PAIRS_RANKS {
        published.extend(case.hops(&Pairs::WITHOUT_JUMPS).map(|hops| (hops, "pairs")));
    }
    let (published, best) = published.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let ours = case.hops(&Reshape)?;
    let gray = case.hops(&Gray);
    Some(Outcome {
        name: format!("{:?} on {}", pair.dims, pair.spec),
        published,
        best,
        ours,
        dilation_one_missed: gray == Some(1.0) && ours > 1.0,
        gray,
    })
}

/// Every 2D grid on every 2D mesh with as many cells, from `least` to `most` cells.
pub(crate) fn planes(least: usize, most: usize) -> Vec<Pair> {
    pairs(2, 2, least, most)
        .map(|(dims, mesh)| Pair::new(dims, &mesh, false))
        .collect()
}

/// A sample of the pairs of `k`-D grids and `m`-D machines with `least` to `most` cells. Each pair
/// is drawn with probability 1 / `every`. Every second machine of three dimensions is a torus.
pub(crate) fn sample(
    (k, m): (usize, usize),
    (least, most): (usize, usize),
    every: u32,
) -> Vec<Pair> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let drawn = pairs(k, m, least, most).filter(|_| random.random_ratio(1, every));
    drawn
        .enumerate()
        .map(|(i, (dims, mesh))| Pair::new(dims, &mesh, m > 2 && i % 2 == 1))
        .collect()
}

/// Every pair of a `k`-D grid and an `m`-D mesh with the same number of cells and all sides of at
/// least 2 cells. The sizes of the mesh ascend, and so do the sizes of a grid with more than two
/// dimensions. Pairs of equal sizes are left out.
fn pairs(
    k: usize,
    m: usize,
    least: usize,
    most: usize,
) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
    (least..=most).flat_map(move |cells| {
        let grids = shapes(cells, k, k > 2);
        let meshes = shapes(cells, m, true);
        grids.into_iter().flat_map(move |grid| {
            let mut sorted = grid.clone();
            sorted.sort_unstable();
            let others = meshes
                .clone()
                .into_iter()
                .filter(move |mesh| *mesh != sorted);
            others.map(move |mesh| (grid.clone(), mesh))
        })
    })
}

fn shapes(cells: usize, dims: usize, ascending: bool) -> Vec<Vec<usize>> {
    if dims == 1 {
        return if cells > 1 {
            vec![vec![cells]]
        } else {
            Vec::new()
        };
    }
    let divisors = (2..=cells / 2).filter(|d| cells.is_multiple_of(*d));
    divisors
        .flat_map(|d| {
            let rest = shapes(cells / d, dims - 1, ascending).into_iter();
            rest.filter(move |tail| !ascending || tail[0] >= d)
                .map(move |tail| [&[d], &tail[..]].concat())
        })
        .collect()
}
