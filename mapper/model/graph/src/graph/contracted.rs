//! Groups of ranks as the ranks of a smaller graph.

use crate::CommGraph;
use crate::{Entry, Result, Traffic};
use rankfold_base::Rank;

impl CommGraph {
    /// The graph between groups of ranks, with its phases: `group` has the group of every rank.
    /// Messages inside a group, declarations and the order of partners are dropped.
    ///
    /// # Panics
    /// `group` has another length than the graph has ranks.
    #[must_use]
    pub fn contracted(&self, group: &[u32]) -> Self {
        assert_eq!(group.len(), self.ranks(), "every rank has a group");
        let groups = group.iter().max().map_or(1, |&most| most as usize + 1);
        self.between(group, groups)
    }

    /// The graph of `ranks` ranks in which rank r is called `number[r]`, with these messages
    /// besides. No two ranks have one number. Declarations and the order of partners are dropped.
    ///
    /// # Errors
    /// All bytes together are more than a graph holds.
    pub fn among(&self, number: &[u32], ranks: usize, besides: &[Entry]) -> Result<Self> {
        let graph = self.between(number, ranks);
        if besides.is_empty() {
            return Ok(graph);
        }
        let counts = graph.counts_messages();
        let all = (0..ranks).map(Rank::at).flat_map(|from| {
            let sent = graph.sent_with_messages(from);
            sent.map(move |(to, bytes, messages)| Entry {
                from,
                to,
                bytes,
                messages: if counts { messages.round() as u64 } else { 0 },
            })
        });
        let all = Traffic::from_entries(ranks, all.chain(besides.iter().copied()))?.into_graph()?;
        Ok(Self {
            exchange: self.exchange,
            ..all
        })
    }

    fn between(&self, group: &[u32], groups: usize) -> Self {
        let counts = self.counts_messages();
        let sent = |from: Rank| {
            let entries = self.sent_with_messages(from);
            entries.map(move |(to, bytes, messages)| Entry {
                from: Rank(group[from.index()]),
                to: Rank(group[to.index()]),
                bytes,
                messages: if counts { messages.round() as u64 } else { 0 },
            })
        };
        let entries = (0..self.ranks()).map(Rank::at).flat_map(sent);
        let crossing = entries.filter(|entry| entry.from != entry.to);
        let graph = Traffic::from_entries(groups, crossing).and_then(Traffic::into_graph);
        let graph = graph.expect("sums of a graph's bytes fit like the graph");
        let phases = self.phases.iter();
        Self {
            exchange: self.exchange,
            phases: phases.map(|phase| phase.between(group, groups)).collect(),
            ..graph
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::samples::{graph, message};

    #[test]
    fn bytes_between_groups_add_up_and_bytes_inside_are_dropped() {
        let messages = [(0, 1, 9), (0, 2, 1), (1, 3, 2), (3, 0, 4), (4, 5, 3)];
        let messages = messages.map(|(from, to, bytes)| message(from, to, bytes));
        let first = graph(6, messages[..2].to_vec());
        let whole = graph(6, messages.to_vec()).in_phases(vec![first]);
        let whole = whole.with_exchange(0.5).contracted(&[0, 0, 1, 1, 2, 2]);
        let pairs = |graph: &super::CommGraph| graph.messages().collect::<Vec<_>>();
        assert_eq!(pairs(&whole), [message(0, 1, 3), message(1, 0, 4)]);
        assert_eq!((whole.ranks(), whole.exchange()), (3, 0.5));
        let phases: Vec<_> = whole.phases().iter().map(pairs).collect();
        let rest = vec![message(0, 1, 2), message(1, 0, 4)];
        assert_eq!(phases, [vec![message(0, 1, 1)], rest]);
    }
}
