//! The best placement within constraints, by branch and bound.

use super::*;
use rankfold_base::{NodeId, Rank, SlotId};
use rankfold_problem::testing;

struct Exact<'a> {
    case: &'a testing::Case,
    /// The ranks in the order in which they are placed: next to those with most partners before.
    order: Vec<Rank>,
    /// The bytes between two ranks, and the hops between two nodes.
    bytes: Vec<Vec<u128>>,
    hops: Vec<Vec<u128>>,
    slot_of: Vec<Option<SlotId>>,
    who: Vec<Option<Rank>>,
    /// The free slots of every node, and the hops between two nodes of ranks on different ones; 0
    /// where nodes take several ranks.
    free: Vec<u32>,
    nearest: u128,
    least: u128,
    found: bool,
}

/// The fewest hop-bytes of all placements within the constraints, if they are below a limit.
pub(super) fn fewer_hop_bytes(case: &testing::Case, limit: u128) -> Option<u128> {
    let (ranks, nodes) = (case.graph.ranks(), case.machine.slots().nodes());
    let affinity = case.graph.affinity();
    let between = |a, b| {
        u128::from(
            affinity
                .bytes_between(Rank::at(a), Rank::at(b))
                .unwrap_or(0),
        )
    };
    let topology = case.machine.topology();
    let hops = |a, b| u128::from(topology.hops(NodeId::at(a), NodeId::at(b)));
    let bytes: Vec<Vec<u128>> = (0..ranks)
        .map(|a| (0..ranks).map(|b| between(a, b)).collect())
        .collect();
    let mut order: Vec<usize> = Vec::new();
    while order.len() < ranks {
        let to_placed = |rank: usize| {
            order
                .iter()
                .map(|&placed| bytes[rank][placed])
                .sum::<u128>()
        };
        let open = (0..ranks).filter(|rank| !order.contains(rank));
        let all = |rank: usize| bytes[rank].iter().sum::<u128>();
        order.extend(open.max_by_key(|&rank| (to_placed(rank), all(rank))));
    }
    let mut exact = Exact {
        order: order.into_iter().map(Rank::at).collect(),
        hops: (0..nodes)
            .map(|a| (0..nodes).map(|b| hops(a, b)).collect())
            .collect(),
        slot_of: vec![None; ranks],
        who: vec![None; case.machine.slots().len()],
        free: (0..nodes)
            .map(|node| case.machine.slots().capacity(NodeId::at(node)))
            .collect(),
        nearest: u128::from(case.machine.slots().capacity(NodeId(0)) == 1),
        least: limit,
        found: false,
        bytes,
        case,
    };
    let table = vec![vec![0; nodes]; ranks];
    exact.place(0, 0, &table);
    exact.found.then_some(exact.least)
}

