//! Recursive matrix graphs, with few ranks that have very many partners (Chakrabarti, Zhan &
//! Faloutsos, SDM 2004).

use super::Pair;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Edges drawn for each rank. Duplicates count once, loops not at all. The edge factor of the Graph
/// 500 is 16; half of it was chosen by hand.
const EDGES: usize = 8;

/// Cumulative probabilities of the four quadrants: 0.57, 0.19, 0.19 and 0.05, as in the Graph 500
/// benchmark.
const QUADRANTS: [f64; 3] = [0.57, 0.76, 0.95];

pub(super) fn pairs(ranks: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Pair> {
    let levels = ranks.next_power_of_two().trailing_zeros();
    let mut pairs: Vec<Pair> = (0..EDGES * ranks)
        .map(|_| {
            let (a, b) = edge(levels, random);
            let (a, b) = (a % ranks as u32, b % ranks as u32);
            let size: f64 = random.random_range(0.0..10.0);
            (a.min(b), a.max(b), 1 + (size * size) as u64)
        })
        .filter(|(a, b, _)| a != b)
        .collect();
    pairs.sort_unstable();
    pairs.dedup_by_key(|&mut (a, b, _)| (a, b));
    pairs
}

fn edge(levels: u32, random: &mut Xoshiro256PlusPlus) -> (u32, u32) {
    (0..levels).fold((0, 0), |(a, b), _| {
        let share = random.random_range(0.0..1.0);
        let quadrant = QUADRANTS.iter().filter(|&&q| share >= q).count() as u32;
        (2 * a + quadrant / 2, 2 * b + quadrant % 2)
    })
}
