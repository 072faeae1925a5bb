//! Grids with other traffic in addition, idle ranks, blocks.

use super::worlds::{BYTES, Shape, World, check, check_both, permuted, random};
use crate::{ACCEPT, Groups, Numbering, Overlay, analyze};
use proptest::prelude::*;
use rankfold_base::Rank;
use rankfold_graph::samples::{graph, message};
use rankfold_graph::{CommGraph, Message};

fn square(shape: Shape) -> World {
    World::new(&[16, 16], &[false, true], shape)
}

#[test]
fn a_root_with_half_of_all_bytes_hides_no_grid_and_is_reported() {
    let world = square(Shape::Star);
    let mut messages = world.messages();
    messages.extend((1..256).map(|r| message(r, 0, 4000)));
    check_both(&world, 256, &messages, 0.02);
    let pattern = analyze(&graph(256, messages));
    let hub =
        |o: &Overlay| matches!(o, Overlay::Hub { rank: Rank(0), bytes } if *bytes > 255 * 4000);
    assert!(
        pattern.overlays().iter().any(hub),
        "{:?}",
        pattern.overlays()
    );
    assert!(
        pattern
            .stencil()
            .is_some_and(|s| s.carried < 0.55 && s.confidence > 0.99)
    );
}

#[test]
fn a_master_beside_the_grid_is_no_part_of_it() {
    let world = square(Shape::Star);
    let mut messages: Vec<Message> = (1..257).map(|r| message(0, r, 4000)).collect();
    let one_up = |m: Message| message(m.from.index() + 1, m.to.index() + 1, m.bytes);
    messages.extend(world.messages().into_iter().map(one_up));
    let pattern = analyze(&graph(257, messages));
    let best = pattern.stencil().unwrap();
    assert_eq!((&best.dims[..], best.cell(Rank(0))), (&[16, 16][..], None));
    assert_eq!(
        (best.cell(Rank(1)), best.cell(Rank(256))),
        (Some(0), Some(255))
    );
}

/// A wide ring with coarser levels and stray messages. What it carries is just below the limit of
/// recognition.
#[test]
fn a_grid_that_nearly_all_bytes_travel_along_is_regular() {
    let world = World::new(&[200], &[true], Shape::Wide);
    let mut messages = world.messages();
    let strays = 200 / 8;
    messages.extend((0..strays).map(|r| message(8 * r, (8 * r + 50) % 200, 2 * BYTES)));
    messages.extend((0..strays).map(|r| message(8 * r + 1, (8 * r + 100) % 200, BYTES)));
    let pattern = analyze(&graph(200, messages));
    let best = pattern.stencil().expect("a ring");
    assert_eq!((&best.dims[..], best.points), (&[200][..], 5));
    assert!(best.confidence < ACCEPT, "{}", best.confidence);
    assert!(!pattern.is_whole());
}

#[test]
fn a_star_alone_is_no_grid() {
    let messages = (1..256).map(|r| message(r, 0, 4000)).collect();
    assert!(analyze(&graph(256, messages)).stencil().is_none());
}

#[test]
fn idle_ranks_have_no_cell() {
    let world = square(Shape::Box);
    check_both(&world, 259, &world.messages(), 0.02);
    let best = analyze(&graph(259, world.messages()))
        .stencil()
        .cloned()
        .unwrap();
    assert_eq!(
        (best.cell(Rank(255)), best.cell(Rank(256))),
        (Some(255), None)
    );
}

#[test]
fn a_grid_with_holes_is_found_from_its_neighbours() {
    let world = World::new(&[20, 20], &[false, false], Shape::Star);
    let kept: Vec<usize> = (0..400).filter(|r| ![130, 215, 307].contains(r)).collect();
    let number = |r: Rank| kept.iter().position(|&k| k == r.index());
    let messages = world
        .messages()
        .into_iter()
        .filter_map(|m| Some(message(number(m.from)?, number(m.to)?, m.bytes)));
    let pattern = analyze(&graph(397, messages.collect()));
    let best = pattern.stencil().unwrap();
    assert_eq!((&best.dims[..], best.cells()), (&[20, 20][..], 400));
}

