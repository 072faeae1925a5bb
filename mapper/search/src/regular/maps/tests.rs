use super::helix::Helix;
use super::squeeze::squeeze;
use super::*;
use proptest::prelude::*;

/// The mean and the maximum of the hops of all edges of a plane grid, laid into a plane mesh or
/// torus.
fn hops(map: &IndexMap, wraps: bool) -> (f64, usize) {
    let (columns, height) = (map.from[0], map.from[1]);
    let place = |c: usize| {
        let image = map.image[c] as usize;
        [image / map.to[1], image % map.to[1]]
    };
    let apart = |a: usize, b: usize| -> usize {
        let (p, q) = (place(a), place(b));
        let along = |d: usize| {
            let apart = p[d].abs_diff(q[d]);
            if wraps {
                apart.min(map.to[d] - apart)
            } else {
                apart
            }
        };
        along(0) + along(1)
    };
    let mut edges = Vec::new();
    for c in 0..columns * height {
        if c % height + 1 < height {
            edges.push(apart(c, c + 1));
        }
        if c / height + 1 < columns {
            edges.push(apart(c, c + height));
        }
    }
    let total: usize = edges.iter().sum();
    let most = edges.iter().max().copied().unwrap_or_default();
    (total as f64 / edges.len() as f64, most)
}

fn is_one_to_one(map: &IndexMap) -> bool {
    let there = map.preimage().into_iter().flatten().count();
    there == map.image.len() && map.image.len() <= map.to.iter().product()
}

#[test]
fn squeezing_four_to_three_and_five_to_four_has_the_hops_of_the_closed_form() {
    for (from, to, expected) in [
        ((9, 8), (12, 6), 1.252),
        ((27, 44), (36, 33), 1.248),
        ((100, 40), (125, 32), 1.2015),
    ] {
        let map = squeeze(from, to).unwrap();
        let (mean, most) = hops(&map, false);
        assert!(is_one_to_one(&map));
        assert!(
            (mean - expected).abs() < 0.002,
            "{from:?} -> {to:?}: {mean}"
        );
        assert_eq!(most, 3, "{from:?} -> {to:?}");
    }
}

#[test]
fn squeezing_to_a_half_is_interleaving() {
    let (mean, most) = hops(&squeeze((16, 16), (32, 8)).unwrap(), false);
    assert!((mean - 1.5).abs() < 1e-9 && most == 2, "{mean} {most}");
}

#[test]
fn tracks_of_a_helix_are_as_far_apart_as_the_closed_form_says() {
    for (tracks, torus) in [
        (2, (8, 8)),
        (4, (16, 16)),
        (2, (8, 16)),
        (3, (9, 9)),
        (8, (64, 32)),
    ] {
        let Some(helix) = Helix::new(tracks, torus) else {
            panic!("{tracks} tracks on {torus:?}");
        };
        let map = helix.map();
        assert!(is_one_to_one(&map), "{tracks} tracks on {torus:?}");
        let (mean, most) = hops(&map, true);
        let length = (torus.0 * torus.1 / tracks) as f64;
        let across = length * (tracks - 1) as f64;
        let along = (length - 1.0) * tracks as f64;
        let expected = (along + across * (1.0 + 2.0 * helix.steepness())) / (along + across);
        assert!(
            (mean - expected).abs() < 0.02 && most <= 3,
            "{tracks} on {torus:?}: {mean}"
        );
    }
}

#[test]
fn the_long_side_of_a_helix_is_a_ring_of_single_hops() {
    let map = Helix::new(4, (16, 16)).unwrap().map();
    let ends = |track: usize| {
        [
            map.image[track] as usize,
            map.image[63 * 4 + track] as usize,
        ]
    };
    for track in 0..4 {
        let [first, last] = ends(track).map(|c| [c / 16, c % 16]);
        let apart = |d: usize| {
            let a = first[d].abs_diff(last[d]);
            a.min(16 - a)
        };
        assert_eq!(apart(0) + apart(1), 1);
    }
}

#[test]
fn a_ring_goes_around_a_plane_in_single_hops() {
    for plane in [(2, 2), (4, 5), (6, 3), (2, 7)] {
        let map = super::cycle::cycle(plane).unwrap();
        assert!(is_one_to_one(&map));
        let at = |i: usize| {
            let cell = map.image[i % map.image.len()] as usize;
            (cell / plane.1, cell % plane.1)
        };
        for i in 0..map.image.len() {
            let (a, b) = (at(i), at(i + 1));
            assert_eq!(a.0.abs_diff(b.0) + a.1.abs_diff(b.1), 1, "{plane:?}, {i}");
        }
    }
    assert_eq!(super::cycle::cycle((3, 4)), None);
}

proptest! {
    #[test]
    fn every_plane_of_equal_area_can_be_squeezed(g in 1usize..12, a in 1usize..12, c in 1usize..12, more in 0usize..14) {
        let b = a + more;
        let map = squeeze((g * a, b * c), (g * b, a * c)).unwrap();
        prop_assert!(is_one_to_one(&map));
    }

    #[test]
    fn wherever_a_helix_is_said_to_exist_it_fills_the_torus(tracks in 1usize..9, wide in 1usize..25, high in 1usize..25) {
        if let Some(helix) = Helix::new(tracks, (wide, high)) {
            prop_assert!(is_one_to_one(&helix.map()));
        }
    }

    #[test]
    fn planes_with_room_to_spare_are_squeezed_too(columns in 1usize..20, height in 1usize..20, rows in 1usize..20) {
        let rows = rows.min(height);
        let wide = (columns * height).div_ceil(rows);
        let Some(map) = squeeze((columns, height), (wide, rows)) else {
            return Err(TestCaseError::fail("there is room"));
        };
        prop_assert!(is_one_to_one(&map));
    }

    #[test]
    fn maps_are_carried_along_cell_by_cell(other in 1usize..5) {
        let plane = squeeze((6, 4), (8, 3)).unwrap();
        let carried = plane.along(&[4, other, 6], (2, 0));
        prop_assert_eq!(carried.to(), &[3, other, 8]);
        prop_assert!(is_one_to_one(&carried));
    }
}
