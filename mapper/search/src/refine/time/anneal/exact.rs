//! Predicted time itself, move by move: for the last descent, where no stand-in will do.
//!
//! A move changes the greatest of many links only if it touches it. So links stand in order, the
//! busiest first, and what a move leaves of the maximum is the first link that it does not touch;
//! with the waits of pairs likewise.

use super::energy::{Energy, Sums};
use crate::refine::links::{LinkBoard, Relocation};

/// Links and pairs kept in order: more than a move touches as a rule.
const REMEMBERED: usize = 512;

/// Following the way of a pair and putting it in order takes as long as so many links in a move.
const ORDERING: usize = 4;

/// Of two times closer than this none is shorter: rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// The time of a board, and what it takes to know that of its neighbours.
pub(super) struct Exact {
    pub(super) time: f64,
    /// The busiest links, the busiest first.
    links: Vec<u32>,
    /// The pairs that wait longest, the one that waits longest first.
    pairs: Vec<(f64, [u32; 2])>,
}

impl Exact {
    pub(super) fn new(board: &mut LinkBoard<'_>, energy: &Energy) -> Self {
        let mut links: Vec<u32> = (0..board.bytes.len() as u32).collect();
        keep_most(&mut links, |&link| board.time_of(link));
        let mut pairs = board.all_waits();
        keep_most(&mut pairs, |pair| pair.0);
        board.work += (board.bytes.len() + ORDERING * pairs.len()) as u64;
        let busiest = links.first().map_or(0.0, |&link| board.time_of(link));
        let longest = pairs.first().map_or(0.0, |pair| pair.0);
        Self {
            time: energy.or_overhead(busiest) + longest + energy.share(energy.now()),
            links,
            pairs,
        }
    }

    /// Sender and receiver of the pairs that wait longest.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u32> {
        let longest = self.pairs.first().map_or(0.0, |pair| pair.0);
        let pairs = self.pairs.iter();
        pairs
            .take_while(move |pair| pair.0 >= longest)
            .flat_map(|pair| pair.1)
    }

    /// The time after the open move, given the sums after it.
    pub(super) fn after(
        &self,
        board: &mut LinkBoard<'_>,
        energy: &Energy,
        relocations: &[Relocation],
        sums: Sums,
    ) -> f64 {
        energy.or_overhead(self.busiest(board))
            + self.longest(board, relocations)
            + energy.share(sums)
    }

    /// Whether one time is shorter than another; the lower energy decides between equals.
    pub(super) fn is_better(&self, time: f64, (energy, now): (f64, f64)) -> bool {
        time < self.time * (1.0 - ROUNDING)
            || time <= self.time * (1.0 + ROUNDING) && energy < now * (1.0 - ROUNDING)
    }

    fn busiest(&self, board: &LinkBoard<'_>) -> f64 {
        let untouched = self.links.iter().find(|&&link| !board.touches(link));
        let touched = board.touched().iter();
        let changed = touched.map(|&link| board.time_of(link)).fold(0.0, f64::max);
        match untouched {
            Some(&link) => changed.max(board.time_of(link)),
            None if self.links.len() == board.bytes.len() => changed,
            None => (0..board.bytes.len() as u32)
                .map(|link| board.time_of(link))
                .fold(0.0, f64::max),
        }
    }

    fn longest(&self, board: &mut LinkBoard<'_>, relocations: &[Relocation]) -> f64 {
        if self.pairs.is_empty() {
            return board.waits.changes.iter().copied().fold(0.0, f64::max);
        }
        let moves = |rank: u32| relocations.iter().any(|moved| moved.rank == rank);
        let stays = |pair: &&(f64, [u32; 2])| !pair.1.iter().any(|&rank| moves(rank));
        let unchanged = self.pairs.iter().find(stays);
        match unchanged {
            Some(pair) => {
                let changed = board.waits.changes.iter().copied();
                changed.fold(pair.0, f64::max)
            }
            None => board
                .all_waits()
                .iter()
                .map(|pair| pair.0)
                .fold(0.0, f64::max),
        }
    }
}

/// The first of all in falling order.
fn keep_most<T>(all: &mut Vec<T>, value: impl Fn(&T) -> f64) {
    let falling = |a: &T, b: &T| value(b).total_cmp(&value(a));
    if all.len() > REMEMBERED {
        all.select_nth_unstable_by(REMEMBERED, falling);
        all.truncate(REMEMBERED);
    }
    all.sort_unstable_by(falling);
}
