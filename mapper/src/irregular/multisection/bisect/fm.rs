//! Fiduccia-Mattheyses passes (DAC 1982) with exact sizes and pulls from outside.
//!
//! Passes alternate: strict ones stay within a vertex of the sizes allowed, loose ones wander off by a few
//! per cent and are brought back, which crosses barriers strict ones cannot.

use super::piece::{Piece, Sides};
use super::{Room, Work};
use std::collections::BinaryHeap;

/// Passes without a gain after which the search ends.
const STALE: usize = 2;
/// Moves without a gain after which a pass ends: this many, or this part of the vertices.
const FRUITLESS: usize = 60;
const FRUITLESS_PART: usize = 6;

/// The best sides found in at most `passes` passes; sizes off by up to `tolerance` count as right.
pub(super) fn refine(
    piece: &Piece,
    sides: &mut Sides,
    room: Room,
    tolerance: i64,
    passes: usize,
    work: &mut Work,
) {
    let strict = tolerance.max(piece.largest());
    let loose = (2 * piece.largest()).max(piece.total() / 50);
    rebalance(piece, sides, room, tolerance, work);
    let rate = |sides: &Sides| {
        let off = (room.excess(piece.on_side_0(sides)) - tolerance).max(0);
        (off, piece.cost(sides))
    };
    let mut best = sides.clone();
    let (mut rating, mut stale) = (rate(sides), 0);
    for number in 0..passes {
        if number % 2 == 0 {
            pass(piece, sides, room, (tolerance, strict), work);
        } else {
            pass(piece, sides, room, (tolerance.max(loose / 2), loose), work);
            rebalance(piece, sides, room, tolerance, work);
            pass(piece, sides, room, (tolerance, strict), work);
        }
        let now = rate(sides);
        if now < rating {
            rating = now;
            best.clone_from(sides);
            stale = 0;
        } else {
            sides.clone_from(&best);
            stale += 1;
            if stale == STALE {
                break;
            }
        }
    }
}

/// One pass: moves every vertex at most once, and keeps the best prefix.
///
/// `bounds` are how far the sizes may be off at the end, and on the way.
fn pass(piece: &Piece, sides: &mut Sides, room: Room, bounds: (i64, i64), work: &mut Work) {
    let mut run = Pass::new(piece, sides, room);
    let off = |ranks: i64| (room.excess(ranks) - bounds.0).max(0);
    let fruitless = FRUITLESS.max(piece.len() / FRUITLESS_PART);
    let mut best = (off(run.on_side_0), 0, 0);
    while let Some(side) = run.side_to_leave(bounds.1) {
        run.move_best(side);
        let now = off(run.on_side_0);
        if now < best.0 || (now == best.0 && run.saved > best.1) {
            best = (now, run.saved, run.moved.len());
        } else if run.moved.len() - best.2 > fruitless {
            break;
        }
    }
    *work += run.looked + piece.partner.len() as u64;
    for &vertex in &run.moved[best.2..] {
        run.sides[vertex as usize] ^= true;
    }
}

/// Side, vertex and gain bookkeeping of one pass.
struct Pass<'a> {
    piece: &'a Piece,
    sides: &'a mut Sides,
    room: Room,
    gain: Vec<i64>,
    locked: Vec<bool>,
    /// Vertices of each side by gain; entries whose gain or side has changed are stale.
    queues: [BinaryHeap<(i64, u32)>; 2],
    on_side_0: i64,
    saved: i64,
    moved: Vec<u32>,
    looked: u64,
}

impl<'a> Pass<'a> {
    fn new(piece: &'a Piece, sides: &'a mut Sides, room: Room) -> Self {
        let vertices = || 0..piece.len() as u32;
        let gain: Vec<i64> = vertices().map(|v| piece.gain(sides, v)).collect();
        let queue = |side: bool| {
            let here = vertices().filter(|&v| sides[v as usize] == side);
            here.map(|v| (gain[v as usize], v)).collect()
        };
        Self {
            queues: [queue(false), queue(true)],
            on_side_0: piece.on_side_0(sides),
            locked: vec![false; piece.len()],
            gain,
            piece,
            sides,
            room,
            saved: 0,
            moved: Vec::new(),
            looked: 0,
        }
    }

    /// The side with the better move among those that may lose a vertex.
    fn side_to_leave(&mut self, slack: i64) -> Option<usize> {
        let tops = [self.top(0), self.top(1)];
        let over = self.on_side_0 - self.room.most;
        let under = self.room.least - self.on_side_0;
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
            if !self.locked[v] && usize::from(self.sides[v]) == side && self.gain[v] == gain {
                return Some(gain);
            }
            self.queues[side].pop();
        }
        None
    }

    fn move_best(&mut self, side: usize) {
        let (gain, vertex) = self.queues[side].pop().expect("the side has a top");
        let v = vertex as usize;
        let ranks = i64::from(self.piece.ranks[v]);
        self.locked[v] = true;
        self.saved += gain;
        self.sides[v] ^= true;
        self.on_side_0 += if side == 0 { -ranks } else { ranks };
        self.moved.push(vertex);
        let here = self.sides[v];
        for (w, bytes) in self.piece.edges(vertex) {
            self.looked += 1;
            let other = w as usize;
            if self.locked[other] {
                continue;
            }
            let apart = self.sides[other] != here;
            self.gain[other] += if apart { 2 * bytes } else { -2 * bytes };
            self.queues[usize::from(self.sides[other])].push((self.gain[other], w));
        }
    }
}

/// Moves the vertices that cost least until the sizes are right within `tolerance`, or none is small enough.
pub(super) fn rebalance(
    piece: &Piece,
    sides: &mut Sides,
    room: Room,
    tolerance: i64,
    work: &mut Work,
) {
    let mut on_side_0 = piece.on_side_0(sides);
    if room.excess(on_side_0) <= tolerance {
        return;
    }
    let from = on_side_0 < room.least;
    let mut gain: Vec<i64> = (0..piece.len() as u32)
        .map(|v| piece.gain(sides, v))
        .collect();
    *work += piece.partner.len() as u64;
    while room.excess(on_side_0) > tolerance && (on_side_0 < room.least) == from {
        let most = room.excess(on_side_0) + tolerance;
        let worth = |v: &usize| {
            let ranks = f64::from(piece.ranks[*v]);
            let gain = gain[*v] as f64;
            if gain > 0.0 {
                gain * ranks
            } else {
                gain / ranks
            }
        };
        let leaver = (0..piece.len())
            .filter(|&v| sides[v] == from && i64::from(piece.ranks[v]) <= most)
            .max_by(|a, b| worth(a).total_cmp(&worth(b)).then(b.cmp(a)));
        let Some(v) = leaver else {
            return;
        };
        *work += piece.len() as u64;
        sides[v] ^= true;
        gain[v] = -gain[v];
        let ranks = i64::from(piece.ranks[v]);
        on_side_0 += if from { ranks } else { -ranks };
        for (w, bytes) in piece.edges(v as u32) {
            let apart = sides[w as usize] != sides[v];
            gain[w as usize] += if apart { 2 * bytes } else { -2 * bytes };
        }
    }
}
