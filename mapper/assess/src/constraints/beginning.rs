//! A placement to begin from, of which only so many ranks move.

use super::{Constraints, Repair, Seat, Start, gaps};
use rankfold_base::{NodeId, Placement, Rank, SlotId, Slots};
use rankfold_machine::Machine;
use std::borrow::Cow;
use std::ops::Range;

/// A placement to begin from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    pub(super) start: Start,
    /// Where each rank counts as not moved.
    pub(super) homes: Vec<Home>,
    /// The placement with the other constraints kept.
    pub(super) begin: Placement,
}

/// Where a rank counts as not moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In this slot.
    Slot(SlotId),
    /// On this node, which has these slots.
    Node(NodeId, Range<u32>),
    /// Anywhere: another rank, with which it moves, is counted.
    Anywhere,
}

impl Home {
    /// Any slot of a node.
    pub(crate) fn on(node: NodeId, slots: &Slots) -> Self {
        Self::Node(node, gaps::slots_of(node, slots))
    }

    pub(super) fn has(&self, slot: SlotId) -> bool {
        match self {
            Self::Slot(home) => *home == slot,
            Self::Node(_, slots) => slots.contains(&slot.0),
            Self::Anywhere => true,
        }
    }
}

impl Budget {
    /// The number of ranks that have moved.
    pub(super) fn moved(&self, placement: &Placement) -> usize {
        let both = self.homes.iter().zip(placement.slots());
        both.filter(|(home, slot)| !home.has(**slot)).count()
    }
}

impl Constraints {
    /// Where ranks begin, and where each has not moved, with the most that may; `None` without a
    /// placement to begin from.
    pub(crate) fn begin(&self) -> Option<(&Start, &Placement, &[Home])> {
        let budget = self.budget.as_ref()?;
        Some((&budget.start, &budget.begin, &budget.homes))
    }

    /// The placement to begin from, with all constraints kept, and the most ranks that may have
    /// left the given one.
    #[must_use]
    pub fn start(&self) -> Option<(&Placement, usize)> {
        self.budget
            .as_ref()
            .map(|budget| (&budget.begin, budget.start.moves))
    }

    /// Whether a rank in this slot counts as moved.
    #[must_use]
    pub fn has_moved(&self, rank: Rank, slot: SlotId) -> bool {
        let budget = self.budget.as_ref();
        budget.is_some_and(|budget| !budget.homes[rank.index()].has(slot))
    }

    /// The placement with ranks moved within their nodes: each to the slot in which the constraints
    /// keep the rank, or else to the slot on this node in which the rank began.
    #[must_use]
    pub fn in_slots_of_stayers(&self, placement: Placement, machine: &Machine) -> Placement {
        let slots = machine.slots();
        let is_near = |slot: &SlotId, now: SlotId| slots.node_of(*slot) == slots.node_of(now);
        let homes = self.budget.iter().flat_map(|budget| &budget.homes);
        let began = homes.zip(placement.slots()).map(|(home, &now)| match home {
            Home::Slot(slot) if is_near(slot, now) => Some(Seat::Slot(*slot)),
            _ => None,
        });
        let began: Vec<_> = began.collect();
        let placement = Repair::new(machine, None, &began, placement).put_back();
        let ranks = (0..placement.ranks()).map(Rank::at);
        let pins: Vec<_> = ranks.map(|rank| self.pin(rank).map(Seat::Slot)).collect();
        Repair::new(machine, None, &pins, placement).put_back()
    }

    /// The constraints for searches that do not count how many ranks have moved: those that have
    /// not moved in `placement` stay in their slots.
    #[must_use]
    pub fn held_at(&self, placement: &Placement) -> Cow<'_, Self> {
        let Some(budget) = &self.budget else {
            return Cow::Borrowed(self);
        };
        let mut all = self.clone();
        all.seats.resize(placement.ranks(), None);
        let now = all.seats.iter_mut().zip(placement.slots());
        for ((seat, &now), home) in now.zip(&budget.homes) {
            match home {
                Home::Slot(slot) if now == *slot => *seat = Some(Seat::Slot(now)),
                Home::Node(node, _) if home.has(now) => *seat = seat.or(Some(Seat::Node(*node))),
                _ => {}
            }
        }
        all.index();
        Cow::Owned(all)
    }
}
