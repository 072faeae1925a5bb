//! Fiduccia-Mattheyses passes (DAC 1982) with exact sizes and pulls from outside.
//!
//! A pass moves every vertex at most once, the best move first even if it costs bytes, and keeps
//! the best prefix. Strict and loose passes alternate: strict passes stay within one vertex of the
//! sizes allowed; loose passes may leave the sizes by a few percent and are balanced again, which
//! escapes from minima that strict passes cannot leave. Cost: O(m log v) for a pass over m edges
//! and v vertices.

use super::cut::Cut;
use super::graph::{BisectionGraph, Sides};
use super::queue::Queue;
use super::{SizeRange, Work};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of passes without a gain that ends the refinement.
const STALE: usize = 2;
/// Number of moves without a gain that ends a pass: the larger of this number and this part of the
/// vertices. From a prototype; not measured alone.
const FRUITLESS: usize = 60;
const FRUITLESS_PART: usize = 6;

/// The best sides after at most `passes` passes; sizes that are off by up to `tolerance` are
/// accepted.
pub(super) fn refine(
    piece: &BisectionGraph,
    sides: Sides,
    room: SizeRange,
    tolerance: i64,
    passes: usize,
    work: &mut Work,
) -> Sides {
    let strict = tolerance.max(piece.largest());
    let loose = (2 * piece.largest()).max(piece.total() / 50);
    let mut search = FmPasses::new(Cut::new(piece, sides), room);
    search.rebalance(tolerance);
    let mut best = search.rating(tolerance);
    let mut stale = 0;
    for number in 0..passes {
        let flips = search.flips.len();
        if number % 2 == 0 {
            search.pass(tolerance, strict);
        } else {
            search.pass(tolerance.max(loose / 2), loose);
            search.rebalance(tolerance);
            search.pass(tolerance, strict);
        }
        let now = search.rating(tolerance);
        if now < best {
            best = now;
            stale = 0;
        } else {
            search.undo(flips);
            stale += 1;
            if stale == STALE {
                break;
            }
        }
    }
    *work += search.cut.work;
    search.cut.sides
}

/// The sides after moving vertices until the sizes are within `tolerance`.
pub(super) fn balanced(
    piece: &BisectionGraph,
    sides: Sides,
    room: SizeRange,
    tolerance: i64,
    work: &mut Work,
) -> Sides {
    if room.excess(piece.on_side_0(&sides)) <= tolerance {
        return sides;
    }
    let mut search = FmPasses::new(Cut::new(piece, sides), room);
    search.rebalance(tolerance);
    *work += search.cut.work;
    search.cut.sides
}

/// A division on its way through several passes.
struct FmPasses<'a> {
    cut: Cut<'a>,
    room: SizeRange,
    /// The vertices moved so far, in order.
    flips: Vec<u32>,
    queue: Queue,
}

impl<'a> FmPasses<'a> {
    fn new(cut: Cut<'a>, room: SizeRange) -> Self {
        Self {
            queue: Queue::new(cut.piece.len()),
            cut,
            room,
            flips: Vec::new(),
        }
    }

    /// How far the sizes are off beyond `tolerance`, then the cost.
    fn rating(&self, tolerance: i64) -> (i64, i64) {
        let off = self.room.excess(self.cut.on_side_0) - tolerance;
        (off.max(0), self.cut.cost)
    }

    fn flip(&mut self, vertex: u32) {
        self.cut.flip(vertex);
        self.flips.push(vertex);
    }

    /// Undoes all moves but the first `kept`.
    fn undo(&mut self, kept: usize) {
        while self.flips.len() > kept {
            if let Some(vertex) = self.flips.pop() {
                self.cut.flip(vertex);
            }
        }
    }

    /// Moves every vertex at most once and keeps the best prefix of the moves.
    ///
    /// The sizes may be off by `tolerance` at the end and by `slack` on the way.
    fn pass(&mut self, tolerance: i64, slack: i64) {
        self.queue.refill(&self.cut);
        let fruitless = FRUITLESS.max(self.cut.piece.len() / FRUITLESS_PART);
        let mut best = (self.rating(tolerance), self.flips.len());
        while let Some(vertex) = self.next(slack) {
            self.queue.lock(vertex);
            self.flip(vertex);
            self.queue.refresh(&self.cut, vertex);
            let now = self.rating(tolerance);
            if now < best.0 {
                best = (now, self.flips.len());
            } else if self.flips.len() - best.1 > fruitless {
                break;
            }
        }
        self.undo(best.1);
    }

    /// The vertex with the best move on a side that may lose a vertex.
    fn next(&mut self, slack: i64) -> Option<u32> {
        let tops = self.queue.tops(&self.cut);
        let over = self.cut.on_side_0 - self.room.most;
        let under = self.room.least - self.cut.on_side_0;
        let side = match tops {
            [None, None] => return None,
            _ if over > slack => 0,
            _ if under > slack => 1,
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            [Some((a, _)), Some((b, _))] if a != b => usize::from(b > a),
            _ => usize::from(over < 0 && under >= over),
        };
        let forced_back = (side == 0 && under > slack) || (side == 1 && over > slack);
        tops[side]
            .filter(|_| !forced_back)
            .map(|(_, vertex)| vertex)
    }

    /// Moves the vertices whose move costs least until the sizes are within `tolerance`, or until
    /// every remaining vertex holds too many ranks.
    fn rebalance(&mut self, tolerance: i64) {
        let from = self.cut.on_side_0 < self.room.least;
        if self.room.excess(self.cut.on_side_0) <= tolerance {
            return;
        }
        let movers =
            (0..self.cut.piece.len() as u32).filter(|&v| self.cut.sides[v as usize] == from);
        let mut heap: BinaryHeap<_> = movers.map(|v| (self.worth(v), Reverse(v))).collect();
        self.cut.work += self.cut.piece.len() as u64;
        while let Some((worth, Reverse(v))) = heap.pop() {
            let excess = self.room.excess(self.cut.on_side_0);
            if excess <= tolerance || (self.cut.on_side_0 < self.room.least) != from {
                return;
            }
            let fits = i64::from(self.cut.piece.ranks[v as usize]) <= excess + tolerance;
            if self.cut.sides[v as usize] != from || !fits || worth != self.worth(v) {
                continue;
            }
            self.flip(v);
            let piece = self.cut.piece;
            let here = piece
                .edges(v)
                .filter(|&(w, _)| self.cut.sides[w as usize] == from);
            heap.extend(here.map(|(w, _)| (self.worth(w), Reverse(w))));
        }
    }

    /// Priority of a vertex for balancing: its saving times its ranks, or its loss per rank.
    fn worth(&self, v: u32) -> i64 {
        let gain = self.cut.gain[v as usize] as f64;
        let ranks = f64::from(self.cut.piece.ranks[v as usize]);
        let worth = if gain > 0.0 {
            gain * ranks
        } else {
            gain / ranks
        };
        // The bits in the order of `f64::total_cmp`.
        let bits = worth.to_bits() as i64;
        bits ^ ((bits >> 63) as u64 >> 1) as i64
    }
}
