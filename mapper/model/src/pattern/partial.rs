//! Grids that carry most of the bytes, where no grid carries nearly all: multigrid programs, whose
//! coarser levels reach further, and grids under traffic of some other kind.
//!
//! Proposed are the numberings of the heaviest pairs, and in small worlds every grid in row order;
//! where none of these does, grids in no order that the heaviest pairs make. They are judged by all
//! traffic, along steps to the next cells only.

use super::grid_fit::{GridFit, MemberGrid, rings_by_bytes};
use super::traffic::{Pair, PairTraffic};
use super::{ACCEPT, Numbering, Overlay, Stencil, permuted, radix};
use rayon::prelude::*;

/// Shares of the bytes that the heaviest pairs are to carry which propose grids.
const SHARES: [f64; 3] = [0.9, 0.7, 0.5];

/// Members up to which every grid in row order is tried.
const SMALL: usize = 1024;

/// Most dimensions: cut into more, any traffic is between next cells.
const MOST_DIMS: usize = 3;

/// Share of the bytes from which a grid is worth telling of.
const WORTH: f64 = 0.5;

/// How many times the bytes of another pair a pair of the grid must have: where all talk to all
/// alike, any grid carries the share of its pairs.
const STANDS_OUT: f64 = 2.0;

/// Share of what the grid does not carry from which a reach is worth naming.
const NAMED: f64 = 0.05;

/// Members up to which grids in no order are looked for among the heaviest pairs.
const MANY: usize = 1 << 14;

/// A grid that may carry most of the bytes: how ranks are numbered in it, and their cells.
struct Proposed {
    numbering: Numbering,
    grid: MemberGrid,
}

/// The grid that carries most of the bytes, at least half of them, and the coarser levels on top of
/// it.
pub(super) fn best(traffic: &PairTraffic, all: u128) -> Option<(Stencil, Option<Overlay>)> {
    let least = least_of_heaviest(traffic);
    // One at a time: each may be as large as the traffic.
    let heaviest = || {
        let least = least.iter();
        least.map(|&least| traffic.filtered(|pair| pair.bytes() >= least))
    };
    let read = |proposed: &Proposed| read(traffic, all, proposed);
    let best = |found: Vec<(Stencil, Option<Overlay>)>| {
        found.into_iter().max_by(|(a, _), (b, _)| {
            let simpler = (b.points, b.dims.len()).cmp(&(a.points, a.dims.len()));
            a.carried.total_cmp(&b.carried).then(simpler)
        })
    };
    let numbered = numbered(traffic, heaviest());
    let found = best(numbered.iter().filter_map(read).collect());
    if found.is_some() || traffic.members() > MANY {
        return found;
    }
    let permuted = permuted(heaviest());
    let whole = permuted
        .iter()
        .filter_map(|proposed| whole(traffic, all, proposed));
    best(whole.collect()).or_else(|| best(permuted.iter().filter_map(read).collect()))
}

/// The grid with steps of any length, if it explains nearly all traffic after all: only the lighter
/// pairs hid it.
fn whole(
    traffic: &PairTraffic,
    all: u128,
    proposed: &Proposed,
) -> Option<(Stencil, Option<Overlay>)> {
    let stencil = GridFit::of(traffic, &proposed.grid).stencil_of(0, all)?;
    let whole = stencil.confidence >= ACCEPT;
    whole.then(|| {
        let numbering = proposed.numbering.clone();
        let stencil = Stencil {
            numbering,
            ..stencil
        };
        (stencil, None)
    })
}

/// Grids whose numbering the heaviest pairs show, and in small worlds all in row order.
fn numbered(traffic: &PairTraffic, heaviest: impl Iterator<Item = PairTraffic>) -> Vec<Proposed> {
    let shown = heaviest.flat_map(|heavy| radix::numberings(&heavy));
    let mut found: Vec<radix::Radix> = Vec::new();
    for radix in shown.chain(rows(traffic.members())) {
        if radix.dims.len() <= MOST_DIMS && !found.contains(&radix) {
            found.push(radix);
        }
    }
    let proposed = found.into_iter().map(|radix| {
        let numbering = radix.numbering();
        let members = (0..traffic.members()).into_par_iter();
        let cells = members.map(|m| numbering.cell(m, &radix.dims).unwrap_or_default());
        let grid = MemberGrid::new(radix.dims.clone(), cells);
        Proposed { numbering, grid }
    });
    proposed.collect()
}

