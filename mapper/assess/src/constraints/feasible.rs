//! Whether any placement keeps all constraints; and if none does, which of them contradict each
//! other.

use super::blocks::{Blocks, Outcome};
use super::put_back::Repair;
use super::{Budget, Constraints, Demand, Group, Infeasible, Rule, Seat, Sizes, Start, moved};
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Machine;

/// Of at most so many rules that contradict each other, those are found that do so by themselves.
const MOST_TRIED: usize = 64;

/// The most rules that an error names.
const MOST_NAMED: usize = 8;

impl Constraints {
    /// The constraints of a job of `ranks` ranks, which fit the machine.
    ///
    /// # Errors
    /// [`Infeasible`], which names the rules that contradict each other.
    pub fn new(
        ranks: usize,
        machine: &Machine,
        rules: Vec<Rule>,
        start: Option<Start>,
    ) -> Result<Self, Infeasible> {
        Self::sized(ranks, machine, rules, start, Sizes::default())
    }

    /// The same for ranks that take so many slots, each all of its slots on one node.
    ///
    /// # Errors
    /// [`Infeasible`], which names the rules that contradict each other, or the ranks that do not
    /// fit.
    pub fn sized(
        ranks: usize,
        machine: &Machine,
        rules: Vec<Rule>,
        start: Option<Start>,
        sizes: Sizes,
    ) -> Result<Self, Infeasible> {
        rules
            .iter()
            .try_for_each(|rule| check(rule, ranks, machine))?;
        sizes.check(ranks, machine, &rules, start.as_ref())?;
        let mut seats = vec![None; ranks];
        let mut groups = Vec::new();
        for rule in &rules {
            let (members, is_together) = match &rule.demand {
                // A slot says more than its node.
                Demand::Stay(rank, seat) => {
                    let known = &mut seats[rank.index()];
                    if !matches!(known, Some(Seat::Slot(_))) {
                        *known = Some(*seat);
                    }
                    continue;
                }
                Demand::Together(ranks) => (ranks, true),
                Demand::Apart(ranks) => (ranks, false),
            };
            groups.push(Group {
                ranks: members.clone(),
                is_together,
            });
        }
        let mut all = Self {
            rules,
            seats,
            groups,
            sizes,
            ..Self::default()
        };
        all.index();
        let near = start.as_ref().map(|start| &start.placement);
        let nodes = all.seated(ranks, machine, near.filter(|near| near.ranks() == ranks))?;
        if let Some(start) = start {
            let mapped = start.placement.ranks();
            if mapped != ranks {
                return Err(Infeasible::OtherRanks {
                    origin: start.origin,
                    mapped,
                    ranks,
                });
            }
            let begin = Repair::new(machine, None, &nodes, start.placement.clone()).put_back();
            let needed = moved(&start.placement, &begin);
            if needed > start.moves {
                let (origin, moves) = (start.origin, start.moves);
                return Err(Infeasible::TooFewMoves {
                    origin,
                    needed,
                    moves,
                });
            }
            all.budget = Some(Budget { start, begin });
        }
        if !all.groups.is_empty() || !all.sizes.are_one() {
            all.feasible = nodes;
        }
        Ok(all)
    }

    /// Searches seats that keep all rules, for the ranks that rules name.
    fn seated(
        &self,
        ranks: usize,
        machine: &Machine,
        near: Option<&Placement>,
    ) -> Result<Vec<Option<Seat>>, Infeasible> {
        let demands: Vec<&Demand> = self.rules.iter().map(|rule| &rule.demand).collect();
        let Some(blocks) = Blocks::new(machine, &demands, &self.sizes) else {
            return Err(self.conflict(machine));
        };
        match blocks.seated(near, near.is_some()) {
            Outcome::Found(nodes) => Ok(self.targets(ranks, &blocks, &nodes)),
            Outcome::Impossible => Err(self.conflict(machine)),
            Outcome::Unknown if !self.sizes.are_one() => {
                Err(self
                    .sizes
                    .left_over(ranks, machine, "no way was found to share the hosts"))
            }
            Outcome::Unknown => Err(Infeasible::NotFound {
                rules: named(&self.rules, machine),
            }),
        }
    }

