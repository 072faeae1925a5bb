//! The order in which greedy heuristics map processes: next is the process that communicates most,
//! where bytes to mapped processes count more.

use rankfold_base::Rank;
use rankfold_graph::Affinity;

/// Bytes (or hops) to processes (or slots) that are chosen already, and to all others.
#[derive(Clone, Copy, Default)]
pub(super) struct TrafficShare {
    pub(super) chosen: u64,
    pub(super) rest: u64,
}

impl TrafficShare {
    /// `chosen + rest / (1 + count)`, multiplied by `1 + count` to avoid fractions.
    pub(super) fn weight(self, count: u64) -> u128 {
        u128::from(self.chosen) * u128::from(1 + count) + u128::from(self.rest)
    }

    /// Counts `amount` as chosen, because the other end is chosen now.
    pub(super) fn choose(&mut self, amount: u64) {
        self.chosen += amount;
        self.rest -= amount;
    }
}

/// The unmapped processes and their bytes, both directions added.
pub(super) struct NextProcess<'a> {
    affinity: &'a Affinity,
    bytes: Vec<Option<TrafficShare>>,
}

impl<'a> NextProcess<'a> {
    pub(super) fn new(affinity: &'a Affinity) -> Self {
        let all = |rank| TrafficShare {
            rest: affinity.partners(Rank::at(rank)).map(|(_, b)| b).sum(),
            chosen: 0,
        };
        Self {
            affinity,
            bytes: (0..affinity.ranks()).map(|rank| Some(all(rank))).collect(),
        }
    }

    /// Takes the unmapped process with the largest `mapped + unmapped / (1 + count)`, where
    /// `mapped` are its bytes with mapped processes and `unmapped` those with unmapped ones; of
    /// equals, the lowest process. `None` once all processes are mapped.
    pub(super) fn take(&mut self, count: u64) -> Option<Rank> {
        let unmapped = self.bytes.iter().enumerate();
        let (rank, _) = unmapped
            .filter_map(|(rank, share)| Some((rank, (*share)?.weight(count))))
            .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?;
        self.bytes[rank] = None;
        let rank = Rank::at(rank);
        for (partner, bytes) in self.affinity.partners(rank) {
            if let Some(share) = &mut self.bytes[partner.index()] {
                share.choose(bytes);
            }
        }
        Some(rank)
    }
}
