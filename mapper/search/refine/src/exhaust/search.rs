//! Branch and bound over the nodes of units. A way is left as soon as it has no fewer hop-bytes
//! than the best placement so far: those between seated units, the fewest that each other unit can
//! have with them, and those between others that cannot share a node. Of empty nodes below one
//! switch, one is tried.

use rankfold_assess::Demand;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Distances;
use rankfold_problem::heuristic::{Effort, Problem};

/// The most nodes that are tried for all units together, on machines of few nodes, and the most
/// looks at a unit on a node, which bound the steps on larger machines: hundredths of a second, and
/// from balanced on tenths.
fn most_work(effort: Effort) -> (u64, u64) {
    match effort {
        Effort::Hurried | Effort::Fast => (1 << 18, 1 << 25),
        Effort::Balanced | Effort::Best => (1 << 20, 1 << 27),
    }
}

/// A limit on how many of some ranks are on each node.
struct Limit {
    /// How many of them each unit has.
    of_unit: Vec<u32>,
    /// How many more each node takes.
    left: Vec<u32>,
}

/// A search under way.
pub(super) struct Search<'a> {
    problem: &'a Problem<'a>,
    units: &'a [Vec<Rank>],
    distances: Distances,
    /// Bytes between two units.
    bytes: Vec<Vec<u128>>,
    /// Units that may not share a node.
    apart: Vec<Vec<bool>>,
    limits: Vec<Limit>,
    /// How many ranks of each unit count as moved on each node.
    moved: Vec<Vec<usize>>,
    /// How many more ranks may move.
    moves_left: usize,
    /// The fewest hop-bytes among the units from each one on: those that share no node are a hop
    /// apart.
    among: Vec<u128>,
    /// The number of reasons why a unit may not take a node: it has another node of its own, or a
    /// unit apart from it is there.
    barred: Vec<Vec<u32>>,
    /// Whether a node is some unit's own.
    is_owned: Vec<bool>,
    /// The node of every unit that is seated.
    seat_of: Vec<Option<NodeId>>,
    /// Hop-bytes of every unit on every node, with the units that are seated.
    pull: Vec<Vec<u128>>,
    room: Vec<u32>,
    /// The fewest hop-bytes so far.
    fewest: u128,
    found: Option<Placement>,
    steps: u64,
}

impl<'a> Search<'a> {
    /// A search for placements of these units with fewer hop-bytes than `fewest`.
    pub(super) fn new(problem: &'a Problem<'a>, units: &'a [Vec<Rank>], fewest: u128) -> Self {
        let slots = problem.machine.slots();
        let nodes = (0..slots.nodes()).map(NodeId::at);
        let mut unit_of = vec![0; problem.graph.ranks()];
        for (number, unit) in units.iter().enumerate() {
            unit.iter().for_each(|rank| unit_of[rank.index()] = number);
        }
        let mut search = Self {
            problem,
            units,
            distances: problem.machine.topology().distances(),
            bytes: vec![vec![0; units.len()]; units.len()],
            apart: vec![vec![false; units.len()]; units.len()],
            limits: Vec::new(),
            moved: vec![vec![0; slots.nodes()]; units.len()],
            moves_left: usize::MAX,
            among: vec![0; units.len() + 1],
            barred: vec![vec![0; slots.nodes()]; units.len()],
            is_owned: vec![false; slots.nodes()],
            seat_of: vec![None; units.len()],
            pull: vec![vec![0; slots.nodes()]; units.len()],
            room: nodes.map(|node| slots.capacity(node)).collect(),
            fewest,
            found: None,
            steps: 0,
        };
        search.add_up_bytes(&unit_of);
        search.read_rules(&unit_of);
        search.read_start();
        search.add_up_least();
        search
    }

    /// The best placement, if it is better than what the search began with.
    pub(super) fn run(mut self) -> Option<Placement> {
        self.seat(0, 0);
        self.found
    }