    fn targets(&self, ranks: usize, blocks: &Blocks<'_>, nodes: &[NodeId]) -> Vec<Option<Seat>> {
        let mut targets = vec![None; ranks];
        for (block, &node) in blocks.all.iter().zip(nodes) {
            for rank in &block.ranks {
                let own = self.seats.get(rank.index()).copied().flatten();
                targets[rank.index()] = Some(own.unwrap_or(Seat::Node(node)));
            }
        }
        targets
    }

    /// The rules that contradict each other, and none too many.
    fn conflict(&self, machine: &Machine) -> Infeasible {
        let mut rules: Vec<&Rule> = self.rules.iter().collect();
        let contradict = |rules: &[&Rule], sizes: &Sizes| {
            let demands: Vec<&Demand> = rules.iter().map(|rule| &rule.demand).collect();
            let blocks = Blocks::new(machine, &demands, sizes);
            blocks.is_none_or(|it| matches!(it.seated(None, false), Outcome::Impossible))
        };
        if !self.sizes.are_one() && !contradict(&rules, &Sizes::default()) {
            let crowded = |sizes: &Sizes| contradict(&rules, sizes);
            return self.sizes.crowded(machine, &self.rules, &crowded);
        }
        let contradict = |rules: &[&Rule]| contradict(rules, &Sizes::default());
        let mut part = rules.len().div_ceil(2);
        while part > 0 && (part > 1 || rules.len() <= MOST_TRIED) {
            let mut first = 0;
            while first < rules.len() && rules.len() > 1 {
                let end = (first + part).min(rules.len());
                let rest = [&rules[..first], &rules[end..]].concat();
                if !rest.is_empty() && contradict(&rest) {
                    rules = rest;
                } else {
                    first = end;
                }
            }
            part = if part == 1 { 0 } else { part.div_ceil(2) };
        }
        let rules: Vec<Rule> = rules.into_iter().cloned().collect();
        Infeasible::Conflict {
            rules: named(&rules, machine),
        }
    }

    /// Searches such seats near to those of a placement. Returns `None` where the search is too
    /// long.
    pub(super) fn seated_near(
        &self,
        machine: &Machine,
        placement: &Placement,
    ) -> Option<Vec<Option<Seat>>> {
        let demands: Vec<&Demand> = self.rules.iter().map(|rule| &rule.demand).collect();
        let blocks = Blocks::new(machine, &demands, &self.sizes)?;
        match blocks.seated(Some(placement), false) {
            Outcome::Found(nodes) => Some(self.targets(placement.ranks(), &blocks, &nodes)),
            _ => None,
        }
    }
}

/// Checks a rule by itself.
fn check(rule: &Rule, ranks: usize, machine: &Machine) -> Result<(), Infeasible> {
    let origin = || rule.origin.clone();
    let mut all = rule.demand.ranks().iter();
    if let Some(&Rank(rank)) = all.find(|rank| rank.index() >= ranks) {
        return Err(Infeasible::NoSuchRank {
            origin: origin(),
            rank,
            ranks,
        });
    }
    let slots = machine.slots();
    let is_there = |seat: &Seat| match seat {
        Seat::Node(node) => node.index() < slots.nodes() && slots.capacity(*node) > 0,
        Seat::Slot(slot) => slot.index() < slots.len(),
    };
    match &rule.demand {
        Demand::Stay(rank, seat) if !is_there(seat) => Err(Infeasible::NoSuchSeat {
            origin: origin(),
            rank: rank.0,
        }),
        _ => Ok(()),
    }
}

/// Rules in words, and how many more there are.
fn named(rules: &[Rule], machine: &Machine) -> Vec<String> {
    let mut words: Vec<String> = rules
        .iter()
        .take(MOST_NAMED)
        .map(|rule| rule.in_words(machine))
        .collect();
    if rules.len() > MOST_NAMED {
        words.push(format!("{} more", rules.len() - MOST_NAMED));
    }
    words
}