/// Grids in no order that explain nearly all of the heaviest pairs and have a cell for every
/// member.
fn permuted(heaviest: impl Iterator<Item = PairTraffic>) -> Vec<Proposed> {
    let mut found = Vec::new();
    for heavy in heaviest.filter(|heavy| !radix::is_dense(heavy)) {
        permuted::layouts(&heavy, |layout| {
            let cells: Option<Vec<u32>> = layout.cells.iter().copied().collect();
            let members = cells?.into_par_iter().map(|cell| cell as usize);
            let grid = MemberGrid::new(layout.dims.clone(), members);
            let fit = GridFit::of(&heavy, &grid);
            let stencil = fit.stencil_of(0, heavy.bytes())?;
            if stencil.confidence < ACCEPT {
                return None;
            }
            let cells = layout.cells.clone();
            found.push(Proposed {
                numbering: Numbering::Permuted { cells },
                grid,
            });
            Some(stencil)
        });
    }
    found
}

/// What a grid carries of all traffic, along steps to the next cells, if that is worth telling of.
fn read(
    traffic: &PairTraffic,
    all: u128,
    proposed: &Proposed,
) -> Option<(Stencil, Option<Overlay>)> {
    let rings = rings_by_bytes(traffic, &proposed.grid);
    let mut fit = GridFit::with_rings(traffic, &proposed.grid, rings);
    fit.keep_next_cells();
    let stencil = fit.stencil_of(0, all)?;
    let wanted =
        stencil.carried >= WORTH && stencil.neighbours().is_some() && stands_out(traffic, &fit);
    wanted.then(|| {
        let numbering = proposed.numbering.clone();
        let stencil = Stencil {
            numbering,
            ..stencil
        };
        (stencil, coarser(traffic, &fit))
    })
}

/// Whether the pairs of the grid are heavier than the others, of which there must be some.
fn stands_out(traffic: &PairTraffic, fit: &GridFit<'_>) -> bool {
    let (pairs, bytes) = (fit.pairs() as f64, fit.carried() as f64);
    let others = traffic.pairs.len() as f64 - pairs;
    let of_others = traffic.bytes() as f64 - bytes;
    others > 0.0 && bytes * others >= STANDS_OUT * of_others * pairs
}

/// For each of [`SHARES`] the bytes of the lightest of the heaviest pairs that together carry it;
/// once where several shares lead to the same pairs.
fn least_of_heaviest(traffic: &PairTraffic) -> Vec<u64> {
    let mut bytes: Vec<u64> = traffic.pairs.iter().map(Pair::bytes).collect();
    bytes.par_sort_unstable_by(|a, b| b.cmp(a));
    let all = traffic.bytes() as f64;
    let least = SHARES.map(|share| {
        let mut sum = 0.0;
        let enough = bytes.iter().position(|&bytes| {
            sum += bytes as f64;
            sum >= share * all
        });
        enough.map_or(0, |at| bytes[at])
    });
    let mut least = least.to_vec();
    least.dedup();
    least
}

/// Every grid of two or three dimensions in row order.
fn rows(members: usize) -> Vec<radix::Radix> {
    let mut found = Vec::new();
    if members <= SMALL {
        extend_rows(members, &mut Vec::new(), &mut found);
    }
    found
}

fn extend_rows(left: usize, dims: &mut Vec<usize>, found: &mut Vec<radix::Radix>) {
    if left > 1 && !dims.is_empty() {
        let dims = [&dims[..], &[left]].concat();
        found.push(radix::Radix::rows(dims));
    }
    if dims.len() + 1 < MOST_DIMS {
        for size in (2..left).filter(|size| left.is_multiple_of(*size)) {
            dims.push(size);
            extend_rows(left / size, dims, found);
            dims.pop();
        }
    }
}

/// What the grid does not carry, if it is the less the further it reaches: the coarser levels of a
/// multigrid.
fn coarser(traffic: &PairTraffic, fit: &GridFit<'_>) -> Option<Overlay> {
    let mut bytes_at: Vec<u128> = Vec::new();
    for pair in &traffic.pairs {
        let reach = fit.reach(pair);
        bytes_at.resize(bytes_at.len().max(reach + 1), 0);
        bytes_at[reach] += u128::from(pair.bytes());
    }
    let beyond = bytes_at.get(2..)?;
    let bytes: u128 = beyond.iter().sum();
    let named = |reach: &usize| beyond[reach - 2] as f64 > NAMED * bytes as f64;
    let reaches: Vec<usize> = (2..bytes_at.len()).filter(named).collect();
    let falls = reaches.is_sorted_by(|&near, &far| beyond[near - 2] > beyond[far - 2]);
    let reaches = reaches.into_iter().map(|reach| reach as u32).collect();
    (bytes > 0 && falls).then_some(Overlay::Levels { reaches, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::star_stencil;

    #[test]
    fn pairs_that_are_all_as_heavy_are_looked_at_once() {
        let traffic = PairTraffic::of(&star_stencil(&[8, 8], false));
        assert_eq!(least_of_heaviest(&traffic).len(), 1);
    }
}
