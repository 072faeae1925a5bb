//! The moves of a Fiduccia-Mattheyses pass by gain: in heaps, or found by a scan where vertices are
//! few.

use super::cut::Cut;
use std::collections::BinaryHeap;

/// Most vertices for which the best move is found by a scan over all of them instead of heaps of
/// the vertices next to the cut. Introduced because scans of few vertices took less time; the
/// number itself was not recorded.
const FEW: usize = 64;

/// The vertices that have not moved in this pass, by side and gain.
pub(super) struct Queue {
    /// The pass in which each vertex moved last.
    locked: Vec<u32>,
    pass: u32,
    /// With more than [`FEW`] vertices, a heap for each side; entries whose gain or side has
    /// changed are skipped.
    heaps: [BinaryHeap<(i64, u32)>; 2],
    /// With at most [`FEW`] vertices, the best move of each side if it was computed.
    best: [Option<Top>; 2],
}

/// Gain and vertex of the best move of a side.
type Top = Option<(i64, u32)>;

impl Queue {
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            locked: vec![0; vertices],
            pass: 0,
            heaps: Default::default(),
            best: [None; 2],
        }
    }

    /// Begins a pass: all vertices may move again.
    pub(super) fn refill(&mut self, cut: &Cut<'_>) {
        self.pass += 1;
        self.best = [None; 2];
        if self.is_small() {
            return;
        }
        for (side, heap) in self.heaps.iter_mut().enumerate() {
            let mut entries = std::mem::take(heap).into_vec();
            entries.clear();
            let here = (0..cut.piece.len() as u32)
                .filter(|&v| usize::from(cut.sides[v as usize]) == side && cut.is_torn(v));
            entries.extend(here.map(|v| (cut.gain[v as usize], v)));
            *heap = entries.into();
        }
    }

    /// The best move of each side; of equal gains, the last vertex.
    pub(super) fn tops(&mut self, cut: &Cut<'_>) -> [Top; 2] {
        if self.is_small() {
            [0, 1].map(|side| {
                *self.best[side]
                    .get_or_insert_with(|| scan(&self.locked, self.pass, cut, side == 1))
            })
        } else {
            [self.top(cut, 0), self.top(cut, 1)]
        }
    }

    /// Excludes a vertex for the rest of the pass.
    pub(super) fn lock(&mut self, vertex: u32) {
        self.locked[vertex as usize] = self.pass;
    }

    /// Updates the moves whose gains have changed because `moved` was moved.
    pub(super) fn refresh(&mut self, cut: &Cut<'_>, moved: u32) {
        if self.is_small() {
            // No move on the side that `moved` joined has become better.
            let there = usize::from(cut.sides[moved as usize]);
            self.best[1 - there] = None;
            self.best[there] = self.best[there]
                .filter(|top| top.is_none_or(|(gain, v)| cut.gain[v as usize] == gain));
            return;
        }
        for (w, _) in cut.piece.edges(moved) {
            let v = w as usize;
            if self.locked[v] != self.pass {
                self.heaps[usize::from(cut.sides[v])].push((cut.gain[v], w));
            }
        }
    }

    fn is_small(&self) -> bool {
        self.locked.len() <= FEW
    }

    fn top(&mut self, cut: &Cut<'_>, side: usize) -> Top {
        while let Some(&(gain, vertex)) = self.heaps[side].peek() {
            let v = vertex as usize;
            let here = usize::from(cut.sides[v]) == side;
            if self.locked[v] != self.pass && here && cut.gain[v] == gain {
                return Some((gain, vertex));
            }
            self.heaps[side].pop();
        }
        None
    }
}

/// The best move of a side by a scan over all vertices, written without branches that depend on
/// data.
fn scan(locked: &[u32], pass: u32, cut: &Cut<'_>, side: bool) -> Top {
    let (mut most, mut at) = (i64::MIN, 0);
    let vertices = locked.iter().zip(&cut.gain).zip(&cut.sides);
    for (v, ((&locked, &gain), &here)) in (0..).zip(vertices) {
        let takes = (locked != pass) & (here == side) & (gain >= most);
        most = if takes { gain } else { most };
        at = if takes { v } else { at };
    }
    (most > i64::MIN).then_some((most, at))
}
