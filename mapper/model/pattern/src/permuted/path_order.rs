//! Paths and rings: finds the order in which members follow each other.

use super::MemberCells;
use crate::adjacency::Adjacency;

/// Share of the edges that may be strays, and of the members where the path may be broken. Chosen
/// by hand.
const LOOSE: f64 = 0.03;

/// The members in the order of a path or ring, if the graph is one except for a few strays and
/// gaps. Members without neighbours, hubs among them, come first in one order and last in the
/// other, since either end may be theirs.
pub(super) fn orders(adjacency: &Adjacency) -> Option<[MemberCells; 2]> {
    let members = adjacency.members();
    let loose = (LOOSE * members as f64) as usize + 1;
    let edges = adjacency.edges().count();
    if edges > members + loose || edges + loose < members {
        return None;
    }
    let mut neighbours: Vec<Vec<u32>> = (0..members as u32)
        .map(|m| adjacency.of_member(m).to_vec())
        .collect();
    // An edge is a stray if both its ends have two other neighbours.
    for (a, b) in adjacency.edges() {
        let (x, y) = (a as usize, b as usize);
        if neighbours[x].len() > 2 && neighbours[y].len() > 2 {
            neighbours[x].retain(|&z| z != b);
            neighbours[y].retain(|&z| z != a);
        }
    }
    if neighbours.iter().any(|list| list.len() > 2) {
        return None;
    }
    let pieces = pieces(&neighbours);
    if pieces.len() > loose {
        return None;
    }
    let (alone, others): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|piece| piece.len() == 1);
    let (alone, others) = (alone.concat(), others.concat());
    Some(
        [[&alone[..], &others[..]], [&others[..], &alone[..]]]
            .map(|parts| in_order(&parts.concat())),
    )
}

/// The one-dimensional grid with the members in this order.
fn in_order(members: &[u32]) -> MemberCells {
    let mut cells = vec![None; members.len()];
    for (cell, &member) in (0..).zip(members) {
        cells[member as usize] = Some(cell);
    }
    MemberCells {
        dims: vec![members.len()],
        cells,
    }
}

/// The pieces of the path: first paths, from end to end, then rings, starting at their first
/// member.
fn pieces(neighbours: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; neighbours.len()];
    let mut pieces = Vec::new();
    let ends = (0..neighbours.len()).filter(|&m| neighbours[m].len() < 2);
    for start in ends.chain(0..neighbours.len()) {
        let mut piece = Vec::new();
        let mut next = Some(start);
        while let Some(member) = next.filter(|&m| !seen[m]) {
            seen[member] = true;
            piece.push(member as u32);
            let onward = neighbours[member].iter().map(|&m| m as usize);
            next = onward.filter(|&m| !seen[m]).max();
        }
        if !piece.is_empty() {
            pieces.push(piece);
        }
    }
    pieces
}
