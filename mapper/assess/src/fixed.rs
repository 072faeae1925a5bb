//! Ranks that stay, whatever a search does.
//!
//! A scheduler that picks the hosts starts rank 0 where standard input arrives, and a user may pin
//! ranks. Every search asks before it moves a rank: [`Fixed::holds`] says that a rank stays on its
//! node, [`Fixed::seats`] that it stays in its slot. What a heuristic made without asking,
//! [`Fixed::put_back`] mends before anything is refined.

use rankfold_base::{NodeId, Occupancy, Placement, Rank, SlotId};
use rankfold_graph::Affinity;
use rankfold_machine::Machine;
use rankfold_metric::hop_bytes_of;
use std::collections::HashMap;

/// Where a rank stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// In any slot of this node.
    Node(NodeId),
    /// In this slot.
    Slot(SlotId),
}

/// The ranks that stay, each with its node or slot. Without any, no search does anything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The seat of every rank; empty where all ranks may move.
    seats: Vec<Option<Seat>>,
}

/// The reason why no placement keeps all these ranks where they are to stay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Infeasible {
    /// There is no such rank.
    #[error("rank {rank} is to stay, but there are {ranks} ranks")]
    NoSuchRank {
        /// The rank.
        rank: u32,
        /// The number of ranks.
        ranks: usize,
    },
    /// The machine has no such node or slot.
    #[error("rank {rank} is to stay where the machine has no slot")]
    NoSuchSeat {
        /// The rank.
        rank: u32,
    },
    /// A rank is to stay in two places.
    #[error("rank {rank} is to stay in two places")]
    TwoPlaces {
        /// The rank.
        rank: u32,
    },
    /// Two ranks are to stay in one slot.
    #[error("ranks {a} and {b} are to stay in one slot")]
    OneSlot {
        /// One of the ranks.
        a: u32,
        /// The other one.
        b: u32,
    },
    /// More ranks are to stay on a node than it has slots.
    #[error("ranks {ranks:?} are to stay on node {node}, which has {slots} slots")]
    Crowded {
        /// All ranks that are to stay there.
        ranks: Vec<u32>,
        /// The node.
        node: u32,
        /// Its slots.
        slots: u32,
    },
}

