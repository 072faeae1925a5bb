//! One node: its ranks with the bytes between them, its slots with the levels between them.

use rankfold_base::{CoreId, Rank, SlotId};
use rankfold_machine::Inside;
use rankfold_problem::heuristic::Problem;
use std::collections::HashMap;

/// One node, with its ranks and its slots numbered from 0.
pub(super) struct Node {
    pub(super) ranks: Vec<Rank>,
    /// For every rank its partners on this node, with the bytes of both directions.
    pub(super) partners: Vec<Vec<(usize, u64)>>,
    /// For every rank the bytes between it and ranks of other nodes.
    pub(super) outside: Vec<u64>,
    pub(super) slots: usize,
    /// The slots whose ranks stay in them.
    pub(super) stays: Vec<bool>,
    /// The levels between two slots beyond those between the nearest two, row-major.
    steps: Vec<u32>,
    /// The levels between every slot and the network adapter nearest to it.
    pub(super) to_nic: Vec<u32>,
    /// For every slot the groups of cores that it is in, from the outermost level in. Its core is
    /// the last one.
    pub(super) groups: Vec<Vec<usize>>,
    /// For every group the most ranks in it if ranks are spread over the groups by their cores.
    pub(super) quotas: Vec<u32>,
}

impl Node {
    /// `None` where all seatings are alike.
    pub(super) fn new(
        problem: &Problem<'_>,
        slots: &[SlotId],
        seats: &[Option<Rank>],
    ) -> Option<Self> {
        let (machine, affinity) = (problem.machine, problem.affinity);
        let inside = machine.inside(machine.slots().node_of(*slots.first()?))?;
        let ranks: Vec<Rank> = seats.iter().copied().flatten().collect();
        let number: HashMap<Rank, usize> = ranks.iter().copied().zip(0..).collect();
        let mut partners = vec![Vec::new(); ranks.len()];
        let mut outside = vec![0; ranks.len()];
        for (own, &rank) in ranks.iter().enumerate() {
            for (partner, bytes) in affinity.partners(rank) {
                match number.get(&partner) {
                    Some(&partner) => partners[own].push((partner, bytes)),
                    None => outside[own] += bytes,
                }
            }
        }
        let is_alike = inside.levels().is_empty() && inside.nics().is_empty();
        let has_room = ranks.len() < slots.len();
        if ranks.is_empty() || is_alike && !has_room {
            return None;
        }
        let cores: Vec<CoreId> = slots.iter().filter_map(|&s| machine.core(s)).collect();
        let between = |a: usize, b: usize| inside.steps(cores[a], cores[b]);
        let pairs = (0..cores.len()).flat_map(|a| (0..cores.len()).map(move |b| (a, b)));
        let apart = pairs.clone().filter(|(a, b)| a != b);
        let least = apart.map(|(a, b)| between(a, b)).min().unwrap_or(0);
        let (groups, sizes) = groups(inside, &cores);
        Some(Self {
            stays: (seats.iter())
                .map(|rank| rank.is_some_and(|rank| problem.constraints.seats(rank)))
                .collect(),
            slots: slots.len(),
            steps: pairs
                .map(|(a, b)| between(a, b).saturating_sub(least))
                .collect(),
            to_nic: slots
                .iter()
                .map(|&slot| machine.steps_to_nic(slot))
                .collect(),
            quotas: sizes
                .into_iter()
                .map(|size| (ranks.len() as u32 * size).div_ceil(inside.cores()))
                .collect(),
            groups,
            ranks,
            partners,
            outside,
        })
    }

    /// The levels between two different slots beyond those between the nearest two.
    pub(super) fn between(&self, a: usize, b: usize) -> u32 {
        self.steps[a * self.slots + b]
    }

    /// Whether a rank stays in its slot.
    pub(super) fn has_fixed(&self) -> bool {
        self.stays.contains(&true)
    }

    /// Slots for all ranks, spread over the groups by their cores.
    pub(super) fn spread(&self) -> Vec<usize> {
        let mut counts = vec![0; self.quotas.len()];
        let mut taken = Vec::new();
        let mut left: Vec<usize> = (0..self.slots).collect();
        while taken.len() < self.ranks.len() {
            let over = |slot: &usize| {
                let groups = self.groups[*slot].iter();
                groups
                    .filter(|group| counts[**group] >= self.quotas[**group])
                    .count()
            };
            let least = (0..left.len()).min_by_key(|&at| over(&left[at]));
            let slot = left.remove(least.expect("the ranks fit"));
            self.groups[slot]
                .iter()
                .for_each(|&group| counts[group] += 1);
            taken.push(slot);
        }
        taken.sort_unstable();
        taken
    }
}

/// For every slot the groups that its first core is in, numbered over all levels, and the number of
/// cores of every group.
fn groups(inside: &Inside, cores: &[CoreId]) -> (Vec<Vec<usize>>, Vec<u32>) {
    let levels = inside.levels().iter().map(|level| level.cores.clone());
    let singles = vec![1; inside.cores() as usize];
    let mut firsts = Vec::new();
    let mut sizes = Vec::new();
    for level in levels.chain([singles]) {
        firsts.push(sizes.len());
        sizes.extend(level);
    }
    let of = |&core: &CoreId| {
        let within = inside.groups(core).chain([core.0]);
        let numbered = firsts.iter().zip(within);
        numbered
            .map(|(first, group)| first + group as usize)
            .collect()
    };
    (cores.iter().map(of).collect(), sizes)
}