    fn add_up_bytes(&mut self, unit_of: &[usize]) {
        for (unit, bytes) in self.units.iter().zip(&mut self.bytes) {
            for &rank in unit {
                for (partner, sent) in self.problem.affinity.partners(rank) {
                    bytes[unit_of[partner.index()]] += u128::from(sent);
                }
            }
        }
    }

    fn read_rules(&mut self, unit_of: &[usize]) {
        let of = |rank: &Rank| unit_of[rank.index()];
        let slots = self.problem.machine.slots();
        for rule in self.problem.constraints.rules() {
            match &rule.demand {
                Demand::Stay(rank, seat) => {
                    let own = seat.node(slots);
                    let barred = self.barred[of(rank)].iter_mut().enumerate();
                    let others = barred.filter(|(node, _)| *node != own.index());
                    others.for_each(|(_, reasons)| *reasons += 1);
                    self.is_owned[own.index()] = true;
                }
                Demand::Apart(ranks) => {
                    for (one, other) in ranks.iter().flat_map(|a| ranks.iter().map(move |b| (a, b)))
                    {
                        self.apart[of(one)][of(other)] = one != other;
                    }
                }
                Demand::AtMost(ranks, most) => {
                    let mut of_unit = vec![0; self.units.len()];
                    ranks.iter().for_each(|rank| of_unit[of(rank)] += 1);
                    let left = most.clone();
                    self.limits.push(Limit { of_unit, left });
                }
                Demand::Together(_) => {}
            }
        }
    }

    fn read_start(&mut self) {
        let constraints = self.problem.constraints;
        let Some((_, most)) = constraints.start() else {
            return;
        };
        self.moves_left = most;
        let slots = self.problem.machine.slots();
        for (unit, moved) in self.units.iter().zip(&mut self.moved) {
            for (node, moved) in (0..).map(NodeId).zip(moved.iter_mut()) {
                let has_left = |rank: &&Rank| {
                    slots
                        .on(node)
                        .all(|slot| constraints.has_moved(**rank, slot))
                };
                *moved = unit.iter().filter(has_left).count();
            }
            let most = moved.iter().copied().max();
            for (moved, is_owned) in moved.iter().zip(&mut self.is_owned) {
                *is_owned |= Some(*moved) < most;
            }
        }
    }

    fn add_up_least(&mut self) {
        let largest = self.room.iter().copied().max().unwrap_or(0);
        for one in (0..self.units.len()).rev() {
            let share_none = |other: &usize| {
                let size = self.units[one].len() + self.units[*other].len();
                self.apart[one][*other] || size > largest as usize
            };
            let others = (one + 1..self.units.len()).filter(share_none);
            let bytes: u128 = others.map(|other| self.bytes[one][other]).sum();
            self.among[one] = self.among[one + 1] + bytes;
        }
    }

    /// Seats the units from the `next` one on, where those before have so many hop-bytes.
    fn seat(&mut self, next: usize, hop_bytes: u128) {
        if next == self.units.len() {
            return self.keep();
        }
        for node in self.choices(next) {
            self.steps += 1;
            let looks = self.steps * (self.room.len() * self.units.len()) as u64;
            let (most_steps, most_looks) = most_work(self.problem.effort);
            if self.steps > most_steps || looks > most_looks {
                return;
            }
            let with_it = hop_bytes + self.pull[next][node.index()];
            self.move_to(next, node, true);
            if self.can_be_better(next + 1, with_it) {
                self.seat(next + 1, with_it);
            }
            self.move_to(next, node, false);
        }
    }

    /// The nodes that a unit may take, in rising order of the hop-bytes that the unit has there.
    fn choices(&self, unit: usize) -> Vec<NodeId> {
        let mut choices: Vec<NodeId> = Vec::new();
        for node in (0..self.room.len()).map(NodeId::at) {
            if self.takes(unit, node) && !choices.iter().any(|&tried| self.are_alike(tried, node)) {
                choices.push(node);
            }
        }
        choices.sort_by_key(|node| self.pull[unit][node.index()]);
        choices
    }

