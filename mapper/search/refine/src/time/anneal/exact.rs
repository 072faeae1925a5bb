//! The exact time after a move, for the last descent, where no smooth stand-in will do.
//!
//! The time needs the maximum over all links. Links are listed in falling order of their time: the
//! maximum after a move is the first listed link that the move does not touch, or a touched link.
//! The longest wait of a pair of ranks is found the same way.
//!
//! ```text
//! links, busiest first    7    2    9    4  ...
//! touched by the move     x         x            -> the maximum is that of links 2, 7 and 9
//! ```

use super::energy::{Energy, Sums};
use crate::links::{LinkBoard, Relocation};

/// The number of links and of pairs in the lists: more than a move touches as a rule.
const LISTED: usize = 512;

/// The work of listing one pair, in links passed by a move: its route is followed and its wait
/// sorted. Estimated, not measured.
const ORDERING: usize = 4;

/// Times that differ by a smaller share than this are equal but for rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// The time of a board, and the lists that tell the time after a move.
pub(super) struct ExactTime {
    pub(super) time: f64,
    /// The busiest links, the busiest first.
    links: Vec<u32>,
    /// The pairs that wait longest, in falling order of their waits, with sender and receiver.
    pairs: Vec<(f64, [u32; 2])>,
}

impl ExactTime {
    pub(super) fn new(board: &mut LinkBoard<'_>, energy: &Energy) -> Self {
        let mut links: Vec<u32> = (0..board.loads.len() as u32).collect();
        keep_most(&mut links, |&link| board.time_of(link));
        let mut pairs = board.all_waits();
        keep_most(&mut pairs, |pair| pair.0);
        board.work += (board.loads.len() + ORDERING * pairs.len()) as u64;
        let busiest = links.first().map_or(0.0, |&link| board.time_of(link));
        let longest = pairs.first().map_or(0.0, |pair| pair.0);
        Self {
            time: energy.or_overhead(busiest) + longest + energy.share(energy.now()),
            links,
            pairs,
        }
    }

    /// Senders and receivers of the pairs whose wait is the longest.
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

    /// Whether `time` is below the board's time; between equal times, whether `energy` is below
    /// `now`.
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
            None if self.links.len() == board.loads.len() => changed,
            None => (0..board.loads.len() as u32)
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

/// Sorts in falling order and keeps the first [`LISTED`] entries.
fn keep_most<T>(all: &mut Vec<T>, value: impl Fn(&T) -> f64) {
    let falling = |a: &T, b: &T| value(b).total_cmp(&value(a));
    if all.len() > LISTED {
        all.select_nth_unstable_by(LISTED, falling);
        all.truncate(LISTED);
    }
    all.sort_unstable_by(falling);
}
