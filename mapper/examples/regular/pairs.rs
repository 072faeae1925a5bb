//! Grid onto mesh over many pairs of sizes: ours beside the best of the published heuristics.

use crate::grid::Case;
use crate::report::Report;
use rankfold_mapper::heuristic::Heuristic;
use rankfold_mapper::regular::{
    AFFN, COCE, EXCO, FOLDING, Gray, Hilbert, MXOV_AL, MXOVLP, PAIRS, Reshape, STACKING, STEP,
};
use rayon::prelude::*;

/// Above so many ranks random exchanges take too long for thousands of pairs.
const PAIRS_RANKS: usize = 128;

/// One grid and one machine.
struct Pair {
    dims: Vec<usize>,
    spec: String,
}

/// What came out of one pair, in mean hops.
struct Outcome {
    name: String,
    published: f64,
    best: &'static str,
    ours: f64,
    gray: Option<f64>,
    dilation_one_missed: bool,
}

/// Runs one family of pairs, prints its line and notes its figures.
pub(crate) fn compare(
    report: &mut Report,
    name: &str,
    share: usize,
    stream: impl Iterator<Item = (Vec<usize>, Vec<usize>)>,
) {
    let pairs: Vec<Pair> = stream
        .enumerate()
        .filter(|(i, _)| i % share == 0)
        .map(|(i, (dims, mesh))| Pair {
            dims,
            spec: spec(&mesh, i / share % 2 == 1 && mesh.len() > 2),
        })
        .collect();
    let outcomes: Vec<Outcome> = pairs.par_iter().filter_map(run).collect();
    let lost: Vec<&Outcome> = outcomes
        .iter()
        .filter(|o| o.ours > o.published * (1.0 + 1e-9))
        .collect();
    let mean = |value: &dyn Fn(&Outcome) -> f64| {
        (outcomes.iter().map(|o| value(o).ln()).sum::<f64>() / outcomes.len() as f64).exp()
    };
    let ratio = mean(&|o| o.ours / o.published);
    let below = outcomes
        .iter()
        .filter(|o| o.ours < o.published * (1.0 - 1e-9))
        .count();
    let missed = outcomes.iter().filter(|o| o.dilation_one_missed).count();
    report.row(&[
        name.into(),
        outcomes.len().to_string(),
        format!("{:.3}", mean(&|o| o.published)),
        format!("{:.3}", mean(&|o| o.gray.unwrap_or(o.ours))),
        format!("{:.3}", mean(&|o| o.ours)),
        format!("{ratio:.3}"),
        below.to_string(),
        lost.len().to_string(),
    ]);
    let key = name.replace(' ', "");
    for (what, value) in [
        ("pairs", outcomes.len() as f64),
        ("ratio", ratio),
        ("better", below as f64),
        ("worse", lost.len() as f64),
        ("published", mean(&|o| o.published)),
        ("ours", mean(&|o| o.ours)),
    ] {
        report.figure(&format!("pairs.{key}.{what}"), value);
    }
    for loss in lost.iter().take(5) {
        println!(
            "    {}: ours {:.4}, {} {:.4}",
            loss.name, loss.ours, loss.best, loss.published
        );
    }
    report.claim(
        lost.is_empty(),
        &format!("{name}: never worse than the best published heuristic"),
    );
    report.claim(
        missed == 0,
        &format!("{name}: one hop wherever a factorisation has one hop"),
    );
}

fn run(pair: &Pair) -> Option<Outcome> {
    let case = Case::new(&pair.dims, &pair.spec);
    let suite: [&dyn Heuristic; 9] = [
        &MXOVLP, &MXOV_AL, &EXCO, &COCE, &AFFN, &STEP, &STACKING, &FOLDING, &Hilbert,
    ];
    let mut published: Vec<(f64, &'static str)> = suite
        .iter()
        .filter_map(|h| Some((case.hops(*h)?, h.name())))
        .collect();
    if case.graph.ranks() <= PAIRS_RANKS {
        published.extend(case.hops(&PAIRS).map(|hops| (hops, "pairs")));
    }
    let (published, best) = published.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let ours = case.refined_hops(&Reshape)?;
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

fn spec(mesh: &[usize], wraps: bool) -> String {
    let sizes: Vec<String> = mesh.iter().map(ToString::to_string).collect();
    let family = if wraps { "torus" } else { "mesh" };
    format!("{family}:{}", sizes.join("x"))
}

/// Every grid of `k` and every mesh of `m` dimensions of 2 cells at least, equal in cells, up to `most`; the
/// mesh's sizes ascend, and so do the grid's if it has more than two dimensions. Equal sizes are left out.
pub(crate) fn all(
    k: usize,
    m: usize,
    most: usize,
) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
    (4..=most).flat_map(move |cells| {
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
