//! An assignment of ranks to sites: the site of every rank, the cost of a move, and a journal by
//! which moves are taken back.

use rankfold_base::{Placement, Rank};
use rankfold_machine::sites::Sites;
use rankfold_metric::hop_bytes_of;
use rankfold_problem::heuristic::{Diagnostics, Problem};
use rankfold_problem::weights::Weights;

/// Improves a placement by its assignment to sites. `improve` changes the assignment and returns
/// the number of moves.
///
/// A result with more hop-bytes than the start is dropped. That happens only where bytes had to be
/// halved to fit 64-bit sums.
pub(super) fn refine(
    problem: &Problem<'_>,
    placement: &mut Placement,
    improve: impl FnOnce(&mut SiteAssignment<'_>) -> u64,
) -> Diagnostics {
    let (machine, slots) = (problem.machine, problem.machine.slots());
    let sites = Sites::new(machine);
    let weights = Weights::new(problem.affinity, machine.topology().diameter());
    let cost = |placement: &Placement| {
        hop_bytes_of(
            problem.affinity,
            machine.topology(),
            &placement.nodes(slots),
        )
    };
    let mut assignment = SiteAssignment::new(&weights, &sites, sites.of(placement, slots));
    assignment.stays = fixed_ranks(problem);
    let moves = improve(&mut assignment);
    let improved = sites.seat(assignment.site_of(), slots, Some(placement));
    let (before, after) = (cost(placement), cost(&improved));
    let better = after < before;
    if better {
        *placement = improved;
    }
    Diagnostics {
        passes: 1,
        moves: if better { moves } else { 0 },
        history: vec![before, after.min(before)],
        notes: Vec::new(),
    }
}

/// Whether each rank stays on its site; empty where all may move.
fn fixed_ranks(problem: &Problem<'_>) -> Vec<bool> {
    if problem.constraints.is_empty() {
        return Vec::new();
    }
    let ranks = (0..problem.graph.ranks()).map(Rank::at);
    ranks.map(|rank| problem.constraints.holds(rank)).collect()
}

/// The site of every rank, with a journal of moves.
#[derive(Debug)]
pub struct SiteAssignment<'a> {
    /// The bytes between ranks.
    pub weights: &'a Weights,
    /// The sites, their room and the hops between them.
    pub sites: &'a Sites,
    site_of: Vec<u32>,
    /// The ranks on every site, in no order. While a chain is open, a site holds one rank more than
    /// fits.
    members: Vec<Vec<u32>>,
    /// Index of every rank among the members of its site.
    place: Vec<u32>,
    /// Whether each rank stays on its site; empty where all may move.
    stays: Vec<bool>,
    /// The rank and the site that it left, for every move since the journal was cleared.
    journal: Vec<(u32, u32)>,
    /// The number of edges and distances looked up: a measure of work that no clock influences.
    pub work: u64,
}

impl<'a> SiteAssignment<'a> {
    /// The assignment that puts every rank on its `site_of`, with an empty journal.
    #[must_use]
    pub fn new(weights: &'a Weights, sites: &'a Sites, site_of: Vec<u32>) -> Self {
        let mut members = vec![Vec::new(); sites.len()];
        let mut place = vec![0; site_of.len()];
        for (rank, &site) in (0..).zip(&site_of) {
            let here: &mut Vec<u32> = &mut members[site as usize];
            place[rank as usize] = here.len() as u32;
            here.push(rank);
        }
        Self {
            weights,
            sites,
            site_of,
            members,
            place,
            stays: Vec::new(),
            journal: Vec::new(),
            work: 0,
        }
    }

    /// Bytes times hops: hop-bytes, unless the [`Weights`] had to halve bytes.
    pub fn cost(&self) -> i64 {
        let twice: i64 = (0..self.ranks() as u32)
            .map(|rank| self.cost_at(rank, self.site(rank)))
            .sum();
        twice / 2
    }

    /// The cost of all messages of a rank if it sits on `site`.
    #[must_use]
    pub fn cost_at(&self, rank: u32, site: u32) -> i64 {
        let partners = self.weights.partners(rank);
        match self.sites.hops_from(site) {
            Some(hops) => partners
                .map(|(partner, bytes)| bytes * i64::from(hops[self.site(partner) as usize]))
                .sum(),
            None => partners
                .map(|(partner, bytes)| {
                    bytes * i64::from(self.sites.hops(site, self.site(partner)))
                })
                .sum(),
        }
    }

    /// Whether a rank stays on its site.
    #[inline]
    pub fn stays(&self, rank: u32) -> bool {
        self.stays.get(rank as usize).is_some_and(|&stays| stays)
    }

    /// Number of ranks.
    #[must_use]
    #[inline]
    pub fn ranks(&self) -> usize {
        self.site_of.len()
    }

    /// The site of a rank.
    #[must_use]
    #[inline]
    pub fn site(&self, rank: u32) -> u32 {
        self.site_of[rank as usize]
    }

    /// The site of every rank.
    pub fn site_of(&self) -> &[u32] {
        &self.site_of
    }

    /// The site of every rank, without a copy.
    #[must_use]
    pub fn into_sites(self) -> Vec<u32> {
        self.site_of
    }

    /// The ranks on a site, in no order.
    #[must_use]
    #[inline]
    pub fn members(&self, site: u32) -> &[u32] {
        &self.members[site as usize]
    }

    /// Whether more ranks are on a site than fit.
    #[must_use]
    #[inline]
    pub fn is_overfull(&self, site: u32) -> bool {
        self.members[site as usize].len() > self.sites.capacity(site) as usize
    }

    /// Moves a rank to a site, even if the site is full.
    pub fn move_to(&mut self, rank: u32, site: u32) {
        self.journal.push((rank, self.site(rank)));
        self.seat(rank, site);
    }

    /// Moves made since the journal was cleared.
    pub fn journal(&self) -> &[(u32, u32)] {
        &self.journal
    }

    /// Forgets the moves made so far; they stay made.
    pub fn clear_journal(&mut self) {
        self.journal.clear();
    }

    /// Takes back all moves of the journal but the first `kept`.
    pub fn undo(&mut self, kept: usize) {
        while self.journal.len() > kept {
            if let Some((rank, site)) = self.journal.pop() {
                self.seat(rank, site);
            }
        }
    }

    fn seat(&mut self, rank: u32, site: u32) {
        let (left, place) = (self.site(rank) as usize, self.place[rank as usize] as usize);
        self.members[left].swap_remove(place);
        if let Some(&last) = self.members[left].get(place) {
            self.place[last as usize] = place as u32;
        }
        let here = &mut self.members[site as usize];
        self.place[rank as usize] = here.len() as u32;
        here.push(rank);
        self.site_of[rank as usize] = site;
    }
}
