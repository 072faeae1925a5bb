//! Growth: starting from a seed, every member is placed where most of its placed neighbours are
//! next to it.
//!
//! ```text
//! placed: a b    candidates for x (neighbour of b and c):   the free cell next to both b and c
//!         c .                                               has 2 votes, all others have 1
//! ```
//!
//! Members with many placed neighbours come first. A cell scores one for every placed neighbour
//! around it and loses one for every other member around it. Members without a clear winner wait
//! until more of their neighbours are placed. Cost: O(edges x steps of the template), apart from
//! the priority queue.

use super::cell_table::CellTable;
use super::seed::Seed;
use super::template::Template;
use crate::adjacency::Adjacency;
use crate::stencil_steps::Steps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Growth that has placed `TRIAL` members stops if more than the share [`WRONG`] of their edges
/// contradict the template. Chosen by hand.
const TRIAL: usize = 64;
const WRONG: f64 = 0.4;

/// Number of placed neighbours that propose cells; all placed neighbours judge the proposals.
/// Chosen by hand, for speed.
const VOTERS: usize = 6;

/// A doubtful member is considered again when the number of its placed neighbours has grown by one
/// part in `MORE`. Considering it at every new neighbour took most of the time in large stencils
/// (commit 2e54fa6); the value was chosen by hand.
const MORE: u32 = 8;

/// Number of placed neighbours for whose edges squares are counted. Chosen by hand.
const FEW: usize = 3;

/// Members placed in the endless grid of a template.
pub(super) struct Growth<'a> {
    adjacency: &'a Adjacency,
    template: &'a Template,
    /// The cell of every placed member.
    pub(super) at: Vec<Option<Steps>>,
    cells: CellTable<'a>,
    reached: usize,
    /// Members to be placed; those with most placed neighbours come first.
    waiting: BinaryHeap<(u32, Reverse<u32>)>,
    /// Members without a clear cell; those with most squares beside their edges come first. A stray
    /// edge has hardly any squares.
    doubtful: BinaryHeap<(usize, Reverse<u32>)>,
    /// Number of placed neighbours of every member.
    placed: Vec<u32>,
    /// Number of placed neighbours when the member was last queued.
    counted: Vec<u32>,
    /// Whether a member has been doubtful. It is considered again when it has fewer choices.
    doubted: Vec<bool>,
    /// Marks the neighbours of the member whose squares are being counted.
    marked: Vec<bool>,
    /// Number of members placed when all doubtful members were last considered again.
    asked_at: usize,
    /// Number of placed neighbours from which a member is considered: a quarter of a full
    /// neighbourhood.
    quorum: u32,
    /// Number of edges between placed members: all, and those that are no step of the template.
    edges: (usize, usize),
}

/// Votes for a cell.
#[derive(Clone, Copy, Default)]
struct Votes {
    /// Number of placed neighbours around the cell.
    support: i32,
    /// `support`, less the placed members around the cell that are no neighbours.
    score: i32,
    /// Whether some neighbour has no other free cell around it.
    forced: bool,
}

impl<'a> Growth<'a> {
    pub(super) fn from(adjacency: &'a Adjacency, template: &'a Template, seed: &Seed) -> Self {
        let mut growth = Self {
            adjacency,
            template,
            at: vec![None; adjacency.members()],
            cells: CellTable::new(template, adjacency.members()),
            reached: 0,
            waiting: BinaryHeap::new(),
            doubtful: BinaryHeap::new(),
            placed: vec![0; adjacency.members()],
            counted: vec![0; adjacency.members()],
            doubted: vec![false; adjacency.members()],
            marked: vec![false; adjacency.members()],
            asked_at: 0,
            quorum: (template.steps.len() as u32 / 4).max(2),
            edges: (0, 0),
        };
        for &(member, cell) in seed {
            growth.place(member, cell);
        }
        growth.run();
        growth
    }

