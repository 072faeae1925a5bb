//! The state of a local search for hop-bytes: the slot and the cost of every rank, and what an
//! exchange would save.

use super::amount::Amount;
use rankfold_base::{NodeId, Occupancy, Placement, Rank, SlotId, Slots};
use rankfold_graph::Affinity;
use rankfold_machine::{Distances, Machine};

/// A placement with its inverse, and the hop-bytes of the messages of every rank.
pub(super) struct Seating<'a, A> {
    affinity: &'a Affinity,
    slots: &'a Slots,
    distances: Distances,
    placement: &'a mut Placement,
    occupancy: Occupancy,
    node_of: Vec<NodeId>,
    cost: Vec<A>,
    /// The number of edges looked up so far: a measure of work that no clock influences.
    pub(super) lookups: u64,
}

impl<'a, A: Amount> Seating<'a, A> {
    pub(super) fn new(
        affinity: &'a Affinity,
        machine: &'a Machine,
        placement: &'a mut Placement,
    ) -> Self {
        let slots = machine.slots();
        let mut seating = Self {
            affinity,
            slots,
            distances: machine.topology().distances(),
            occupancy: placement.occupancy(slots),
            node_of: placement.nodes(slots),
            placement,
            cost: Vec::new(),
            lookups: 0,
        };
        seating.cost = (0..affinity.ranks())
            .map(|rank| seating.cost_at(Rank::at(rank), seating.node_of[rank]))
            .collect();
        seating
    }

    /// Hop-bytes of the whole placement.
    pub(super) fn hop_bytes(&self) -> u128 {
        let twice: i128 = self.cost.iter().map(|cost| cost.widened()).sum();
        (twice / 2) as u128
    }

    pub(super) fn node(&self, rank: Rank) -> NodeId {
        self.node_of[rank.index()]
    }

    pub(super) fn placement(&self) -> &Placement {
        self.placement
    }

    pub(super) fn slot(&self, rank: Rank) -> SlotId {
        self.placement.slot(rank)
    }

    pub(super) fn rank(&self, slot: SlotId) -> Option<Rank> {
        self.occupancy.rank(slot)
    }

    /// Takes over another placement, which ends the search: costs are not counted anew.
    pub(super) fn seat_as(self, placement: &Placement) {
        self.placement.clone_from(placement);
    }

    /// The slots of `node` worth trying: all occupied slots, and the first free slot, since all
    /// free slots of a node are alike.
    pub(super) fn seats(&self, node: NodeId) -> impl Iterator<Item = (SlotId, Option<Rank>)> + '_ {
        let mut free_seen = false;
        self.slots
            .on(node)
            .map(|slot| (slot, self.occupancy.rank(slot)))
            .filter(move |(_, who)| who.is_some() || !std::mem::replace(&mut free_seen, true))
    }

    /// Hop-bytes saved if `rank` alone moved to `node`.
    pub(super) fn gain_of_move(&mut self, rank: Rank, node: NodeId) -> A {
        self.lookups += self.affinity.degree(rank) as u64;
        self.cost[rank.index()] - self.cost_at(rank, node)
    }

    /// An upper bound on what `other` adds to the gain of an exchange by leaving its node.
    pub(super) fn at_stake(&self, other: Option<Rank>) -> A {
        other.map_or(A::default(), |other| self.cost[other.index()])
    }

    /// What `other` adds to the gain of `rank`'s move by taking `rank`'s node in exchange.
    pub(super) fn gain_of_return(&mut self, rank: Rank, other: Option<Rank>) -> A {
        let Some(other) = other else {
            return A::default();
        };
        let (here, there) = (self.node(rank), self.node(other));
        let between = self.affinity.bytes_between(rank, other).unwrap_or(0);
        // Both single moves count the bytes between the two ranks as saved, but after the exchange
        // the two ranks are as far apart as before.
        let hops = i64::from(self.distances.hops(here, there));
        let unchanged = A::hop_bytes(between, 2 * hops);
        self.gain_of_move(other, here) - unchanged
    }

    /// Moves `rank` to `slot`, and the occupant of `slot`, if any, to the slot that `rank` leaves.
    /// Returns the occupant. The costs of all ranks are kept up to date.
    pub(super) fn exchange(&mut self, rank: Rank, slot: SlotId) -> Option<Rank> {
        let left = self.placement.slot(rank);
        let other = self.occupancy.rank(slot);
        self.reseat(rank, slot);
        self.occupancy.set(left, None);
        if let Some(other) = other {
            self.reseat(other, left);
        }
        other
    }

    fn reseat(&mut self, rank: Rank, slot: SlotId) {
        let (from, to) = (self.node(rank), self.slots.node_of(slot));
        for (partner, bytes) in self.affinity.partners(rank) {
            let there = self.node_of[partner.index()];
            let hops = |node| i64::from(self.distances.hops(node, there));
            let change = A::hop_bytes(bytes, hops(to) - hops(from));
            self.cost[partner.index()] += change;
            self.cost[rank.index()] += change;
        }
        self.lookups += self.affinity.degree(rank) as u64;
        self.node_of[rank.index()] = to;
        self.placement.set(rank, slot);
        self.occupancy.set(slot, Some(rank));
    }

    fn cost_at(&self, rank: Rank, node: NodeId) -> A {
        self.affinity
            .partners(rank)
            .map(|(partner, bytes)| {
                let hops = self.distances.hops(node, self.node_of[partner.index()]);
                A::hop_bytes(bytes, i64::from(hops))
            })
            .sum()
    }
}
