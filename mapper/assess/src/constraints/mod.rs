//! What every placement of a case keeps: ranks that stay, ranks that share a host or do not, and a
//! placement to begin from, of which only so many ranks move.
//!
//! A scheduler that picks the hosts starts rank 0 where standard input arrives, and users say the
//! rest. Every search asks before it moves ranks: [`Constraints::allows`] judges a whole move, and
//! searches that move a rank at a time leave those alone that [`Constraints::holds`] names. What a
//! heuristic made without asking, [`Constraints::put_back`] mends before anything is refined.
//!
//! ```text
//! --pin 0=a  --apart 0,4      host a    host b
//! made by a heuristic         4 5 6 7   0 1 2 3
//! put back                    0 5 6 7   4 1 2 3
//! ```

mod blocks;
mod feasible;
mod infeasible;
mod put_back;
mod renumbered;
mod rule;
mod sizes;
#[cfg(test)]
mod tests;
mod whole_hosts;

pub use infeasible::Infeasible;
use put_back::Repair;
use rankfold_base::{NodeId, Placement, Rank, SlotId};
use rankfold_graph::Affinity;
use rankfold_machine::Machine;
pub use rule::{Demand, Rule, Seat, Start};
pub use sizes::Sizes;
use std::borrow::Cow;
use std::collections::HashSet;

/// What every placement of a case keeps. Without any constraint, no search does anything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    rules: Vec<Rule>,
    /// The seat of every rank that stays; empty where none does.
    seats: Vec<Option<Seat>>,
    /// Whether each rank stays or is in a group; empty where none is.
    held: Vec<bool>,
    /// The groups that each rank is in; empty where there are none.
    groups_of: Vec<Vec<u32>>,
    groups: Vec<Group>,
    /// Seats that keep all constraints, for the ranks that constraints name. Empty where no
    /// constraint names a group.
    feasible: Vec<Option<Seat>>,
    budget: Option<Budget>,
    /// The slots that ranks take.
    sizes: Sizes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    ranks: Vec<Rank>,
    is_together: bool,
}

/// A placement to begin from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Budget {
    start: Start,
    /// The placement with the other constraints kept.
    begin: Placement,
}

