//! All grids that the analyser must recognise, in row order and in random order, with and without
//! noise.

use super::worlds::{Shape, World, check, graph_of, permuted, strays, thinned};
use crate::{Overlay, analyze};
use rankfold_graph::samples::message;

const O: bool = false;
const P: bool = true;

/// Sizes, periodic dimensions, stencil.
const WORLDS: &[(&[usize], &[bool], Shape)] = &[
    // paths and rings, primes among them
    (&[5], &[O], Shape::Star),
    (&[31], &[O], Shape::Star),
    (&[64], &[O], Shape::Star),
    (&[64], &[P], Shape::Star),
    (&[97], &[P], Shape::Star),
    (&[4], &[P], Shape::Star),
    (&[1, 12], &[O, P], Shape::Star),
    (&[30], &[P], Shape::Wide),
    (&[41], &[O], Shape::Wide),
    // 5 points
    (&[9, 8], &[O, O], Shape::Star),
    (&[100, 40], &[O, O], Shape::Star),
    (&[13, 11], &[P, P], Shape::Star),
    (&[3, 50], &[P, P], Shape::Star),
    (&[16, 12], &[O, P], Shape::Star),
    (&[2, 17], &[O, O], Shape::Star),
    (&[2, 17], &[O, P], Shape::Star),
    (&[3, 3], &[O, O], Shape::Star),
    (&[3, 3], &[P, P], Shape::Star),
    (&[4, 4], &[O, O], Shape::Star),
    (&[8, 8], &[P, P], Shape::Star),
    (&[20, 20], &[O, O], Shape::OneWay),
    (&[20, 30], &[O, O], Shape::Uneven),
    (&[12, 30], &[P, O], Shape::Uneven),
    // 9 points
    (&[12, 9], &[O, O], Shape::Box),
    (&[3, 40], &[O, O], Shape::Box),
    (&[16, 16], &[P, P], Shape::Box),
    (&[15, 11], &[O, P], Shape::Box),
    (&[12, 14], &[O, O], Shape::Wide),
    (&[13, 11], &[P, P], Shape::Wide),
    // 7 points
    (&[12, 10, 7], &[O, O, O], Shape::Star),
    (&[8, 8, 16], &[P, P, P], Shape::Star),
    (&[4, 8, 6], &[P, P, O], Shape::Star),
    (&[4, 4, 4], &[P, P, P], Shape::Star),
    (&[3, 3, 3], &[P, P, P], Shape::Star),
    (&[3, 3, 3], &[O, O, O], Shape::Star),
    (&[2, 16, 16], &[O, O, O], Shape::Star),
    (&[2, 2, 4], &[O, O, P], Shape::Star),
    (&[2, 2, 2], &[O, O, O], Shape::Star),
    (&[12, 10, 8], &[O, O, O], Shape::Uneven),
    (&[12, 10, 8], &[O, O, O], Shape::OneWay),
    // 15 and 27 points
    (&[8, 7, 6], &[O, O, O], Shape::Corners),
    (&[8, 8, 8], &[P, P, P], Shape::Corners),
    (&[9, 8, 7], &[O, P, O], Shape::Corners),
    (&[8, 7, 6], &[O, O, O], Shape::Box),
    (&[5, 6, 7], &[P, P, P], Shape::Box),
    (&[3, 9, 10], &[O, O, O], Shape::Box),
    (&[8, 6, 7], &[O, P, O], Shape::Box),
    (&[8, 9, 10], &[O, O, O], Shape::Wide),
    // 4D and 5D
    (&[5, 7, 3, 6], &[O, P, O, P], Shape::Star),
    (&[5, 4, 4, 3, 6], &[P, O, O, P, O], Shape::Star),
    (&[3, 4, 3, 2, 3], &[O, O, O, O, O], Shape::Star),
    (&[6, 5, 5, 5, 6], &[P, P, P, P, P], Shape::Star),
];

/// Number of pairs from which a case takes seconds without optimisation.
const CROWDED: usize = 4000;

