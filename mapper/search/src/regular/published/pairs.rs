//! Pairwise exchanges (heuristic 7 of section V, after Bokhari 1981 and Lee and Aggarwal 1987).

use super::affn::AFFN;
use super::member::{CellMap, Size, about};
use super::plane::PlaneHeuristic;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Random exchanges that make hops fewer, from the affine mapping on.
///
/// Rounds of as many tries as there are pairs of objects, at most 64 per object, until one gains less than
/// 0.1 %. The paper uses it as an estimate of the optimum, without the jumps of Bokhari's version.
///
/// ```
/// use rankfold_search::regular::PAIRS;
/// // 4x4 objects a..p on a mesh of 4x4: nothing to gain for the affine mapping
/// assert_eq!(PAIRS.picture((4, 4), (4, 4)), "\
/// abcd
/// efgh
/// ijkl
/// mnop");
/// ```
pub const PAIRS: PlaneHeuristic = PlaneHeuristic {
    about: about(
        "pairs",
        "random exchanges from the affine mapping on (Bhatele 2010, V.7)",
    ),
    lay: |object, mesh, seed| {
        let mut layout = (AFFN.lay)(object, mesh, seed);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let cells = layout.len();
        let tries = (cells * (cells - 1) / 2).min(64 * cells);
        let mut total = super::plane::hops(object, mesh, &layout);
        loop {
            let before = total;
            for _ in 0..tries {
                let (a, b) = (random.random_range(0..cells), random.random_range(0..cells));
                total -= exchange(&mut layout, (a, b), object, mesh);
            }
            if 1000 * (before - total) <= before {
                return layout;
            }
        }
    },
};

/// Exchanges two objects if that saves hops; returns how many.
fn exchange(layout: &mut CellMap, (a, b): (usize, usize), object: Size, mesh: Size) -> usize {
    if a == b {
        return 0;
    }
    let before = around(layout, a, object, mesh) + around(layout, b, object, mesh);
    layout.swap(a, b);
    let after = around(layout, a, object, mesh) + around(layout, b, object, mesh);
    if after >= before {
        layout.swap(a, b);
    }
    before.saturating_sub(after)
}

/// Hops from an object to its neighbours. An edge between the two exchanged keeps its length, so that it
/// counts twice before and after alike.
fn around(layout: &[usize], cell: usize, object: Size, mesh: Size) -> usize {
    let apart = |other: usize| {
        let (p, q) = (layout[cell], layout[other]);
        (p / mesh.1).abs_diff(q / mesh.1) + (p % mesh.1).abs_diff(q % mesh.1)
    };
    let (x, y) = (cell / object.1, cell % object.1);
    let up = (x > 0).then(|| apart(cell - object.1));
    let left = (y > 0).then(|| apart(cell - 1));
    let right = (y + 1 < object.1).then(|| apart(cell + 1));
    let down = (x + 1 < object.0).then(|| apart(cell + object.1));
    [up, left, right, down].into_iter().flatten().sum()
}
