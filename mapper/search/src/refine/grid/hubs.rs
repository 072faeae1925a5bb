//! Ranks with very many partners: what each of them would pay anywhere in the window, kept while
//! others move.
//!
//! Whoever looks for a seat is offered the same few of them again and again. Counted anew, such an
//! offer is as many look-ups as there are partners; from the tables it is one an axis. A partner
//! that moves changes one table an axis.

use super::tables::Tables;
use super::window::Position;
use crate::refine::amount::Amount;

/// More partners than this are very many: a partner's move changes as many entries of the tables.
const MANY: usize = 64;

/// No hub.
const NONE: u32 = u32::MAX;

/// The tables of all hubs of a window; none until they are [watched](Self::watch).
#[derive(Default)]
pub(super) struct Hubs<A, const D: usize> {
    /// Where the tables of each rank are, or [`NONE`]; empty without hubs.
    number: Vec<u32>,
    tables: Vec<Tables<A, D>>,
}

impl<A: Amount, const D: usize> Hubs<A, D> {
    /// Whether a rank with so many partners is one.
    pub(super) fn has(partners: usize) -> bool {
        partners > MANY
    }

    /// Watches one more, of so many ranks; its tables are filled.
    pub(super) fn watch(&mut self, rank: usize, ranks: usize, tables: Tables<A, D>) {
        self.number.resize(ranks, NONE);
        self.number[rank] = self.tables.len() as u32;
        self.tables.push(tables);
    }

    /// The tables of a rank, if it is a hub.
    #[inline]
    pub(super) fn of(&self, rank: usize) -> Option<&Tables<A, D>> {
        let &number = self.number.get(rank)?;
        self.tables.get(number as usize)
    }

    /// Follows the move of a partner of `rank`, a rank or a ghost.
    #[inline]
    pub(super) fn follow(
        &mut self,
        rank: usize,
        bytes: u64,
        [from, to]: [&Position<D>; 2],
        ring: &Position<D>,
    ) {
        let number = self.number.get(rank).copied().unwrap_or(NONE);
        if let Some(tables) = self.tables.get_mut(number as usize) {
            tables.follow(bytes, from, to, ring);
        }
    }
}
