//! Grids a program declares, as candidates: what it says is checked like every other proposal.
//!
//! Only sizes and order are taken from it. Whether a dimension is a ring the traffic tells, since
//! programs make grids periodic that they never send around.

use super::Numbering;
use super::permuted::MemberCells;
use super::stencil_steps::MOST_DIMS;
use super::traffic::PairTraffic;
use crate::comm::DeclaredGrid;

/// The cell of every member, dimensions of one cell left out; `None` if that is no grid the
/// analyser knows.
pub(super) fn layout(
    grid: &DeclaredGrid,
    traffic: &PairTraffic,
    ranks: usize,
) -> Option<MemberCells> {
    let dims: Vec<usize> = grid.dims.iter().copied().filter(|&k| k > 1).collect();
    let inside = grid.members.iter().all(|rank| rank.index() < ranks);
    if dims.is_empty() || dims.len() > MOST_DIMS || !inside {
        return None;
    }
    let cells = cells(grid, ranks);
    Some(MemberCells {
        cells: traffic.ranks.iter().map(|r| cells[r.index()]).collect(),
        dims,
    })
}

/// Bytes of pairs that are not wholly in the grid, but those of hubs.
pub(super) fn outside(layout: &MemberCells, traffic: &PairTraffic) -> u128 {
    let is_hub = |m: u32| traffic.hub[m as usize];
    let seated = |m: u32| layout.cells[m as usize].is_some();
    let pairs = traffic
        .pairs
        .iter()
        .filter(|p| !(is_hub(p.low) || is_hub(p.high) || seated(p.low) && seated(p.high)));
    pairs.map(|p| u128::from(p.bytes())).sum()
}

/// Which cell every rank is.
pub(super) fn numbering(grid: &DeclaredGrid, ranks: usize) -> Numbering {
    let in_order = grid.members.iter().map(|r| r.index()).eq(0..ranks);
    match in_order {
        true => Numbering::Rows,
        false => Numbering::Permuted {
            cells: cells(grid, ranks),
        },
    }
}

/// The cell of every rank, `None` for ranks outside the grid.
fn cells(grid: &DeclaredGrid, ranks: usize) -> Vec<Option<u32>> {
    let mut cells = vec![None; ranks];
    for (cell, rank) in (0..).zip(&grid.members) {
        cells[rank.index()] = Some(cell);
    }
    cells
}