#[test]
fn light_noise_from_everywhere_is_below_the_threshold() {
    let world = square(Shape::Star);
    let mut random = random(3);
    let mut messages = world.messages();
    messages.extend(
        (0..2000).map(|_| message(random.random_range(0..256), random.random_range(0..256), 5)),
    );
    check_both(&world, 256, &messages, 0.02);
}

#[test]
fn all_to_alls_of_the_rows_are_told_from_the_grid() {
    let world = World::new(&[16, 16], &[false, false], Shape::Star);
    let mut messages = world.messages();
    for row in 0..16 {
        let ranks = || 16 * row..16 * row + 16;
        messages.extend(ranks().flat_map(|a| ranks().map(move |b| message(a, b, 500))));
    }
    check_both(&world, 256, &messages, 0.02);
    let pattern = analyze(&graph(256, messages));
    let groups = |o: &Overlay| {
        matches!(
            o,
            Overlay::Groups {
                count: 16,
                size: 16,
                ..
            }
        )
    };
    assert!(
        pattern.overlays().iter().any(groups),
        "{:?}",
        pattern.overlays()
    );
}

#[test]
fn tiles_and_morton_order_are_read_digit_by_digit() {
    // 24 x 16 ranks in tiles of 4 x 2.
    let tile = |r: usize, c: usize| ((r / 4 * 8 + c / 2) * 4 + r % 4) * 2 + c % 2;
    let morton = |r: usize, c: usize| {
        (0..4)
            .map(|b| (r >> b & 1) << (2 * b + 1) | (c >> b & 1) << (2 * b))
            .sum::<usize>()
    };
    let number: [&dyn Fn(usize, usize) -> usize; 2] = [&tile, &morton];
    for (rows, number) in [24, 16].into_iter().zip(number) {
        for shape in [Shape::Star, Shape::Box] {
            let world = World::new(&[rows, 16], &[true, false], shape);
            let number: Vec<usize> = (0..world.ranks())
                .map(|rank| number(rank / 16, rank % 16))
                .collect();
            let renumbered = world
                .messages()
                .into_iter()
                .map(|m| message(number[m.from.index()], number[m.to.index()], m.bytes));
            let graph = graph(world.ranks(), renumbered.collect());
            check(&world, &number, &graph, 0.0).unwrap();
            let best = analyze(&graph).stencil().cloned().unwrap();
            assert!(
                matches!(best.numbering, Numbering::Blocks { .. }),
                "{best:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_numbering_of_any_small_grid_gives_back_an_isomorphic_grid(
        dims in prop::collection::vec((2usize..7, any::<bool>()), 1..=5)
            .prop_filter("small", |d| (4..400).contains(&d.iter().map(|(k, _)| k).product::<usize>())),
        seed in any::<u64>(),
    ) {
        let (dims, periodic): (Vec<usize>, Vec<bool>) = dims.into_iter().unzip();
        let world = World::new(&dims, &periodic, Shape::Star);
        // Excluded are all-to-alls: a ring of 3 alone, and four ranks that all exchange messages,
        // which are no ring of 4.
        let (messages, number) = permuted(world.ranks(), &world.messages(), seed);
        let text = check(&world, &number, &graph(world.ranks(), messages), 0.0);
        prop_assert!(text.is_ok(), "{text:?}");
    }
}

#[test]
fn a_ring_of_four_in_no_order_is_offered_as_a_square_too() {
    let world = World::new(&[4, 6, 5], &[true, false, false], Shape::Star);
    let (messages, _) = permuted(120, &world.messages(), 3);
    let pattern = analyze(&graph(120, messages));
    let dims: Vec<_> = pattern.stencils().map(|s| s.dims.clone()).collect();
    assert!(
        dims.contains(&vec![6, 5, 4]) && dims.contains(&vec![6, 5, 2, 2]),
        "{dims:?}"
    );
}

/// All-to-alls within pools of `size` ranks, `stride` apart, and a light ring over all ranks.
fn pools(count: usize, size: usize, stride: usize, ring: u64) -> CommGraph {
    let ranks = count * size;
    let pool = |rank: usize| match stride {
        1 => rank / size,
        _ => rank % count,
    };
    let pairs = (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b)));
    let inside = pairs.filter(|&(a, b)| a != b && pool(a) == pool(b));
    let inside = inside.map(|(a, b)| message(a, b, 1_000_000));
    let ring = (0..ranks).map(|a| message(a, (a + 1) % ranks, ring));
    let ring = ring.filter(|message| message.bytes > 0);
    graph(ranks, inside.chain(ring).collect::<Vec<_>>())
}

