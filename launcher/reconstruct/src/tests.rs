use crate::simulated::{Simulated, measure};
use crate::{Certainty, NetworkStructure, Reconstruction, adjusted_rand_index, best_fit, decide};
use rankfold_base::NodeId;
use rankfold_machine::parse;

/// Hops in the network of a spec.
fn hops(spec: &str) -> (usize, impl Fn(usize, usize) -> f64 + use<>) {
    let topology = parse(spec).unwrap();
    let nodes = topology.nodes();
    (nodes, move |a, b| {
        f64::from(topology.hops(NodeId::at(a), NodeId::at(b)))
    })
}

fn grid(spec: &str, noise: f64, seed: u64) -> (Simulated, Reconstruction) {
    let (nodes, hops) = hops(spec);
    let seen = measure(nodes, hops, noise, seed);
    let reconstruction = decide(&seen.odd, &seen.even, 1);
    (seen, reconstruction)
}

/// The share of the true links that a reconstruction has.
fn right(seen: &Simulated, reconstruction: &Reconstruction) -> f64 {
    let NetworkStructure::Grid {
        sizes,
        wraps,
        nodes,
    } = &reconstruction.structure
    else {
        return 0.0;
    };
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let kind = if *wraps { "torus" } else { "mesh" };
    let (_, found) = hops(&format!("{kind}:{}", sizes.join("x")));
    seen.right(|i, j| found(nodes[i], nodes[j]))
}

/// The best fit to all measurements, however certain it is.
fn of_all(seen: &Simulated, is_grid: bool) -> Reconstruction {
    let all = seen.odd.zip_map(&seen.even, f64::min);
    Reconstruction {
        structure: best_fit(&all, is_grid, 1),
        ..decide(&seen.odd, &seen.even, 1)
    }
}

#[test]
fn tori_are_exact_from_64_nodes_at_a_noise_of_a_tenth_and_others_at_a_twentieth_slow() {
    for (spec, noise) in [
        ("torus:4x4", 0.05),
        ("mesh:4x4", 0.05),
        ("torus:5x3", 0.02),
        ("torus:4x4x4", 0.1),
        ("torus:8x8", 0.1),
        ("mesh:8x8", 0.05),
        ("torus:6x4x4", 0.1),
    ] {
        for seed in 1..=3 {
            let (nodes, hops) = hops(spec);
            let seen = measure(nodes, hops, noise, seed);
            let reconstruction = of_all(&seen, true);
            let links = right(&seen, &reconstruction);
            assert!(
                links == 1.0,
                "{spec} at {noise}, seed {seed}: {links}, {reconstruction:?}"
            );
        }
    }
}

#[test]
fn trees_of_two_levels_are_exact_at_a_noise_of_a_twentieth_slow() {
    for (sizes, seeds) in [([8, 8], 1..=3), ([16, 4], 1..=3), ([16, 16], 1..=1)] {
        for seed in seeds {
            let (nodes, hops) = hops(&format!("tree:{}x{}", sizes[0], sizes[1]));
            let seen = measure(nodes, hops, 0.05, seed);
            let NetworkStructure::Tree { levels } = of_all(&seen, false).structure else {
                panic!("{sizes:?} seed {seed}: no tree");
            };
            let leaves = seen.groups(sizes[1]);
            let index = levels
                .last()
                .map(|finest| adjusted_rand_index(&leaves, finest));
            assert!(index > Some(0.95), "{sizes:?} seed {seed}: {index:?}");
        }
    }
}

/// Takes seconds for each network on one core. Run by `cargo test --release -p rankfold-reconstruct
/// --lib -- --ignored of_hundreds`.
#[test]
#[ignore = "takes seconds a size"]
fn grids_of_hundreds_of_nodes_are_exact_at_a_noise_of_a_tenth() {
    for spec in ["torus:16x16", "torus:8x8x4", "torus:8x8x8", "mesh:16x16"] {
        let (seen, reconstruction) = grid(spec, 0.1, 1);
        let links = right(&seen, &reconstruction);
        println!(
            "{spec}: {links}, q {:.2}, {:?}",
            reconstruction.q, reconstruction.certainty
        );
        assert!(reconstruction.certainty < Certainty::Sure || links > 0.99);
        let links = right(&seen, &of_all(&seen, true));
        assert!(links == 1.0, "{spec}: {links}");
    }
}

#[test]
fn trees_of_three_levels_are_found() {
    let (nodes, hops) = hops("tree:4x4x8");
    let seen = measure(nodes, hops, 0.03, 5);
    let reconstruction = decide(&seen.odd, &seen.even, 1);
    let NetworkStructure::Tree { levels } = &reconstruction.structure else {
        panic!("{reconstruction:?}");
    };
    assert_eq!(levels.len(), 2, "{reconstruction:?}");
    for (level, below) in levels.iter().zip([32, 8]) {
        assert!(adjusted_rand_index(&seen.groups(below), level) > 0.999);
    }
}

#[test]
fn a_network_without_structure_and_one_drowned_in_noise_are_no_structure() {
    let flat = |a: usize, b: usize| if a == b { 0.0 } else { 2.0 };
    for seed in 1..=6 {
        let seen = measure(32, flat, 0.05, seed);
        let reconstruction = decide(&seen.odd, &seen.even, 1);
        assert_eq!(
            (&reconstruction.structure, reconstruction.certainty),
            (&NetworkStructure::Flat, Certainty::HostsOnly)
        );
        let (seen, reconstruction) = grid("torus:4x4", 0.6, seed);
        assert!(
            reconstruction.certainty == Certainty::HostsOnly,
            "{reconstruction:?} {}",
            right(&seen, &reconstruction)
        );
    }
}

#[test]
fn nothing_is_written_as_sure_that_is_wrong() {
    for spec in ["torus:4x4", "mesh:4x4", "torus:4x3x2", "torus:8x4"] {
        for noise in [0.03, 0.07, 0.12, 0.25] {
            for seed in 10..13 {
                let (seen, reconstruction) = grid(spec, noise, seed);
                let links = right(&seen, &reconstruction);
                assert!(
                    reconstruction.certainty < Certainty::Sure || links > 0.99,
                    "{spec} at {noise}, seed {seed}: {links}, {reconstruction:?}"
                );
            }
        }
    }
}

#[test]
fn the_lowest_groups_of_a_tree_are_not_written_where_only_the_upper_ones_are_told_apart_slow() {
    for seed in 1..=2 {
        let (nodes, hops) = hops("tree:8x4x8");
        let seen = measure(nodes, hops, 0.1, seed);
        let reconstruction = decide(&seen.odd, &seen.even, 1);
        if let NetworkStructure::Tree { levels } = &reconstruction.structure {
            let truth = [32, 8].map(|below| seen.groups(below));
            for level in levels {
                let index = truth.iter().map(|of| adjusted_rand_index(of, level));
                let index = index.fold(0.0, f64::max);
                assert!(index > 0.95, "seed {seed}: {index}");
            }
        }
    }
}

#[test]
fn the_same_measurements_give_the_same_answer() {
    let (seen, first) = grid("torus:4x4", 0.1, 3);
    assert_eq!(first, decide(&seen.odd, &seen.even, 1));
}
