//! Greedy growing: first sides for a small graph, with one side grown from a random vertex. Cost:
//! O((v + e) log v) for v vertices, e edges and each attempt. Where graphs coarsen badly, as power
//! laws do, the small graph has thousands of vertices.

use super::fm;
use super::graph::{BisectionGraph, Sides};
use super::{SizeRange, Work};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

/// Most Fiduccia-Mattheyses passes after each growth.
const PASSES: usize = 6;

/// The best of `tries` divisions, each grown from a random vertex and refined.
pub(super) fn grow(
    piece: &BisectionGraph,
    room: SizeRange,
    tries: usize,
    random: &mut Xoshiro256PlusPlus,
    work: &mut Work,
) -> Sides {
    let degree: Vec<i64> = (0..piece.len() as u32)
        .map(|v| piece.edges(v).map(|(_, bytes)| bytes).sum())
        .collect();
    let tolerance = piece.largest() / 2;
    let grown = (0..tries.max(1)).map(|number| {
        let start = piece.random_vertex(random);
        let target = room.target(piece.total(), number);
        let sides = side_0(piece, &degree, start, target, Rule::of(number));
        let sides = fm::refine(piece, sides, room, tolerance, PASSES, work);
        let off = room.excess(piece.on_side_0(&sides)) > piece.largest();
        ((off, piece.cost(&sides)), sides)
    });
    let best = grown.reduce(|a, b| if b.0 < a.0 { b } else { a });
    best.expect("there is a try").1
}

/// The rule that chooses the next vertex.
#[derive(Clone, Copy)]
struct Rule {
    /// Whether bytes to vertices outside count against a vertex.
    outside: bool,
    /// Whether vertices with a partner inside come before all others.
    touching: bool,
}

impl Rule {
    fn of(number: usize) -> Self {
        Self {
            outside: !number.is_multiple_of(4),
            touching: number % 4 >= 2,
        }
    }
}

/// Adds vertices to side 0 one by one, the vertex most strongly connected to side 0 first, until
/// side 0 has `target` ranks.
fn side_0(piece: &BisectionGraph, degree: &[i64], start: u32, target: i64, rule: Rule) -> Sides {
    let mut sides = vec![true; piece.len()];
    let mut inside = vec![0i64; piece.len()];
    let key = |v: usize, inside: &[i64]| {
        let outside = if rule.outside { degree[v] } else { 0 };
        let strength = 2 * inside[v] - outside + piece.pull[v];
        (rule.touching && inside[v] > 0, strength, Reverse(v))
    };
    let mut queue: BinaryHeap<_> = (0..piece.len()).map(|v| key(v, &inside)).collect();
    let most = target + piece.largest() / 2;
    let mut ranks = 0;
    let mut next = Some(start as usize);
    while let Some(v) = next.filter(|_| ranks < target) {
        sides[v] = false;
        ranks += i64::from(piece.ranks[v]);
        for (w, bytes) in piece.edges(v as u32) {
            inside[w as usize] += bytes;
            if sides[w as usize] {
                queue.push(key(w as usize, &inside));
            }
        }
        // A vertex is queued again whenever its key grows, and no vertex that is too large now fits
        // later.
        next = iter::from_fn(|| queue.pop())
            .filter(|&entry| sides[entry.2.0] && entry == key(entry.2.0, &inside))
            .map(|(_, _, Reverse(v))| v)
            .find(|&v| ranks + i64::from(piece.ranks[v]) <= most);
    }
    sides
}
