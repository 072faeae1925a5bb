//! Whether a placement can change what the collectives of a run cost.

use rankfold_collectives::ProfiledCollectives;
use rankfold_wire::{Collective, Row};

/// By default collectives are added if the bytes that a placement can move are at least this part
/// of all other bytes: one in this number. Chosen by hand; not measured.
const MATTERING: u128 = 10;

/// All pairs are alike if the bytes of any two differ by no more than one in this number. Making
/// communicators adds some bytes to some pairs. Chosen by hand; not measured.
const ALIKE: u64 = 10;

/// The collectives of a run or of one phase.
#[derive(Clone, Copy)]
pub(super) struct RunCollectives<'a> {
    pub(super) calls: ProfiledCollectives<'a>,
    /// See [`rankfold_wire::Profile::exchanges`].
    pub(super) exchanges: &'a [Row],
    /// See [`rankfold_wire::Profile::as_sent`].
    pub(super) as_sent: &'a [Row],
}

impl RunCollectives<'_> {
    /// Least number of bytes that go to other pairs of slots under another placement of `ranks`
    /// ranks. Bytes that every pair of ranks has alike are not among them.
    ///
    /// If the MPI library has reported what it sent, these are its bytes. Otherwise they are the
    /// bytes of collectives on sub-communicators, and of those on all ranks whose blocks differ.
    pub(super) fn movable(&self, ranks: usize) -> u128 {
        if self.as_sent.is_empty() {
            return self.calls.moved_by_parts(ranks) + self.uneven_in_the_world(ranks);
        }
        if is_alike(self.as_sent) {
            return 0;
        }
        between(self.as_sent).map(u128::from).sum()
    }

    /// Whether collectives with these movable bytes are added by default beside messages with
    /// `sent` bytes.
    pub(super) fn can_matter(movable: u128, sent: u128) -> bool {
        movable > 0 && movable.saturating_mul(MATTERING) >= sent
    }

    /// Bytes of collectives on all ranks whose blocks differ.
    fn uneven_in_the_world(&self, ranks: usize) -> u128 {
        let exchanged_alike = is_alike(self.exchanges);
        let bytes = |(row, call): (usize, &Collective)| {
            let comm = self.calls.communicators.get(call.comm as usize)?;
            let uneven = if call.op.is_exchange() {
                !exchanged_alike
            } else {
                !self.calls.blocks_of(row).is_empty()
            };
            (comm.members.len() == ranks && uneven).then_some(u128::from(call.bytes))
        };
        let calls = self.calls.collectives.iter().enumerate();
        calls.filter_map(bytes).sum()
    }
}

/// The bytes of every pair of different ranks that has some.
fn between(rows: &[Row]) -> impl Iterator<Item = u64> {
    rows.iter().enumerate().flat_map(|(from, row)| {
        let others = row.peers.iter();
        let others = others.filter(move |peer| peer.rank as usize != from && peer.bytes > 0);
        others.map(|peer| peer.bytes)
    })
}

/// Whether all pairs of different ranks have about the same bytes.
fn is_alike(rows: &[Row]) -> bool {
    let pairs = rows.len() * rows.len().saturating_sub(1);
    let (mut least, mut most, mut number) = (u64::MAX, 0, 0);
    for bytes in between(rows) {
        (least, most) = (least.min(bytes), most.max(bytes));
        number += 1;
    }
    number == 0 || (number == pairs && most - least <= most / ALIKE)
}