    /// Number of members placed.
    pub(super) fn reached(&self) -> usize {
        self.reached
    }

    fn run(&mut self) {
        while !self.is_hopeless() {
            if let Some((count, Reverse(member))) = self.waiting.pop() {
                let stale = self.counted[member as usize] != count;
                if stale || self.at[member as usize].is_some() {
                    continue;
                }
                match (count >= self.quorum)
                    .then(|| self.decide(member, |v| v.score > 1))
                    .flatten()
                {
                    Some(cell) => self.place(member, cell),
                    None => self.doubt(member),
                }
            } else if let Some((_, Reverse(member))) = self.doubtful.pop() {
                if self.at[member as usize].is_some() {
                    continue;
                }
                if let Some(cell) = self
                    .decide(member, |v| v.support > 1)
                    .or_else(|| self.settle(member))
                {
                    self.place(member, cell);
                }
            } else if !self.ask_once_more() {
                return;
            }
        }
    }

    /// Queues all members with a placed neighbour again, if any member was placed since the last
    /// time. Where an edge is missing, a cell may have had too few votes before all cells around it
    /// were taken.
    fn ask_once_more(&mut self) -> bool {
        if self.asked_at == self.reached() {
            return false;
        }
        self.asked_at = self.reached();
        for member in 0..self.at.len() {
            if self.at[member].is_none() && self.placed[member] > 0 {
                self.doubtful
                    .push((self.placed[member] as usize, Reverse(member as u32)));
            }
        }
        true
    }

    fn doubt(&mut self, member: u32) {
        self.doubted[member as usize] = true;
        let squares = self.squares(member);
        self.doubtful.push((squares, Reverse(member)));
    }

    /// Number of squares that a member's edge to a placed neighbour forms with other placed
    /// members; the highest number of a few such edges.
    fn squares(&mut self, member: u32) -> usize {
        self.mark_neighbours(member, true);
        let is_placed = |other: &&u32| self.at[**other as usize].is_some();
        let spans = |&&other: &&u32| {
            let around = self.adjacency.of_member(other).iter();
            let mut shared = around.filter(|&&m| self.marked[m as usize]);
            shared.nth(1).is_some()
        };
        let around = self.adjacency.of_member(member).iter().filter(is_placed);
        let squares = around.take(FEW).map(|&placed| {
            let beside = self.adjacency.of_member(placed).iter().filter(is_placed);
            beside.filter(spans).count()
        });
        let most = squares.max().unwrap_or(0);
        self.mark_neighbours(member, false);
        most
    }

    fn mark_neighbours(&mut self, member: u32, mark: bool) {
        for &other in self.adjacency.of_member(member) {
            self.marked[other as usize] = mark;
        }
    }

    fn is_hopeless(&self) -> bool {
        let (all, wrong) = self.edges;
        self.reached() > TRIAL && wrong as f64 > WRONG * all as f64
    }

    fn place(&mut self, member: u32, cell: Steps) {
        self.at[member as usize] = Some(cell);
        self.reached += 1;
        self.cells.take(cell, member);
        for &other in self.adjacency.of_member(member) {
            match self.at[other as usize] {
                Some(at) => {
                    self.edges.0 += 1;
                    self.edges.1 += usize::from(!self.template.adjacent(&at, &cell));
                }
                None => {
                    self.placed[other as usize] += 1;
                    if !self.doubted[other as usize] || self.has_many_more(other) {
                        self.wait(other);
                    }
                }
            }
        }
        self.ask_again_around(member);
    }

    /// Queues members around the new cell of `member` again, since they have fewer choices now.
    fn ask_again_around(&mut self, member: u32) {
        for at in 0..self.template.steps.len() {
            let cell = self.cells.around(member)[at];
            let Some(near) = self.cells.member(cell) else {
                continue;
            };
            for &other in self.adjacency.of_member(near) {
                let doubted = self.doubted[other as usize] && self.at[other as usize].is_none();
                // A member with more placed neighbours is queued by the next one anyway.
                if doubted && self.placed[other as usize] <= 2 {
                    self.doubted[other as usize] = false;
                    self.wait(other);
                }
            }
        }
    }