impl Fixed {
    /// All ranks may move.
    #[must_use]
    pub fn none() -> &'static Self {
        static NONE: Fixed = Fixed { seats: Vec::new() };
        &NONE
    }

    /// Ranks of a job of `ranks` ranks that stay, each in its seat.
    ///
    /// # Errors
    /// [`Infeasible`], which names the ranks that do not get along.
    pub fn new(
        ranks: usize,
        machine: &Machine,
        stay: impl IntoIterator<Item = (Rank, Seat)>,
    ) -> Result<Self, Infeasible> {
        let slots = machine.slots();
        let mut seats = vec![None; ranks];
        let mut in_slot: HashMap<SlotId, u32> = HashMap::new();
        let mut on_node: HashMap<NodeId, Vec<u32>> = HashMap::new();
        for (Rank(rank), seat) in stay {
            let entry = seats.get_mut(rank as usize);
            let entry = entry.ok_or(Infeasible::NoSuchRank { rank, ranks })?;
            match entry {
                Some(known) if *known == seat => continue,
                Some(_) => return Err(Infeasible::TwoPlaces { rank }),
                None => *entry = Some(seat),
            }
            let node = match seat {
                Seat::Node(node) if node.index() < slots.nodes() => node,
                Seat::Slot(slot) if slot.index() < slots.len() => slots.node_of(slot),
                _ => return Err(Infeasible::NoSuchSeat { rank }),
            };
            if let Seat::Slot(slot) = seat
                && let Some(a) = in_slot.insert(slot, rank)
            {
                return Err(Infeasible::OneSlot { a, b: rank });
            }
            let there = on_node.entry(node).or_default();
            there.push(rank);
            let slots = slots.capacity(node);
            if there.len() > slots as usize {
                let (ranks, node) = (there.clone(), node.0);
                return Err(Infeasible::Crowded { ranks, node, slots });
            }
        }
        Ok(Self { seats }.without_none())
    }

    /// Ranks that stay on the nodes where a placement has them.
    #[must_use]
    pub fn on_nodes_of(placement: &Placement, machine: &Machine, ranks: &[Rank]) -> Self {
        let mut seats = vec![None; placement.ranks()];
        for &rank in ranks {
            if let Some(seat) = seats.get_mut(rank.index()) {
                *seat = Some(Seat::Node(machine.slots().node_of(placement.slot(rank))));
            }
        }
        Self { seats }.without_none()
    }

    fn without_none(mut self) -> Self {
        if self.seats.iter().all(Option::is_none) {
            self.seats.clear();
        }
        self
    }

    /// Whether all ranks may move.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// Whether a rank stays on its node.
    #[must_use]
    #[inline]
    pub fn holds(&self, rank: Rank) -> bool {
        matches!(self.seats.get(rank.index()), Some(Some(_)))
    }

    /// Whether a rank stays in its slot.
    #[must_use]
    #[inline]
    pub fn seats(&self, rank: Rank) -> bool {
        matches!(self.seats.get(rank.index()), Some(Some(Seat::Slot(_))))
    }

    /// Whether a placement has all these ranks where they stay.
    #[must_use]
    pub fn are_kept_by(&self, placement: &Placement, machine: &Machine) -> bool {
        self.all()
            .all(|(rank, seat)| is_in(placement.slot(rank), seat, machine))
    }

    /// The same ranks under other numbers: the rank `original(n)` is called `n` from now on.
    #[must_use]
    pub fn renumbered(&self, original: impl Fn(Rank) -> Rank) -> Self {
        let numbers = (0..self.seats.len()).map(Rank::at);
        Self {
            seats: numbers
                .map(|number| self.seats[original(number).index()])
                .collect(),
        }
    }

    /// A placement with these ranks where they stay, as near to `placement` as can be: a rank
    /// changes places with the one that costs least in hop-bytes, or all ranks of two nodes do.
    #[must_use]
    pub fn put_back(
        &self,
        mut placement: Placement,
        affinity: &Affinity,
        machine: &Machine,
    ) -> Placement {
        if self.are_kept_by(&placement, machine) {
            return placement;
        }
        for (rank, seat) in self.all() {
            if let Seat::Slot(slot) = seat {
                exchange(&mut placement, rank, slot, machine);
            }
        }
        for (rank, seat) in self.all() {
            if !is_in(placement.slot(rank), seat, machine) {
                placement = self.moved(&placement, rank, seat, affinity, machine);
            }
        }
        placement
    }

    /// The cheapest placement in hop-bytes that has `rank` on the node of `seat` and leaves all
    /// ranks there that stay there.
    fn moved(
        &self,
        placement: &Placement,
        rank: Rank,
        seat: Seat,
        affinity: &Affinity,
        machine: &Machine,
    ) -> Placement {
        let (Seat::Node(node), slots) = (seat, machine.slots()) else {
            return placement.clone();
        };
        let who = placement.occupancy(slots);
        let stays = |slot: SlotId| {
            let rank = who.rank(slot);
            rank.is_some_and(|rank| self.is_home(rank, slot, machine))
        };
        let cost = |placement: &Placement| {
            let nodes = placement.nodes(slots);
            hop_bytes_of(affinity, machine.topology(), &nodes)
        };
        let mut free_seen = false;
        let seats = slots.on(node).filter(|&slot| !stays(slot));
        // All free slots of a node are alike.
        let seats = seats
            .filter(|&slot| who.rank(slot).is_some() || !std::mem::replace(&mut free_seen, true));
        let mut all: Vec<Placement> = seats
            .map(|slot| {
                let mut changed = placement.clone();
                exchange(&mut changed, rank, slot, machine);
                changed
            })
            .collect();
        let here = slots.node_of(placement.slot(rank));
        let alone = !slots.on(node).chain(slots.on(here)).any(stays);
        if alone && slots.capacity(node) == slots.capacity(here) {
            all.push(nodes_exchanged(placement, &who, [here, node], machine));
        }
        let cheapest = all.into_iter().min_by_key(cost);
        cheapest.expect("no more ranks stay on a node than it has slots")
    }

    fn is_home(&self, rank: Rank, slot: SlotId, machine: &Machine) -> bool {
        self.seats[rank.index()].is_some_and(|seat| is_in(slot, seat, machine))
    }

    fn all(&self) -> impl Iterator<Item = (Rank, Seat)> + '_ {
        let seats = self.seats.iter().enumerate();
        seats.filter_map(|(rank, seat)| Some((Rank::at(rank), (*seat)?)))
    }
}

