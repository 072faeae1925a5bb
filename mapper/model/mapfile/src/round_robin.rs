//! Round-robin numbers of slots: switch by switch, and within a switch one slot of each node in
//! turn. TraceR counts cores this way.
//!
//! ```text
//! switch with nodes 0 and 1 of three slots each:
//! node by node   0 1 2 | 3 4 5
//! round-robin    0 2 4 | 1 3 5
//! ```

use rankfold_base::Slots;
use rankfold_machine::Machine;

/// The numbering of a machine with the same number of slots on every node.
pub(super) struct RoundRobin {
    /// Slots of a node.
    slots: u32,
    /// Nodes of a switch.
    nodes: u32,
}

impl RoundRobin {
    /// The numbering for `machine`; `None` if its nodes have different numbers of slots.
    pub(super) fn on(machine: &Machine) -> Option<Self> {
        let nodes = machine.topology().structure().arities();
        let nodes = nodes.and_then(|arities| arities.last().copied());
        Some(Self {
            slots: capacity_of_all(machine.slots())?,
            nodes: u32::try_from(nodes.unwrap_or(1)).ok()?.max(1),
        })
    }

    /// The round-robin number of a slot, given its number node by node.
    pub(super) fn place(&self, slot: u32) -> u32 {
        let (node, core) = (slot / self.slots, slot % self.slots);
        let (switch, turn) = (node / self.nodes, node % self.nodes);
        (switch * self.slots + core) * self.nodes + turn
    }

    /// The inverse of [`place`](Self::place); `u32::MAX` if the slot number does not fit.
    pub(super) fn slot(&self, place: u32) -> u32 {
        let (nodes, slots, place) = (
            u64::from(self.nodes),
            u64::from(self.slots),
            u64::from(place),
        );
        let (turn, rest) = (place % nodes, place / nodes);
        let (core, switch) = (rest % slots, rest / slots);
        let slot = (switch * nodes + turn) * slots + core;
        u32::try_from(slot).unwrap_or(u32::MAX)
    }
}

fn capacity_of_all(slots: &Slots) -> Option<u32> {
    let nodes = (0..slots.nodes()).map(rankfold_base::NodeId::at);
    let mut capacities = nodes.map(|node| slots.capacity(node));
    let first = capacities.next().filter(|&first| first > 0)?;
    capacities
        .all(|capacity| capacity == first)
        .then_some(first)
}
