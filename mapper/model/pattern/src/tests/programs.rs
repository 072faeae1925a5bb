//! Communication as in real programs: small boxes, multigrids, a grid with a few other messages,
//! hardly any traffic.

use super::{open, seen};
use crate::{Numbering, Overlay, Pattern, analyze, has_too_little_traffic};
use rankfold_base::Rank;
use rankfold_graph::samples::{RankGrid, graph, message};
use rankfold_graph::{CommGraph, Entry, Message, Traffic};

/// Bytes to neighbours that differ in one, two and three dimensions: faces, edges and corners of a
/// brick of cells.
const FACES: [u64; 3] = [47_000, 10_200, 1530];

/// A box with large faces and small corners.
fn brick(dims: &[usize]) -> Vec<Message> {
    let steps: Vec<[i32; 3]> = (0..27)
        .map(|i| [i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1])
        .collect();
    let bytes = |steps: &[i32; 3]| steps.iter().filter(|&&s| s != 0).count();
    let offsets: Vec<(&[i32], u64)> = steps
        .iter()
        .filter(|steps| bytes(steps) > 0)
        .map(|steps| (&steps[..], FACES[bytes(steps) - 1]))
        .collect();
    let grid = RankGrid {
        dims,
        periodic: &[false; 3],
    };
    grid.messages(&offsets)
}

#[test]
fn small_boxes_are_no_cliques_of_eight() {
    for dims in [[2, 2, 4], [4, 2, 2], [2, 4, 4], [2, 2, 8]] {
        let graph = graph(dims.iter().product(), brick(&dims));
        let pattern = analyze(&graph);
        assert_eq!(seen(&graph), open(&dims, 27), "{dims:?}");
        assert_eq!(pattern.overlays(), [], "{dims:?}");
        let best = pattern.stencil().unwrap();
        assert_eq!((best.carried, &best.numbering), (1.0, &Numbering::Rows));
        let words = best.neighbours_in_words();
        assert_eq!(words.as_deref(), Some("faces, edges, corners"));
    }
}

/// A box, and messages between all other pairs with fewer bytes the further they are apart.
fn multigrid(dims: &[usize; 3], coarse: u64) -> CommGraph {
    let mut messages = brick(dims);
    let at = |rank: usize| {
        [
            rank / (dims[1] * dims[2]),
            rank / dims[2] % dims[1],
            rank % dims[2],
        ]
        .map(|x| x as i32)
    };
    let ranks = dims.iter().product();
    for (from, to) in (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to))) {
        let (a, b) = (at(from), at(to));
        let reach = (0..3)
            .map(|d| (a[d] - b[d]).unsigned_abs())
            .max()
            .unwrap_or(0);
        if reach > 1 {
            messages.push(message(from, to, coarse >> (2 + reach)));
        }
    }
    graph(ranks, messages)
}

#[test]
fn the_finest_level_of_a_multigrid_is_a_box_under_coarser_ones() {
    let pattern = analyze(&multigrid(&[4, 4, 4], 9000));
    let best = pattern.stencil().expect("the box carries over nine tenths");
    assert_eq!((&best.dims[..], best.points), (&[4, 4, 4][..], 27));
    assert!(
        best.periodic.iter().all(|ring| !ring),
        "{:?}",
        best.periodic
    );
    assert!((0.9..0.95).contains(&best.carried), "{}", best.carried);
    assert!(!pattern.is_whole(), "others than grids' heuristics compete");
    let coarser = |o: &Overlay| matches!(o, Overlay::Levels { reaches, .. } if reaches == &[2, 3]);
    assert!(
        pattern.overlays().iter().any(coarser),
        "{:?}",
        pattern.overlays()
    );
}

/// A box of 27-point stencils with coarser levels, as an algebraic multigrid solver has it: pairs
/// two cells apart exchange a twentieth of a face, a quarter of that for every further step.
fn algebraic_multigrid(dims: &[usize; 3]) -> CommGraph {
    let ranks = dims.iter().product();
    let at = |rank: usize| {
        [
            rank / dims[2] / dims[1],
            rank / dims[2] % dims[1],
            rank % dims[2],
        ]
    };
    let mut messages = Vec::new();
    for (from, to) in (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to))) {
        let (a, b) = (at(from), at(to));
        let steps: [usize; 3] = std::array::from_fn(|d| a[d].abs_diff(b[d]));
        let (far, all) = (steps.iter().max().copied(), steps.iter().sum::<usize>());
        let bytes = match far {
            Some(1) => [48_000, 6000, 750][all - 1],
            Some(2) => 2400 >> (2 * (all - 2)),
            _ => 0,
        };
        if bytes > 0 {
            messages.push(message(from, to, bytes));
        }
    }
    graph(ranks, messages)
}

