//! The greedy start of OHTMA: the process with the most communication takes the slot with the
//! fewest hops. Cost: O(n (n + N)) for n ranks and N nodes.

use super::{Placement, Problem};
use crate::next_process::{NextProcess, TrafficShare};
use rankfold_base::{NodeId, SlotId, Slots};
use rankfold_machine::Distances;

/// Algorithm 1, lines 1-19: a slot for every rank.
///
/// In step k the unmapped process with the largest `mapped + unmapped / (1 + k)` bytes takes the
/// free slot with the smallest `taken + free / (1 + k)` hops; of equals, the lowest index.
pub(super) fn place(problem: &Problem<'_>) -> Placement {
    let mut processes = NextProcess::new(problem.affinity);
    let mut processors = Processors::new(
        problem.machine.slots(),
        problem.machine.topology().distances(),
    );
    let mut slot_of = vec![SlotId(0); problem.graph.ranks()];
    for step in 0.. {
        let Some(rank) = processes.take(step) else {
            break;
        };
        slot_of[rank.index()] = processors.take(step);
    }
    Placement::new(slot_of)
}

/// Hops from every node with free slots to the slots of the job.
struct Processors<'a> {
    slots: &'a Slots,
    distances: Distances,
    /// Nodes with free slots, ascending: hops, slots taken.
    open: Vec<(NodeId, TrafficShare, u32)>,
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
            (node, TrafficShare { chosen, rest }, 0)
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
