//! Ranks seated one host after the other, beside those that stay.

use super::{Constraints, Gaps, Seat};
use rankfold_base::{NodeId, Placement, Rank, SlotId, Slots};
use rankfold_machine::Machine;

impl Constraints {
    /// The slots beside those that ranks stay in.
    pub(crate) fn gaps(&self, slots: &Slots) -> Option<Gaps> {
        let all = (0..self.seats.len()).map(Rank::at);
        let pins = all.filter_map(|rank| Some((rank, self.pin(rank)?)));
        Gaps::beside(pins, &self.sizes, slots)
    }

    /// The placement that has ranks on these nodes, each on as many slots in a row as it takes, in
    /// the order of `key` where no rank stays in a slot; `None` where they do not fit.
    pub(crate) fn in_slots<K: Ord>(
        &self,
        nodes: &[NodeId],
        slots: &Slots,
        key: impl Fn(Rank) -> K,
    ) -> Option<Placement> {
        let gaps = self.gaps(slots)?;
        let all = (0..nodes.len()).map(Rank::at);
        let mut slot_of: Vec<SlotId> = all
            .clone()
            .map(|it| self.pin(it).unwrap_or(SlotId(0)))
            .collect();
        let mut order: Vec<Rank> = all.filter(|&rank| !self.seats(rank)).collect();
        order.sort_by_key(|&rank| (nodes[rank.index()], key(rank)));
        for ranks in order.chunk_by(|a, b| nodes[a.index()] == nodes[b.index()]) {
            let sizes: Vec<u32> = ranks.iter().map(|&rank| self.sizes.of(rank)).collect();
            let first = gaps.filled(nodes[ranks[0].index()], &sizes, slots)?;
            for (rank, first) in ranks.iter().zip(first) {
                slot_of[rank.index()] = SlotId(first);
            }
        }
        Some(Placement::new(slot_of))
    }

    /// Any placement that keeps all constraints but moves, where ranks take several slots.
    pub(crate) fn any(&self, ranks: usize, machine: &Machine) -> Placement {
        let nodes = self.filled(ranks, machine, &self.feasible, false);
        let seated = nodes.and_then(|nodes| self.in_slots(&nodes, machine.slots(), |rank| rank));
        seated.expect("seats were found when the constraints were made")
    }

    /// Block order: each host is filled before the next one. Where ranks of several slots do not
    /// fit so, they go where there is room.
    pub(crate) fn block(&self, ranks: usize, machine: &Machine) -> Placement {
        if self.sizes.are_one() {
            return machine.block_order(ranks);
        }
        let slots = machine.slots();
        match self.filled(ranks, machine, &[], true) {
            Some(in_turn) => self.sizes.seated(&in_turn, slots, |rank| rank),
            None => self.any(ranks, machine),
        }
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
        let seat = |rank: usize| Some(seats.get(rank).copied().flatten()?.node(slots));
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
}
