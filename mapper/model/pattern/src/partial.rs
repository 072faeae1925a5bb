//! Grids that carry most of the bytes, where no grid carries nearly all.
//!
//! Examples are multigrid programs, whose coarser levels reach further, and grids with traffic of
//! another kind. Idea: the heaviest pairs alone propose grids by their numbering; in small worlds,
//! all grids in row order are proposed. If none of these fits, the heaviest pairs propose grids for
//! ranks in any order. Every proposal is compared with all traffic, counting steps to next cells
//! only. The method is the project's own. Cost: that of the analyser for each of [`SHARES`].

use super::grid_fit::{GridFit, MemberGrid, rings_by_bytes};
use super::traffic::{Pair, PairTraffic};
use super::{ACCEPT, Numbering, Overlay, Stencil, permuted, radix};
use rayon::prelude::*;

/// The heaviest pairs that carry these shares of the bytes propose grids. Chosen by hand (see
/// [thresholds](super#thresholds-and-their-evidence)).
const SHARES: [f64; 3] = [0.9, 0.7, 0.5];

/// Most members for which all grids in row order are tried. Chosen by hand.
const SMALL: usize = 1024;

/// Most dimensions. With more, all pairs of a small world would be next cells.
const MAX_DIMS: usize = 3;

/// Share of the bytes from which a grid is reported. Chosen by hand.
const WORTH: f64 = 0.5;

/// Factor by which the mean bytes of the grid's pairs must exceed those of other pairs. Where all
/// ranks exchange the same bytes with all others, any grid carries its share; an all-to-all of four
/// ranks was read as a 2x2 box without this rule (commit a36ad6f).
const STANDS_OUT: f64 = 2.0;

/// Grids that carry at least this share of what the best grid carries explain about as much. Chosen
/// by hand: a box of 2x3x3 cells under coarser levels carries 0.96 to 0.98 of what a ring of three
/// with two rows each does.
const AS_MUCH: f64 = 0.95;

/// A distance is named in the overlay if it has this share of the bytes that the grid does not
/// carry. Chosen by hand.
const NAMED: f64 = 0.05;

/// Most members for which the heaviest pairs propose grids in any order. Chosen by hand.
const MANY: usize = 1 << 14;

/// A proposed grid: the numbering of ranks, and their cells.
struct Proposed {
    numbering: Numbering,
    grid: MemberGrid,
}

/// What a proposed grid makes of the traffic.
struct Reading {
    stencil: Stencil,
    /// The coarser levels in addition to it.
    coarser: Option<Overlay>,
    /// Whether bytes fall from faces to edges to corners.
    falls: bool,
    /// The pairs that the grid explains.
    pairs: usize,
}

/// The grid that carries most of the bytes, at least half, and the coarser levels in addition to
/// it.
pub(super) fn best(traffic: &PairTraffic, all: u128) -> Option<(Stencil, Option<Overlay>)> {
    let least = least_of_heaviest(traffic);
    // Computed one at a time, since each may be as large as the whole traffic.
    let heaviest = || {
        let least = least.iter();
        least.map(|&least| traffic.filtered(|pair| pair.bytes() >= least))
    };
    let read = |proposed: &Proposed| read(traffic, all, proposed);
    let numbered = numbered(traffic, heaviest());
    let found = likeliest(numbered.iter().filter_map(read).collect());
    if found.is_some() || traffic.members() > MANY {
        return found;
    }
    let permuted = permuted(heaviest());
    let whole = permuted
        .iter()
        .filter_map(|proposed| whole(traffic, all, proposed));
    likeliest(whole.collect()).or_else(|| likeliest(permuted.iter().filter_map(read).collect()))
}

