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

mod beginning;
mod blocks;
mod feasible;
mod gaps;
mod infeasible;
mod put_back;
mod renumbered;
mod rule;
mod seating;
mod sizes;
#[cfg(test)]
mod tests;
mod whole_hosts;

use beginning::Budget;
pub(crate) use beginning::Home;
pub(crate) use gaps::Gaps;
pub use infeasible::Infeasible;
use put_back::Repair;
use rankfold_base::{NodeId, Placement, Rank, SlotId};
use rankfold_graph::Affinity;
use rankfold_machine::Machine;
pub use rule::{Demand, Rule, Seat, Start};
pub use sizes::Sizes;
use std::collections::{BTreeMap, HashMap};

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
    share: Share,
}

/// How ranks share nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Share {
    /// All are on one node.
    Together,
    /// A node has no more of the ranks than its entry says, or no more than one without entries.
    AtMost(Vec<u32>),
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

    /// Rank 0 stays on the node where a placement has it, where that `is_first`; and ranks take the
    /// seats of ranks of the same kind in that placement.
    #[must_use]
    pub fn in_seats_of<K: Ord + Copy>(
        placement: &Placement,
        machine: &Machine,
        kinds: &[K],
        is_first: bool,
    ) -> Self {
        let nodes = placement.nodes(machine.slots());
        let mut rules = Vec::new();
        if is_first {
            rules.push(Rule {
                demand: Demand::Stay(Rank(0), Seat::Node(nodes[0])),
                origin: "the launch starts it there".into(),
            });
        }
        let mut of_kind: BTreeMap<K, Vec<Rank>> = BTreeMap::new();
        for (rank, kind) in kinds.iter().enumerate() {
            of_kind.entry(*kind).or_default().push(Rank::at(rank));
        }
        let mut of_kind: Vec<Vec<Rank>> = of_kind.into_values().collect();
        of_kind.sort_by_key(Vec::len);
        // Where all others have their own seats, so have the ranks of the most common kind.
        of_kind.pop();
        for ranks in of_kind {
            let mut most = vec![0; machine.slots().nodes()];
            ranks
                .iter()
                .for_each(|rank| most[nodes[rank.index()].index()] += 1);
            rules.push(Rule {
                demand: Demand::AtMost(ranks, most),
                origin: "a launch keeps its seats".into(),
            });
        }
        let mut all = Self::of_rules(nodes.len(), rules);
        if !all.groups.is_empty() {
            let seat = |(rank, &node)| all.holds(Rank::at(rank)).then_some(Seat::Node(node));
            all.feasible = nodes.iter().enumerate().map(seat).collect();
        }
        all
    }

    /// What ranks keep by these rules.
    fn of_rules(ranks: usize, rules: Vec<Rule>) -> Self {
        let mut seats = vec![None; ranks];
        let mut groups = Vec::new();
        for rule in &rules {
            let (ranks, share) = match &rule.demand {
                // A slot says more than its node.
                Demand::Stay(rank, seat) => {
                    let known = &mut seats[rank.index()];
                    if !matches!(known, Some(Seat::Slot(_))) {
                        *known = Some(*seat);
                    }
                    continue;
                }
                Demand::Together(ranks) => (ranks, Share::Together),
                Demand::Apart(ranks) => (ranks, Share::AtMost(Vec::new())),
                Demand::AtMost(ranks, most) => (ranks, Share::AtMost(most.clone())),
            };
            groups.push(Group {
                ranks: ranks.clone(),
                share,
            });
        }
        let mut all = Self {
            rules,
            seats,
            groups,
            ..Self::default()
        };
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
        self.pin(rank).is_some()
    }

    /// The slot that a rank stays in.
    fn pin(&self, rank: Rank) -> Option<SlotId> {
        (*self.seats.get(rank.index())?)?.slot()
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
                    && self.groups_of.get(rank.index()).is_none_or(|groups| {
                        let mut groups = groups.iter();
                        groups.all(|&group| self.takes(group, (rank, to), moves, &node_of))
                    })
        })
    }

    /// Whether a group lets `rank` go to a node when all these `moves` are made.
    fn takes(
        &self,
        number: u32,
        (rank, to): (Rank, NodeId),
        moves: &(impl Iterator<Item = (Rank, NodeId)> + Clone),
        node_of: &impl Fn(Rank) -> NodeId,
    ) -> bool {
        let group = &self.groups[number as usize];
        let Share::AtMost(most) = &group.share else {
            let after = |member: Rank| {
                let moved = moves.clone().find(|(moved, _)| *moved == member);
                moved.map_or_else(|| node_of(member), |(_, node)| node)
            };
            let mut others = group.ranks.iter().filter(|&&member| member != rank);
            return others.all(|&member| after(member) == to);
        };
        let is_in = |rank: Rank| self.groups_of[rank.index()].contains(&number);
        let moving = moves.clone().filter(|&(rank, _)| is_in(rank));
        let (mut come, mut go) = (0, 0);
        for (rank, node) in moving {
            let (is_here, stays) = (node_of(rank) == to, node == to);
            come += usize::from(stays && !is_here);
            go += usize::from(is_here && !stays);
        }
        // As many come as go, without a look at all the others.
        come <= go || {
            let here = group.ranks.iter().filter(|&&member| node_of(member) == to);
            here.count() + come - go <= at(most, to) as usize
        }
    }

    fn groups_with(&self, rank: Rank) -> impl Iterator<Item = &Group> {
        let groups = self.groups_of.get(rank.index()).into_iter().flatten();
        groups.map(|&number| &self.groups[number as usize])
    }

    /// The other ranks that share a host with a rank in every placement.
    pub fn companions(&self, rank: Rank) -> impl Iterator<Item = Rank> {
        let groups = self
            .groups_with(rank)
            .filter(|group| group.share == Share::Together);
        groups.flat_map(move |group| group.ranks.iter().copied().filter(move |&it| it != rank))
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
            let mut on: HashMap<NodeId, u32> = HashMap::new();
            for rank in &group.ranks {
                *on.entry(node(rank)).or_default() += 1;
            }
            match &group.share {
                Share::Together => on.len() == 1,
                Share::AtMost(most) => on.iter().all(|(&node, &ranks)| ranks <= at(most, node)),
            }
        }) && self
            .budget
            .as_ref()
            .is_none_or(|budget| budget.moved(placement) <= budget.start.moves)
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

/// The most ranks on a node.
fn at(most: &[u32], node: NodeId) -> u32 {
    most.get(node.index()).copied().unwrap_or(1)
}