fn is_in(slot: SlotId, seat: Seat, machine: &Machine) -> bool {
    match seat {
        Seat::Slot(kept) => kept == slot,
        Seat::Node(node) => machine.slots().node_of(slot) == node,
    }
}

/// Moves a rank into a slot, and the rank of that slot, if any, where the first one was.
fn exchange(placement: &mut Placement, rank: Rank, slot: SlotId, machine: &Machine) {
    match placement.occupancy(machine.slots()).rank(slot) {
        Some(other) => placement.swap(rank, other),
        None => placement.set(rank, slot),
    }
}

/// A placement with all ranks of two nodes of equal size exchanged, slot by slot.
fn nodes_exchanged(
    placement: &Placement,
    who: &Occupancy,
    [a, b]: [NodeId; 2],
    machine: &Machine,
) -> Placement {
    let slots = machine.slots();
    let mut changed = placement.clone();
    for (one, other) in slots.on(a).zip(slots.on(b)) {
        for (from, to) in [(one, other), (other, one)] {
            if let Some(rank) = who.rank(from) {
                changed.set(rank, to);
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_graph::samples::star_stencil;
    use rankfold_machine::samples::machine;

    fn fixed(stay: &[(u32, Seat)]) -> Result<Fixed, Infeasible> {
        let stay = stay.iter().map(|&(rank, seat)| (Rank(rank), seat));
        Fixed::new(8, &machine("mesh:4", 2), stay)
    }

    #[test]
    fn sets_that_no_placement_keeps_are_named() {
        let (node, slot) = (|n| Seat::Node(NodeId(n)), |s| Seat::Slot(SlotId(s)));
        let told = |stay: &[(u32, Seat)]| fixed(stay).unwrap_err().to_string();
        assert_eq!(
            told(&[(8, node(0))]),
            "rank 8 is to stay, but there are 8 ranks"
        );
        assert!(told(&[(1, node(4))]).contains("no slot"));
        assert!(told(&[(1, node(1)), (1, node(2))]).contains("rank 1 is to stay in two places"));
        assert!(told(&[(1, slot(3)), (2, slot(3))]).contains("ranks 1 and 2"));
        let crowded = told(&[(1, slot(3)), (2, node(1)), (5, node(1))]);
        assert!(crowded.contains("[1, 2, 5]"), "{crowded}");
        assert!(fixed(&[(1, node(1)), (1, node(1))]).is_ok());
    }

    #[test]
    fn ranks_are_put_back_where_they_stay() {
        let (graph, machine) = (star_stencil(&[8], false), machine("mesh:4", 2));
        let affinity = graph.affinity();
        let fixed = fixed(&[
            (0, Seat::Node(NodeId(3))),
            (1, Seat::Slot(SlotId(0))),
            (2, Seat::Node(NodeId(0))),
            (7, Seat::Node(NodeId(3))),
        ])
        .unwrap();
        for turn in 0..8 {
            let slots = (0..8).map(|rank| SlotId((rank + turn) % 8)).collect();
            let found = fixed.put_back(Placement::new(slots), &affinity, &machine);
            assert!(fixed.are_kept_by(&found, &machine), "{found:?}");
        }
    }

    #[test]
    fn both_nodes_change_places_where_that_costs_nothing() {
        let (graph, machine) = (star_stencil(&[4], false), machine("mesh:2", 2));
        let there = Placement::new([2, 3, 0, 1].map(SlotId).to_vec());
        let fixed = Fixed::on_nodes_of(&Placement::block(4), &machine, &[Rank(0)]);
        let found = fixed.put_back(there, &graph.affinity(), &machine);
        assert_eq!(found, Placement::block(4));
    }
}
