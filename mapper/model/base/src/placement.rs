//! Placements (the slot of every rank), and the slots of a machine.

use crate::{NodeId, Rank, SlotId};

/// The slots of a machine: places for ranks, numbered node by node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// First slot of every node, followed by the number of slots: length nodes + 1.
    first: Vec<u32>,
    /// The node of every slot.
    node_of: Vec<NodeId>,
}

impl Slots {
    /// Slots for nodes with these capacities. A node that the job cannot use has capacity 0.
    ///
    /// # Panics
    /// If there are 2^32 slots or more.
    #[must_use]
    pub fn new(capacities: &[u32]) -> Self {
        Self::of(capacities.to_vec())
    }

    /// The same for a list that is not needed any more, whose memory is used.
    ///
    /// # Panics
    /// If there are 2^32 slots or more.
    #[must_use]
    pub fn of(capacities: Vec<u32>) -> Self {
        let all = capacities.iter().map(|&capacity| capacity as usize).sum();
        let mut node_of = Vec::with_capacity(all);
        let mut first = capacities;
        for (node, entry) in first.iter_mut().enumerate() {
            let capacity = std::mem::replace(entry, SlotId::at(node_of.len()).0);
            node_of.extend(std::iter::repeat_n(NodeId::at(node), capacity as usize));
        }
        first.push(SlotId::at(node_of.len()).0);
        Self { first, node_of }
    }

    /// Number of ranks that fit on the machine.
    #[must_use]
    pub fn len(&self) -> usize {
        self.node_of.len()
    }

    /// Whether no rank fits on the machine.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.node_of.is_empty()
    }

    /// Number of nodes, usable or not.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// The node that holds `slot`.
    #[must_use]
    pub fn node_of(&self, slot: SlotId) -> NodeId {
        self.node_of[slot.index()]
    }

    /// The slots of `node`, in order.
    pub fn on(
        &self,
        node: NodeId,
    ) -> impl ExactSizeIterator<Item = SlotId> + DoubleEndedIterator + use<> {
        (self.first[node.index()]..self.first[node.index() + 1]).map(SlotId)
    }

    /// Number of ranks that fit on `node`.
    #[must_use]
    pub fn capacity(&self, node: NodeId) -> u32 {
        self.first[node.index() + 1] - self.first[node.index()]
    }
}

/// A placement: the slot of every rank. No two ranks share a slot. The inverse is [`Occupancy`].
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Placement {
    slot_of: Vec<SlotId>,
}

impl Placement {
    /// Makes a placement where entry `r` is the slot of rank `r`.
    ///
    /// # Panics
    /// In debug builds, if two ranks share a slot.
    #[must_use]
    pub fn new(slot_of: Vec<SlotId>) -> Self {
        debug_assert!(
            {
                let mut seen = slot_of.clone();
                seen.sort_unstable();
                seen.windows(2).all(|w| w[0] != w[1])
            },
            "two ranks in one slot"
        );
        Self { slot_of }
    }

    /// Block order: ranks in order on slots in order. Launchers use it by default.
    #[must_use]
    pub fn block(ranks: usize) -> Self {
        Self::new((0..ranks).map(SlotId::at).collect())
    }

