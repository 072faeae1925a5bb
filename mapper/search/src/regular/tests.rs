use super::*;
use crate::irregular::Spectral;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_metric::{Score, score};
use rankfold_problem::heuristic::{Effort, Heuristic, NotApplicable, Problem, Refinement};
use rankfold_problem::testing::{Case, machine, shuffled, star_stencil};
use rankfold_refine::Swap;
use rayon::prelude::*;

fn run(
    heuristic: &dyn Heuristic,
    (dims, periodic): (&[usize], bool),
    (spec, cores): (&str, u32),
) -> Result<Score, NotApplicable> {
    let case = Case::new(star_stencil(dims, periodic), machine(spec, cores));
    let placed = heuristic.place(&case.problem())?;
    Ok(score(&case.graph, &case.machine, &placed.placement))
}

/// Table II of Bhatele 2010, 2D grids on 3D machines: mean hops by `gray` alone, and by `reshape`.
const TABLE_II: [(&str, &[usize], f64, f64); 5] = [
    ("mesh:8x4x8", &[16, 16], 1.0333, 1.0333),
    ("torus:8x8x8", &[32, 16], 1.0328, 1.0164),
    ("torus:8x8x16", &[32, 32], 1.0161, 1.0081),
    ("torus:8x16x16", &[64, 32], 1.0160, 1.0080),
    ("torus:16x16x16", &[64, 64], 1.0714, 1.0119),
];

