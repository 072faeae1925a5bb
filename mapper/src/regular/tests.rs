use super::*;
use crate::heuristic::{Heuristic, NotApplicable};
use crate::metric::{Score, score};
use crate::testing::{Case, machine, star_stencil};

fn run(
    heuristic: &dyn Heuristic,
    (dims, periodic): (&[usize], bool),
    (spec, cores): (&str, u32),
) -> Result<Score, NotApplicable> {
    let case = Case::new(star_stencil(dims, periodic), machine(spec, cores));
    let placed = heuristic.place(&case.problem())?;
    Ok(score(&case.graph, &case.machine, &placed.placement))
}

/// 2D grids on 3D machines, mean hops of the exhaustive factor search and of folding with better bases.
const TABLE_II: [(&str, &[usize], f64, f64); 5] = [
    ("mesh:8x4x8", &[16, 16], 1.033, 1.333),
    ("torus:8x8x8", &[32, 16], 1.033, 1.131),
    ("torus:8x8x16", &[32, 32], 1.016, 1.065),
    ("torus:8x16x16", &[64, 32], 1.016, 1.128),
    ("torus:16x16x16", &[64, 64], 1.071, 1.095),
];

#[test]
fn gray_is_as_good_as_the_exhaustive_search_on_bhateles_table_ii() {
    for (spec, dims, hops, _) in TABLE_II {
        let got = run(&Gray, (dims, false), (spec, 1)).unwrap().hops_per_byte;
        assert!(got <= 1.005 * hops, "{spec}: {got}, expected {hops}");
    }
}

#[test]
fn folding_is_at_least_as_good_as_published_bases_make_it() {
    for (spec, dims, _, hops) in TABLE_II {
        let got = run(&Folding, (dims, false), (spec, 1)).unwrap();
        assert!(got.hops_per_byte <= 1.005 * hops, "{spec}: {got:?}");
    }
}

#[test]
fn gray_finds_dilation_one_wherever_a_plain_embedding_exists() {
    for (grid, spec, cores) in [
        ((&[4, 4][..], true), "torus:4x4", 1),
        ((&[8, 4], true), "torus:4x8", 1),
        ((&[4, 6, 8], true), "torus:8x4x6", 1),
        ((&[64], false), "mesh:4x4x4", 1),
        ((&[16, 16], false), "torus:4x4x4x4", 1),
        ((&[8, 8], false), "mesh:4x4", 4),
        ((&[4, 4], false), "mesh:7x9", 1),
    ] {
        let got = run(&Gray, grid, (spec, cores)).unwrap();
        assert!(got.max_dilation <= 1, "{grid:?} on {spec}: {got:?}");
    }
}

#[test]
fn two_dimensional_rows_of_table_three_are_reached() {
    for (dims, spec, hops) in [
        (&[16, 4][..], "mesh:8x8", 1.111),
        (&[32, 4], "mesh:8x16", 1.055),
        (&[16, 16], "mesh:32x8", 1.5),
        (&[64, 16], "mesh:32x32", 1.122),
        (&[6, 5], "mesh:10x3", 1.408),
        (&[9, 8], "mesh:6x12", 1.520),
    ] {
        let got = run(&Gray, (dims, false), (spec, 1)).unwrap().hops_per_byte;
        assert!(got <= 1.005 * hops, "{dims:?} on {spec}: {got}");
    }
}

#[test]
fn gray_tiles_the_switches_of_a_tree() {
    // 4 leaves of 16 hosts: tiles of 4x4 leave 2 * 8 of 112 edges to the root
    let got = run(&Gray, (&[8, 8], false), ("tree:4x16", 1)).unwrap();
    let expected = (96.0 * 2.0 + 16.0 * 4.0) / 112.0;
    assert!((got.hops_per_byte - expected).abs() < 1e-9, "{got:?}");
}

#[test]
fn what_does_not_fit_is_said() {
    let reason = |h: &dyn Heuristic, grid, target| run(h, grid, target).unwrap_err().0;
    let prime = reason(&Gray, (&[13], false), ("torus:4x4", 1));
    assert!(prime.contains("exactly 13 slots"), "{prime}");
    let flat = reason(&Folding, (&[4, 4], false), ("torus:4x4", 1));
    assert!(flat.contains("no 3D"), "{flat}");
    let cut = reason(&Folding, (&[10, 9], false), ("mesh:6x5x3", 1));
    assert!(cut.contains("side 10 cannot be cut into 3"), "{cut}");
}
