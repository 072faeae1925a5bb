//! The slots that ranks take, each all of its slots on one node: as many cores as it has threads,
//! or the weight of a vertex.

use super::{Constraints, Infeasible, Rule};
use rankfold_base::words::ranges;
use rankfold_base::{NodeId, Placement, Rank, Slots};
use rankfold_machine::Machine;
use std::cmp::Reverse;

/// The slots that ranks take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The slots of every rank; empty where each takes one.
    of: Vec<u32>,
    /// The flag or file that says so: errors name it.
    origin: String,
}

impl Sizes {
    /// Every rank takes one slot.
    pub(super) const ONE: Self = Self {
        of: Vec::new(),
        origin: String::new(),
    };

    /// Rank r takes `of[r]` slots, and one where that is 0.
    #[must_use]
    pub fn new(of: Vec<u32>, origin: impl Into<String>) -> Self {
        if of.iter().all(|&size| size <= 1) {
            return Self::ONE;
        }
        Self {
            of: of.into_iter().map(|size| size.max(1)).collect(),
            origin: origin.into(),
        }
    }

    /// Whether every rank takes one slot.
    #[must_use]
    pub fn are_one(&self) -> bool {
        self.of.is_empty()
    }

    /// The slots that a rank takes.
    #[must_use]
    pub fn of(&self, rank: Rank) -> u32 {
        self.of.get(rank.index()).copied().unwrap_or(1)
    }

    /// The slots that so many ranks take together.
    #[must_use]
    pub fn total(&self, ranks: usize) -> u64 {
        (0..ranks)
            .map(|rank| u64::from(self.of(Rank::at(rank))))
            .sum()
    }

