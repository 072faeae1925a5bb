//! Phases: parts of a program that follow each other in time. A link that is busy in one phase may
//! be idle in the next.

use super::{CommGraph, Counted, Exchanges};
use crate::rows::{Rows, rows};
use crate::{Declared, KnownTurns, ToItself};
use rankfold_base::Rank;

impl CommGraph {
    /// Sets the phases of the program, as graphs over the same ranks. Traffic that belongs to no
    /// given phase becomes a phase of its own. Phases without bytes between different ranks are
    /// dropped.
    ///
    /// # Panics
    /// A phase has another number of ranks.
    #[must_use]
    pub fn in_phases(mut self, mut phases: Vec<Self>) -> Self {
        assert!(
            phases.iter().all(|phase| phase.ranks() == self.ranks()),
            "phases of one program have the same ranks"
        );
        phases.push(self.without(&phases));
        phases.retain(|phase| phase.pairs() > 0);
        self.phases = phases;
        self
    }

    /// The phases; empty if they are not known.
    #[must_use]
    pub fn phases(&self) -> &[Self] {
        &self.phases
    }

    /// The receivers of `rows`, which are some of this graph, in the order in which ranks send to
    /// them.
    fn ordered_receivers(&self, rows: &Rows) -> Option<Vec<u32>> {
        let mut ordered = Vec::with_capacity(rows.nnz());
        for rank in (0..self.ranks()).map(Rank::at) {
            let kept = |to: &Rank| rows.get(rank.index(), to.index()).is_some();
            ordered.extend(self.partner_order(rank)?.filter(kept).map(|to| to.0));
        }
        Some(ordered)
    }

    /// The traffic that is in none of `phases`.
    fn without(&self, phases: &[Self]) -> Self {
        let rest = |from: usize| {
            let from = Rank::at(from);
            let sent = self.sent_with_messages(from);
            sent.filter_map(move |(to, bytes, messages)| {
                let taken: u64 = phases.iter().map(|phase| phase.bytes(from, to)).sum();
                let left = bytes.saturating_sub(taken);
                let share = left as f64 / bytes.max(1) as f64;
                (left > 0).then_some((to, left, messages * share))
            })
        };
        let ranks = self.ranks();
        let sent = rows(
            ranks,
            |from| rest(from).count(),
            |from, entries| entries.fill(rest(from).map(|(to, bytes, _)| (to.0, bytes))),
        );
        let messages = || {
            (0..ranks)
                .flat_map(rest)
                .map(|(_, _, messages)| messages as f32)
        };
        let counted = self.counted.as_ref().map(|counted| Counted {
            messages: messages().collect(),
            most: counted.most.saturating_sub(
                phases
                    .iter()
                    .map(|phase| phase.most_messages() as u64)
                    .sum(),
            ),
        });
        let exchanges = Exchanges {
            ordered: self.ordered_receivers(&sent),
            under_way: self.exchanges.under_way.clone(),
            // Which of the turns belong to the rest is not known.
            turns: KnownTurns::NotRecorded,
        };
        Self {
            sent,
            counted,
            exchange: self.exchange,
            exchanges,
            declared: Declared::default(),
            to_itself: ToItself::default(),
            phases: Vec::new(),
            weights: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::samples::{graph, message};
    use rankfold_base::Rank;

    #[test]
    fn what_no_phase_has_is_a_phase_too() {
        let whole = graph(
            3,
            vec![message(0, 1, 10), message(1, 2, 5), message(2, 0, 3)],
        );
        let first = graph(3, vec![message(0, 1, 4), message(1, 2, 5)]);
        let whole = whole.in_phases(vec![first.clone(), graph(3, Vec::new())]);
        let [of_first, rest] = whole.phases() else {
            panic!("{:?}", whole.phases());
        };
        assert_eq!(*of_first, first);
        let left: Vec<_> = rest
            .messages()
            .map(|m| (m.from.0, m.to.0, m.bytes))
            .collect();
        assert_eq!(left, [(0, 1, 6), (2, 0, 3)]);
        let turned = whole.renumbered(&[Rank(2), Rank(1), Rank(0)]);
        assert_eq!(turned.phases()[0].bytes(Rank(2), Rank(1)), 4);
    }
}
