//! The state of a cut: sides, sizes, cost and the gain of every move, kept up to date move by move.

use super::piece::{Piece, Sides};

/// A piece and the sides its vertices are on.
#[derive(Debug)]
pub(super) struct Cut<'a> {
    pub(super) piece: &'a Piece,
    pub(super) sides: Sides,
    /// What moving each vertex to the other side saves.
    pub(super) gain: Vec<i64>,
    /// Bytes of all edges of each vertex.
    bytes: Vec<i64>,
    pub(super) on_side_0: i64,
    /// Bytes cut and pulls gone against, up to a constant.
    pub(super) cost: i64,
    /// Edges looked at.
    pub(super) work: u64,
}

impl<'a> Cut<'a> {
    pub(super) fn new(piece: &'a Piece, sides: Sides) -> Self {
        let vertices = || 0..piece.len() as u32;
        Self {
            gain: vertices().map(|v| piece.gain(&sides, v)).collect(),
            bytes: vertices()
                .map(|v| piece.edges(v).map(|(_, bytes)| bytes).sum())
                .collect(),
            on_side_0: piece.on_side_0(&sides),
            cost: piece.cost(&sides),
            work: piece.partner.len() as u64,
            piece,
            sides,
        }
    }

    /// Moves a vertex to the other side.
    pub(super) fn flip(&mut self, vertex: u32) {
        let v = vertex as usize;
        let ranks = i64::from(self.piece.ranks[v]);
        self.cost -= self.gain[v];
        self.gain[v] = -self.gain[v];
        self.sides[v] ^= true;
        let side = self.sides[v];
        self.on_side_0 += if side { -ranks } else { ranks };
        for (w, bytes) in self.piece.edges(vertex) {
            let apart = self.sides[w as usize] != side;
            self.gain[w as usize] += if apart { 2 * bytes } else { -2 * bytes };
        }
        self.work += self.piece.edges(vertex).len() as u64;
    }

    /// Whether a vertex has partners on the other side or is pulled there.
    pub(super) fn is_torn(&self, vertex: u32) -> bool {
        let v = vertex as usize;
        let pull = self.piece.pull[v];
        let away = if self.sides[v] { pull } else { -pull };
        away > 0 || self.gain[v] - away > -self.bytes[v]
    }
}