#[test]
fn pools_of_ranks_are_groups_and_no_grid() {
    for (count, size, stride) in [
        (2, 4, 1),
        (2, 4, 2),
        (3, 4, 1),
        (2, 5, 1),
        (4, 4, 1),
        (2, 8, 1),
        (4, 6, 4),
        (8, 8, 1),
    ] {
        for ring in [0, 1000] {
            let graph = pools(count, size, stride, ring);
            let pattern = analyze(&graph);
            let groups = pattern.groups(graph.total_bytes());
            let case =
                format!("{count} pools of {size}, {stride} apart, ring of {ring}: {pattern:?}");
            assert!(
                groups.is_some_and(|(words, share)| {
                    words == format!("all-to-alls within {count} groups of {size} ranks")
                        && share > 0.99
                }),
                "{case}"
            );
        }
    }
}

/// All-to-alls within the rows, of `bytes.0`, and the columns, of `bytes.1`, of a table of ranks.
fn pencils(rows: usize, columns: usize, bytes: (u64, u64)) -> (usize, Vec<Message>) {
    let ranks = rows * columns;
    let pairs = (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b)));
    let messages = pairs.filter(|(a, b)| a != b).filter_map(|(a, b)| {
        match (a / columns == b / columns, a % columns == b % columns) {
            (true, _) => Some(message(a, b, bytes.0)),
            (_, true) => Some(message(a, b, bytes.1)),
            _ => None,
        }
    });
    (ranks, messages.collect())
}

#[test]
fn pencils_are_groups_that_cross_each_other() {
    let sizes = [
        (4, 4),
        (8, 4),
        (3, 5),
        (2, 6),
        (5, 5),
        (2, 16),
        (16, 16),
        (32, 16),
    ];
    for ((rows, columns), heavier) in sizes.into_iter().flat_map(|size| [(size, 1), (size, 3)]) {
        let (ranks, messages) = pencils(rows, columns, (1000 * heavier, 1000));
        let (others, _) = permuted(ranks, &messages, 5);
        let mut noisy = messages.clone();
        noisy.extend((0..ranks).map(|a| message(a, (5 * a + 3) % ranks, 20)));
        for messages in [messages, others, noisy] {
            let graph = graph(ranks, messages);
            let pattern = analyze(&graph);
            let (words, share) = pattern.groups(graph.total_bytes()).unwrap_or_default();
            let kind = |count, size| Groups { count, size }.to_string();
            let within = [kind(rows, columns), kind(columns, rows)];
            let told = within.iter().all(|kind| words.contains(kind)) && words.contains("across");
            let case = format!("{rows}x{columns}, rows {heavier} times as heavy: {pattern:?}");
            assert!(told && share > 0.9 && pattern.stencil().is_none(), "{case}");
        }
    }
}

#[test]
fn rings_of_three_and_stencils_with_rows_of_four_keep_their_grid() {
    let (ranks, messages) = pencils(3, 3, (1000, 1000));
    let three = analyze(&graph(ranks, messages));
    assert_eq!(three.stencil().unwrap().dims, [3, 3]);
    for (dims, shape) in [
        ([4, 4], Shape::Star),
        ([4, 4], Shape::Box),
        ([8, 4], Shape::Star),
    ] {
        for ring in [false, true] {
            let world = World::new(&dims, &[ring, ring], shape);
            check_both(&world, dims[0] * dims[1], &world.messages(), 0.02);
        }
    }
}

#[test]
fn groups_of_two_and_three_are_told_where_they_exchange_nothing_else() {
    for (count, size) in [(5, 3), (6, 2), (2, 3)] {
        let graph = pools(count, size, 1, 0);
        let (words, _) = analyze(&graph).groups(graph.total_bytes()).unwrap();
        let kind = Groups { count, size };
        assert_eq!(words, format!("all-to-alls within {kind}"));
    }
}
