//! The figures of `scripts/bench regular`.
mod grid;
use grid::Case;
use rankfold_mapper::regular::*;
use std::time::Instant;

fn main() {
    let rows: Vec<(Vec<usize>, String, f64)> = [
        ([9, 8], [6, 12], 1.252),
        ([6, 5], [10, 3], 1.408),
        ([16, 4], [8, 8], 1.111),
        ([32, 4], [8, 16], 1.055),
        ([16, 16], [32, 8], 1.5),
        ([64, 16], [32, 32], 1.122),
        ([27, 44], [36, 33], 1.248),
        ([100, 40], [125, 32], 1.2015),
        ([100, 100], [250, 40], 1.563),
    ]
    .iter()
    .map(|(o, p, x)| (o.to_vec(), format!("mesh:{}x{}", p[0], p[1]), *x))
    .chain([
        (vec![16, 16], "mesh:8x4x8".into(), 1.03),
        (vec![32, 16], "torus:8x8x8".into(), 1.03),
        (vec![32, 32], "torus:8x8x16".into(), 1.03),
        (vec![64, 32], "torus:8x16x16".into(), 1.03),
        (vec![64, 64], "torus:16x16x16".into(), 1.03),
    ])
    .collect();
    for (dims, spec, x) in rows {
        let case = Case::new(&dims, &spec);
        let t = Instant::now();
        let placed = Reshape.place(&case.problem()).unwrap();
        let s = t.elapsed().as_secs_f64();
        println!(
            "{dims:?} {spec} want {x} gray {:?} reshape {:?} refined {:?} {s:.3}s {:?}",
            case.hops(&Gray),
            case.hops(&Reshape),
            case.refined_hops(&Reshape),
            placed.diagnostics.notes
        );
    }
}
use rankfold_mapper::heuristic::Heuristic;
