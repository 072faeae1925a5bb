mod acceptance;
mod declared;
mod hidden;
mod layers;
mod non_grids;
mod programs;
mod worlds;

use super::*;
use rankfold_graph::Message;
use rankfold_graph::samples::{RankGrid, box_stencil, graph, message, star_stencil, stencil};

/// Sizes, periodicity and number of points of the best reading.
fn seen(graph: &CommGraph) -> Option<(Vec<usize>, Vec<bool>, usize)> {
    let best = analyze(graph).stencil()?.clone();
    Some((best.dims, best.periodic, best.points))
}

fn open(dims: &[usize], points: usize) -> Option<(Vec<usize>, Vec<bool>, usize)> {
    Some((dims.to_vec(), vec![false; dims.len()], points))
}

fn closed(dims: &[usize], points: usize) -> Option<(Vec<usize>, Vec<bool>, usize)> {
    let periodic = dims.iter().map(|&k| k > 2).collect();
    Some((dims.to_vec(), periodic, points))
}

#[test]
fn open_and_periodic_grids_of_one_to_five_dimensions_are_recognised() {
    for dims in [
        &[2][..],
        &[7],
        &[64],
        &[8, 8],
        &[4, 16],
        &[16, 4],
        &[3, 3],
        &[3, 2],
        &[2, 5],
        &[13, 11],
        &[4, 4],
        &[8, 4, 6],
        &[2, 2, 2],
        &[3, 3, 3],
        &[5, 4, 3, 6],
        &[3, 4, 3, 2, 3],
    ] {
        let points = 1 + 2 * dims.len();
        assert_eq!(seen(&star_stencil(dims, false)), open(dims, points));
        let ring_of_four_is_a_square = dims == [2, 2, 2];
        if !ring_of_four_is_a_square {
            assert_eq!(seen(&star_stencil(dims, true)), closed(dims, points));
        }
    }
}

#[test]
fn a_closed_ring_is_no_path() {
    assert_eq!(seen(&star_stencil(&[12], true)), closed(&[12], 3));
    assert_eq!(seen(&star_stencil(&[12], false)), open(&[12], 3));
}

#[test]
fn diagonals_are_counted() {
    assert_eq!(seen(&box_stencil(&[8, 8], false)), open(&[8, 8], 9));
    assert_eq!(seen(&box_stencil(&[6, 5, 4], false)), open(&[6, 5, 4], 27));
    assert_eq!(seen(&box_stencil(&[6, 5, 7], true)), closed(&[6, 5, 7], 27));
}

#[test]
fn wide_stencils_reach_two_cells() {
    let arms = [[1, 0], [-1, 0], [2, 0], [-2, 0]];
    let arms: Vec<Vec<i32>> = arms
        .iter()
        .flat_map(|&[a, b]| [vec![a, b], vec![b, a]])
        .collect();
    assert_eq!(seen(&stencil(&[8, 8], false, &arms)), open(&[8, 8], 9));
    assert_eq!(seen(&stencil(&[9, 12], true, &arms)), closed(&[9, 12], 9));
}

#[test]
fn bytes_are_kept_per_offset_and_direction() {
    let grid = RankGrid {
        dims: &[6, 8],
        periodic: &[false, false],
    };
    let messages = grid.messages(&[(&[1, 0], 1000), (&[-1, 0], 1), (&[0, 1], 5)]);
    let pattern = analyze(&graph(48, messages));
    let best = pattern.stencil().unwrap();
    let offset = |steps: &[i32], forward, backward| Offset {
        steps: steps.to_vec(),
        forward,
        backward,
    };
    assert_eq!(
        best.offsets,
        [
            offset(&[0, 1], 6 * 7 * 5, 0),
            offset(&[1, 0], 5 * 8 * 1000, 5 * 8)
        ]
    );
    assert_eq!((best.dims.as_slice(), best.confidence), (&[6, 8][..], 1.0));
}

#[test]
fn root_traffic_and_stray_messages_only_lower_the_confidence() {
    let axes: [(&[i32], u64); 2] = [(&[0, 1], 1000), (&[1, 0], 1000)];
    let grid = RankGrid {
        dims: &[10, 10],
        periodic: &[false, true],
    };
    let mut messages = grid.messages(&axes);
    messages.extend((1..100).map(|r| message(r, 0, 8)));
    messages.extend((0..10).map(|i| message(7 * i, (31 * i + 45) % 100, 300)));
    let pattern = analyze(&graph(100, messages));
    let best = pattern.stencil().unwrap();
    assert_eq!(
        (&best.dims[..], &best.periodic[..]),
        (&[10, 10][..], &[false, true][..])
    );
    assert!(best.confidence > ACCEPT && best.confidence < 1.0);
}

#[test]
fn rows_that_run_on_across_their_end_are_one_path() {
    let messages = (0..99).map(|r| message(r, r + 1, 10)).collect();
    assert_eq!(seen(&graph(100, messages)), open(&[100], 3));
}

#[test]
fn a_thousandfold_weaker_direction_is_still_a_dimension() {
    let grid = RankGrid {
        dims: &[100, 100],
        periodic: &[false, false],
    };
    let messages = grid.messages(&[(&[0, 1], 1000), (&[1, 0], 1)]);
    assert_eq!(seen(&graph(10_000, messages)), open(&[100, 100], 5));
}

#[test]
fn every_plausible_reading_is_kept() {
    let arms = [vec![1, 0], vec![2, 0], vec![0, 1], vec![0, 2]];
    let pattern = analyze(&stencil(&[8, 8], false, &arms));
    let dims: Vec<_> = pattern.stencils().map(|s| s.dims.clone()).collect();
    assert_eq!(dims[0], [8, 8]);
    assert!(pattern.stencils().all(|s| s.confidence >= ACCEPT));
    assert!(dims.len() > 1, "{dims:?}");
}

#[test]
fn graphs_without_a_grid_are_irregular() {
    let all = |n: usize| -> Vec<Message> { (0..n * n).map(|i| message(i / n, i % n, 1)).collect() };
    let star = |n: usize| -> Vec<Message> { (1..n).map(|r| message(0, r, 9)).collect() };
    let random = |n: usize, degree: usize| -> Vec<Message> {
        (0..n * degree)
            .map(|i| message(i % n, (i * i * 7919 + i / n * 104_729 + 13) % n, 100))
            .collect()
    };
    let power_law = |n: usize| -> Vec<Message> {
        (1..n)
            .flat_map(|r| [message(r, r * 7919 % r, 5), message(r, (r - 1) / 2, 5)])
            .collect()
    };
    for (name, graph) in [
        ("empty", graph(16, Vec::new())),
        ("one rank", graph(1, Vec::new())),
        ("all-to-all of 4", graph(4, all(4))),
        ("all-to-all of 9", graph(9, all(9))),
        ("all-to-all of 64", graph(64, all(64))),
        ("star of 3", graph(3, star(3))),
        ("star of 64", graph(64, star(64))),
        ("prime", graph(61, random(61, 4))),
        ("sparse", graph(64, random(64, 5))),
        ("denser", graph(100, random(100, 40))),
        ("power law", graph(128, power_law(128))),
    ] {
        assert!(
            matches!(analyze(&graph), Pattern::Irregular { .. }),
            "{name}: {:?}",
            analyze(&graph)
        );
    }
}
