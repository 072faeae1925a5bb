//! The best seating of a few ranks, by branch and bound: a rank after the other is tried in every
//! slot, those with the most bytes first, while the cost so far is below that of the best seating.
//!
//! Groups of cores that look alike are tried once: of several without a rank, the first.

use super::node::Node;
use super::seating::{Cost, FREE};
use std::collections::HashMap;

/// With more ranks a descent has to do. Chosen by hand: 8 ranks have 40320 orders.
pub(super) const MOST_RANKS: usize = 8;

/// A search for the best seating.
pub(super) struct Exact<'a> {
    node: &'a Node,
    order: Vec<usize>,
    /// For every group the one before it that looks alike, beside it in the group of the level
    /// above.
    twin: Vec<Option<usize>>,
    slot_of: Vec<usize>,
    taken: Vec<bool>,
    counts: Vec<u32>,
    best: (Cost, Vec<usize>),
    steps_left: u64,
}

impl<'a> Exact<'a> {
    /// The best seating that is found from a known one on, with ranks tried in slots at most
    /// `steps` times.
    pub(super) fn improve(node: &'a Node, known: (Cost, Vec<usize>), steps: u64) -> Vec<usize> {
        let mut search = Self {
            node,
            order: Vec::new(),
            twin: twins(node),
            slot_of: vec![FREE; node.ranks.len()],
            taken: vec![false; node.slots],
            counts: vec![0; node.quotas.len()],
            best: known,
            steps_left: steps,
        };
        let mut cost = Cost::default();
        for (rank, slot) in search.best.1.clone().into_iter().enumerate() {
            if node.stays[slot] {
                cost = search.seat(rank, slot, cost);
            } else {
                search.order.push(rank);
            }
        }
        search
            .order
            .sort_by_key(|&rank| std::cmp::Reverse(total(node, rank)));
        search.try_from(0, cost);
        search.best.1
    }

    /// Tries all slots for the ranks from place `at` of the order on.
    fn try_from(&mut self, at: usize, cost: Cost) {
        if cost >= self.best.0 {
            return;
        }
        let Some(&rank) = self.order.get(at) else {
            self.best = (cost, self.slot_of.clone());
            return;
        };
        let mut tried = Vec::new();
        for slot in 0..self.node.slots {
            let core = self.node.groups[slot].last().copied();
            if self.taken[slot] || tried.contains(&core) || self.is_like_another(slot) {
                continue;
            }
            if self.steps_left == 0 {
                return;
            }
            self.steps_left -= 1;
            tried.push(core);
            let next = self.seat(rank, slot, cost);
            self.try_from(at + 1, next);
            self.unseat(rank, slot);
        }
    }

    /// Whether a slot is in a group without a rank that looks like one before it without a rank.
    fn is_like_another(&self, slot: usize) -> bool {
        let is_empty = |group: usize| self.counts[group] == 0;
        let groups = self.node.groups[slot].iter();
        groups
            .filter(|group| is_empty(**group))
            .any(|&group| self.twin[group].is_some_and(is_empty))
    }

    /// Seats a rank, and returns the cost with it.
    fn seat(&mut self, rank: usize, slot: usize, cost: Cost) -> Cost {
        let node = self.node;
        let partners = node.partners[rank].iter();
        let seated = partners.filter(|(partner, _)| self.slot_of[*partner] != FREE);
        let beside = seated.map(|&(partner, bytes)| {
            let levels = node.between(slot, self.slot_of[partner]);
            i128::from(bytes) * i128::from(levels)
        });
        let to_nic = i128::from(node.outside[rank]) * i128::from(node.to_nic[slot]);
        let mut with = Cost {
            crowded: cost.crowded,
            bytes: cost.bytes + beside.sum::<i128>() + to_nic,
        };
        for &group in &node.groups[slot] {
            self.counts[group] += 1;
            with.crowded += i64::from(self.counts[group] > node.quotas[group]);
        }
        self.slot_of[rank] = slot;
        self.taken[slot] = true;
        with
    }

    fn unseat(&mut self, rank: usize, slot: usize) {
        self.slot_of[rank] = FREE;
        self.taken[slot] = false;
        for &group in &self.node.groups[slot] {
            self.counts[group] -= 1;
        }
    }
}

fn total(node: &Node, rank: usize) -> u128 {
    let beside = node.partners[rank]
        .iter()
        .map(|(_, bytes)| u128::from(*bytes));
    beside.sum::<u128>() + u128::from(node.outside[rank])
}

/// What a group looks like: for each of its slots the levels to an adapter, and at which levels a
/// group begins with the slot.
type Shape = Vec<(u32, Vec<bool>)>;

/// For every group the last one before it that looks alike within the same group of the level
/// above.
fn twins(node: &Node) -> Vec<Option<usize>> {
    let levels = node.groups.first().map_or(0, Vec::len);
    let mut twin = vec![None; node.quotas.len()];
    for level in 0..levels {
        let mut last: HashMap<(Option<usize>, Shape), usize> = HashMap::new();
        for slots in node.groups.chunk_by(|a, b| a[level] == b[level]) {
            let group = slots[0][level];
            let above = level.checked_sub(1).map(|above| slots[0][above]);
            let first = node.groups.partition_point(|it| it[level] < group);
            let begins = |at: usize| -> Vec<bool> {
                let within = level + 1..levels;
                let is_new = |l: usize| at == 0 || slots[at][l] != slots[at - 1][l];
                within.map(is_new).collect()
            };
            let shape: Shape = (0..slots.len())
                .map(|at| (node.to_nic[first + at], begins(at)))
                .collect();
            twin[group] = last.insert((above, shape), group);
        }
    }
    twin
}
