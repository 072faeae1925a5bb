//! The slots of a node beside ranks that stay in theirs: runs that other ranks have to fit in.

use super::Sizes;
use rankfold_base::{NodeId, Rank, SlotId, Slots};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

/// A search for a way to fill gaps is given up after so many steps. Chosen by hand; not measured.
const MOST_STEPS: u32 = 100_000;

/// The free slots of the nodes that have pinned ranks, in runs.
pub(crate) struct Gaps(BTreeMap<NodeId, Vec<Range<u32>>>);

impl Gaps {
    /// The gaps beside pinned ranks, each with the first of its slots. `None` where two of them
    /// have a slot in common, or one has slots of two nodes.
    pub(crate) fn beside(
        pins: impl Iterator<Item = (Rank, SlotId)>,
        sizes: &Sizes,
        slots: &Slots,
    ) -> Option<Self> {
        let mut taken = HashSet::new();
        let mut nodes = BTreeSet::new();
        for (rank, first) in pins {
            let (node, end) = (slots.node_of(first), first.0 + sizes.of(rank));
            let is_free = (first.0..end).all(|slot| taken.insert(slot));
            (is_free && end <= slots_of(node, slots).end).then_some(())?;
            nodes.insert(node);
        }
        let runs = |node: NodeId| {
            let mut runs: Vec<Range<u32>> = Vec::new();
            for slot in slots_of(node, slots).filter(|slot| !taken.contains(slot)) {
                match runs.last_mut() {
                    Some(run) if run.end == slot => run.end += 1,
                    _ => runs.push(slot..slot + 1),
                }
            }
            (node, runs)
        };
        Some(Self(nodes.into_iter().map(runs).collect()))
    }

    /// The runs of every node that has pinned ranks.
    pub(crate) fn all(&self) -> impl Iterator<Item = (NodeId, &[Range<u32>])> {
        self.0.iter().map(|(&node, runs)| (node, &runs[..]))
    }

    /// Where ranks of these sizes go on a node: the first slot of each, which begins as many free
    /// slots as the rank takes. `None` where no way was found.
    pub(crate) fn filled(&self, node: NodeId, sizes: &[u32], slots: &Slots) -> Option<Vec<u32>> {
        let whole = [slots_of(node, slots)];
        let mut runs = self
            .0
            .get(&node)
            .map_or(&whole[..], |runs| &runs[..])
            .to_vec();
        if runs.len() < 2 {
            let mut next = runs.first().map_or(0, |run| run.start);
            let end = runs.first().map_or(0, |run| run.end);
            let first = sizes.iter().map(|size| {
                next += size;
                next - size
            });
            let first = first.collect();
            return (next <= end).then_some(first);
        }
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&number| Reverse(sizes[number]));
        let mut first = vec![0; sizes.len()];
        let mut steps = MOST_STEPS;
        fill(&order, sizes, &mut runs, &mut first, &mut steps).then_some(first)
    }
}

/// The slots of a node.
pub(super) fn slots_of(node: NodeId, slots: &Slots) -> Range<u32> {
    let mut all = slots.on(node);
    let first = all.next().map_or(0, |slot| slot.0);
    first..first + slots.capacity(node)
}

fn fill(
    order: &[usize],
    sizes: &[u32],
    runs: &mut [Range<u32>],
    first: &mut [u32],
    steps: &mut u32,
) -> bool {
    let Some((&number, others)) = order.split_first() else {
        return true;
    };
    let size = sizes[number];
    for run in 0..runs.len() {
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        if (runs[run].len() as u32) < size {
            continue;
        }
        first[number] = runs[run].start;
        runs[run].start += size;
        if fill(others, sizes, runs, first, steps) {
            return true;
        }
        runs[run].start -= size;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_fill_the_runs_beside_those_that_stay() {
        let slots = Slots::new(&[10, 4]);
        let sizes = Sizes::new(vec![2, 1, 1], "w");
        let gaps = |pins: &[(u32, u32)]| {
            let pins = pins.iter().map(|&(rank, slot)| (Rank(rank), SlotId(slot)));
            Gaps::beside(pins, &sizes, &slots)
        };
        let both = gaps(&[(0, 3), (1, 8)]).unwrap();
        let filled = |sizes: &[u32]| both.filled(NodeId(0), sizes, &slots);
        assert_eq!(filled(&[1, 3, 2, 1]), Some(vec![7, 0, 5, 9]));
        assert_eq!(filled(&[2, 2, 2]), None);
        assert_eq!(both.filled(NodeId(1), &[1, 3], &slots), Some(vec![10, 11]));
        assert!(gaps(&[(0, 3), (1, 4)]).is_none(), "one slot twice");
        assert!(gaps(&[(0, 9)]).is_none(), "slots of two nodes");
    }
}