    /// Assigns ranks the slots of their nodes in rank order. `None` if a node has too few slots.
    #[must_use]
    pub fn from_nodes(nodes: &[NodeId], slots: &Slots) -> Option<Self> {
        let mut next = slots.first.clone();
        let mut slot_of = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let slot = next[node.index()];
            if slot == slots.first[node.index() + 1] {
                return None;
            }
            next[node.index()] += 1;
            slot_of.push(SlotId(slot));
        }
        Some(Self::new(slot_of))
    }

    /// Number of ranks placed.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.slot_of.len()
    }

    /// The slot of `rank`.
    #[must_use]
    pub fn slot(&self, rank: Rank) -> SlotId {
        self.slot_of[rank.index()]
    }

    /// The slot of every rank, in rank order.
    #[must_use]
    pub fn slots(&self) -> &[SlotId] {
        &self.slot_of
    }

    /// The node of every rank, in rank order.
    #[must_use]
    pub fn nodes(&self, slots: &Slots) -> Vec<NodeId> {
        self.slot_of.iter().map(|&s| slots.node_of(s)).collect()
    }

    /// Exchanges the slots of two ranks.
    pub fn swap(&mut self, a: Rank, b: Rank) {
        self.slot_of.swap(a.index(), b.index());
    }

    /// Moves `rank` to a slot, which must be free.
    pub fn set(&mut self, rank: Rank, slot: SlotId) {
        self.slot_of[rank.index()] = slot;
    }

    /// Places the same ranks on other nodes. A rank that stays on its node keeps its slot; the
    /// others get the free slots of their node in order.
    ///
    /// # Panics
    /// If a node has too few slots.
    #[must_use]
    pub fn moved_to(&self, nodes: &[NodeId], slots: &Slots) -> Self {
        let mut taken = vec![false; slots.len()];
        let stays = |rank: usize| slots.node_of(self.slot_of[rank]) == nodes[rank];
        for rank in (0..self.ranks()).filter(|&rank| stays(rank)) {
            taken[self.slot_of[rank].index()] = true;
        }
        let mut seat = |rank: usize| {
            if stays(rank) {
                return self.slot_of[rank];
            }
            let free = slots.on(nodes[rank]).find(|slot| !taken[slot.index()]);
            let slot = free.expect("the ranks of a node fit it");
            taken[slot.index()] = true;
            slot
        };
        Self::new((0..self.ranks()).map(&mut seat).collect())
    }

    /// The rank in every slot.
    #[must_use]
    pub fn occupancy(&self, slots: &Slots) -> Occupancy {
        let mut rank_of = vec![None; slots.len()];
        for (rank, slot) in self.slot_of.iter().enumerate() {
            rank_of[slot.index()] = Some(Rank::at(rank));
        }
        Occupancy { rank_of }
    }
}

/// The rank in every slot: the inverse of a [`Placement`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    rank_of: Vec<Option<Rank>>,
}

impl Occupancy {
    /// The rank in `slot`, if any.
    #[must_use]
    pub fn rank(&self, slot: SlotId) -> Option<Rank> {
        self.rank_of[slot.index()]
    }

    /// Puts `rank` into `slot`, or empties the slot.
    pub fn set(&mut self, slot: SlotId, rank: Option<Rank>) {
        self.rank_of[slot.index()] = rank;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_numbered_node_by_node_and_skip_empty_nodes() {
        let slots = Slots::new(&[2, 0, 1]);
        assert_eq!((slots.len(), slots.nodes()), (3, 3));
        assert_eq!(slots.node_of(SlotId(2)), NodeId(2));
        assert_eq!(
            slots.on(NodeId(0)).collect::<Vec<_>>(),
            [SlotId(0), SlotId(1)]
        );
        assert_eq!(slots.on(NodeId(1)).len(), 0);
    }

    #[test]
    fn node_lists_become_slots_in_rank_order_or_overflow() {
        let slots = Slots::new(&[2, 1]);
        let placed = Placement::from_nodes(&[NodeId(1), NodeId(0), NodeId(0)], &slots).unwrap();
        assert_eq!(placed.slots(), [SlotId(2), SlotId(0), SlotId(1)]);
        assert_eq!(Placement::from_nodes(&[NodeId(1), NodeId(1)], &slots), None);
    }

    #[test]
    fn occupancy_inverts_the_placement() {
        let slots = Slots::new(&[1, 1, 1]);
        let placed = Placement::new(vec![SlotId(2), SlotId(0)]);
        let who = placed.occupancy(&slots);
        assert_eq!(
            [0, 1, 2].map(|s| who.rank(SlotId(s))),
            [Some(Rank(1)), None, Some(Rank(0))]
        );
    }
}
