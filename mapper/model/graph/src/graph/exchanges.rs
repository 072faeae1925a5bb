//! How a program goes through its exchanges: in which order a rank sends to its partners, how many
//! messages it has under way at once, and how often it exchanges messages with them.

use crate::rows::row;
use crate::{CommGraph, KnownTurns, ProgramTurns};
use rankfold_base::Rank;

/// What a source says of the exchanges of a program.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Exchanges {
    /// The receivers of every rank in the order in which the rank sends to them: the rows of the
    /// graph, each in another order. `None` if the order is not known.
    pub(super) ordered: Option<Vec<u32>>,
    /// For each rank the mean number of messages in a burst, weighted by bytes; 0 for a rank that
    /// gives no information. Empty if not known.
    pub(super) under_way: Vec<f32>,
    /// The turns of all ranks.
    pub(super) turns: KnownTurns,
}

impl Exchanges {
    /// The same with rank `order[r]` renamed to r. `numbers` holds the new number of every old
    /// rank, and `old_row` the range of an old rank's row.
    pub(super) fn renumbered(
        &self,
        order: &[Rank],
        numbers: &[u32],
        old_row: impl Fn(usize) -> std::ops::Range<usize>,
    ) -> Self {
        let ordered = |old: &Vec<u32>| {
            let rows = order.iter().flat_map(|rank| &old[old_row(rank.index())]);
            rows.map(|&to| numbers[to as usize]).collect()
        };
        let under_way = |rank: &Rank| self.under_way.get(rank.index());
        Self {
            ordered: self.ordered.as_ref().map(ordered),
            under_way: order.iter().filter_map(under_way).copied().collect(),
            turns: match &self.turns {
                KnownTurns::Known(turns) => KnownTurns::Known(turns.renumbered(order, numbers)),
                unknown => unknown.clone(),
            },
        }
    }
}

impl CommGraph {
    /// Receivers of `rank`'s bytes in the order in which the rank sends to them in an exchange.
    /// `None` if the source does not tell.
    #[must_use]
    pub fn partner_order(&self, rank: Rank) -> Option<impl Iterator<Item = Rank> + Clone + '_> {
        let row = self.sent.indptr().outer_inds_sz(rank.index());
        let ordered = self.exchanges.ordered.as_ref()?;
        Some(ordered[row].iter().map(|&to| Rank(to)))
    }

    /// Number of messages that `rank` has under way at once: the mean over its bytes, at least 1.
    /// `None` if the source does not tell, or the rank sends nothing.
    #[must_use]
    pub fn under_way(&self, rank: Rank) -> Option<f64> {
        let mean = self.exchanges.under_way.get(rank.index()).copied();
        mean.filter(|&mean| mean >= 1.0).map(f64::from)
    }

    /// What is known of the turns in which ranks exchange messages.
    #[must_use]
    pub fn known_turns(&self) -> &KnownTurns {
        &self.exchanges.turns
    }

    /// Sets what is known of the turns.
    #[must_use]
    pub fn with_turns(mut self, turns: KnownTurns) -> Self {
        self.exchanges.turns = turns;
        self
    }

    /// The turns in which ranks exchange messages, if every exchange has the same.
    #[must_use]
    pub fn turns(&self) -> Option<&ProgramTurns> {
        match &self.exchanges.turns {
            KnownTurns::Known(turns) => Some(turns),
            _ => None,
        }
    }

    /// Number of exchanges, at least 1: how often a rank sends to one of its partners. `None` if
    /// messages were not counted, or no rank sends to another.
    ///
    /// This is a median over all ranks, weighted by their bytes. Each rank contributes the median
    /// of the messages to one partner, weighted by bytes. If a rank has more messages under way at
    /// once than it has partners, it sends several messages to each partner in one exchange, and
    /// its number is divided by that.
    #[must_use]
    pub fn exchanges(&self) -> Option<f64> {
        let counted = self.counted.as_ref()?;
        if let Some(turns) = self.turns() {
            return Some(turns.exchanges);
        }
        let of_rank = |rank: usize| {
            let places = self.sent.indptr().outer_inds_sz(rank);
            let messages = counted.messages[places]
                .iter()
                .map(|&count| f64::from(count));
            let sent = row(&self.sent, rank);
            let mut partners: Vec<(f64, u64)> =
                messages.zip(sent.map(|(_, bytes)| bytes)).collect();
            let bytes = partners.iter().map(|(_, bytes)| bytes).sum();
            let median = weighted_median(&mut partners)?;
            let at_once = self.under_way(Rank::at(rank)).unwrap_or(1.0);
            let to_each = (at_once / partners.len() as f64).max(1.0);
            Some(((median / to_each).max(1.0), bytes))
        };
        weighted_median(&mut (0..self.ranks()).filter_map(of_rank).collect::<Vec<_>>())
    }
}

