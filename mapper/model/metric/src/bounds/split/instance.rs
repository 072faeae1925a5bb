//! Bytes between ranks and hops between slots, as matrices of the same order.

use rankfold_base::{NodeId, Rank};
use rankfold_graph::Affinity;
use rankfold_machine::Machine;

/// The sum of all bytes is at most 2 to this power, in units: products with hops and slots then fit
/// the exact arithmetic of [`WholeSplit`](super::WholeSplit).
const BITS: i32 = 44;

/// Ranks and slots; a free slot is a rank without bytes.
pub(super) struct Instance {
    pub(super) slots: usize,
    /// A byte is 2 to this power units. If it is negative, bytes are rounded down to units.
    pub(super) unit: i32,
    /// Units between ranks, both directions added; row-major.
    pub(super) units: Vec<i64>,
    /// Hops between slots; row-major.
    pub(super) hops: Vec<i64>,
    /// For every slot, its hops to all others, ascending; row-major, one entry less than slots.
    pub(super) nearest: Vec<i64>,
    /// For every slot, the sum of its hops.
    pub(super) row_sums: Vec<i64>,
    /// Whether all slots have the same `nearest` and the same row sum.
    pub(super) is_alike: bool,
    /// The least perimeter of three slots.
    pub(super) perimeter: i64,
}

impl Instance {
    /// With the hops of the machine for distances; `None` where [`Self::with_distances`] has none.
    pub(super) fn new(affinity: &Affinity, machine: &Machine) -> Option<Self> {
        let distances = machine.topology().distances();
        Self::with_distances(affinity, machine, |a, b| i64::from(distances.hops(a, b)))
    }

    /// With other distances between nodes, in which no way over a third node is shorter. `None`
    /// where there are too many slots, or too few for a triple; where the way back is of another
    /// length; and where nobody sends anything.
    pub(super) fn with_distances(
        affinity: &Affinity,
        machine: &Machine,
        distance: impl Fn(NodeId, NodeId) -> i64,
    ) -> Option<Self> {
        let all = (0..machine.slots().nodes()).map(NodeId::at);
        let seats = |node| {
            let capacity = machine.slots().capacity(node) as usize;
            std::iter::repeat_n(node, capacity)
        };
        if !(3..=super::MOST_SPLIT_SLOTS).contains(&machine.slots().len()) {
            return None;
        }
        let nodes: Vec<NodeId> = all.flat_map(seats).collect();
        let slots = nodes.len();
        let pairs = || {
            nodes
                .iter()
                .flat_map(|&a| nodes.iter().map(move |&b| (a, b)))
        };
        let hops: Vec<i64> = pairs().map(|(a, b)| distance(a, b)).collect();
        let is_symmetric =
            (0..slots).all(|a| (0..a).all(|b| hops[a * slots + b] == hops[b * slots + a]));
        let (units, unit) = units(affinity, slots)?;
        is_symmetric.then(|| Self::of_matrices(slots, unit, units, hops))
    }

    fn of_matrices(slots: usize, unit: i32, units: Vec<i64>, hops: Vec<i64>) -> Self {
        let rows = || hops.chunks(slots);
        let ascending = |(own, row): (usize, &[i64])| {
            let mut others = row.to_vec();
            others.remove(own);
            others.sort_unstable();
            others
        };
        let nearest: Vec<i64> = rows().enumerate().flat_map(ascending).collect();
        let first = &nearest[..slots - 1];
        Self {
            slots,
            unit,
            row_sums: rows().map(|row| row.iter().sum()).collect(),
            is_alike: nearest.chunks(slots - 1).all(|row| row == first),
            perimeter: least_perimeter(&hops, slots),
            units,
            hops,
            nearest,
        }
    }

    /// The hops from a slot to all others, ascending.
    pub(super) fn nearest(&self, slot: usize) -> &[i64] {
        &self.nearest[slot * (self.slots - 1)..][..self.slots - 1]
    }

    /// The slots whose stars differ: all of them, or the first one for all.
    pub(super) fn centres(&self) -> std::ops::Range<usize> {
        0..if self.is_alike { 1 } else { self.slots }
    }
}

/// The bytes between ranks in units, and the unit. `None` where nobody sends anything, or there are
/// too many bytes to add up.
fn units(affinity: &Affinity, slots: usize) -> Option<(Vec<i64>, i32)> {
    let ranks = || (0..affinity.ranks()).map(Rank::at);
    let pairs = || ranks().flat_map(|rank| affinity.partners(rank).map(move |it| (rank, it)));
    let bytes: u128 = pairs().map(|(_, (_, bytes))| u128::from(bytes)).sum();
    if bytes == 0 || affinity.ranks() > slots {
        return None;
    }
    let unit = BITS - i32::try_from(u128::BITS - bytes.leading_zeros()).ok()?;
    let mut units = vec![0; slots * slots];
    for (rank, (partner, bytes)) in pairs().filter(|(rank, (partner, _))| rank != partner) {
        let scaled = match unit {
            0.. => bytes << unit,
            _ => bytes >> -unit,
        };
        units[rank.index() * slots + partner.index()] = i64::try_from(scaled).ok()?;
    }
    Some((units, unit))
}

/// The least sum of the three distances among three slots.
fn least_perimeter(hops: &[i64], slots: usize) -> i64 {
    let mut least = i64::MAX;
    for a in 0..slots {
        for b in 0..a {
            let side = hops[a * slots + b];
            // The two other sides are together at least as long as this one.
            if 2 * side >= least {
                continue;
            }
            let others = (0..b).map(|c| hops[a * slots + c] + hops[b * slots + c]);
            least = least.min(others.min().map_or(i64::MAX, |others| others + side));
        }
    }
    least
}
