//! Pair exchange on sparse graphs, for hop-bytes on meshes and tori.
//!
//! Every queued rank looks at the slots next to its partners and next to itself, and takes the
//! exchange that saves most hop-bytes. A rank that moved is queued again, with its partners. Moving
//! into a free slot is an exchange with nobody. Single ranks move, not groups of ranks that share a
//! node.
//!
//! On meshes and tori with few enough axes and nodes, [`grid`] does the same window by window. The
//! search in this file serves the other grids.
//!
//! Source: the pairwise exchange of the quadratic assignment problem (Heider 1972), restricted to
//! slots near partners.
//!
//! Cost: an exchange looks at the partners of two ranks; one sweep takes O(candidates x partners)
//! for each queued rank.

use super::amount::{Amount, fits_i64};
use super::grid;
use super::seating::Seating;
use rankfold_assess::Constraints;
use rankfold_base::{NodeId, Placement, Rank, SlotId};
use rankfold_graph::Affinity;
use rankfold_machine::Topology;
use rankfold_problem::heuristic::{AboutRefinement, Diagnostics, Problem, Refinement};

/// A rank looks at the surroundings of this many partners at most, the heaviest ones. Stencils have
/// fewer.
const PARTNERS: usize = 32;

/// The search stops after this many edge look-ups, which take about two seconds. Only dense graphs
/// need more.
const LOOKUPS: u64 = 200_000_000;

/// Exchanges that lower hop-bytes, until none is left among the candidates.
#[derive(Debug)]
pub struct Swap;

impl Refinement for Swap {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "swap",
            "exchanges ranks next to their partners while that lowers hop-bytes",
        )
        .on(|machine| !machine.is_switched());
        &ABOUT
    }

    fn refine(&self, problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics {
        let grid = problem.machine.topology().structure().grid();
        if let Some(did) = grid.and_then(|grid| grid::refine(problem, grid, placement)) {
            return did;
        }
        if fits_i64(problem.affinity, problem.machine.topology()) {
            search::<i64>(problem, placement)
        } else {
            search::<i128>(problem, placement)
        }
    }
}

fn search<A: Amount>(problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics {
    let seating = Seating::<A>::new(problem.affinity, problem.machine, placement);
    SwapSearch::new(problem, seating).run()
}

struct SwapSearch<'a, A> {
    seating: Seating<'a, A>,
    surroundings: Surroundings<'a>,
    affinity: &'a Affinity,
    constraints: &'a Constraints,
    /// Whether each rank is queued for the next sweep.
    queued: Vec<bool>,
    next: Vec<Rank>,
}

impl<'a, A: Amount> SwapSearch<'a, A> {
    fn new(problem: &Problem<'a>, seating: Seating<'a, A>) -> Self {
        let ranks = problem.graph.ranks();
        Self {
            seating,
            surroundings: Surroundings::new(problem),
            affinity: problem.affinity,
            constraints: problem.constraints,
            queued: vec![true; ranks],
            next: (0..ranks).map(Rank::at).collect(),
        }
    }

    /// Sweeps over the ranks whose surroundings changed, until none is queued. The search ends
    /// because every move lowers hop-bytes.
    fn run(mut self) -> Diagnostics {
        let mut did = Diagnostics {
            history: vec![self.seating.hop_bytes()],
            ..Diagnostics::default()
        };
        while !self.next.is_empty() {
            let mut sweep = std::mem::take(&mut self.next);
            sweep.sort_unstable();
            for rank in sweep {
                if self.seating.lookups > LOOKUPS {
                    self.next.clear();
                    did.notes
                        .push("stopped early: the graph is too dense to finish".into());
                    break;
                }
                self.queued[rank.index()] = false;
                did.moves += u64::from(self.improve(rank));
            }
            did.passes += 1;
            did.history.push(self.seating.hop_bytes());
        }
        did
    }

    fn improve(&mut self, rank: Rank) -> bool {
        if self.constraints.holds(rank) {
            return false;
        }
        let Some(slot) = self.best_exchange(rank) else {
            return false;
        };
        let other = self.seating.exchange(rank, slot);
        for moved in std::iter::once(rank).chain(other) {
            self.enqueue(moved);
            for (partner, _) in self.affinity.partners(moved) {
                self.enqueue(partner);
            }
        }
        true
    }

    /// The slot whose exchange saves most, the first one found among equals.
    fn best_exchange(&mut self, rank: Rank) -> Option<SlotId> {
        let (mut best, mut most) = (None, A::default());
        let mut seats = Vec::new();
        for node in self.surroundings.candidates(rank, &self.seating) {
            let there = self.seating.gain_of_move(rank, node);
            seats.clear();
            let may_move = |who: &Option<Rank>| who.is_none_or(|who| !self.constraints.holds(who));
            let there_now = self.seating.seats(node);
            seats.extend(there_now.filter(|(_, who)| may_move(who)));
            for &(slot, other) in &seats {
                if there + self.seating.at_stake(other) <= most {
                    continue;
                }
                let gain = there + self.seating.gain_of_return(rank, other);
                if gain > most {
                    (best, most) = (Some(slot), gain);
                }
            }
        }
        best
    }

    fn enqueue(&mut self, rank: Rank) {
        if !std::mem::replace(&mut self.queued[rank.index()], true) {
            self.next.push(rank);
        }
    }
}

/// The nodes that a rank may want to move to.
struct Surroundings<'a> {
    topology: &'a dyn Topology,
    /// The heaviest partners of every rank.
    partners: Vec<Vec<Rank>>,
    /// The nodes next to each node, filled when first asked for.
    nearest: Vec<Option<Box<[NodeId]>>>,
    /// The number of the last list of candidates that holds each node, so that none is listed
    /// twice.
    seen: Vec<u64>,
    question: u64,
}

impl<'a> Surroundings<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let topology = problem.machine.topology();
        Self {
            topology,
            partners: (0..problem.graph.ranks())
                .map(|rank| heaviest_partners(problem.affinity, Rank::at(rank)))
                .collect(),
            nearest: vec![None; topology.nodes()],
            seen: vec![0; topology.nodes()],
            question: 0,
        }
    }

    /// The partners' nodes, the nodes next to them and the nodes next to the rank's own.
    fn candidates<A: Amount>(&mut self, rank: Rank, seating: &Seating<'_, A>) -> Vec<NodeId> {
        self.question += 1;
        let own = seating.node(rank);
        self.seen[own.index()] = self.question;
        let mut found = Vec::new();
        for centre in self.partners[rank.index()]
            .iter()
            .map(|&partner| seating.node(partner))
            .chain(std::iter::once(own))
        {
            let topology = self.topology;
            let around =
                self.nearest[centre.index()].get_or_insert_with(|| topology.nearest(centre).into());
            for &node in std::iter::once(&centre).chain(around.iter()) {
                if std::mem::replace(&mut self.seen[node.index()], self.question) != self.question {
                    found.push(node);
                }
            }
        }
        found
    }
}

fn heaviest_partners(affinity: &Affinity, rank: Rank) -> Vec<Rank> {
    let mut partners: Vec<(Rank, u64)> = affinity.partners(rank).collect();
    if partners.len() > PARTNERS {
        partners.sort_by_key(|&(partner, bytes)| (std::cmp::Reverse(bytes), partner));
        partners.truncate(PARTNERS);
    }
    partners.into_iter().map(|(partner, _)| partner).collect()
}

#[cfg(test)]
mod tests;
