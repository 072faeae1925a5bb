//! Whether any placement keeps all constraints; and if none does, which of them contradict each
//! other.

use super::blocks::{Blocks, Outcome};
use super::put_back::Repair;
use super::{Budget, Constraints, Demand, Home, Infeasible, Rule, Seat, Sizes, Start};

use rankfold_base::{NodeId, Placement, Rank, SlotId};
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
        let slots = machine.slots();
        let home = |&slot: &SlotId| {
            if sizes.are_one() {
                return Home::Slot(slot);
            }
            // Ranks of several slots change places within their node.
            Home::on(slots.node_of(slot), slots)
        };
        let start = start.map(|start| {
            let homes = start.placement.slots().iter().map(home).collect();
            (start, homes)
        });
        Self::begun(ranks, machine, rules, start, sizes)
    }

    /// The same from a start with the homes of ranks.
    pub(crate) fn begun(
        ranks: usize,
        machine: &Machine,
        rules: Vec<Rule>,
        start: Option<(Start, Vec<Home>)>,
        sizes: Sizes,
    ) -> Result<Self, Infeasible> {
        rules
            .iter()
            .try_for_each(|rule| check(rule, ranks, machine))?;
        sizes.check(ranks, machine)?;
        let mut all = Self {
            sizes,
            ..Self::of_rules(ranks, rules)
        };
        let near = start.as_ref().map(|(start, _)| &start.placement);
        let nodes = all.seated(ranks, machine, near.filter(|near| near.ranks() == ranks))?;
        if let Some((start, homes)) = start {
            let mapped = start.placement.ranks();
            if mapped != ranks {
                return Err(Infeasible::OtherRanks {
                    origin: start.origin,
                    mapped,
                    ranks,
                });
            }
            let begin = all.beginning(machine, &nodes, &start.placement);
            let budget = Budget {
                start,
                homes,
                begin,
            };
            let (needed, moves) = (budget.moved(&budget.begin), budget.start.moves);
            if needed > moves {
                let origin = budget.start.origin;
                return Err(Infeasible::TooFewMoves {
                    origin,
                    needed,
                    moves,
                });
            }
            all.budget = Some(budget);
        }
        if !all.groups.is_empty() || !all.sizes.are_one() {
            all.feasible = nodes;
        }
        Ok(all)
    }

    /// The placement to begin from with these seats, which as few ranks leave as can be.
    fn beginning(&self, machine: &Machine, seats: &[Option<Seat>], from: &Placement) -> Placement {
        if self.sizes.are_one() {
            return Repair::new(machine, None, seats, from.clone()).put_back();
        }
        let slots = machine.slots();
        let nodes = (0..slots.nodes()).map(NodeId::at);
        let mut room: Vec<u32> = nodes.map(|node| slots.capacity(node)).collect();
        let mut at = from.nodes(slots);
        let mut free = Vec::new();
        for (rank, node) in at.iter_mut().enumerate() {
            let Some(seat) = seats[rank] else {
                free.push(rank);
                continue;
            };
            *node = seat.node(slots);
            room[node.index()] -= self.sizes.of(Rank::at(rank));
        }
        // The others take one slot each.
        free.retain(|&rank| {
            let stays = room[at[rank].index()] > 0;
            room[at[rank].index()] -= u32::from(stays);
            !stays
        });
        for rank in free {
            let topology = machine.topology();
            let open = (0..room.len())
                .filter(|&node| room[node] > 0)
                .map(NodeId::at);
            let near = open.min_by_key(|&node| (topology.hops(at[rank], node), node));
            at[rank] = near.expect("all ranks fit the machine together");
            room[at[rank].index()] -= 1;
        }
        let seated = self.in_slots(&at, slots, |rank| from.slot(rank));
        seated.expect("seats were found for ranks of several slots")
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