#[test]
fn bhateles_table_ii_is_reached_by_factors_and_bettered_by_windings() {
    for (spec, dims, factored, wound) in TABLE_II {
        let hops = |h: &dyn Heuristic| run(h, (dims, false), (spec, 1)).unwrap().hops_per_byte;
        assert!((hops(&Gray) - factored).abs() < 1e-4, "{spec}");
        assert!((hops(&Reshape) - wound).abs() < 1e-4, "{spec}");
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
fn planes_that_do_not_factor_well_are_squeezed() {
    for (dims, spec, hops) in [
        (&[9, 8][..], "mesh:6x12", 1.252),
        (&[6, 5], "mesh:10x3", 1.408),
        (&[16, 4], "mesh:8x8", 1.111),
        (&[32, 4], "mesh:8x16", 1.055),
        (&[16, 16], "mesh:32x8", 1.5),
        (&[64, 16], "mesh:32x32", 1.122),
        (&[27, 44], "mesh:36x33", 1.248),
        (&[100, 40], "mesh:125x32", 1.2015),
    ] {
        let got = run(&Reshape, (dims, false), (spec, 1))
            .unwrap()
            .hops_per_byte;
        assert!(got <= 1.005 * hops, "{dims:?} on {spec}: {got}");
    }
}

#[test]
fn dilation_is_one_wherever_a_plain_embedding_exists() {
    for (grid, spec) in [
        ((&[4, 4][..], true), "torus:4x4"),
        ((&[4, 6, 8], true), "torus:8x4x6"),
        ((&[64], false), "mesh:4x4x4"),
        ((&[64], true), "mesh:8x8"),
        ((&[16, 16], false), "torus:4x4x4x4"),
        ((&[4, 4], false), "mesh:7x9"),
        ((&[7, 5], false), "mesh:6x7"),
    ] {
        let got = run(&Reshape, grid, (spec, 1)).unwrap();
        assert!(got.max_dilation <= 1, "{grid:?} on {spec}: {got:?}");
    }
}

#[test]
fn grids_that_fill_no_box_exactly_leave_a_few_nodes_empty() {
    for (dims, spec, most) in [
        (&[7, 11][..], "mesh:8x10", 1.6),
        (&[13], "torus:4x4", 1.0),
        (&[3, 5, 5], "mesh:4x4x5", 1.5),
    ] {
        let got = run(&Reshape, (dims, false), (spec, 1)).unwrap();
        assert!(got.hops_per_byte <= most, "{dims:?} on {spec}: {got:?}");
    }
}

#[test]
fn grids_without_a_common_factor_need_fewer_hops_than_spectral_on_average_and_never_3_percent_more_slow()
 {
    let sizes = [
        (&[5, 5, 5][..], "mesh:8x4x4", 1),
        (&[7, 7, 7], "torus:8x8x6", 1),
        (&[10, 10, 10], "mesh:7x7x7", 3),
        (&[3, 4, 5, 5], "mesh:7x7x7", 1),
        (&[3, 3, 3, 3, 5], "torus:8x8x7", 1),
    ];
    let mut product = 1.0;
    for (dims, spec, cores) in sizes {
        let case = Case::new(star_stencil(dims, false), machine(spec, cores));
        let hops = |h: &dyn Heuristic| {
            let mut placed = h.place(&case.problem()).unwrap().placement;
            Swap.refine(&case.problem(), &mut placed);
            score(&case.graph, &case.machine, &placed).hops_per_byte
        };
        let ratio = hops(&Reshape) / hops(&Spectral);
        assert!(ratio < 1.03, "{dims:?} on {spec}: {ratio}");
        product *= ratio;
    }
    assert!(product < 1.0, "{product}");
}

#[test]
fn gray_tiles_the_switches_of_a_tree() {
    // 4 leaf switches of 16 hosts: with tiles of 4x4, 2 * 8 of the 112 edges cross the root.
    let got = run(&Gray, (&[8, 8], false), ("tree:4x16", 1)).unwrap();
    let expected = (96.0 * 2.0 + 16.0 * 4.0) / 112.0;
    assert!((got.hops_per_byte - expected).abs() < 1e-9, "{got:?}");
}

#[test]
fn what_does_not_fit_is_said() {
    let reason = |h: &dyn Heuristic, grid, target| run(h, grid, target).unwrap_err().0;
    let prime = reason(&Gray, (&[13], false), ("torus:4x4", 1));
    assert!(prime.contains("exactly 13 slots"), "{prime}");
}

/// Every way to write `cells` as a product of `dims` factors of at least 2.
fn shapes(cells: usize, dims: usize) -> Vec<Vec<usize>> {
    if dims == 1 {
        return if cells > 1 {
            vec![vec![cells]]
        } else {
            Vec::new()
        };
    }
    let first = (2..=cells / 2).filter(|a| cells.is_multiple_of(*a));
    first
        .flat_map(|a| {
            let rest = shapes(cells / a, dims - 1).into_iter();
            rest.map(move |rest| [&[a], &rest[..]].concat())
        })
        .collect()
}

/// The published heuristic with the fewest hops, if that is fewer than `reshape` needs without
/// exchanges.
fn who_is_better(grid: &[usize], spec: &str) -> Option<&'static str> {
    let case = Case::new(star_stencil(grid, false), machine(spec, 1));
    let problem = Problem {
        effort: Effort::Fast,
        ..case.problem()
    };
    let hops = |h: &dyn Heuristic| {
        let placed = h.place(&problem).ok()?;
        Some(score(&case.graph, &case.machine, &placed.placement).hop_bytes)
    };
    let pairs = (case.graph.ranks() <= 128).then_some(&Pairs::WITHOUT_JUMPS as &dyn Heuristic);
    let suite = published::SUITE.into_iter().chain(pairs);
    let best = suite
        .filter_map(|h| Some((hops(h)?, h.about().name)))
        .min()?;
    (hops(&Reshape)? > best.0).then_some(best.1)
}

#[test]
fn no_published_heuristic_needs_fewer_hops_on_any_plane_of_up_to_96_cells_slow() {
    let mut pairs = Vec::new();
    for cells in 4..=96 {
        for grid in shapes(cells, 2) {
            let meshes = shapes(cells, 2).into_iter().filter(|m| m[0] <= m[1]);
            pairs.extend(meshes.map(|m| (grid.clone(), format!("mesh:{}x{}", m[0], m[1]))));
        }
    }
    let worse = pairs.par_iter().filter_map(|(grid, spec)| {
        Some(format!(
            "{} on {grid:?} on {spec}",
            who_is_better(grid, spec)?
        ))
    });
    let worse: Vec<String> = worse.collect();
    assert!(pairs.len() > 500);
    assert!(
        worse.is_empty(),
        "{} of {}: {worse:?}",
        worse.len(),
        pairs.len()
    );
}

#[test]
fn no_published_heuristic_needs_fewer_hops_on_random_sizes_of_up_to_4096_cells_slow() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut tried = 0;
    while tried < 60 {
        let (k, m) = [(2, 2), (2, 3), (3, 3), (3, 2), (4, 3)][tried % 5];
        let cells = random.random_range(97..=4096);
        let (grids, meshes) = (shapes(cells, k), shapes(cells, m));
        if grids.is_empty() || meshes.is_empty() {
            continue;
        }
        let grid = &grids[random.random_range(0..grids.len())];
        let mesh = &meshes[random.random_range(0..meshes.len())];
        let sizes: Vec<String> = mesh.iter().map(ToString::to_string).collect();
        let family = if tried % 2 == 0 { "mesh" } else { "torus" };
        let spec = format!("{family}:{}", sizes.join("x"));
        assert_eq!(who_is_better(grid, &spec), None, "{grid:?} on {spec}");
        tried += 1;
    }
}

#[test]
fn ranks_in_no_order_are_placed_as_well_as_ranks_in_rows() {
    let graph = shuffled(&star_stencil(&[16, 16], true));
    let case = Case::new(graph, machine("torus:16x16", 1));
    let placed = Gray.place(&case.problem()).unwrap();
    let score = score(&case.graph, &case.machine, &placed.placement);
    assert_eq!(score.hops_per_byte, 1.0);
}