    /// The flag or file that gives the sizes.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The ranks that take more than one slot.
    pub(super) fn large(&self) -> impl Iterator<Item = Rank> + '_ {
        let large = self.of.iter().enumerate().filter(|(_, size)| **size > 1);
        large.map(|(rank, _)| Rank::at(rank))
    }

    /// The slots that ranks take on every node.
    #[must_use]
    pub fn taken(&self, nodes: &[NodeId], slots: &Slots) -> Vec<u64> {
        let mut taken = vec![0; slots.nodes()];
        for (rank, node) in nodes.iter().enumerate() {
            taken[node.index()] += u64::from(self.of(Rank::at(rank)));
        }
        taken
    }

    /// Whether no node has to give more slots than it has.
    #[must_use]
    pub fn fit(&self, nodes: &[NodeId], slots: &Slots) -> bool {
        self.are_one() || self.overfull(nodes, slots).is_none()
    }

    fn overfull(&self, nodes: &[NodeId], slots: &Slots) -> Option<NodeId> {
        let taken = self.taken(nodes, slots);
        let mut all = (0..taken.len()).map(NodeId::at);
        all.find(|&node| taken[node.index()] > u64::from(slots.capacity(node)))
    }

    /// Checks that no node has to give more slots than it has.
    ///
    /// # Errors
    /// [`Infeasible::NoRoom`], which names a node and its ranks.
    pub fn check_on(&self, nodes: &[NodeId], machine: &Machine) -> Result<(), Infeasible> {
        let slots = machine.slots();
        let Some(node) = self.overfull(nodes, slots).filter(|_| !self.are_one()) else {
            return Ok(());
        };
        let here = (0..nodes.len()).filter(|&rank| nodes[rank] == node);
        let (has, taken) = (slots.capacity(node), self.taken(nodes, slots));
        let taken = taken[node.index()];
        Err(self.no_room(
            here,
            format!("node {node} has {has} slots, and they take {taken}"),
        ))
    }

    /// The placement that has ranks on these nodes, each on as many slots in a row as it takes, in
    /// the order of `key`.
    ///
    /// # Panics
    /// If a node has too few slots.
    #[must_use]
    pub fn seated<K: Ord>(
        &self,
        nodes: &[NodeId],
        slots: &Slots,
        key: impl Fn(Rank) -> K,
    ) -> Placement {
        let none = Constraints {
            sizes: self.clone(),
            ..Constraints::default()
        };
        let seated = none.in_slots(nodes, slots, key);
        seated.expect("the ranks of a node fit it")
    }

    /// The machine whose slots are as wide as the ranks of a placement.
    #[must_use]
    pub fn machine_of(&self, placement: &Placement, machine: &Machine) -> Machine {
        let mut widths = vec![1; machine.slots().len()];
        for rank in self.large() {
            widths[placement.slot(rank).index()] = self.of(rank);
        }
        machine.clone().with_widths(widths)
    }

    /// Checks the ranks by themselves and together.
    pub(super) fn check(&self, ranks: usize, machine: &Machine) -> Result<(), Infeasible> {
        if self.are_one() {
            return Ok(());
        }
        let slots = machine.slots();
        let largest = (0..slots.nodes())
            .map(|node| slots.capacity(NodeId::at(node)))
            .max();
        let largest = largest.unwrap_or(0);
        let too_large: Vec<usize> = self
            .large()
            .filter(|&rank| self.of(rank) > largest)
            .map(Rank::index)
            .collect();
        if !too_large.is_empty() {
            let why = format!("no host has more than {largest} slots");
            return Err(self.no_room(too_large.into_iter(), why));
        }
        let total = self.total(ranks);
        if total > slots.len() as u64 {
            let why = format!(
                "all ranks take {total} slots, and the machine has {}",
                slots.len()
            );
            return Err(self.left_over(ranks, machine, &why));
        }
        Ok(())
    }

    /// The ranks that find no room where the largest ones go first, each to the first host with
    /// room.
    pub(super) fn left_over(&self, ranks: usize, machine: &Machine, why: &str) -> Infeasible {
        let slots = machine.slots();
        let nodes = (0..slots.nodes()).map(NodeId::at);
        let mut room: Vec<u32> = nodes.map(|node| slots.capacity(node)).collect();
        let mut order: Vec<Rank> = (0..ranks).map(Rank::at).collect();
        order.sort_by_key(|&rank| Reverse(self.of(rank)));
        let mut left = Vec::new();
        for rank in order {
            match room.iter_mut().find(|room| **room >= self.of(rank)) {
                Some(room) => *room -= self.of(rank),
                None => left.push(rank.index()),
            }
        }
        left.sort_unstable();
        self.no_room(left.into_iter(), why.to_owned())
    }

    /// The fewest of the largest ranks that are too many, as `crowded` says of sizes.
    pub(super) fn crowded(
        &self,
        machine: &Machine,
        rules: &[Rule],
        crowded: &dyn Fn(&Self) -> bool,
    ) -> Infeasible {
        let mut order: Vec<Rank> = self.large().collect();
        order.sort_by_key(|&rank| Reverse(self.of(rank)));
        let (mut few, mut many) = (0, order.len());
        while few + 1 < many {
            let half = few.midpoint(many);
            let mut of = vec![1; self.of.len()];
            for rank in &order[..half] {
                of[rank.index()] = self.of(*rank);
            }
            if crowded(&Self::new(of, "")) {
                many = half;
            } else {
                few = half;
            }
        }
        let mut ranks: Vec<usize> = order[..many].iter().map(|rank| rank.index()).collect();
        ranks.sort_unstable();
        let slots = machine.slots();
        let hosts = (0..slots.nodes()).filter(|&node| slots.capacity(NodeId::at(node)) > 0);
        let mut why = format!("{} hosts have no room for all of them", hosts.count());
        if !rules.is_empty() {
            why += " within the other constraints";
        }
        self.no_room(ranks.into_iter(), why)
    }

    fn no_room(&self, ranks: impl Iterator<Item = usize>, why: String) -> Infeasible {
        let ranks: Vec<usize> = ranks.collect();
        let mut sizes: Vec<u32> = ranks.iter().map(|&rank| self.of(Rank::at(rank))).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let sizes = match sizes[..] {
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        };
        Infeasible::NoRoom {
            origin: self.origin.clone(),
            ranks: match ranks[..] {
                [rank] => format!("rank {rank} of {sizes} slots does"),
                _ => format!("ranks {} of {sizes} slots do", ranges(&ranks)),
            },
            why,
        }
    }
}
