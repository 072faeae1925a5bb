//! The state of a cut: sides, sizes, cost and the gain of every move, kept up to date move by move.

use super::piece::{Piece, Sides};

/// What finding the vertex to move takes, in edges.
const CHOICE: u64 = 16;

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
        let mut cut = Self {
            gain: Vec::with_capacity(piece.len()),
            bytes: Vec::with_capacity(piece.len()),
            on_side_0: piece.on_side_0(&sides),
            cost: 0,
            work: piece.edges.entries().len() as u64,
            piece,
            sides,
        };
        let mut twice = 0;
        for v in 0..piece.len() as u32 {
            let here = cut.sides[v as usize];
            let (mut near, mut far) = (0, 0);
            for (w, bytes) in piece.edges(v) {
                if cut.sides[w as usize] == here {
                    near += bytes;
                } else {
                    far += bytes;
                }
            }
            let pull = piece.pull[v as usize];
            cut.gain.push(far - near + if here { pull } else { -pull });
            cut.bytes.push(near + far);
            twice += far + if here { 2 * pull } else { 0 };
        }
        cut.cost = twice / 2;
        cut
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
        self.work += CHOICE + self.piece.edges(vertex).len() as u64;
    }

    /// Whether a vertex has partners on the other side or is pulled there.
    pub(super) fn is_torn(&self, vertex: u32) -> bool {
        let v = vertex as usize;
        let pull = self.piece.pull[v];
        let away = if self.sides[v] { pull } else { -pull };
        away > 0 || self.gain[v] - away > -self.bytes[v]
    }
}
