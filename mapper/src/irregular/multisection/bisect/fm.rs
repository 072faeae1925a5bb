//! Fiduccia-Mattheyses passes (DAC 1982) with exact sizes and pulls from outside.
//!
//! Passes alternate: strict ones stay within a vertex of the sizes allowed, loose ones wander off by a few
//! per cent and are brought back, which crosses barriers strict ones cannot.

use super::cut::Cut;
use super::piece::{Piece, Sides};
use super::{Room, Work};
use std::collections::BinaryHeap;

/// Passes without a gain after which the search ends.
const STALE: usize = 2;
/// Moves without a gain after which a pass ends: this many, or this part of the vertices.
const FRUITLESS: usize = 60;
const FRUITLESS_PART: usize = 6;
/// Vertices up to which a pass looks at all of them, not only at those with partners across.
const FEW: usize = 64;

/// The best sides found in at most `passes` passes; sizes off by up to `tolerance` count as right.
pub(super) fn refine(
    piece: &Piece,
    sides: Sides,
    room: Room,
    tolerance: i64,
    passes: usize,
    work: &mut Work,
) -> Sides {
    let strict = tolerance.max(piece.largest());
    let loose = (2 * piece.largest()).max(piece.total() / 50);
    let mut search = Search::new(Cut::new(piece, sides), room);
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

/// The sides with the sizes made right within `tolerance`.
pub(super) fn balanced(
    piece: &Piece,
    sides: Sides,
    room: Room,
    tolerance: i64,
    work: &mut Work,
) -> Sides {
    if room.excess(piece.on_side_0(&sides)) <= tolerance {
        return sides;
    }
    let mut search = Search::new(Cut::new(piece, sides), room);
    search.rebalance(tolerance);
    *work += search.cut.work;
    search.cut.sides
}

/// A cut on its way through several passes.
struct Search<'a> {
    cut: Cut<'a>,
    room: Room,
    /// Vertices moved so far, in order.
    flips: Vec<u32>,
    /// Pass in which each vertex last moved.
    locked: Vec<u32>,
    pass: u32,
    /// Vertices of each side by gain; entries whose gain or side has changed are stale.
    queues: [BinaryHeap<(i64, u32)>; 2],
}

impl<'a> Search<'a> {
    fn new(cut: Cut<'a>, room: Room) -> Self {
        Self {
            locked: vec![0; cut.piece.len()],
            cut,
            room,
            flips: Vec::new(),
            pass: 0,
            queues: Default::default(),
        }
    }

    /// How far the sizes are off, then the cost.
    fn rating(&self, tolerance: i64) -> (i64, i64) {
        let off = self.room.excess(self.cut.on_side_0) - tolerance;
        (off.max(0), self.cut.cost)
    }

    fn flip(&mut self, vertex: u32) {
        self.cut.flip(vertex);
        self.flips.push(vertex);
    }

    /// Takes back all moves but the first `kept`.
    fn undo(&mut self, kept: usize) {
        while self.flips.len() > kept {
            if let Some(vertex) = self.flips.pop() {
                self.cut.flip(vertex);
            }
        }
    }

    /// Moves every vertex at most once, and keeps the best prefix.
    ///
    /// Sizes may be off by `tolerance` at the end, and by `slack` on the way.
    fn pass(&mut self, tolerance: i64, slack: i64) {
        self.pass += 1;
        self.fill_queues();
        let fruitless = FRUITLESS.max(self.cut.piece.len() / FRUITLESS_PART);
        let mut best = (self.rating(tolerance), self.flips.len());
        while let Some(side) = self.side_to_leave(slack) {
            self.move_best(side);
            let now = self.rating(tolerance);
            if now < best.0 {
                best = (now, self.flips.len());
            } else if self.flips.len() - best.1 > fruitless {
                break;
            }
        }
        self.undo(best.1);
    }

    fn fill_queues(&mut self) {
        for side in [0, 1] {
            let mut entries = std::mem::take(&mut self.queues[side]).into_vec();
            entries.clear();
            let cut = &self.cut;
            let few = cut.piece.len() <= FEW;
            let here = (0..cut.piece.len() as u32)
                .filter(|&v| usize::from(cut.sides[v as usize]) == side && (few || cut.is_torn(v)));
            entries.extend(here.map(|v| (cut.gain[v as usize], v)));
            self.queues[side] = entries.into();
        }
    }

    /// The side with the better move among those that may lose a vertex.
    fn side_to_leave(&mut self, slack: i64) -> Option<usize> {
        let tops = [self.top(0), self.top(1)];
        let over = self.cut.on_side_0 - self.room.most;
        let under = self.room.least - self.cut.on_side_0;
        let side = match tops {
            [None, None] => return None,
            _ if over > slack => 0,
            _ if under > slack => 1,
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            [Some(a), Some(b)] if a != b => usize::from(b > a),
            _ => usize::from(over < 0 && under >= over),
        };
        let forced_back = (side == 0 && under > slack) || (side == 1 && over > slack);
        (tops[side].is_some() && !forced_back).then_some(side)
    }

    fn top(&mut self, side: usize) -> Option<i64> {
        while let Some(&(gain, vertex)) = self.queues[side].peek() {
            let v = vertex as usize;
            let here = usize::from(self.cut.sides[v]) == side;
            if self.locked[v] != self.pass && here && self.cut.gain[v] == gain {
                return Some(gain);
            }
            self.queues[side].pop();
        }
        None
    }

    fn move_best(&mut self, side: usize) {
        let (_, vertex) = self.queues[side].pop().expect("the side has a top");
        self.locked[vertex as usize] = self.pass;
        self.flip(vertex);
        for (w, _) in self.cut.piece.edges(vertex) {
            let other = w as usize;
            if self.locked[other] != self.pass {
                let entry = (self.cut.gain[other], w);
                self.queues[usize::from(self.cut.sides[other])].push(entry);
            }
        }
    }

    /// Moves the vertices that cost least until the sizes are right within `tolerance`, or none is small
    /// enough.
    fn rebalance(&mut self, tolerance: i64) {
        let from = self.cut.on_side_0 < self.room.least;
        while self.room.excess(self.cut.on_side_0) > tolerance
            && (self.cut.on_side_0 < self.room.least) == from
        {
            let most = self.room.excess(self.cut.on_side_0) + tolerance;
            let (cut, ranks) = (&self.cut, &self.cut.piece.ranks);
            let worth = |v: usize| {
                let (gain, ranks) = (cut.gain[v] as f64, f64::from(ranks[v]));
                if gain > 0.0 {
                    gain * ranks
                } else {
                    gain / ranks
                }
            };
            let leaver = (0..ranks.len())
                .filter(|&v| cut.sides[v] == from && i64::from(ranks[v]) <= most)
                .max_by(|&a, &b| worth(a).total_cmp(&worth(b)).then(b.cmp(&a)));
            let Some(v) = leaver else {
                return;
            };
            self.cut.work += ranks.len() as u64;
            self.flip(v as u32);
        }
    }
}
