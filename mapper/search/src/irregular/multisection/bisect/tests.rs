use super::cut::Cut;
use super::*;
use proptest::prelude::*;
use rand::SeedableRng;

/// A graph with one rank in every vertex; each edge is listed once.
fn piece(vertices: usize, edges: &[(usize, usize, i64)], pull: Vec<i64>) -> BisectionGraph {
    let mut lists = vec![std::collections::BTreeMap::new(); vertices];
    for &(u, v, bytes) in edges.iter().filter(|(u, v, _)| u != v) {
        *lists[u].entry(v as u32).or_insert(0) += bytes;
        *lists[v].entry(u as u32).or_insert(0) += bytes;
    }
    BisectionGraph {
        edges: lists.into_iter().collect(),
        ranks: vec![1; vertices],
        pull,
    }
}

fn cut(piece: &BisectionGraph, room: SizeRange) -> Sides {
    let care = BisectionEffort {
        seeds: 2,
        cycles: 2,
        tries: 8,
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    bisect(piece, room, care, None, &mut random, &mut 0)
}

#[test]
fn a_grid_is_cut_across() {
    let edges: Vec<_> = (0..12 * 20)
        .flat_map(|v| {
            [
                (v, v + 1, (v + 1) % 20),
                (v, v + 20, usize::from(v + 20 < 240)),
            ]
        })
        .filter(|&(_, _, inside)| inside > 0)
        .map(|(u, v, _)| (u, v, 7))
        .collect();
    let grid = piece(240, &edges, vec![0; 240]);
    let sides = cut(
        &grid,
        SizeRange {
            least: 120,
            most: 120,
        },
    );
    assert_eq!((grid.cost(&sides), grid.on_side_0(&sides)), (12 * 7, 120));
}

#[test]
fn what_two_divisions_agree_on_is_merged_and_nothing_else() {
    let ring: Vec<_> = (0..64).map(|v| (v, (v + 1) % 64, 1)).collect();
    let ring = piece(64, &ring, vec![0; 64]);
    let given = Given {
        sides: (0..64).map(|v| v < 32).collect(),
        other: (0..64).map(|v| v % 16 < 8).collect(),
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (coarse, into) = ring.coarser(|v, w| given.joins(v, w), 2, &mut random);
    assert!(coarse.len() < 48, "{} vertices", coarse.len());
    for (v, w) in (0..64).flat_map(|v| (0..v).map(move |w| (v, w))) {
        let (v_at, w_at) = (v as usize, w as usize);
        assert!(into[v_at] != into[w_at] || given.joins(v, w), "{w} and {v}");
    }
    let merged = given.merged(&into, coarse.len());
    let back: Vec<bool> = into.iter().map(|&v| merged.other[v as usize]).collect();
    assert_eq!(back, (0..64).map(|v| v % 16 < 8).collect::<Vec<_>>());
}

#[test]
fn ranks_that_fit_one_side_are_not_parted() {
    let ring: Vec<_> = (0..100).map(|v| (v, (v + 1) % 100, 3)).collect();
    let ring = piece(100, &ring, vec![0; 100]);
    assert_eq!(
        ring.cost(&cut(
            &ring,
            SizeRange {
                least: 0,
                most: 100
            }
        )),
        0
    );
}

#[test]
fn messages_to_elsewhere_pull_their_ends() {
    let pull = (0..64).map(|v| if v % 2 == 0 { 5 } else { -5 }).collect();
    let sides = cut(
        &piece(64, &[], pull),
        SizeRange {
            least: 32,
            most: 32,
        },
    );
    assert!(
        sides
            .iter()
            .enumerate()
            .all(|(v, &side)| side == (v % 2 == 1))
    );
}

proptest! {
    #[test]
    fn sizes_are_exact_and_gains_are_differences_of_costs(
        vertices in 1usize..90,
        edges in prop::collection::vec((0usize..90, 0usize..90, 1i64..1000), 0..300),
        share in 0.0f64..=1.0,
        slack in 0i64..5,
        flip in 0usize..90,
    ) {
        let edges: Vec<_> = edges.iter().map(|&(u, v, b)| (u % vertices, v % vertices, b)).collect();
        let pull = (0..vertices).map(|v| (v as i64 * 37) % 101 - 50).collect();
        let piece = piece(vertices, &edges, pull);
        let least = (share * vertices as f64) as i64;
        let room = SizeRange { least, most: (least + slack).min(vertices as i64) };
        let sides = cut(&piece, room);
        prop_assert_eq!(room.excess(piece.on_side_0(&sides)), 0);
        let (before, flip) = (piece.cost(&sides), flip % vertices);
        let mut state = Cut::new(&piece, sides);
        let gain = state.gain[flip];
        state.flip(flip as u32);
        prop_assert_eq!((state.cost, piece.cost(&state.sides)), (before - gain, before - gain));
        let anew = Cut::new(&piece, state.sides.clone());
        prop_assert_eq!((state.gain, state.cost), (anew.gain, anew.cost));
    }
}
