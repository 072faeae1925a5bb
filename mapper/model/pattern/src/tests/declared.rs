//! Grids that programs declare, used and unused.

use super::worlds::{Shape, World, permuted};
use crate::{Numbering, Source, Stencil, analyze};
use rankfold_base::Rank;
use rankfold_graph::samples::{graph, message};
use rankfold_graph::{CommGraph, Declared, DeclaredGrid};

fn declared(dims: &[usize], members: impl IntoIterator<Item = usize>) -> Declared {
    let grid = DeclaredGrid {
        dims: dims.to_vec(),
        periodic: vec![false; dims.len()],
        members: members.into_iter().map(Rank::at).collect(),
    };
    Declared {
        grids: vec![grid],
        ..Declared::default()
    }
}

fn best(graph: &CommGraph) -> Stencil {
    analyze(graph).stencil().unwrap().clone()
}

#[test]
fn a_declared_grid_that_is_used_is_the_finding() {
    let world = World::new(&[6, 8], &[true, false], Shape::Star);
    let (messages, number) = permuted(48, &world.messages(), 7);
    let graph = graph(48, messages).with_declared(declared(&[6, 1, 8], number.clone()));
    let best = best(&graph);
    assert_eq!(
        (&best.dims[..], &best.periodic[..]),
        (&[6, 8][..], &[true, false][..])
    );
    assert_eq!((best.source, best.confidence), (Source::Declared, 1.0));
    let cells: Vec<_> = number
        .iter()
        .map(|&r| best.cell(Rank::at(r)).unwrap())
        .collect();
    assert_eq!(cells, (0..48).collect::<Vec<_>>());
}

/// Two ranks are neighbours one way round or the other, so that the traffic cannot tell.
#[test]
fn a_declared_ring_of_two_stays_one() {
    let messages = World::new(&[2, 2, 2], &[false; 3], Shape::Star).messages();
    let mut cube = declared(&[2, 1, 2, 2], 0..8);
    cube.grids[0].periodic = vec![true, true, false, false];
    let found = best(&graph(8, messages).with_declared(cube));
    assert_eq!(found.periodic, [true, false, false]);
    assert_eq!(found.rings(), [false; 3], "no step goes round it");
    let messages = World::new(&[4, 4], &[false; 2], Shape::Star).messages();
    let mut open = declared(&[4, 4], 0..16);
    open.grids[0].periodic = vec![true, true];
    let found = best(&graph(16, messages).with_declared(open));
    assert_eq!(found.periodic, [false; 2], "nothing is sent round the ends");
}

#[test]
fn a_declared_ring_of_four_is_no_square_any_more() {
    let world = World::new(&[4, 4, 4], &[true; 3], Shape::Star);
    let (messages, number) = permuted(64, &world.messages(), 7);
    let graph = graph(64, messages).with_declared(declared(&[4, 4, 4], number));
    assert_eq!(best(&graph).dims, [4, 4, 4]);
}

#[test]
fn a_declared_grid_in_rank_order_is_numbered_by_rows_and_listed_once() {
    let messages = World::new(&[6, 8], &[false; 2], Shape::Box).messages();
    let graph = graph(48, messages).with_declared(declared(&[6, 8], 0..48));
    let pattern = analyze(&graph);
    let same = pattern.stencils().filter(|s| s.dims == [6, 8]);
    assert_eq!(
        same.map(|s| s.source).collect::<Vec<_>>(),
        [Source::Declared]
    );
    assert_eq!(best(&graph).numbering, Numbering::Rows);
}

#[test]
fn a_declared_grid_that_nobody_uses_is_not_believed() {
    let world = World::new(&[6, 8], &[false; 2], Shape::Star);
    for wrong in [
        declared(&[8, 6], 0..48),
        declared(&[6, 8], (0..48).rev().map(|r| r * 5 % 48)),
    ] {
        let graph = graph(48, world.messages()).with_declared(wrong);
        let best = best(&graph);
        assert_eq!(
            (&best.dims[..], best.source),
            (&[6, 8][..], Source::Traffic)
        );
    }
    // Declared over ranks that exchange messages at random.
    let strangers = (0..48 * 4).map(|i| message(i % 48, (i * i * 7 + i / 48 * 5 + 13) % 48, 100));
    let graph = graph(48, strangers.collect()).with_declared(declared(&[6, 8], 0..48));
    assert!(analyze(&graph).stencil().is_none());
}

#[test]
fn a_grid_declared_over_some_ranks_must_explain_the_others_too() {
    let world = World::new(&[6, 8], &[false; 2], Shape::Star);
    let declare = |messages| graph(60, messages).with_declared(declared(&[6, 8], 0..48));
    let idle = best(&declare(world.messages()));
    assert_eq!((idle.source, idle.cell(Rank(50))), (Source::Declared, None));
    let mut busy = world.messages();
    busy.extend((48..59).map(|r| message(r, r + 1, 50_000)));
    assert!(
        analyze(&declare(busy))
            .stencils()
            .all(|s| s.source == Source::Traffic)
    );
}