/// The likeliest of some readings. The fewer cells a dimension has, and the more dimensions are
/// rings, the more pairs are next cells, whatever they exchange. So of readings that carry about
/// [`AS_MUCH`] the likeliest is one whose bytes fall from faces to edges to corners, then one with
/// fewer rings, then one with fewer pairs.
fn likeliest(found: Vec<Reading>) -> Option<(Stencil, Option<Overlay>)> {
    let most = found.iter().map(|one| one.stencil.carried);
    let enough = AS_MUCH * most.fold(0.0, f64::max);
    let plausible = found
        .into_iter()
        .filter(|one| one.stencil.carried >= enough);
    let likeliest = plausible.min_by(|a, b| {
        let rings = |one: &Reading| one.stencil.periodic.iter().filter(|&&ring| ring).count();
        let odd = |one: &Reading| (!one.falls, rings(one), one.pairs);
        let size = |one: &Reading| (one.stencil.points, one.stencil.dims.len());
        odd(a)
            .cmp(&odd(b))
            .then_with(|| b.stencil.carried.total_cmp(&a.stencil.carried))
            .then_with(|| size(a).cmp(&size(b)))
    });
    likeliest.map(|one| (one.stencil, one.coarser))
}

/// The grid with steps of any length, if it explains nearly all traffic. This happens if only the
/// lighter pairs hid it.
fn whole(traffic: &PairTraffic, all: u128, proposed: &Proposed) -> Option<Reading> {
    let fit = GridFit::of(traffic, &proposed.grid);
    let stencil = fit.stencil_of(0, all)?;
    let whole = stencil.confidence >= ACCEPT;
    whole.then(|| {
        let numbering = proposed.numbering.clone();
        let stencil = Stencil {
            numbering,
            ..stencil
        };
        Reading {
            stencil,
            coarser: None,
            falls: fit.falls(),
            pairs: fit.pairs(),
        }
    })
}

/// Grids whose numbering the heaviest pairs reveal; in small worlds, also all grids in row order.
fn numbered(traffic: &PairTraffic, heaviest: impl Iterator<Item = PairTraffic>) -> Vec<Proposed> {
    let shown = heaviest.flat_map(|heavy| radix::numberings(&heavy));
    let mut found: Vec<radix::Radix> = Vec::new();
    for radix in shown.chain(rows(traffic.members())) {
        if radix.dims.len() <= MAX_DIMS && !found.contains(&radix) {
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

/// Grids in any order of ranks that explain nearly all of the heaviest pairs and have a cell for
/// every member.
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

/// The stencil that a grid carries of all traffic, along steps to next cells. `None` if it carries
/// too little.
fn read(traffic: &PairTraffic, all: u128, proposed: &Proposed) -> Option<Reading> {
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
        Reading {
            stencil,
            coarser: coarser(traffic, &fit),
            falls: fit.falls(),
            pairs: fit.pairs(),
        }
    })
}

/// Whether the grid's pairs are heavier than the other pairs. There must be other pairs.
fn stands_out(traffic: &PairTraffic, fit: &GridFit<'_>) -> bool {
    let (pairs, bytes) = (fit.pairs() as f64, fit.carried() as f64);
    let others = traffic.pairs.len() as f64 - pairs;
    let of_others = traffic.bytes() as f64 - bytes;
    others > 0.0 && bytes * others >= STANDS_OUT * of_others * pairs
}

/// For each of [`SHARES`], the bytes of the lightest of the heaviest pairs that together carry this
/// share. Equal values are listed once.
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

/// All grids of two or three dimensions in row order.
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
    if dims.len() + 1 < MAX_DIMS {
        for size in (2..left).filter(|size| left.is_multiple_of(*size)) {
            dims.push(size);
            extend_rows(left / size, dims, found);
            dims.pop();
        }
    }
}

/// The traffic that the grid does not carry, if its bytes fall with the distance: the coarser
/// levels of a multigrid.
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
    use rankfold_graph::samples::star_stencil;

    #[test]
    fn pairs_that_are_all_as_heavy_are_looked_at_once() {
        let traffic = PairTraffic::of(&star_stencil(&[8, 8], false));
        assert_eq!(least_of_heaviest(&traffic).len(), 1);
    }
}
