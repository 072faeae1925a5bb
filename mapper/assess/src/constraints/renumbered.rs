//! Constraints of the same ranks under other numbers.

use super::{Budget, Constraints, Group, Rule, Seat, Start};
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
            demand: rule.demand.of(|rank| number[rank.index()]),
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
            ..group.clone()
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
                homes: (0..ranks)
                    .map(|new| budget.homes[original(Rank::at(new)).index()].clone())
                    .collect(),
                begin: placed(&budget.begin),
            }),
            ..Self::default()
        };
        renumbered.index();
        renumbered
    }
}
