//! Which process greedy heuristics map next: the one that communicates most, above all with mapped
//! processes.

use rankfold_model::comm::Affinity;
use rankfold_model::ids::Rank;

/// A process's bytes with those chosen already, and with all others.
#[derive(Clone, Copy, Default)]
pub(super) struct Share {
    pub(super) chosen: u64,
    pub(super) rest: u64,
}

impl Share {
    /// `chosen + rest / (1 + count)`, times `1 + count`: the same order, without fractions.
    pub(super) fn weight(self, count: u64) -> u128 {
        u128::from(self.chosen) * u128::from(1 + count) + u128::from(self.rest)
    }

    pub(super) fn choose(&mut self, amount: u64) {
        self.chosen += amount;
        self.rest -= amount;
    }
}

/// The unmapped processes and their bytes, both directions together.
pub(super) struct NextProcess<'a> {
    affinity: &'a Affinity,
    bytes: Vec<Option<Share>>,
}

impl<'a> NextProcess<'a> {
    pub(super) fn new(affinity: &'a Affinity) -> Self {
        let all = |rank| Share {
            rest: affinity.partners(Rank::at(rank)).map(|(_, b)| b).sum(),
            chosen: 0,
        };
        Self {
            affinity,
            bytes: (0..affinity.ranks()).map(|rank| Some(all(rank))).collect(),
        }
    }

    /// Takes the process with the most `bytes with mapped ones + bytes with unmapped ones / (1 +
    /// count)`, the lowest of equals; `None` once all are mapped.
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