fn worlds() -> impl Iterator<Item = World> {
    WORLDS
        .iter()
        .map(|(dims, rings, shape)| World::new(dims, rings, *shape))
}

/// Worlds with the seeds of their tests. A world has the same seed whether slow ones are left out
/// or not.
fn seeded(worlds: impl Iterator<Item = World>) -> impl Iterator<Item = (World, u64)> {
    worlds.zip(1..).filter(|(world, _)| {
        let slow = cfg!(debug_assertions) && world.messages().len() / 2 > CROWDED;
        if slow {
            eprintln!("NOT TESTED HERE: {world:?}: slow without --release");
        }
        !slow
    })
}

fn failures(results: impl Iterator<Item = Result<(), String>>) -> Vec<String> {
    results.filter_map(Result::err).collect()
}

fn in_order(ranks: usize) -> Vec<usize> {
    (0..ranks).collect()
}

#[test]
fn all_worlds_come_back_in_row_order() {
    let failed = failures(seeded(worlds()).map(|(world, _)| {
        let graph = graph_of(world.ranks(), world.messages());
        check(&world, &in_order(world.ranks()), &graph, 0.0)
    }));
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn all_worlds_come_back_in_row_order_with_one_percent_of_strays_and_one_percent_silent() {
    let failed = failures(seeded(worlds()).map(|(world, seed)| {
        let all = world.messages();
        let mut messages = thinned(&all, seed);
        messages.extend(strays(world.ranks(), &all, seed));
        let graph = graph_of(world.ranks(), messages);
        check(&world, &in_order(world.ranks()), &graph, 0.0)
    }));
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn all_worlds_come_back_in_any_order() {
    let failed = failures(seeded(worlds()).map(|(world, seed)| {
        let (messages, number) = permuted(world.ranks(), &world.messages(), seed);
        check(&world, &number, &graph_of(world.ranks(), messages), 0.0)
    }));
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn large_worlds_in_any_order_come_back_under_their_own_numbers_and_so_do_hubs() {
    for (dims, rings) in [(&[160, 110][..], &[O, P][..]), (&[30, 25, 24], &[P, O, O])] {
        let world = World::new(dims, rings, Shape::Star);
        let root = world.ranks() / 3;
        let mut messages = world.messages();
        messages.extend(
            (0..world.ranks())
                .filter(|&r| r != root)
                .map(|r| message(r, root, 1)),
        );
        let (messages, number) = permuted(world.ranks(), &messages, 7);
        let graph = graph_of(world.ranks(), messages);
        assert_eq!(check(&world, &number, &graph, 0.001), Ok(()));
        let hub = |overlay: &Overlay| matches!(overlay, Overlay::Hub { rank, .. } if rank.index() == number[root]);
        assert!(analyze(&graph).overlays().iter().any(hub), "{dims:?}");
    }
}

#[test]
fn all_worlds_come_back_in_any_order_with_one_percent_of_strays() {
    let failed = failures(seeded(worlds()).map(|(world, seed)| {
        let mut all = world.messages();
        all.extend(strays(world.ranks(), &all, seed));
        let (messages, number) = permuted(world.ranks(), &all, seed);
        check(&world, &number, &graph_of(world.ranks(), messages), 0.02)
    }));
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn worlds_with_squares_come_back_in_any_order_with_one_percent_silent_too() {
    // Without squares, a silent pair cannot be told from the end of a path: a ring that lost a pair
    // is a path. Known limit: a tube of three cells around. Where a pair of a triangle is silent,
    // growth may confuse two of its corners and stop.
    let with_squares = worlds().filter(|w| {
        let wide = w.dims.iter().filter(|&&k| k > 1).count() > 1;
        wide && w.dims != [3, 50]
    });
    let failed = failures(seeded(with_squares).map(|(world, seed)| {
        let all = world.messages();
        let mut messages = thinned(&all, seed);
        messages.extend(strays(world.ranks(), &all, seed));
        let (messages, number) = permuted(world.ranks(), &messages, seed);
        check(&world, &number, &graph_of(world.ranks(), messages), 0.02)
    }));
    assert!(failed.is_empty(), "{failed:#?}");
}
