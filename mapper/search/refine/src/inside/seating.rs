//! A seating of the ranks of one node, its cost, and the descent by exchanges.

use super::node::Node;

/// The most passes over all pairs of slots of a node. The descent ends by itself long before.
const MOST_PASSES: usize = 64;
pub(super) const FREE: usize = usize::MAX;

/// What is wrong with a seating; lower is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    /// The ranks by which groups of cores have more than their share, while others have room.
    pub(super) crowded: i64,
    /// Bytes x levels, of which every pair of ranks on the node counts once.
    pub(super) bytes: i128,
}

/// The slot of every rank, and the rank of every slot or [`FREE`].
pub(super) struct Seating<'a> {
    node: &'a Node,
    pub(super) slot_of: Vec<usize>,
    rank_in: Vec<usize>,
    /// The number of ranks in every group of cores.
    counts: Vec<u32>,
}

impl<'a> Seating<'a> {
    pub(super) fn new(node: &'a Node, slot_of: Vec<usize>) -> Self {
        let mut rank_in = vec![FREE; node.slots];
        let mut counts = vec![0; node.quotas.len()];
        for (rank, &slot) in slot_of.iter().enumerate() {
            rank_in[slot] = rank;
            node.groups[slot]
                .iter()
                .for_each(|&group| counts[group] += 1);
        }
        Self {
            node,
            slot_of,
            rank_in,
            counts,
        }
    }

    /// A greedy seating in the slots over which ranks are spread: each in turn gets the rank that
    /// costs least beside the ranks already seated.
    pub(super) fn greedy(node: &'a Node) -> Self {
        let top = |levels: &mut dyn Iterator<Item = u32>| levels.max().unwrap_or(0);
        let pairs = (0..node.slots).flat_map(|a| (0..node.slots).map(move |b| (a, b)));
        let highest = top(&mut pairs.map(|(a, b)| node.between(a, b)));
        let farthest = top(&mut node.to_nic.iter().copied());
        let mut slot_of = vec![FREE; node.ranks.len()];
        for slot in node.spread() {
            let saved = |rank: usize| -> u128 {
                let seated = node.partners[rank]
                    .iter()
                    .filter(|(partner, _)| slot_of[*partner] != FREE);
                let near = u128::from(farthest - node.to_nic[slot]);
                let beside = seated.map(|&(partner, bytes)| {
                    let levels = highest - node.between(slot, slot_of[partner]);
                    u128::from(bytes) * u128::from(levels)
                });
                beside.sum::<u128>() + u128::from(node.outside[rank]) * near
            };
            let waiting = (0..node.ranks.len()).filter(|&rank| slot_of[rank] == FREE);
            let next = waiting.max_by_key(|&rank| (saved(rank), std::cmp::Reverse(rank)));
            slot_of[next.expect("one rank is left a slot")] = slot;
        }
        Self::new(node, slot_of)
    }

    pub(super) fn cost(&self) -> Cost {
        let over = self.counts.iter().zip(&self.node.quotas);
        let bytes = (0..self.slot_of.len()).map(|rank| self.bytes_of(rank, self.slot_of[rank]));
        let outside = (0..self.slot_of.len()).map(|rank| self.to_nic(rank, self.slot_of[rank]));
        Cost {
            crowded: over
                .map(|(count, quota)| i64::from(count.saturating_sub(*quota)))
                .sum(),
            bytes: bytes.sum::<i128>() / 2 + outside.sum::<i128>(),
        }
    }

    /// Exchanges slots while an exchange lowers the cost.
    pub(super) fn descend(&mut self) {
        for _ in 0..MOST_PASSES {
            let mut moved = false;
            for a in 0..self.node.slots {
                for b in a + 1..self.node.slots {
                    if !self.node.stays[a]
                        && !self.node.stays[b]
                        && self.gain(a, b) > Cost::default()
                    {
                        self.exchange(a, b);
                        moved = true;
                    }
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// What is saved if two slots exchange their ranks.
    fn gain(&self, a: usize, b: usize) -> Cost {
        let (of_a, of_b) = (self.rank_in[a], self.rank_in[b]);
        let crowded = match (of_a, of_b) {
            (FREE, FREE) => return Cost::default(),
            (FREE, _) => self.room(b, a),
            (_, FREE) => self.room(a, b),
            _ => 0,
        };
        Cost {
            crowded,
            bytes: self.gain_of(of_a, a, b) + self.gain_of(of_b, b, a),
        }
    }

    /// How many ranks fewer are in groups beyond their share if one moves.
    fn room(&self, from: usize, to: usize) -> i64 {
        let (left, entered) = (&self.node.groups[from], &self.node.groups[to]);
        let differ = left
            .iter()
            .zip(entered)
            .filter(|(left, entered)| left != entered);
        let saved = differ.map(|(&left, &entered)| {
            let (counts, quotas) = (&self.counts, &self.node.quotas);
            i64::from(counts[left] > quotas[left]) - i64::from(counts[entered] >= quotas[entered])
        });
        saved.sum()
    }

    fn gain_of(&self, rank: usize, from: usize, to: usize) -> i128 {
        if rank == FREE {
            return 0;
        }
        let at = |slot| self.bytes_beside(rank, slot, to) + self.to_nic(rank, slot);
        at(from) - at(to)
    }

    /// Bytes x levels between a rank in some slot and its partners, but the one in slot `but`: two
    /// ranks that exchange slots stay as far apart as they were.
    fn bytes_beside(&self, rank: usize, slot: usize, but: usize) -> i128 {
        let partners = self.node.partners[rank].iter();
        let others = partners.filter(|(partner, _)| self.slot_of[*partner] != but);
        others
            .map(|&(partner, bytes)| {
                let levels = self.node.between(slot, self.slot_of[partner]);
                i128::from(bytes) * i128::from(levels)
            })
            .sum()
    }

    fn bytes_of(&self, rank: usize, slot: usize) -> i128 {
        self.bytes_beside(rank, slot, FREE)
    }

    fn to_nic(&self, rank: usize, slot: usize) -> i128 {
        i128::from(self.node.outside[rank]) * i128::from(self.node.to_nic[slot])
    }

    fn exchange(&mut self, a: usize, b: usize) {
        match (self.rank_in[a] == FREE, self.rank_in[b] == FREE) {
            (false, true) => self.count(a, b),
            (true, false) => self.count(b, a),
            _ => {}
        }
        self.rank_in.swap(a, b);
        for slot in [a, b] {
            if self.rank_in[slot] != FREE {
                self.slot_of[self.rank_in[slot]] = slot;
            }
        }
    }
    /// Counts a rank that moves from one slot to another.
    fn count(&mut self, from: usize, to: usize) {
        for &group in &self.node.groups[from] {
            self.counts[group] -= 1;
        }
        for &group in &self.node.groups[to] {
            self.counts[group] += 1;
        }
    }
}