impl Exact<'_> {
    /// Places the ranks from the `depth`-th on. `table` has the cost of every rank on every node
    /// beside the ranks that are placed.
    fn place(&mut self, depth: usize, cost: u128, table: &[Vec<u128>]) {
        let machine = &self.case.machine;
        let Some(&rank) = self.order.get(depth) else {
            let slots = self.slot_of.iter().map(|slot| slot.unwrap());
            let placement = Placement::new(slots.collect());
            if cost < self.least && self.case.constraints.are_kept_by(&placement, machine) {
                (self.least, self.found) = (cost, true);
            }
            return;
        };
        let row = &table[rank.index()];
        let mut nodes: Vec<usize> = (0..row.len()).collect();
        nodes.sort_by_key(|&node| row[node]);
        let mut next = table.to_vec();
        for node in nodes {
            let slots = self.choices(rank, NodeId::at(node));
            if slots.is_empty() {
                continue;
            }
            let bytes = &self.bytes[rank.index()];
            for &other in &self.order[depth + 1..] {
                let costs = next[other.index()].iter_mut().zip(&table[other.index()]);
                for ((cost, before), hops) in costs.zip(&self.hops[node]) {
                    *cost = before + bytes[other.index()] * hops;
                }
            }
            for slot in slots {
                self.who[slot.index()] = Some(rank);
                self.slot_of[rank.index()] = Some(slot);
                self.free[node] -= 1;
                let least = cost + row[node] + self.least_of_others(depth + 1, &next);
                if least < self.least && self.may_be_kept() {
                    self.place(depth + 1, cost + row[node], &next);
                }
                self.free[node] += 1;
                self.who[slot.index()] = None;
                self.slot_of[rank.index()] = None;
            }
        }
    }

    /// A lower bound of what the ranks cost that are not placed, those from the `depth`-th on. Each
    /// of them is taken to be on its best free node. Where a node takes one rank, any two of them
    /// are taken to be one hop apart.
    fn least_of_others(&self, depth: usize, table: &[Vec<u128>]) -> u128 {
        let open = &self.order[depth..];
        let least_of = |rank: &Rank| {
            let free = table[rank.index()].iter().zip(&self.free);
            free.filter(|(_, free)| **free > 0)
                .map(|(cost, _)| *cost)
                .min()
        };
        let beside_placed: u128 = open.iter().filter_map(least_of).sum();
        let pairs = (1..open.len()).flat_map(|b| (0..b).map(move |a| (open[a], open[b])));
        let between: u128 = pairs.map(|(a, b)| self.bytes[a.index()][b.index()]).sum();
        beside_placed + between * self.nearest
    }

    /// The free slots of a node that are worth trying. Slots that no constraint names are alike.
    fn choices(&self, rank: Rank, node: NodeId) -> Vec<SlotId> {
        let free = |slot: &SlotId| self.who[slot.index()].is_none();
        let all: Vec<SlotId> = self.case.machine.slots().on(node).filter(free).collect();
        let constraints = &self.case.constraints;
        let begin = constraints.start().map(|(begin, _)| begin);
        let pinned = |who: Option<Rank>, slot: SlotId| {
            constraints.rules().iter().any(|rule| match rule.demand {
                Demand::Stay(rank, Seat::Slot(kept)) => {
                    kept == slot && who.is_none_or(|who| who == rank)
                }
                _ => false,
            })
        };
        // Without moves to count, a slot of one's own is one that a rule names.
        let begins_in = |who: Option<Rank>, slot: SlotId| {
            begin.is_some()
                && (0..self.slot_of.len()).map(Rank::at).any(|rank| {
                    who.is_none_or(|who| who == rank) && !constraints.has_moved(rank, slot)
                })
        };
        let named = |slot: SlotId| pinned(None, slot) || begins_in(None, slot);
        let own = |slot: SlotId| pinned(Some(rank), slot) || begins_in(Some(rank), slot);
        match all.iter().find(|slot| !named(**slot)) {
            Some(&any) => {
                let own = all.iter().copied().filter(|&slot| own(slot));
                own.chain([any]).collect()
            }
            None => all,
        }
    }

    /// Whether the ranks that are placed keep all constraints among themselves.
    fn may_be_kept(&self) -> bool {
        let slots = self.case.machine.slots();
        let node = |rank: &Rank| self.slot_of[rank.index()].map(|slot| slots.node_of(slot));
        let rules = self.case.constraints.rules().iter();
        let kept = rules.map(|rule| &rule.demand).all(|demand| match demand {
            Demand::Stay(rank, Seat::Node(kept)) => node(rank).is_none_or(|node| node == *kept),
            Demand::Stay(rank, Seat::Slot(kept)) => {
                self.slot_of[rank.index()].is_none_or(|slot| slot == *kept)
            }
            Demand::Together(ranks) => {
                let mut nodes: Vec<NodeId> = ranks.iter().filter_map(node).collect();
                nodes.dedup();
                nodes.len() < 2
            }
            Demand::AtMost(ranks, most) => {
                let nodes: Vec<NodeId> = ranks.iter().filter_map(node).collect();
                let there = |node: &NodeId| nodes.iter().filter(|other| *other == node).count();
                let limit = |node: &NodeId| most[node.index()] as usize;
                nodes.iter().all(|node| there(node) <= limit(node))
            }
            Demand::Apart(ranks) => {
                let mut nodes: Vec<NodeId> = ranks.iter().filter_map(node).collect();
                let placed = nodes.len();
                nodes.sort_unstable();
                nodes.dedup();
                nodes.len() == placed
            }
        });
        let Some((_, most)) = self.case.constraints.start() else {
            return kept;
        };
        let placed = (0..).map(Rank).zip(&self.slot_of);
        let has_moved = |(rank, slot): &(Rank, &Option<SlotId>)| {
            slot.is_some_and(|slot| self.case.constraints.has_moved(*rank, slot))
        };
        kept && placed.filter(has_moved).count() <= most
    }
}