    fn wait(&mut self, member: u32) {
        let count = self.placed[member as usize];
        self.counted[member as usize] = count;
        self.waiting.push((count, Reverse(member)));
    }

    /// Whether enough neighbours were placed since a member was last considered. In a large
    /// neighbourhood, one more neighbour changes nothing.
    fn has_many_more(&self, member: u32) -> bool {
        let counted = self.counted[member as usize];
        self.placed[member as usize] - counted >= (counted / MORE).max(1)
    }

    /// The cell with the highest score, if no other cell has the same. Its votes must be `enough`,
    /// or the cell must be forced.
    fn decide(&self, member: u32, enough: impl Fn(&Votes) -> bool) -> Option<Steps> {
        let mut votes = self.votes(member).into_iter();
        let (mut best, mut votes_of_best) = votes.next()?;
        let mut tied = false;
        for (cell, v) in votes {
            if v.score > votes_of_best.score {
                (best, votes_of_best, tied) = (cell, v, false);
            } else {
                tied |= v.score == votes_of_best.score;
            }
        }
        let clear = enough(&votes_of_best) || votes_of_best.forced;
        (clear && !tied && votes_of_best.score > 0).then(|| self.cells.at(best))
    }

    /// Free cells around the placed neighbours of a member, with their votes.
    fn votes(&self, member: u32) -> Vec<(u32, Votes)> {
        let around = self.adjacency.of_member(member).iter().copied();
        let placed: Vec<u32> = around.filter(|&m| self.at[m as usize].is_some()).collect();
        let (voters, others) = placed.split_at(placed.len().min(VOTERS));
        let mut named: Vec<u32> = Vec::new();
        let mut forced: Vec<u32> = Vec::new();
        for &voter in voters {
            let before = named.len();
            let around = self.cells.around(voter).iter().copied();
            named.extend(around.filter(|&cell| self.cells.member(cell).is_none()));
            if let [only] = named[before..] {
                forced.push(only);
            }
        }
        named.sort_unstable();
        let mut votes: Vec<(u32, Votes)> = named
            .chunk_by(|a, b| a == b)
            .map(|same| {
                let votes = Votes {
                    support: same.len() as i32,
                    score: 0,
                    forced: forced.contains(&same[0]),
                };
                (same[0], votes)
            })
            .collect();
        let most = most_support(&votes);
        votes.retain(|(_, v)| 2 * v.support >= most);
        let others: Vec<Steps> = others.iter().filter_map(|&m| self.at[m as usize]).collect();
        for (cell, v) in &mut votes {
            let cell = self.cells.at(*cell);
            let more = others.iter().filter(|at| self.template.adjacent(at, &cell));
            v.support += more.count() as i32;
        }
        let most = most_support(&votes);
        votes.retain(|(_, v)| v.support + 2 > most);
        for (cell, v) in &mut votes {
            let strangers = self.cells.members_around(*cell) - v.support;
            v.score = v.support - strangers;
        }
        votes
    }

    /// A forced cell (a neighbour has no other free cell). Used at the seam of a ring, where cells
    /// on both sides have equal scores.
    fn settle(&self, member: u32) -> Option<Steps> {
        let votes = self.votes(member).into_iter();
        let forced = votes.filter(|(_, v)| v.forced && v.score >= 0);
        let forced = forced.map(|(cell, v)| (v.score, Reverse(self.cells.at(cell))));
        forced.max().map(|(_, Reverse(cell))| cell)
    }
}

fn most_support(votes: &[(u32, Votes)]) -> i32 {
    votes.iter().map(|(_, v)| v.support).max().unwrap_or(0)
}
