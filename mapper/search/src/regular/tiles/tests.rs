use super::*;
use rankfold_machine::{HostList, parse};
use rankfold_metric::{Score, score};
use rankfold_problem::testing::{Case, machine, star_stencil};

fn run(dims: &[usize], machine: Machine) -> (Score, Score) {
    let case = Case::new(star_stencil(dims, false), machine);
    let placed = Tiles.place(&case.problem()).unwrap();
    let block = Placement::block(case.graph.ranks());
    let score = |p: &Placement| score(&case.graph, &case.machine, p);
    (score(&placed.placement), score(&block))
}

#[test]
fn tiles_of_a_leaf_leave_few_edges_to_the_root() {
    // 4 leaf switches of 16 hosts: with tiles of 4x4, 2 * 8 of the 112 edges cross the root.
    let (got, _) = run(&[8, 8], machine("tree:4x16", 1));
    let expected = (96.0 * 2.0 + 16.0 * 4.0) / 112.0;
    assert!((got.hops_per_byte - expected).abs() < 1e-9, "{got:?}");
}

#[test]
fn leaves_and_cores_that_do_not_divide_still_make_compact_tiles() {
    for (dims, spec, cores, most) in [
        (&[32, 32][..], "ibcore:hosts=128", 8, 0.75),
        (&[10, 12], "tree:3x7", 6, 0.8),
        (&[12, 10, 8], "dragonfly:4,6,2,8", 5, 0.85),
        (&[24, 24], "xgft:5,6,4:1,2,2", 5, 0.85),
    ] {
        let (got, block) = run(dims, machine(spec, cores));
        let ratio = got.hop_bytes as f64 / block.hop_bytes as f64;
        assert!(ratio <= most, "{dims:?} on {spec}: {ratio} of block order");
    }
}

#[test]
fn unequal_and_missing_nodes_are_filled_to_the_slot() {
    for spec in ["torus:4x4", "tree:4x4", "mesh:2x8"] {
        let slots = [4, 1, 0, 3, 2, 4, 4, 1, 0, 0, 3, 4, 2, 2, 4, 2];
        let lines = slots.iter().enumerate().map(|(n, slots)| match slots {
            0 => "-".to_string(),
            _ => format!("n{n} slots={slots}"),
        });
        let hosts = HostList::from_text(&lines.collect::<Vec<_>>().join("\n"), "hosts").unwrap();
        let machine = Machine::new(parse(spec).unwrap(), 1, Some(hosts)).unwrap();
        let (got, block) = run(&[6, 6], machine);
        assert!(
            got.hop_bytes <= block.hop_bytes,
            "{spec}: {got:?} {block:?}"
        );
    }
}
