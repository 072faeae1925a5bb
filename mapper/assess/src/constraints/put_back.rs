//! Placements that were made without the constraints, put right.

use super::rule::Seat;
use rankfold_base::{NodeId, Occupancy, Placement, Rank, SlotId};
use rankfold_graph::Affinity;
use rankfold_machine::{Distances, Machine};
use std::collections::HashMap;

/// A placement that is put right.
pub(super) struct Repair<'a> {
    machine: &'a Machine,
    /// Bytes between ranks; without any, the fewest ranks move.
    affinity: Option<&'a Affinity>,
    distances: Distances,
    /// The seat of every constrained rank.
    seats: &'a [Option<Seat>],
    placement: Placement,
    who: Occupancy,
}

impl<'a> Repair<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        affinity: Option<&'a Affinity>,
        seats: &'a [Option<Seat>],
        placement: Placement,
    ) -> Self {
        Self {
            machine,
            affinity,
            distances: machine.topology().distances(),
            seats,
            who: placement.occupancy(machine.slots()),
            placement,
        }
    }

    /// The placement with every constrained rank in its seat: a rank changes places with the one
    /// that costs least in hop-bytes, or all ranks of two nodes do.
    pub(super) fn put_back(mut self) -> Placement {
        let seats = self.seats;
        let all = || {
            (0..)
                .map(Rank)
                .zip(seats)
                .filter_map(|(rank, seat)| Some((rank, (*seat)?)))
        };
        for (rank, seat) in all() {
            if let Seat::Slot(slot) = seat {
                self.exchange(rank, slot);
            }
        }
        for (rank, seat) in all() {
            if let Seat::Node(node) = seat
                && self.node(rank) != node
            {
                self.bring(rank, node);
            }
        }
        self.placement
    }

    fn node(&self, rank: Rank) -> NodeId {
        self.machine.slots().node_of(self.placement.slot(rank))
    }

    /// Brings a rank to a node at the least cost, and leaves all ranks there that stay there.
    fn bring(&mut self, rank: Rank, node: NodeId) {
        let slots = self.machine.slots();
        let here = self.node(rank);
        let mut free_seen = false;
        // All free slots of a node are alike.
        let seats = slots
            .on(node)
            .filter(|&slot| !self.stays(slot))
            .filter(|&slot| {
                self.who.rank(slot).is_some() || !std::mem::replace(&mut free_seen, true)
            });
        let cost = |slot: &SlotId| {
            let other = self.who.rank(*slot);
            let mut moves = HashMap::from([(rank, node)]);
            moves.extend(other.map(|other| (other, here)));
            (
                self.cost(&moves),
                self.affinity.is_none() && other.is_some(),
            )
        };
        let costed = seats.map(|slot| (cost(&slot), slot));
        let (least, slot) = costed
            .min_by_key(|(cost, _)| *cost)
            .expect("no more ranks stay on a node than it has slots");
        let is_alone = !slots
            .on(node)
            .chain(slots.on(here))
            .any(|slot| self.stays(slot));
        let pairs = || slots.on(here).zip(slots.on(node));
        if self.affinity.is_some() && is_alone && slots.capacity(node) == slots.capacity(here) {
            let to = |slot, node| self.who.rank(slot).map(|rank| (rank, node));
            let moves = pairs().flat_map(|(one, other)| [to(one, node), to(other, here)]);
            if self.cost(&moves.flatten().collect()) < least.0 {
                for (one, other) in pairs() {
                    self.exchange_slots(one, other);
                }
                return;
            }
        }
        self.exchange(rank, slot);
    }

    /// Whether the rank of a slot stays there, or on its node.
    fn stays(&self, slot: SlotId) -> bool {
        let seat = self
            .who
            .rank(slot)
            .and_then(|rank| *self.seats.get(rank.index())?);
        match seat {
            None => false,
            Some(Seat::Slot(kept)) => kept == slot,
            Some(Seat::Node(node)) => self.machine.slots().node_of(slot) == node,
        }
    }

    /// The hop-bytes that these ranks add by going to other nodes.
    fn cost(&self, moves: &HashMap<Rank, NodeId>) -> i128 {
        let Some(affinity) = self.affinity else {
            return 0;
        };
        let hops = |a, b| i128::from(self.distances.hops(a, b));
        let of = |(&rank, &to): (&Rank, &NodeId)| -> i128 {
            let from = self.node(rank);
            let partners = affinity.partners(rank);
            partners
                .map(|(partner, bytes)| {
                    let there = self.node(partner);
                    match moves.get(&partner) {
                        // Both ends of the pair count it.
                        Some(_) if partner < rank => 0,
                        Some(&next) => i128::from(bytes) * (hops(to, next) - hops(from, there)),
                        None => i128::from(bytes) * (hops(to, there) - hops(from, there)),
                    }
                })
                .sum()
        };
        moves.iter().map(of).sum()
    }

    /// Moves a rank into a slot, and the rank of that slot, if any, where the first one was.
    fn exchange(&mut self, rank: Rank, slot: SlotId) {
        self.exchange_slots(self.placement.slot(rank), slot);
    }

    fn exchange_slots(&mut self, one: SlotId, other: SlotId) {
        let [a, b] = [self.who.rank(one), self.who.rank(other)];
        for (slot, rank) in [(one, b), (other, a)] {
            self.who.set(slot, rank);
            if let Some(rank) = rank {
                self.placement.set(rank, slot);
            }
        }
    }
}
