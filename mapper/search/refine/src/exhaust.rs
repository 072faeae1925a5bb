//! The refinement `exhaust`: all ways to put ranks on nodes within the constraints, where these are
//! few.
//!
//! Ranks that share a host are one unit. Units take nodes one after the other, the largest first
//! (depth-first search); a way is left as soon as it has no fewer hop-bytes than the best placement
//! so far. Few units on full nodes are where walks of exchanges get stuck.
//!
//! Source: our own. Cost: a fixed number of steps, each O(partners of a unit).

use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Distances;
use rankfold_problem::heuristic::{
    AboutRefinement, Diagnostics, Problem, Reached, Refinement, Start,
};
use std::cmp::Reverse;
use std::time::Instant;

/// With more units than this, the steps end long before the search does. Chosen by hand.
const MOST_UNITS: usize = 12;

/// The most nodes that are tried for all units together; this takes a tenth of a second. Chosen by
/// hand.
const MOST_STEPS: u64 = 1_000_000;

/// All ways within the constraints.
#[derive(Debug)]
pub(crate) struct Exhaust;

impl Refinement for Exhaust {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "exhaust",
            "tries all ways to seat ranks that share hosts, where they are few",
        )
        .from_the_best();
        &ABOUT
    }

    fn search_on(&self, problem: &Problem<'_>, starts: &[Start<'_>]) -> Vec<Reached> {
        let begun = Instant::now();
        let best = (0..starts.len()).min_by_key(|&start| starts[start].hop_bytes);
        let constraints = problem.constraints;
        let (Some(start), true, None) = (best, constraints.has_groups(), constraints.start())
        else {
            return Vec::new();
        };
        let units = units(problem);
        if units.len() > MOST_UNITS {
            return Vec::new();
        }
        let before = starts[start].hop_bytes;
        let mut search = Search::new(problem, &units, before);
        search.seat(0, 0);
        let Some(placement) = search.found else {
            return Vec::new();
        };
        vec![Reached {
            start,
            did: vec![Diagnostics {
                passes: 1,
                moves: placement.ranks() as u64,
                history: vec![before, problem.hop_bytes(&placement)],
                notes: Vec::new(),
            }],
            placement,
            seconds: begun.elapsed().as_secs_f64(),
        }]
    }
}

/// The ranks that share hosts, and each other rank by itself; the largest first.
fn units(problem: &Problem<'_>) -> Vec<Vec<Rank>> {
    let ranks = problem.graph.ranks();
    let mut is_in = vec![false; ranks];
    let mut units: Vec<Vec<Rank>> = Vec::new();
    for rank in (0..ranks).map(Rank::at) {
        if std::mem::replace(&mut is_in[rank.index()], true) {
            continue;
        }
        let mut unit = vec![rank];
        let mut next = 0;
        while let Some(&member) = unit.get(next) {
            for companion in problem.constraints.companions(member) {
                if !std::mem::replace(&mut is_in[companion.index()], true) {
                    unit.push(companion);
                }
            }
            next += 1;
        }
        units.push(unit);
        if units.len() > MOST_UNITS {
            break;
        }
    }
    units.sort_by_key(|unit| Reverse(unit.len()));
    units
}

/// A search under way.
struct Search<'a> {
    problem: &'a Problem<'a>,
    units: &'a [Vec<Rank>],
    distances: Distances,
    /// The node of every rank of a unit that is seated.
    node_of: Vec<Option<NodeId>>,
    room: Vec<u32>,
    /// The fewest hop-bytes so far.
    fewest: u128,
    found: Option<Placement>,
    steps: u64,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>, units: &'a [Vec<Rank>], fewest: u128) -> Self {
        let slots = problem.machine.slots();
        let nodes = (0..slots.nodes()).map(NodeId::at);
        Self {
            problem,
            units,
            distances: problem.machine.topology().distances(),
            node_of: vec![None; problem.graph.ranks()],
            room: nodes.map(|node| slots.capacity(node)).collect(),
            fewest,
            found: None,
            steps: 0,
        }
    }

    /// Seats the units from the `next` one on, where those before have so many hop-bytes.
    fn seat(&mut self, next: usize, hop_bytes: u128) {
        let units = self.units;
        let Some(unit) = units.get(next) else {
            return self.keep(hop_bytes);
        };
        for node in (0..self.room.len()).map(NodeId::at) {
            if self.room[node.index()] < unit.len() as u32 {
                continue;
            }
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return;
            }
            let with_it = hop_bytes + self.hop_bytes(unit, node);
            if with_it < self.fewest {
                self.move_to(unit, Some(node));
                self.room[node.index()] -= unit.len() as u32;
                self.seat(next + 1, with_it);
                self.room[node.index()] += unit.len() as u32;
                self.move_to(unit, None);
            }
        }
    }

    fn move_to(&mut self, unit: &[Rank], node: Option<NodeId>) {
        for rank in unit {
            self.node_of[rank.index()] = node;
        }
    }

    /// Hop-bytes between a unit on a node and all ranks that are seated.
    fn hop_bytes(&self, unit: &[Rank], node: NodeId) -> u128 {
        let partners = unit
            .iter()
            .flat_map(|&rank| self.problem.affinity.partners(rank));
        let seated = partners.filter_map(|(partner, bytes)| {
            let there = self.node_of[partner.index()]?;
            Some(u128::from(bytes) * u128::from(self.distances.hops(node, there)))
        });
        seated.sum()
    }

    /// Makes the placement of all units the best one found, if it is within the constraints.
    fn keep(&mut self, hop_bytes: u128) {
        let machine = self.problem.machine;
        let nodes: Option<Vec<NodeId>> = self.node_of.iter().copied().collect();
        let placement = nodes.and_then(|nodes| Placement::from_nodes(&nodes, machine.slots()));
        let kept = placement.filter(|it| self.problem.constraints.are_kept_by(it, machine));
        if kept.is_some() {
            (self.found, self.fewest) = (kept, hop_bytes);
        }
    }
}
