//! Multilevel bisection with exact sizes and pulls from outside.
//!
//! Heavy-edge matching down to a few dozen vertices, greedy growing, Fiduccia-Mattheyses on every
//! level on the way back (Karypis & Kumar, SIAM J. Sci. Comput. 20, 1998), repeated from several
//! seeds and as V-cycles that coarsen inside the sides found. What this adds: the number of ranks
//! on each side is exact, or within the slots there are, and messages to ranks elsewhere pull on
//! their ends ([`Piece::pull`]).

mod cut;
mod fm;
mod grow;
mod piece;
mod queue;

pub(crate) use piece::{Piece, Sides};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Edges looked at: a measure of time no clock influences.
pub(crate) type Work = u64;

/// Vertices below which sides are grown.
const COARSEST: usize = 50;
/// A coarse vertex holds at most this part of all ranks.
const LARGEST_PART: i64 = 20;
/// Coarsening ends when it keeps more than this share of the vertices.
const STALLED: f64 = 0.96;
/// FM passes on each level.
const PASSES: usize = 6;
/// V-cycles without a gain after which no more are made.
const STALE: usize = 2;

/// How many ranks side 0 may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) least: i64,
    pub(crate) most: i64,
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Care {
    /// Bisections from scratch, the best of which is taken.
    pub(crate) seeds: usize,
    /// V-cycles on each.
    pub(crate) cycles: usize,
    /// Sides grown on the coarsest level.
    pub(crate) tries: usize,
}

impl Room {
    /// By how many ranks side 0 is too large or too small.
    pub(crate) fn excess(self, on_side_0: i64) -> i64 {
        (on_side_0 - self.most).max(self.least - on_side_0).max(0)
    }

    /// Ranks to grow side 0 to: where there is a choice, attempts differ.
    fn target(self, total: i64, attempt: usize) -> i64 {
        match attempt % 3 {
            0 => (total / 2).clamp(self.least, self.most),
            1 => self.most,
            _ => self.least,
        }
    }
}

/// Sides of least cost with exactly the ranks `room` allows; `start` is refined too, if it is
/// given.
///
/// `room` must be possible: as many ranks as `least` at least, and vertices of a single rank each.
pub(crate) fn bisect(
    piece: &Piece,
    room: Room,
    care: Care,
    start: Option<Sides>,
    random: &mut Xoshiro256PlusPlus,
    work: &mut Work,
) -> Sides {
    let mut best: Option<(i64, Sides)> = None;
    let starts = start.into_iter().map(Some);
    for start in starts.chain(std::iter::repeat_n(None, care.seeds)) {
        let mut task = Task {
            room,
            tries: care.tries,
            random,
            work,
        };
        let found = task.cycles(piece, start, care.cycles);
        if best.as_ref().is_none_or(|best| found.0 < best.0) {
            best = Some(found);
        }
    }
    best.expect("there is a start or a seed").1
}

struct Task<'a> {
    room: Room,
    tries: usize,
    random: &'a mut Xoshiro256PlusPlus,
    work: &'a mut Work,
}

impl Task<'_> {
    fn cycles(&mut self, piece: &Piece, start: Option<Sides>, cycles: usize) -> (i64, Sides) {
        let mut best = self.exact(piece, start);
        let mut stale = 0;
        for _ in 0..cycles {
            let found = self.exact(piece, Some(best.1.clone()));
            if found.0 < best.0 {
                best = found;
                stale = 0;
            } else {
                stale += 1;
                if stale == STALE {
                    break;
                }
            }
        }
        best
    }

    fn exact(&mut self, piece: &Piece, start: Option<Sides>) -> (i64, Sides) {
        let sides = self.multilevel(piece, start);
        let sides = fm::balanced(piece, sides, self.room, 0, self.work);
        (piece.cost(&sides), sides)
    }

    /// Coarsens, solves, and refines on the way back. With sides given, nothing is merged across
    /// them.
    fn multilevel(&mut self, piece: &Piece, start: Option<Sides>) -> Sides {
        let tolerance = match piece.largest() {
            1 => 0,
            largest => largest / 2,
        };
        if piece.len() > COARSEST {
            let most = (piece.total() / LARGEST_PART).max(2);
            let (coarse, into) = piece.coarser(start.as_deref(), most, self.random);
            *self.work += piece.edges.entries().len() as u64;
            if (coarse.len() as f64) < STALLED * piece.len() as f64 {
                let above = start.map(|sides| {
                    let mut above = vec![false; coarse.len()];
                    for (&vertex, &side) in into.iter().zip(&sides) {
                        above[vertex as usize] = side;
                    }
                    above
                });
                let above = self.multilevel(&coarse, above);
                let sides = into.iter().map(|&v| above[v as usize]).collect();
                return fm::refine(piece, sides, self.room, tolerance, PASSES, self.work);
            }
        }
        let given = start.is_some();
        let sides = start.unwrap_or_else(|| {
            let tries = if piece.len() > COARSEST {
                self.tries.min(4)
            } else {
                self.tries
            };
            grow::grow(piece, self.room, tries, self.random, self.work)
        });
        if given || tolerance == 0 {
            return fm::refine(piece, sides, self.room, tolerance, PASSES, self.work);
        }
        sides
    }
}

#[cfg(test)]
mod tests;
