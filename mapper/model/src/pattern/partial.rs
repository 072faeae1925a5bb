//! Grids that carry most of the bytes, where no grid carries nearly all: multigrid programs, whose coarser levels reach
//! further, and grids under traffic of some other kind.
//!
//! Proposed are the numberings of the heaviest pairs, and in small worlds every grid in row order. They are judged by
//! all traffic, along steps to the next cells only.

use super::grid_fit::{GridFit, MemberGrid, rings_by_bytes};
use super::traffic::{Pair, PairTraffic};
use super::{Overlay, Stencil, radix};
use rayon::prelude::*;

/// Shares of the bytes that the heaviest pairs are to carry which propose grids.
const SHARES: [f64; 3] = [0.9, 0.7, 0.5];

/// Members up to which every grid in row order is tried.
const SMALL: usize = 1024;

/// Most dimensions: cut into more, any traffic is between next cells.
const MOST_DIMS: usize = 3;

/// Share of the bytes from which a grid is worth telling of.
const WORTH: f64 = 0.5;

/// How many times the bytes of another pair a pair of the grid must have: where all talk to all alike, any grid carries
/// the share of its pairs.
const STANDS_OUT: f64 = 2.0;

/// Share of what the grid does not carry from which a reach is worth naming.
const NAMED: f64 = 0.05;

/// The grid that carries most of the bytes, at least half of them, and the coarser levels on top of it.
pub(super) fn best(traffic: &PairTraffic, all: u128) -> Option<(Stencil, Option<Overlay>)> {
    let mut proposed: Vec<(radix::Radix, MemberGrid)> = Vec::new();
    let heavy = SHARES.iter().flat_map(|&share| {
        let least = least_of_heaviest(traffic, share);
        let heavy = traffic.filtered(|pair| pair.bytes() >= least);
        radix::numberings(&heavy)
    });
    for radix in heavy.chain(rows(traffic.members())) {
        if (2..=MOST_DIMS).contains(&radix.dims.len())
            && !proposed.iter().any(|(known, _)| *known == radix)
        {
            let numbering = radix.numbering();
            let members = (0..traffic.members()).into_par_iter();
            let cells = members.map(|m| numbering.cell(m, &radix.dims).unwrap_or_default());
            let grid = MemberGrid::new(radix.dims.clone(), cells);
            proposed.push((radix, grid));
        }
    }
    let read = |(radix, grid): &(radix::Radix, MemberGrid)| {
        let rings = rings_by_bytes(traffic, grid);
        let mut fit = GridFit::with_rings(traffic, grid, rings);
        fit.keep_next_cells();
        let stencil = fit.stencil_of(0, all)?;
        let wanted =
            stencil.carried >= WORTH && stencil.neighbours().is_some() && stands_out(traffic, &fit);
        wanted.then(|| {
            let numbering = radix.numbering();
            (
                Stencil {
                    numbering,
                    ..stencil
                },
                coarser(traffic, &fit),
            )
        })
    };
    let found = proposed.iter().filter_map(read);
    found.max_by(|(a, _), (b, _)| {
        let simpler = (b.points, b.dims.len()).cmp(&(a.points, a.dims.len()));
        a.carried.total_cmp(&b.carried).then(simpler)
    })
}

/// Whether the pairs of the grid are heavier than the others, of which there must be some.
fn stands_out(traffic: &PairTraffic, fit: &GridFit<'_>) -> bool {
    let (pairs, bytes) = (fit.pairs() as f64, fit.carried() as f64);
    let others = traffic.pairs.len() as f64 - pairs;
    let of_others = traffic.bytes() as f64 - bytes;
    others > 0.0 && bytes * others >= STANDS_OUT * of_others * pairs
}

/// Bytes of the lightest of the heaviest pairs that together carry `share` of all bytes.
fn least_of_heaviest(traffic: &PairTraffic, share: f64) -> u64 {
    let mut bytes: Vec<u64> = traffic.pairs.iter().map(Pair::bytes).collect();
    bytes.sort_unstable_by(|a, b| b.cmp(a));
    let wanted = share * traffic.bytes() as f64;
    let mut sum = 0.0;
    let enough = bytes.iter().position(|&bytes| {
        sum += bytes as f64;
        sum >= wanted
    });
    enough.map_or(0, |at| bytes[at])
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

/// What the grid does not carry, if it is the less the further it reaches: the coarser levels of a multigrid.
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
