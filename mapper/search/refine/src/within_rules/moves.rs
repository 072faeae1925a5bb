//! Which slots change their ranks in one exchange: the ranks that share a host go as a whole, on
//! both sides.

use super::walk::Walk;
use rand::RngExt;
use rand::seq::SliceRandom;
use rankfold_base::{NodeId, Rank, SlotId};

/// One exchange in so many goes anywhere; the others go near the rank or near a partner.
const ANYWHERE: u32 = 4;

/// One exchange in so many is of all ranks of two nodes.
const WHOLE_NODE: u32 = 32;

impl Walk<'_> {
    /// Draws pairs of slots on two nodes that change their ranks; `None` if the drawn exchange is
    /// not possible.
    pub(super) fn draw(&mut self) -> Option<Vec<(SlotId, SlotId)>> {
        let rank = self.drawn_rank()?;
        let (here, there) = (self.seating.node(rank), self.drawn_node(rank)?);
        let (slots, constraints) = (self.problem.machine.slots(), self.problem.constraints);
        let room = slots.capacity(there);
        if constraints.stays(rank) || here == there || room == 0 {
            return None;
        }
        let ours = self.unit(self.seating.slot(rank));
        let slot = slots
            .on(there)
            .nth(self.random.random_range(0..room as usize))?;
        let theirs = self.unit(slot);
        let most = room.min(slots.capacity(here)) as usize;
        let is_whole = most > 1 && self.random.random_range(0..WHOLE_NODE) == 0;
        let count = if is_whole {
            most
        } else {
            ours.len().max(theirs.len())
        };
        let ours = self.filled(here, ours, count)?;
        let theirs = self.filled(there, theirs, count)?;
        Some(ours.into_iter().zip(theirs).collect())
    }

    /// A rank; where no further rank may leave the placement to begin from, often one that has.
    fn drawn_rank(&mut self) -> Option<Rank> {
        if self.left.is_full() && self.random.random() {
            let left = self.left.ranks();
            return (!left.is_empty()).then(|| left[self.random.random_range(0..left.len())]);
        }
        Some(Rank::at(
            self.random.random_range(0..self.problem.graph.ranks()),
        ))
    }

    fn drawn_node(&mut self, rank: Rank) -> Option<NodeId> {
        let slots = self.problem.machine.slots();
        if self.random.random_range(0..ANYWHERE) == 0 {
            let slot = SlotId::at(self.random.random_range(0..slots.len()));
            return Some(slots.node_of(slot));
        }
        let partners = self.problem.affinity.degree(rank);
        let centre = if partners > 0 && self.random.random() {
            let number = self.random.random_range(0..partners);
            let (partner, _) = self.problem.affinity.partners(rank).nth(number)?;
            self.seating.node(partner)
        } else {
            self.seating.node(rank)
        };
        if self.random.random() {
            return Some(centre);
        }
        Some(NodeId(self.nearby.draw(centre.0, &mut self.random)))
    }

    /// A slot, with those of all ranks that share the host with the slot's rank.
    fn unit(&self, slot: SlotId) -> Vec<SlotId> {
        let mut ranks: Vec<Rank> = self.seating.rank(slot).into_iter().collect();
        let mut next = 0;
        while let Some(&rank) = ranks.get(next) {
            for companion in self.problem.constraints.companions(rank) {
                if !ranks.contains(&companion) {
                    ranks.push(companion);
                }
            }
            next += 1;
        }
        if ranks.is_empty() {
            return vec![slot];
        }
        ranks
            .into_iter()
            .map(|rank| self.seating.slot(rank))
            .collect()
    }

    /// So many slots of a node, with these among them; `None` where ranks that stay or that share
    /// a host do not let that be.
    fn filled(&mut self, node: NodeId, mut some: Vec<SlotId>, count: usize) -> Option<Vec<SlotId>> {
        if some.len() < count {
            let mut all: Vec<SlotId> = self.problem.machine.slots().on(node).collect();
            all.shuffle(&mut self.random);
            for slot in all {
                if some.len() < count && !some.contains(&slot) {
                    let unit = self.unit(slot);
                    if some.len() + unit.len() <= count {
                        some.extend(unit);
                    }
                }
            }
        }
        (some.len() == count).then_some(some)
    }
}