impl Constraints {
    /// All ranks may move.
    #[must_use]
    pub fn none() -> &'static Self {
        static NONE: Constraints = Constraints {
            rules: Vec::new(),
            seats: Vec::new(),
            held: Vec::new(),
            groups_of: Vec::new(),
            groups: Vec::new(),
            feasible: Vec::new(),
            budget: None,
            sizes: Sizes::ONE,
        };
        &NONE
    }

    /// A rank that stays on the node where a placement has it.
    #[must_use]
    pub fn on_node_of(placement: &Placement, machine: &Machine, rank: Rank) -> Self {
        let seat = Seat::Node(machine.slots().node_of(placement.slot(rank)));
        let mut all = Self {
            seats: vec![None; placement.ranks()],
            ..Self::default()
        };
        all.seats[rank.index()] = Some(seat);
        all.rules.push(Rule {
            demand: Demand::Stay(rank, seat),
            origin: "the launch starts it there".into(),
        });
        all.index();
        all
    }

    /// The slots that ranks take.
    #[must_use]
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The rules, for the same and further ones.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Fills in what follows from seats and groups.
    fn index(&mut self) {
        let ranks = self.seats.len();
        self.held = self.seats.iter().map(Option::is_some).collect();
        self.groups_of = if self.groups.is_empty() {
            Vec::new()
        } else {
            vec![Vec::new(); ranks]
        };
        for (number, group) in (0..).zip(&self.groups) {
            for rank in &group.ranks {
                self.held[rank.index()] = true;
                self.groups_of[rank.index()].push(number);
            }
        }
        if self.seats.iter().all(Option::is_none) {
            self.seats.clear();
        }
        if !self.held.contains(&true) {
            self.held.clear();
        }
    }

    /// Block order: each host is filled before the next one. Where ranks of several slots do not
    /// fit so, they go where there is room.
    pub(crate) fn block(&self, ranks: usize, machine: &Machine) -> Placement {
        if self.sizes.are_one() {
            return machine.block_order(ranks);
        }
        let slots = machine.slots();
        let in_turn = self.filled(ranks, machine, &[], true);
        let nodes = in_turn.or_else(|| self.filled(ranks, machine, &self.feasible, false));
        let nodes = nodes.expect("seats were found when the constraints were made");
        self.sizes.seated(&nodes, slots, |rank| rank)
    }

    /// The nodes of ranks that fill hosts one after the other, but for those with seats; `None`
    /// where one finds no room. `in_turn` leaves room behind that a rank does not fit.
    fn filled(
        &self,
        ranks: usize,
        machine: &Machine,
        seats: &[Option<Seat>],
        in_turn: bool,
    ) -> Option<Vec<NodeId>> {
        let slots = machine.slots();
        let order = machine.launch_order();
        let all = (0..slots.nodes()).map(NodeId::at);
        let mut room: Vec<u32> = all.map(|node| slots.capacity(node)).collect();
        let seat = |rank: usize| match seats.get(rank).copied().flatten()? {
            Seat::Node(node) => Some(node),
            Seat::Slot(slot) => Some(slots.node_of(slot)),
        };
        for (rank, node) in (0..ranks).filter_map(|rank| Some((rank, seat(rank)?))) {
            room[node.index()] -= self.sizes.of(Rank::at(rank));
        }
        let mut first = 0;
        let node_of = |rank: usize| {
            if let Some(node) = seat(rank) {
                return Some(node);
            }
            let size = self.sizes.of(Rank::at(rank));
            let fits = |node: &&NodeId| room[node.index()] >= size;
            let place = first + order[first..].iter().position(|node| fits(&node))?;
            if in_turn {
                first = place;
            }
            room[order[place].index()] -= size;
            Some(order[place])
        };
        (0..ranks).map(node_of).collect()
    }

    /// Whether there is no constraint.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.budget.is_none()
    }

    /// Whether ranks are to share a host or not to.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Whether a rank stays on its node, or is in a group.
    #[must_use]
    #[inline]
    pub fn holds(&self, rank: Rank) -> bool {
        self.held.get(rank.index()).is_some_and(|&held| held)
    }

    /// Whether a rank stays on its node.
    #[must_use]
    #[inline]
    pub fn stays(&self, rank: Rank) -> bool {
        matches!(self.seats.get(rank.index()), Some(Some(_)))
    }

    /// Whether a rank stays in its slot.
    #[must_use]
    #[inline]
    pub fn seats(&self, rank: Rank) -> bool {
        matches!(self.seats.get(rank.index()), Some(Some(Seat::Slot(_))))
    }

    /// Whether these ranks may go to these nodes together; `node_of` has all ranks before that. How
    /// many ranks have moved is not asked here, but by [`held_at`](Self::held_at).
    pub fn allows<M>(&self, moves: &M, node_of: impl Fn(Rank) -> NodeId) -> bool
    where
        M: Iterator<Item = (Rank, NodeId)> + Clone,
    {
        if self.held.is_empty() {
            return true;
        }
        moves.clone().all(|(rank, to)| {
            !self.holds(rank)
                || !self.stays(rank)
                    && self
                        .groups_with(rank)
                        .all(|group| group.takes(rank, to, moves, &node_of))
        })
    }

    fn groups_with(&self, rank: Rank) -> impl Iterator<Item = &Group> {
        let groups = self.groups_of.get(rank.index()).into_iter().flatten();
        groups.map(|&number| &self.groups[number as usize])
    }

    /// The other ranks that share a host with a rank in every placement.
    pub fn companions(&self, rank: Rank) -> impl Iterator<Item = Rank> {
        let groups = self.groups_with(rank).filter(|group| group.is_together);
        groups.flat_map(move |group| group.ranks.iter().copied().filter(move |&it| it != rank))
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
        budget.is_some_and(|budget| budget.start.placement.slot(rank) != slot)
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
        for (seat, (now, then)) in all
            .seats
            .iter_mut()
            .zip(placement.slots().iter().zip(budget.start.placement.slots()))
        {
            if now == then {
                *seat = Some(Seat::Slot(*now));
            }
        }
        all.index();
        Cow::Owned(all)
    }

    /// Whether a placement keeps all constraints.
    #[must_use]
    pub fn are_kept_by(&self, placement: &Placement, machine: &Machine) -> bool {
        let slots = machine.slots();
        let node = |rank: &Rank| slots.node_of(placement.slot(*rank));
        if !self.sizes.fit(&placement.nodes(slots), slots) {
            return false;
        }
        let seats = (0..).map(Rank).zip(&self.seats);
        let mut seats = seats.filter_map(|(rank, seat)| Some((rank, (*seat)?)));
        seats.all(|(rank, seat)| match seat {
            Seat::Slot(kept) => placement.slot(rank) == kept,
            Seat::Node(kept) => node(&rank) == kept,
        }) && self.groups.iter().all(|group| {
            let nodes: HashSet<NodeId> = group.ranks.iter().map(node).collect();
            nodes.len()
                == if group.is_together {
                    1
                } else {
                    group.ranks.len()
                }
        }) && self
            .budget
            .as_ref()
            .is_none_or(|budget| moved(&budget.start.placement, placement) <= budget.start.moves)
    }

    /// A placement that keeps all constraints, as near to `placement` as can be; where there is one
    /// to begin from, that one.
    #[must_use]
    pub fn put_back(
        &self,
        placement: Placement,
        affinity: &Affinity,
        machine: &Machine,
    ) -> Placement {
        if self.are_kept_by(&placement, machine) {
            return placement;
        }
        if let Some(budget) = &self.budget {
            return budget.begin.clone();
        }
        let seats = if self.groups.is_empty() {
            self.seats.clone()
        } else {
            let near = self.seated_near(machine, &placement);
            near.unwrap_or_else(|| self.feasible.clone())
        };
        Repair::new(machine, Some(affinity), &seats, placement).put_back()
    }
}

impl Group {
    /// Whether `rank` may go to a node when all these `moves` are made.
    fn takes(
        &self,
        rank: Rank,
        to: NodeId,
        moves: &(impl Iterator<Item = (Rank, NodeId)> + Clone),
        node_of: &impl Fn(Rank) -> NodeId,
    ) -> bool {
        let after = |member: Rank| {
            let moved = moves.clone().find(|(moved, _)| *moved == member);
            moved.map_or_else(|| node_of(member), |(_, node)| node)
        };
        let mut others = self.ranks.iter().filter(|&&member| member != rank);
        others.all(|&member| {
            let is_there = if self.is_together || node_of(member) == to {
                after(member) == to
            } else {
                moves.clone().any(|moved| moved == (member, to))
            };
            is_there == self.is_together
        })
    }
}

/// The number of ranks in other slots.
fn moved(from: &Placement, to: &Placement) -> usize {
    let both = from.slots().iter().zip(to.slots());
    both.filter(|(from, to)| from != to).count()
}
