//! The greedy start: the process with the most communication meets the processor with the fewest hops.

use super::{Placement, Problem};
use crate::comm::Affinity;
use crate::ids::{NodeId, Rank, SlotId};
use crate::machine::Distances;
use crate::placement::Slots;

/// Algorithm 1, lines 1-19: in step k the unmapped process with the largest `mapped + unmapped / (1 + k)`
/// bytes takes the free slot with the smallest `taken + free / (1 + k)` hops; the lower index of equals.
pub(super) fn place(problem: &Problem<'_>) -> Placement {
    let mut processes = Processes::new(problem.affinity);
    let mut processors = Processors::new(
        problem.machine.slots(),
        problem.machine.topology().distances(),
    );
    let mut slot_of = vec![SlotId(0); problem.graph.ranks()];
    for step in 0..slot_of.len() as u64 {
        let rank = processes.take(step);
        slot_of[rank.index()] = processors.take(step);
    }
    Placement::new(slot_of)
}

/// Something exchanged with what is chosen already, and with what is not.
#[derive(Clone, Copy, Default)]
struct Share {
    chosen: u64,
    rest: u64,
}

impl Share {
    /// `chosen + rest / (1 + step)`, times `1 + step`: the same order, without fractions.
    fn weight(self, step: u64) -> u128 {
        u128::from(self.chosen) * u128::from(1 + step) + u128::from(self.rest)
    }

    fn choose(&mut self, amount: u64) {
        self.chosen += amount;
        self.rest -= amount;
    }
}

/// Bytes of every unmapped process.
struct Processes<'a> {
    affinity: &'a Affinity,
    bytes: Vec<Option<Share>>,
}

impl<'a> Processes<'a> {
    fn new(affinity: &'a Affinity) -> Self {
        let all = |rank| Share {
            rest: affinity.partners(Rank::at(rank)).map(|(_, b)| b).sum(),
            chosen: 0,
        };
        Self {
            affinity,
            bytes: (0..affinity.ranks()).map(|rank| Some(all(rank))).collect(),
        }
    }

    fn take(&mut self, step: u64) -> Rank {
        let unmapped = self.bytes.iter().enumerate();
        let (rank, _) = unmapped
            .filter_map(|(rank, share)| Some((rank, (*share)?.weight(step))))
            .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))
            .expect("there is one step a rank");
        self.bytes[rank] = None;
        let rank = Rank::at(rank);
        for (partner, bytes) in self.affinity.partners(rank) {
            if let Some(share) = &mut self.bytes[partner.index()] {
                share.choose(bytes);
            }
        }
        rank
    }
}

/// Hops from every node with free slots to the slots of the job.
struct Processors<'a> {
    slots: &'a Slots,
    distances: Distances,
    /// Nodes with free slots, ascending: hops, slots taken.
    open: Vec<(NodeId, Share, u32)>,
}

impl<'a> Processors<'a> {
    fn new(slots: &'a Slots, distances: Distances) -> Self {
        let usable: Vec<NodeId> = (0..slots.nodes())
            .map(NodeId::at)
            .filter(|&node| slots.capacity(node) > 0)
            .collect();
        let hops = |node| {
            let to = |&other| u64::from(distances.hops(node, other) * slots.capacity(other));
            usable.iter().map(to).sum()
        };
        let all = |&node| {
            let (chosen, rest) = (0, hops(node));
            (node, Share { chosen, rest }, 0)
        };
        Self {
            open: usable.iter().map(all).collect(),
            slots,
            distances,
        }
    }

    fn take(&mut self, step: u64) -> SlotId {
        let nearest = (0..self.open.len())
            .min_by_key(|&i| self.open[i].1.weight(step))
            .expect("the ranks fit");
        let (node, _, taken) = &mut self.open[nearest];
        let (node, nth) = (*node, *taken);
        *taken += 1;
        if *taken == self.slots.capacity(node) {
            self.open.remove(nearest);
        }
        for (other, share, _) in &mut self.open {
            share.choose(u64::from(self.distances.hops(*other, node)));
        }
        let slot = self.slots.on(node).nth(nth as usize);
        slot.expect("the node had a free slot")
    }
}
