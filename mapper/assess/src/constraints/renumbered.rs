//! Constraints of the same ranks under other numbers.

use super::{Budget, Constraints, Demand, Group, Rule, Seat, Start};
use rankfold_base::{Placement, Rank};

impl Constraints {
    /// The same ranks under other numbers: the rank `original(n)` is called `n` from now on.
    #[must_use]
    pub fn renumbered(&self, original: impl Fn(Rank) -> Rank) -> Self {
        if self.is_empty() {
            return self.clone();
        }
        let ranks = match &self.budget {
            Some(budget) => budget.begin.ranks(),
            None => self.held.len(),
        };
        let mut number = vec![Rank(0); ranks];
        for new in (0..ranks).map(Rank::at) {
            number[original(new).index()] = new;
        }
        let all = |ranks: &[Rank]| ranks.iter().map(|rank| number[rank.index()]).collect();
        let placed = |placement: &Placement| {
            let slots = (0..ranks).map(|new| placement.slot(original(Rank::at(new))));
            Placement::new(slots.collect())
        };
        let rule = |rule: &Rule| Rule {
            demand: match &rule.demand {
                Demand::Stay(rank, seat) => Demand::Stay(number[rank.index()], *seat),
                Demand::Together(ranks) => Demand::Together(all(ranks)),
                Demand::Apart(ranks) => Demand::Apart(all(ranks)),
            },
            origin: rule.origin.clone(),
        };
        let seated = |by_rank: &[Option<Seat>]| {
            let seat = |new| {
                by_rank
                    .get(original(Rank::at(new)).index())
                    .copied()
                    .flatten()
            };
            (0..ranks).map(seat).collect::<Vec<_>>()
        };
        let group = |group: &Group| Group {
            ranks: all(&group.ranks),
            ..*group
        };
        let mut renumbered = Self {
            rules: self.rules.iter().map(rule).collect(),
            seats: seated(&self.seats),
            feasible: seated(&self.feasible),
            groups: self.groups.iter().map(group).collect(),
            budget: self.budget.as_ref().map(|budget| Budget {
                start: Start {
                    placement: placed(&budget.start.placement),
                    ..budget.start.clone()
                },
                begin: placed(&budget.begin),
            }),
            ..Self::default()
        };
        renumbered.index();
        renumbered
    }
}
