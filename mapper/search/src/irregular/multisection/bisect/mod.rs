//! Multilevel bisection of a graph with exact sizes and pulls from outside.
//!
//! The graph is coarsened by heavy-edge matching, the coarsest graph is divided by greedy growing,
//! and Fiduccia-Mattheyses passes refine the division on every level on the way back. This is
//! repeated from several seeds, and as V-cycles that coarsen within the two sides found. Divisions
//! of two seeds are combined: one more such cycle merges only what is on one side in both.
//!
//! ```text
//! 8 vertices   0-1-2-3-4-5-6-7      matching joins the heaviest edges
//! 4 vertices    01--23--45--67      growing from 01 takes 01 and 23
//! 8 vertices   0-1-2-3|4-5-6-7      passes move single vertices across the cut
//! ```
//!
//! Source: Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998; the combination is that of Sanders and
//! Schulz, "Distributed evolutionary graph partitioning", ALENEX 2012. Added here: the number of
//! ranks on each side is exact or within the slots there are, and messages to ranks elsewhere pull
//! on their ends ([`BisectionGraph::pull`]). Cost: O(m) for each level with m edges, O(m) in total
//! as levels shrink, for each seed, V-cycle and combination.
//!
//! Evidence: first cuts of 65536 ranks, means of 8 runs. Bytes cut after one seed, one seed with a
//! V-cycle, the best of three seeds, and four seeds combined: geometric in 2D 397, 378, 355, 313;
//! Delaunay 491, 487, 478, 462; geometric in 3D 4102, 4061, 3961, 3844. In the same order the four
//! took 1, 2, 4 and 8 times the time.

mod cut;
mod fm;
mod graph;
mod grow;
mod queue;

pub(crate) use graph::{BisectionGraph, Sides};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Number of edges looked at, a measure of time that does not depend on a clock.
pub(crate) type Work = u64;

/// Number of vertices below which coarsening ends and the sides are grown. From a prototype; not
/// measured alone.
const COARSEST: usize = 50;
/// A coarse vertex holds at most this part of all ranks (one twentieth). From a prototype; not
/// measured alone.
const LARGEST_PART: i64 = 20;
/// Coarsening ends when a level keeps more than this share of the vertices.
const STALLED: f64 = 0.96;
/// Most Fiduccia-Mattheyses passes on each level.
const PASSES: usize = 6;
/// Number of V-cycles without a gain that ends the V-cycles.
const STALE: usize = 2;

/// The number of ranks that side 0 may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeRange {
    /// The fewest.
    pub least: i64,
    /// The most.
    pub most: i64,
}

/// How thoroughly a bisection searches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BisectionEffort {
    /// Number of bisections from scratch, of which the best is taken.
    pub(crate) seeds: usize,
    /// Most V-cycles after each.
    pub(crate) cycles: usize,
    /// Number of divisions grown on the coarsest level.
    pub(crate) tries: usize,
}

impl SizeRange {
    /// The number of ranks that side 0 has too many or too few.
    pub(crate) fn excess(self, on_side_0: i64) -> i64 {
        (on_side_0 - self.most).max(self.least - on_side_0).max(0)
    }

    /// The number of ranks to which side 0 is grown; attempts differ where `self` leaves a choice.
    fn target(self, total: i64, attempt: usize) -> i64 {
        match attempt % 3 {
            0 => (total / 2).clamp(self.least, self.most),
            1 => self.most,
            _ => self.least,
        }
    }
}

/// The sides with the lowest cost whose sizes `room` allows. If `start` is given, it is refined as
/// one of the candidates.
///
/// The sizes must be possible: the piece has at least `room.least` ranks, and every vertex one
/// rank or none.
pub(crate) fn bisect(
    piece: &BisectionGraph,
    room: SizeRange,
    care: BisectionEffort,
    start: Option<Sides>,
    random: &mut Xoshiro256PlusPlus,
    work: &mut Work,
) -> Sides {
    let starts = start.into_iter().map(Some);
    let mut task = Task {
        room,
        tries: care.tries,
        random,
        work,
    };
    let found = starts
        .chain(std::iter::repeat_n(None, care.seeds))
        .map(|start| task.cycles(piece, start, care.cycles));
    let found: Vec<Division> = found.collect();
    let best = found
        .into_iter()
        .reduce(|best, next| task.combined(piece, best, next));
    best.expect("there is a start or a seed").sides
}

