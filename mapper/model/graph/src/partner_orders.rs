//! The order in which each rank sends to its partners.

/// For each rank the receivers of its messages, in the order in which it sends to them. The list of
/// a rank may lack receivers: these come after all others, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartnerOrders {
    /// End of each rank's list in `receivers`.
    ends: Vec<usize>,
    receivers: Vec<u32>,
}

impl PartnerOrders {
    /// Adds the list of the next rank.
    pub fn push(&mut self, receivers: &[u32]) {
        self.receivers.extend(receivers);
        self.ends.push(self.receivers.len());
    }

    /// Whether no list names a receiver.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.receivers.is_empty()
    }

    /// The list of a rank; empty for a rank beyond the last list.
    #[must_use]
    pub fn of(&self, rank: usize) -> &[u32] {
        let end = |rank: usize| self.ends.get(rank).copied();
        let start = rank.checked_sub(1).map_or(Some(0), end);
        match (start, end(rank)) {
            (Some(start), Some(end)) => &self.receivers[start..end],
            _ => &[],
        }
    }

    /// `all`, which are receivers of `rank` in ascending order, in the order in which the rank
    /// sends to them.
    pub(super) fn arranged(&self, rank: usize, all: &[u32]) -> Vec<u32> {
        let listed = self.of(rank);
        let mut known = listed.to_vec();
        known.sort_unstable();
        let first = listed.iter().filter(|to| all.binary_search(to).is_ok());
        let rest = all.iter().filter(|to| known.binary_search(to).is_err());
        first.chain(rest).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_without_a_place_come_last_and_strangers_are_left_out() {
        let mut orders = PartnerOrders::default();
        orders.push(&[]);
        orders.push(&[7, 2, 9, 4]);
        assert_eq!(orders.arranged(1, &[1, 2, 4, 5, 7]), [7, 2, 4, 1, 5]);
        assert_eq!(orders.arranged(0, &[3, 8]), [3, 8]);
        assert_eq!(orders.arranged(2, &[3, 8]), [3, 8]);
        assert!(!orders.is_empty() && PartnerOrders::default().is_empty());
    }
}