    /// Whether a node has room for a unit, and no rule bars the unit from the node.
    fn takes(&self, unit: usize, node: NodeId) -> bool {
        self.room[node.index()] >= self.units[unit].len() as u32
            && self.barred[unit][node.index()] == 0
            && self.moved[unit][node.index()] <= self.moves_left
            && (self.limits.iter()).all(|limit| limit.of_unit[unit] <= limit.left[node.index()])
    }

    /// Whether all ways with one node have their like with the other: both are as far from all
    /// others, empty, and nobody's own.
    fn are_alike(&self, one: NodeId, other: NodeId) -> bool {
        let slots = self.problem.machine.slots();
        let is_free = |node: NodeId| {
            self.room[node.index()] == slots.capacity(node) && !self.is_owned[node.index()]
        };
        let switch = self.distances.switch(one);
        switch.is_some()
            && switch == self.distances.switch(other)
            && slots.capacity(one) == slots.capacity(other)
            && is_free(one)
            && is_free(other)
            && (self.limits.iter()).all(|it| it.left[one.index()] == it.left[other.index()])
    }

    /// Seats a unit, or takes it away.
    fn move_to(&mut self, unit: usize, node: NodeId, is_seated: bool) {
        self.seat_of[unit] = is_seated.then_some(node);
        let size = self.units[unit].len() as u32;
        let changed = |number: u32, by: u32, grows: bool| {
            if grows { number + by } else { number - by }
        };
        let room = &mut self.room[node.index()];
        *room = changed(*room, size, !is_seated);
        let moved = self.moved[unit][node.index()];
        if is_seated {
            self.moves_left -= moved;
        } else {
            self.moves_left += moved;
        }
        for limit in &mut self.limits {
            let left = &mut limit.left[node.index()];
            *left = changed(*left, limit.of_unit[unit], !is_seated);
        }
        for other in unit + 1..self.units.len() {
            if self.apart[unit][other] {
                let reasons = &mut self.barred[other][node.index()];
                *reasons = changed(*reasons, 1, is_seated);
            }
            let bytes = self.bytes[unit][other];
            if bytes == 0 {
                continue;
            }
            for (there, pull) in self.pull[other].iter_mut().enumerate() {
                let hop_bytes = bytes * u128::from(self.distances.hops(node, NodeId::at(there)));
                if is_seated {
                    *pull += hop_bytes;
                } else {
                    *pull -= hop_bytes;
                }
            }
        }
    }

    /// Whether the units from the `next` one on can have fewer hop-bytes than what is left to the
    /// best placement so far.
    fn can_be_better(&self, next: usize, hop_bytes: u128) -> bool {
        let mut left = self.fewest.checked_sub(hop_bytes + self.among[next]);
        for unit in next..self.units.len() {
            let nodes = (0..self.room.len()).map(NodeId::at);
            let takes = nodes.filter(|&node| self.takes(unit, node));
            // Without a node for it, no way goes on.
            let least = takes.map(|node| self.pull[unit][node.index()]).min();
            left = left
                .zip(least)
                .and_then(|(left, least)| left.checked_sub(least));
            if left.is_none() {
                return false;
            }
        }
        left.is_some_and(|left| left > 0)
    }

    /// Makes the placement of all units the best one found, if it is within the constraints.
    fn keep(&mut self) {
        let (machine, constraints) = (self.problem.machine, self.problem.constraints);
        let mut nodes = vec![NodeId::at(0); self.problem.graph.ranks()];
        for (unit, seat) in self.units.iter().zip(&self.seat_of) {
            let Some(node) = seat else { return };
            unit.iter().for_each(|rank| nodes[rank.index()] = *node);
        }
        let Some(in_order) = Placement::from_nodes(&nodes, machine.slots()) else {
            return;
        };
        let placement = constraints.in_slots_of_stayers(in_order, machine);
        let hop_bytes = self.problem.hop_bytes(&placement);
        if hop_bytes < self.fewest && constraints.are_kept_by(&placement, machine) {
            (self.found, self.fewest) = (Some(placement), hop_bytes);
        }
    }
}
