//! The pairs of hosts that measure together, in rounds.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Two hosts, by their numbers.
pub(super) type Pair = (usize, usize);

/// All pairs of `n` hosts, in rounds of pairs that have no host in common, by the circle method of
/// round-robin tournaments: one host stays, and all others move one place on in every round. The
/// order of hosts and rounds and the directions of pairs are random, so that a disturbance of the
/// machine does not meet the same pairs in every pass.
pub(super) fn tournament(n: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Vec<Pair>> {
    let mut circle: Vec<usize> = (0..n + n % 2).collect();
    let places = circle.len();
    circle.shuffle(random);
    let mut rounds = Vec::new();
    for _ in 1..places {
        let facing = (0..places / 2).map(|place| (circle[place], circle[places - 1 - place]));
        let real = facing.filter(|&(a, b)| a < n && b < n);
        let mut round: Vec<Pair> = real
            .map(|(a, b)| {
                if random.random_bool(0.5) {
                    (a, b)
                } else {
                    (b, a)
                }
            })
            .collect();
        round.shuffle(random);
        rounds.push(round);
        circle[1..].rotate_right(1);
    }
    rounds.shuffle(random);
    rounds
}

/// Random pairs of hosts. One host has no partner if `n` is odd.
pub(super) fn matching(n: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Pair> {
    let mut hosts: Vec<usize> = (0..n).collect();
    hosts.shuffle(random);
    hosts
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect()
}

/// The pairs of neighbours along one dimension of a grid, as two matchings: from even to odd
/// coordinates, and from odd to even. Points are numbered lexicographically, the last dimension
/// fastest.
pub(super) fn neighbours(sizes: &[usize], wraps: bool, dimension: usize) -> [Vec<Pair>; 2] {
    let stride: usize = sizes[dimension + 1..].iter().product();
    let size = sizes[dimension];
    let points: usize = sizes.iter().product();
    [0, 1].map(|parity| {
        let along = |&point: &usize| {
            let at = point / stride % size;
            let next = if at + 1 < size {
                Some(at + 1)
            } else {
                (wraps && size > 2).then_some(0)
            };
            let meets = next.is_some_and(|next| next != 0 || size.is_multiple_of(2));
            at % 2 == parity && meets
        };
        let to = |point: usize| {
            let at = point / stride % size;
            point - at * stride + (at + 1) % size * stride
        };
        (0..points)
            .filter(along)
            .map(|point| (point, to(point)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;
    use std::collections::BTreeSet;

    #[test]
    fn a_tournament_has_every_pair_once_and_nobody_twice_a_round() {
        for n in [2, 7, 16] {
            let rounds = tournament(n, &mut Xoshiro256PlusPlus::seed_from_u64(3));
            let mut seen = BTreeSet::new();
            for round in rounds {
                let hosts: BTreeSet<usize> = round.iter().flat_map(|&(a, b)| [a, b]).collect();
                assert_eq!(hosts.len(), 2 * round.len());
                seen.extend(round.into_iter().map(|(a, b)| (a.min(b), a.max(b))));
            }
            assert_eq!(seen.len(), n * (n - 1) / 2);
        }
    }

    #[test]
    fn neighbours_of_a_dimension_meet_in_two_matchings() {
        let count = |sizes: &[usize], wraps, dimension| {
            let both = neighbours(sizes, wraps, dimension);
            for matching in &both {
                let hosts: BTreeSet<usize> = matching.iter().flat_map(|&(a, b)| [a, b]).collect();
                assert_eq!(hosts.len(), 2 * matching.len());
            }
            both.map(|matching| matching.len())
        };
        assert_eq!(count(&[4, 4], true, 0), [8, 8]);
        assert_eq!(count(&[4, 4], false, 1), [8, 4]);
        assert_eq!(count(&[5, 3], true, 0), [6, 6]);
        assert_eq!(count(&[2, 3], true, 0), [3, 0]);
    }
}