/// The smallest value that, with all smaller ones, has at least half of the weight; `None` if there
/// is no value.
fn weighted_median(values: &mut [(f64, u64)]) -> Option<f64> {
    values.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
    let total: u128 = values.iter().map(|&(_, weight)| u128::from(weight)).sum();
    let mut sum = 0;
    values.iter().find_map(|&(value, weight)| {
        sum += u128::from(weight);
        (2 * sum >= total).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use crate::{CommGraph, Entry, PartnerOrders, Traffic};
    use rankfold_base::Rank;

    /// The graph of messages: sender, receiver, bytes, number.
    fn traffic(messages: &[(u32, u32, u64, u64)]) -> Traffic {
        let entry = |&(from, to, bytes, messages)| Entry {
            from: Rank(from),
            to: Rank(to),
            bytes,
            messages,
        };
        Traffic::from_entries(4, messages.iter().map(entry)).expect("traffic")
    }

    fn order(graph: &CommGraph, rank: u32) -> Option<Vec<u32>> {
        let order = graph.partner_order(Rank(rank))?;
        Some(order.map(|to| to.0).collect())
    }

    #[test]
    fn a_matrix_alone_tells_neither_order_nor_exchanges() {
        let graph = traffic(&[(0, 1, 10, 0), (1, 0, 10, 0)])
            .into_graph()
            .expect("a graph");
        assert_eq!(order(&graph, 0), None);
        assert_eq!(graph.under_way(Rank(0)), None);
        assert_eq!(graph.exchanges(), None);
    }

    #[test]
    fn the_order_is_kept_through_renumbering_and_for_the_rest_of_phases() {
        let mut orders = PartnerOrders::default();
        orders.push(&[3, 0, 1, 2]);
        orders.push(&[]);
        let all = [
            (0, 0, 5, 1),
            (0, 1, 10, 2),
            (0, 2, 0, 1),
            (0, 3, 10, 2),
            (1, 0, 8, 1),
        ];
        let graph = traffic(&all)
            .with_partner_orders(orders)
            .with_under_way(&[Some(2.0), None]);
        let graph = graph.into_graph().expect("a graph");
        // Rank 2 gets no bytes, and rank 0 itself is no partner.
        assert_eq!(order(&graph, 0), Some(vec![3, 1]));
        assert_eq!(order(&graph, 1), Some(vec![0]));
        assert_eq!(
            (graph.under_way(Rank(0)), graph.under_way(Rank(1))),
            (Some(2.0), None)
        );
        let turned = graph.renumbered(&[Rank(3), Rank(2), Rank(1), Rank(0)]);
        assert_eq!(order(&turned, 3), Some(vec![0, 2]));
        assert_eq!(turned.under_way(Rank(3)), Some(2.0));
        let phase = traffic(&[(0, 3, 4, 1)]).into_graph().expect("a graph");
        let graph = graph.in_phases(vec![phase]);
        assert_eq!(order(&graph.phases()[1], 0), Some(vec![3, 1]));
    }

    #[test]
    fn messages_to_the_partners_that_get_most_bytes_are_the_exchanges() {
        // One partner gets a few long messages once, another many short ones.
        let halo = [
            (0, 1, 9000, 30),
            (0, 2, 9000, 30),
            (0, 3, 900, 1),
            (1, 0, 9000, 30),
            (1, 2, 80, 500),
        ];
        let graph = traffic(&halo).into_graph().expect("a graph");
        assert_eq!(graph.exchanges(), Some(30.0));
    }

    #[test]
    fn several_messages_to_each_partner_at_once_are_one_exchange() {
        let fields = traffic(&[(0, 1, 90, 30), (0, 2, 90, 30)]);
        let exchanges = |under_way| {
            let graph = fields.clone().with_under_way(&[Some(under_way)]);
            graph.into_graph().expect("a graph").exchanges()
        };
        assert_eq!(exchanges(6.0), Some(10.0));
        assert_eq!(exchanges(2.0), Some(30.0));
        assert_eq!(exchanges(1.0), Some(30.0));
    }
}