#[test]
fn a_box_is_not_read_as_a_smaller_ring_that_has_more_pairs() {
    let pattern = analyze(&algebraic_multigrid(&[2, 3, 3]));
    let best = pattern.stencil().expect("the box carries over nine tenths");
    assert_eq!(best.dims, [2, 3, 3]);
    assert_eq!(best.periodic, [false; 3]);
}

#[test]
fn the_finest_level_is_found_in_any_order_of_the_ranks() {
    // Every second cell along each dimension exchanges half of the bytes with the next of these
    // cells.
    for dims in [&[60][..], &[8, 8, 8]] {
        let (ranks, k) = (dims.iter().product(), dims.len());
        let star = |step: i32| -> Vec<Vec<i32>> {
            let along = |d: usize| {
                move |sign: i32| (0..k).map(|i| sign * step * i32::from(i == d)).collect()
            };
            (0..k).flat_map(|d| [-1, 1].map(along(d))).collect()
        };
        let level = |step: i32, bytes: u64| {
            let offsets = star(step);
            let offsets: Vec<(&[i32], u64)> = offsets.iter().map(|o| (&o[..], bytes)).collect();
            let grid = RankGrid {
                dims,
                periodic: &vec![false; k],
            };
            let kept = |mut cell: usize| {
                dims.iter().rev().all(|&size| {
                    let along = cell % size;
                    cell /= size;
                    along.is_multiple_of(step as usize)
                })
            };
            let mut messages = grid.messages(&offsets);
            messages.retain(|m| kept(m.from.index()));
            messages
        };
        // A multiplier that shares no factor with the number of ranks mixes them.
        let number = |rank: Rank| (rank.index() * 37 + 11) % ranks;
        let both = [level(1, 10_000), level(2, 5000)].concat();
        let mixed = both
            .iter()
            .map(|m| message(number(m.from), number(m.to), m.bytes));
        let pattern = analyze(&graph(ranks, mixed.collect()));
        let best = pattern.stencils().next().expect("the finest level");
        assert_eq!(best.dims, dims);
        assert!(best.carried > 0.7 && best.periodic.iter().all(|ring| !ring));
    }
}

#[test]
fn a_grid_with_three_fifths_of_the_bytes_competes_but_gives_no_name() {
    let pattern = analyze(&multigrid(&[4, 4, 4], 72_000));
    assert!(pattern.stencil().is_none());
    let guide = pattern
        .stencils()
        .next()
        .expect("more than half of the bytes");
    assert_eq!(guide.dims, [4, 4, 4]);
    assert!((0.5..0.9).contains(&guide.carried), "{}", guide.carried);
}

#[test]
fn a_few_other_messages_leave_the_ranks_in_order() {
    let grid = RankGrid {
        dims: &[4, 2, 2],
        periodic: &[true, false, false],
    };
    let faces: [(&[i32], u64); 6] = [
        (&[1, 0, 0], 68_000),
        (&[-1, 0, 0], 68_000),
        (&[0, 1, 0], 57_000),
        (&[0, -1, 0], 57_000),
        (&[0, 0, 1], 49_000),
        (&[0, 0, -1], 49_000),
    ];
    let mut messages = grid.messages(&faces);
    // Half of the pairs that are two cells apart on the ring.
    messages.extend((0..4).flat_map(|r| [message(r, r + 8, 1440), message(r + 8, r, 1440)]));
    let pattern = analyze(&graph(16, messages));
    let best = pattern.stencil().unwrap();
    assert_eq!((&best.dims[..], best.points), (&[4, 2, 2][..], 7));
    assert_eq!(
        (&best.periodic[..], &best.numbering),
        (&[true, false, false][..], &Numbering::Rows)
    );
}

#[test]
fn a_few_counted_bytes_are_no_pattern_and_uncounted_ones_may_be_in_any_unit() {
    let chain = |messages| {
        let entries = (0..15).map(|rank| Entry {
            from: Rank(rank),
            to: Rank(rank + 1),
            bytes: 4,
            messages,
        });
        Traffic::from_entries(16, entries)
            .unwrap()
            .into_graph()
            .unwrap()
    };
    assert!(has_too_little_traffic(&chain(1)));
    assert!(matches!(
        analyze(&chain(1)),
        Pattern::Irregular { partly: None, .. }
    ));
    assert!(!has_too_little_traffic(&chain(0)));
    assert_eq!(analyze(&chain(0)).stencil().unwrap().dims, [16]);
}
