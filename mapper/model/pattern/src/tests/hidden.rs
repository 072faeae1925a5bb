//! Grids hidden by a root, coarser levels, blocks or their own size.

use super::worlds::{Shape, World, check_both};
use crate::{Numbering, analyze};
use rankfold_graph::Message;
use rankfold_graph::samples::{RankGrid, graph, message};

/// The grid, and a root that receives a little from all ranks.
fn with_root(world: &World) -> Vec<Message> {
    let mut messages = world.messages();
    messages.extend((1..world.ranks()).map(|rank| message(rank, 0, 100)));
    messages
}

#[test]
fn a_root_at_one_end_of_a_path_does_not_close_it() {
    for (ranks, shape) in [
        (16, Shape::Star),
        (16, Shape::Wide),
        (100, Shape::Star),
        (1000, Shape::Wide),
    ] {
        let world = World::new(&[ranks], &[false], shape);
        check_both(&world, world.ranks(), &with_root(&world), 0.0);
    }
}

#[test]
fn a_root_that_is_part_of_the_grid_has_a_cell() {
    for (size, ring, shape) in [
        (16, false, Shape::Star),
        (100, true, Shape::Star),
        (100, false, Shape::Wide),
        (100, true, Shape::Wide),
    ] {
        let world = World::new(&[size], &[ring], shape);
        check_both(&world, world.ranks(), &with_root(&world), 0.0);
    }
}

#[test]
fn the_middle_of_a_small_box_is_no_hub() {
    let world = World::new(&[3; 5], &[false; 5], Shape::Box);
    check_both(&world, world.ranks(), &world.messages(), 0.0);
}

#[test]
fn wide_stars_of_four_dimensions_come_back_in_any_order() {
    let world = World::new(&[6; 4], &[false; 4], Shape::Wide);
    check_both(&world, world.ranks(), &world.messages(), 0.0);
}

/// The grid, and a coarser level: for every message along one dimension between cells of even
/// coordinates, a message of `bytes` bytes twice as far.
fn with_coarser_level(world: &World, bytes: u64) -> Vec<Message> {
    let k = world.dims.len();
    let grid = RankGrid {
        dims: &world.dims,
        periodic: &vec![false; k],
    };
    let along = |axis: usize, step: i32| (0..k).map(|d| step * i32::from(d == axis)).collect();
    let steps: Vec<Vec<i32>> = (0..k)
        .flat_map(|axis| [along(axis, 4), along(axis, -4)])
        .collect();
    let offsets: Vec<(&[i32], u64)> = steps.iter().map(|steps| (&steps[..], bytes)).collect();
    let is_kept = |mut cell: usize| {
        world.dims.iter().rev().all(|&size| {
            let along = cell % size;
            cell /= size;
            along.is_multiple_of(4)
        })
    };
    let coarser = grid.messages(&offsets).into_iter();
    let mut messages = world.messages();
    messages.extend(coarser.filter(|m| is_kept(m.from.index())));
    messages
}

#[test]
fn a_coarser_level_hides_no_wide_star() {
    let world = World::new(&[32, 32], &[false; 2], Shape::Wide);
    check_both(&world, world.ranks(), &with_coarser_level(&world, 500), 0.0);
}

#[test]
fn the_finest_level_of_a_multigrid_on_a_path_is_the_path() {
    let world = World::new(&[1000], &[false], Shape::Star);
    let mut messages = world.messages();
    for cell in (0..998).step_by(2) {
        messages.extend([message(cell, cell + 2, 500), message(cell + 2, cell, 500)]);
    }
    let pattern = analyze(&graph(1000, messages));
    let path = pattern.stencils().next().expect("four fifths of the bytes");
    assert_eq!((&path.dims[..], path.points), (&[1000][..], 3));
    assert!((0.79..0.81).contains(&path.carried), "{}", path.carried);
}

#[test]
fn a_wide_star_in_blocks_is_not_taken_for_a_skewed_stencil_in_rows() {
    let world = World::new(&[8, 16], &[false, true], Shape::Wide);
    let in_blocks = |cell: usize| {
        let (row, column) = (cell / 16, cell % 16);
        ((row / 2 * 8 + column / 2) * 2 + row % 2) * 2 + column % 2
    };
    let renumbered = world.messages().into_iter();
    let renumbered = renumbered.map(|m| {
        let (from, to) = (in_blocks(m.from.index()), in_blocks(m.to.index()));
        message(from, to, m.bytes)
    });
    let pattern = analyze(&graph(128, renumbered.collect()));
    let best = pattern.stencil().unwrap();
    assert_eq!((&best.dims[..], best.points), (&[8, 16][..], 9));
    assert!(matches!(best.numbering, Numbering::Blocks { .. }));
}
