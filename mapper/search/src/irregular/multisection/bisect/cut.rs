//! A division into two sides with its sizes, its cost, and the gain of every move, updated move by
//! move in O(d) for a vertex with d edges.

use super::graph::{BisectionGraph, Sides};

/// Work counted for choosing the vertex to move, in edges. An estimate: the time for it compared
/// with that of an edge.
const CHOICE: u64 = 16;

/// A graph and the side of each of its vertices.
#[derive(Debug)]
pub(super) struct Cut<'a> {
    pub(super) piece: &'a BisectionGraph,
    pub(super) sides: Sides,
    /// Cost saved by moving each vertex to the other side.
    pub(super) gain: Vec<i64>,
    /// Bytes of all edges of each vertex.
    bytes: Vec<i64>,
    pub(super) on_side_0: i64,
    /// Bytes cut plus the pulls of vertices on side 1, up to a constant.
    pub(super) cost: i64,
    /// Number of edges looked at.
    pub(super) work: u64,
}

impl<'a> Cut<'a> {
    pub(super) fn new(piece: &'a BisectionGraph, sides: Sides) -> Self {
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