/// Two sides with their cost.
struct Division {
    cost: i64,
    sides: Sides,
}

/// What a cycle begins with instead of growing sides.
struct Given {
    sides: Sides,
    /// Vertices are merged only if they are on one side here, too.
    other: Sides,
}

/// The state shared by all cycles of one bisection.
struct Task<'a> {
    room: SizeRange,
    tries: usize,
    random: &'a mut Xoshiro256PlusPlus,
    work: &'a mut Work,
}

impl Task<'_> {
    /// One multilevel bisection, followed by V-cycles as long as they gain.
    fn cycles(&mut self, piece: &BisectionGraph, start: Option<Sides>, cycles: usize) -> Division {
        let mut best = self.exact(
            piece,
            start.map(|sides| Given {
                other: sides.clone(),
                sides,
            }),
        );
        let mut stale = 0;
        for _ in 0..cycles {
            let found = self.again(piece, &best, &best);
            if found.cost < best.cost {
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

    /// The division with the lowest cost of two and of what they make together.
    fn combined(&mut self, piece: &BisectionGraph, one: Division, next: Division) -> Division {
        let (better, other) = if next.cost < one.cost {
            (next, one)
        } else {
            (one, next)
        };
        let found = self.again(piece, &better, &other);
        if found.cost < better.cost {
            found
        } else {
            better
        }
    }

    /// A cycle that begins with a division and merges only what both divisions have on one side.
    fn again(&mut self, piece: &BisectionGraph, from: &Division, other: &Division) -> Division {
        let given = Given {
            sides: from.sides.clone(),
            other: other.sides.clone(),
        };
        self.exact(piece, Some(given))
    }

    /// One multilevel bisection with exact sizes at the end.
    fn exact(&mut self, piece: &BisectionGraph, given: Option<Given>) -> Division {
        let sides = self.multilevel(piece, given);
        let sides = fm::balanced(piece, sides, self.room, 0, self.work);
        Division {
            cost: piece.cost(&sides),
            sides,
        }
    }

    /// Coarsens, divides, and refines on the way back. If sides are given, the coarsest graph has
    /// these.
    fn multilevel(&mut self, piece: &BisectionGraph, given: Option<Given>) -> Sides {
        let tolerance = match piece.largest() {
            1 => 0,
            largest => largest / 2,
        };
        if piece.len() > COARSEST {
            let most = (piece.total() / LARGEST_PART).max(2);
            let (coarse, into) = piece.coarser(
                |v, w| given.as_ref().is_none_or(|given| given.joins(v, w)),
                most,
                self.random,
            );
            *self.work += piece.edges.entries().len() as u64;
            if (coarse.len() as f64) < STALLED * piece.len() as f64 {
                let given = given.map(|given| given.merged(&into, coarse.len()));
                let above = self.multilevel(&coarse, given);
                let sides = into.iter().map(|&v| above[v as usize]).collect();
                return fm::refine(piece, sides, self.room, tolerance, PASSES, self.work);
            }
        }
        let is_given = given.is_some();
        let sides = given.map_or_else(
            || {
                let tries = if piece.len() > COARSEST {
                    self.tries.min(4)
                } else {
                    self.tries
                };
                grow::grow(piece, self.room, tries, self.random, self.work)
            },
            |given| given.sides,
        );
        if is_given || tolerance == 0 {
            return fm::refine(piece, sides, self.room, tolerance, PASSES, self.work);
        }
        sides
    }
}

impl Given {
    /// Whether two vertices may be merged.
    fn joins(&self, v: u32, w: u32) -> bool {
        let (v, w) = (v as usize, w as usize);
        self.sides[v] == self.sides[w] && self.other[v] == self.other[w]
    }

    /// The same for the coarser graph, of whose vertices `into` tells which holds each vertex.
    fn merged(self, into: &[u32], coarse: usize) -> Self {
        let merged = |sides: Sides| {
            let mut merged = vec![false; coarse];
            for (&vertex, side) in into.iter().zip(sides) {
                merged[vertex as usize] = side;
            }
            merged
        };
        Self {
            sides: merged(self.sides),
            other: merged(self.other),
        }
    }
}

#[cfg(test)]
mod tests;
