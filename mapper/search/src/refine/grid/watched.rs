//! Hubs: ranks with very many partners. Tables of their costs are kept up to date while other ranks
//! move.
//!
//! A rank that looks for a seat meets the same few hubs again and again. Counted anew, the cost of
//! an exchange with a hub takes one look-up for each partner of the hub; from the tables it takes
//! one for each axis. A partner's move changes one table for each axis.

use super::tables::Tables;
use super::window::Position;
use crate::refine::amount::Amount;

/// A rank with more partners than this is a hub. A partner's move changes about as many entries of
/// the tables. Measured with this value: 65536 ranks of a power-law graph at effort fast, with the
/// same number of look-ups, 453.1 to 437.4 million hop-bytes.
const MANY: usize = 64;

/// Marks a rank that is no hub.
const NONE: u32 = u32::MAX;

/// The cost tables of the hubs of a window that are [watched](Self::watch).
#[derive(Default)]
pub(super) struct Hubs<A, const D: usize> {
    /// The index in `tables` of each rank, or [`NONE`]; empty without hubs.
    number: Vec<u32>,
    tables: Vec<Tables<A, D>>,
}

impl<A: Amount, const D: usize> Hubs<A, D> {
    /// Whether a rank with so many partners is a hub.
    pub(super) fn has(partners: usize) -> bool {
        partners > MANY
    }

    /// Watches one more rank of a window with `ranks` ranks; `tables` holds its costs.
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

    /// Updates the tables of `rank` after the move of one of its partners.
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
