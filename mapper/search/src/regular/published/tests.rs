use super::*;
use crate::heuristic::{Heuristic, NotApplicable};
use crate::testing::{Case, machine, star_stencil};
use rankfold_model::metric::{Score, score};
use rankfold_model::placement::Placement;

fn case(dims: &[usize], spec: &str, cores: u32) -> Case {
    Case::new(star_stencil(dims, false), machine(spec, cores))
}

fn run(heuristic: &dyn Heuristic, case: &Case) -> Result<Score, NotApplicable> {
    let placed = heuristic.place(&case.problem())?;
    Ok(score(&case.graph, &case.machine, &placed.placement))
}

#[test]
fn figure_2_maps_nine_by_eight_in_three_overlaps() {
    let layout = mxovlp::overlap((9, 8), (6, 12), false);
    // 6x8 as it is, then 3x8 onto 6x4: 3x4 twice
    let place = |x: usize, y: usize| (layout[x * 8 + y] / 12, layout[x * 8 + y] % 12);
    assert_eq!(place(5, 7), (5, 7));
    assert_eq!(place(6, 0), (0, 8));
    assert_eq!(place(8, 3), (2, 11));
    assert_eq!(place(6, 4), (3, 8));
}

#[test]
fn mean_hops_of_the_plane_heuristics_are_those_of_an_independent_implementation() {
    for (dims, spec, overlap, aligned, affine) in [
        ([9, 8], "mesh:6x12", 1.654, 1.654, 1.386),
        ([6, 5], "mesh:10x3", 1.755, 1.755, 1.694),
        ([16, 4], "mesh:8x8", 1.370, 1.370, 1.704),
        ([32, 4], "mesh:8x16", 1.327, 1.327, 2.386),
        ([16, 16], "mesh:32x8", 1.733, 1.733, 1.779),
        ([64, 16], "mesh:32x32", 1.374, 1.374, 1.740),
        ([27, 44], "mesh:36x33", 1.584, 1.660, 1.392),
        ([100, 40], "mesh:125x32", 2.119, 2.069, 1.810),
    ] {
        let case = case(&dims, spec, 1);
        for (heuristic, expected) in [(MXOVLP, overlap), (MXOV_AL, aligned), (AFFN, affine)] {
            let got = run(&heuristic, &case).unwrap().hops_per_byte;
            let name = heuristic.about.name;
            assert!(
                (got - expected).abs() < 0.001,
                "{name}, {dims:?}: {got}, not {expected}"
            );
        }
    }
}

/// Table II: machine, grid, published reduction against XYZ in per cent.
const TABLE_II: [(&str, [usize; 2], f64); 5] = [
    ("mesh:8x4x8", [16, 16], 33.9),
    ("torus:8x8x8", [32, 16], 41.8),
    ("torus:8x8x16", [32, 32], 63.2),
    ("torus:8x16x16", [64, 32], 66.3),
    ("torus:16x16x16", [64, 64], 60.4),
];

/// The default of Blue Gene: ranks along x first. Ours numbers the last dimension fastest.
fn xyz(case: &Case) -> Placement {
    let grid = case.machine.topology().structure().grid().unwrap();
    let dims = grid.dims();
    let node = |rank: usize| {
        let at = [
            rank % dims[0],
            rank / dims[0] % dims[1],
            rank / dims[0] / dims[1],
        ];
        grid.node_at(&at)
    };
    let nodes: Vec<_> = (0..case.graph.ranks()).map(node).collect();
    Placement::from_nodes(&nodes, case.machine.slots()).unwrap()
}

/// Reduction of hops by folding in per cent, for ranks numbered along either side of the grid.
fn reductions(spec: &str, dims: [usize; 2]) -> [f64; 2] {
    [dims, [dims[1], dims[0]]].map(|dims| {
        let case = case(&dims, spec, 1);
        let before = score(&case.graph, &case.machine, &xyz(&case)).hops_per_byte;
        let after = run(&FOLDING, &case).unwrap().hops_per_byte;
        100.0 * (1.0 - after / before)
    })
}

#[test]
fn folding_reduces_hops_as_published_or_the_published_value_lies_between_the_numberings() {
    for (spec, dims, published) in TABLE_II {
        let [along, across] = reductions(spec, dims);
        if dims[0] == dims[1] {
            assert!((along - published).abs() < 3.0, "{spec}: {along}");
        } else {
            let (least, most) = (along.min(across), along.max(across));
            assert!(
                least < published && published < most,
                "{spec}: {along} {across}"
            );
        }
    }
}

#[test]
fn folding_needs_the_hops_an_independent_implementation_needs() {
    let hops = [1.333, 1.131, 1.065, 1.128, 1.095];
    for ((spec, dims, _), expected) in TABLE_II.into_iter().zip(hops) {
        let got = run(&FOLDING, &case(&dims, spec, 1)).unwrap().hops_per_byte;
        assert!(
            (got - expected).abs() < 0.001,
            "{spec}: {got}, not {expected}"
        );
    }
}

#[test]
fn stacking_and_hilbert_need_more_hops_than_folding() {
    for (spec, dims, _) in TABLE_II {
        let case = case(&dims, spec, 1);
        let [folding, stacking, hilbert] = [&FOLDING as &dyn Heuristic, &STACKING, &Hilbert]
            .map(|h| run(h, &case).unwrap().hops_per_byte);
        assert!(folding < stacking && folding < hilbert, "{spec}");
    }
}

#[test]
fn table_i_blocks_two_by_two_ranks_a_node() {
    // (stencil, torus, ranks of a slab and plane in nodes): 4 cores a node throughout
    for (dims, spec) in [
        ([32, 8], "torus:4x4x4"),
        ([16, 32], "torus:4x4x8"),
        ([64, 16], "torus:8x4x8"),
        ([32, 64], "torus:8x8x8"),
    ] {
        let case = case(&dims, spec, 4);
        let got = run(&FOLDING, &case).unwrap();
        // bricks of 2x2 keep half of the edges inside
        assert!(got.hops_per_byte < 0.75, "{dims:?}: {got:?}");
    }
}

#[test]
fn a_hilbert_curve_through_powers_of_two_never_jumps() {
    for sizes in [&[8, 8][..], &[4, 4, 4], &[2, 2, 2, 2]] {
        let order = Hilbert::order(sizes);
        let at = |cell: usize| -> Vec<usize> {
            let mut rest = cell;
            let digits = sizes.iter().rev().map(|k| {
                let digit = rest % k;
                rest /= k;
                digit
            });
            digits.collect()
        };
        for pair in order.windows(2) {
            let (a, b) = (at(pair[0]), at(pair[1]));
            let apart: usize = a.iter().zip(&b).map(|(x, y)| x.abs_diff(*y)).sum();
            assert_eq!(apart, 1, "{sizes:?}: {pair:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let reason = |h: &dyn Heuristic, case: &Case| run(h, case).unwrap_err().0;
    let flat = reason(&FOLDING, &case(&[4, 4], "torus:4x4", 1));
    assert!(flat.contains("no 3D"), "{flat}");
    let cut = reason(&FOLDING, &case(&[10, 9], "mesh:6x5x3", 1));
    assert!(cut.contains("equal slabs"), "{cut}");
    let room = reason(&AFFN, &case(&[4, 4], "mesh:5x4", 1));
    assert!(room.contains("do not fill"), "{room}");
}
