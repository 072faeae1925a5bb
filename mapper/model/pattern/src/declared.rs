//! Grids that the program declares. They are candidates and are verified like all other proposals.
//!
//! Only the sizes and the order of ranks are taken from a declaration. The traffic decides whether
//! a dimension is a ring, since some programs declare periodic grids but never send around the
//! ends. Of a dimension of two ranks it cannot tell, and the declaration is kept.

use super::Numbering;
use super::permuted::MemberCells;
use super::stencil_steps::MAX_DIMS;
use super::traffic::PairTraffic;
use rankfold_graph::DeclaredGrid;

/// The cell of every member, without dimensions of size 1. `None` if the analyser does not handle
/// grids of this kind.
pub(super) fn layout(
    grid: &DeclaredGrid,
    traffic: &PairTraffic,
    ranks: usize,
) -> Option<MemberCells> {
    let dims: Vec<usize> = grid.dims.iter().copied().filter(|&k| k > 1).collect();
    let inside = grid.members.iter().all(|rank| rank.index() < ranks);
    if dims.is_empty() || dims.len() > MAX_DIMS || !inside {
        return None;
    }
    let cells = cells(grid, ranks);
    Some(MemberCells {
        cells: traffic.ranks.iter().map(|r| cells[r.index()]).collect(),
        dims,
    })
}

/// Whether each dimension but those of size 1 is a ring: as the traffic tells, or of two ranks as
/// the program declares.
pub(super) fn periodic(grid: &DeclaredGrid, declared: &[bool]) -> Vec<bool> {
    let sizes = grid.dims.iter().zip(&grid.periodic);
    let of_pairs = sizes.filter(|(size, _)| **size > 1);
    let kept = of_pairs.map(|(size, declared)| *size == 2 && *declared);
    declared
        .iter()
        .zip(kept)
        .map(|(declared, kept)| *declared || kept)
        .collect()
}

/// Bytes of pairs with an end outside the grid. Pairs of hubs do not count.
pub(super) fn outside(layout: &MemberCells, traffic: &PairTraffic) -> u128 {
    let is_hub = |m: u32| traffic.hub[m as usize];
    let seated = |m: u32| layout.cells[m as usize].is_some();
    let pairs = traffic
        .pairs
        .iter()
        .filter(|p| !(is_hub(p.low) || is_hub(p.high) || seated(p.low) && seated(p.high)));
    pairs.map(|p| u128::from(p.bytes())).sum()
}

/// The cell of every rank, as a numbering.
pub(super) fn numbering(grid: &DeclaredGrid, ranks: usize) -> Numbering {
    let in_order = grid.members.iter().map(|r| r.index()).eq(0..ranks);
    if in_order {
        Numbering::Rows
    } else {
        Numbering::Permuted {
            cells: cells(grid, ranks),
        }
    }
}

/// The cell of every rank; `None` for ranks outside the grid.
fn cells(grid: &DeclaredGrid, ranks: usize) -> Vec<Option<u32>> {
    let mut cells = vec![None; ranks];
    for (cell, rank) in (0..).zip(&grid.members) {
        cells[rank.index()] = Some(cell);
    }
    cells
}
