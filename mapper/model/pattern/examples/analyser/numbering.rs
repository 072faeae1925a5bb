//! Ways to number the cells of a grid. Entry `cell` (row-major) of the result is the cell's rank.

use rand::Rng;
use rand::seq::SliceRandom as _;

/// Block by block, where blocks are two cells wide along every dimension of even size.
pub(crate) fn blocks(dims: &[usize]) -> Vec<usize> {
    let side = |size: usize| if size.is_multiple_of(2) { 2 } else { 1 };
    let key = |at: &[usize]| -> Vec<usize> {
        let block = at.iter().zip(dims).map(|(&c, &size)| c / side(size));
        let inside = at.iter().zip(dims).map(|(&c, &size)| c % side(size));
        block.chain(inside).collect()
    };
    by(dims, key)
}

/// By recursive bisection of the longest dimension.
pub(crate) fn bisection(dims: &[usize]) -> Vec<usize> {
    let key = |at: &[usize]| {
        let mut sides: Vec<(usize, usize)> = dims.iter().map(|&size| (0, size)).collect();
        let mut key = Vec::new();
        while let Some(longest) = (0..sides.len())
            .filter(|&d| sides[d].1 > 1)
            .max_by_key(|&d| (sides[d].1, usize::MAX - d))
        {
            let (from, size) = sides[longest];
            let half = size / 2;
            let upper = at[longest] >= from + half;
            key.push(usize::from(upper));
            sides[longest] = if upper {
                (from + half, size - half)
            } else {
                (from, half)
            };
        }
        key
    };
    by(dims, key)
}

/// In random order.
pub(crate) fn permuted(ranks: usize, random: &mut impl Rng) -> Vec<usize> {
    let mut number: Vec<usize> = (0..ranks).collect();
    number.shuffle(random);
    number
}

/// Numbers the cells in the order of their keys.
fn by(dims: &[usize], key: impl Fn(&[usize]) -> Vec<usize>) -> Vec<usize> {
    let ranks = dims.iter().product();
    let coordinates = |cell: usize| {
        let mut rest = cell;
        let mut at: Vec<usize> = dims
            .iter()
            .rev()
            .map(|&size| {
                let along = rest % size;
                rest /= size;
                along
            })
            .collect();
        at.reverse();
        at
    };
    let mut order: Vec<usize> = (0..ranks).collect();
    order.sort_by_cached_key(|&cell| key(&coordinates(cell)));
    let mut number = vec![0; ranks];
    for (rank, &cell) in order.iter().enumerate() {
        number[cell] = rank;
    }
    number
}
