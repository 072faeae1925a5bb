//! From a seed to everybody: each member goes where most of its placed neighbours want it.

use super::cell_table::CellTable;
use super::seed::Seed;
use super::template::Template;
use crate::pattern::adjacency::Adjacency;
use crate::pattern::stencil_steps::Steps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Growth that has placed this many members stops when more than [`WRONG`] of their edges
/// contradict it.
const TRIAL: usize = 64;
const WRONG: f64 = 0.4;

/// Placed neighbours that name cells; all of them judge the cells named.
const VOTERS: usize = 6;

/// Who is in doubt is asked again when its placed neighbours are more by one in so many.
const MORE: u32 = 8;

/// Placed neighbours beside whose edges squares are counted.
const FEW: usize = 3;

/// Members in the endless grid of a template.
pub(super) struct Growth<'a> {
    adjacency: &'a Adjacency,
    template: &'a Template,
    /// Cell of every member placed.
    pub(super) at: Vec<Option<Steps>>,
    cells: CellTable<'a>,
    reached: usize,
    /// Members to place, those with the most placed neighbours first.
    waiting: BinaryHeap<(u32, Reverse<u32>)>,
    /// Members nothing else decides, those with the most squares beside their edges first: a stray
    /// edge has hardly any.
    doubtful: BinaryHeap<(usize, Reverse<u32>)>,
    /// Placed neighbours of every member.
    placed: Vec<u32>,
    /// How many these were when the member was last put up.
    counted: Vec<u32>,
    /// Members that have been doubtful: asked again when there is less room.
    doubted: Vec<bool>,
    /// The neighbours of the member whose squares are being counted.
    marked: Vec<bool>,
    /// Members placed when those in doubt were last asked once more.
    asked_at: usize,
    /// Placed neighbours from which a member is asked at once: a quarter of a full neighbourhood.
    quorum: u32,
    /// Edges between placed members: all, and those that are no step of the template.
    edges: (usize, usize),
}

/// What speaks for a cell.
#[derive(Clone, Copy, Default)]
struct Votes {
    /// Placed neighbours whose neighbour the cell is.
    support: i32,
    /// The same less strangers: placed members around it that are no neighbours.
    score: i32,
    /// Whether some neighbour has no other free cell left.
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

    /// Puts everybody with a placed neighbour up again, if somebody was placed since the last time.
    /// Where an edge is missing, too little may have spoken for a cell before all around it were
    /// placed.
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

    /// Squares that a member's edge to a placed neighbour spans with other placed members; the most
    /// of a few such edges.
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

    /// Whoever has a neighbour around the cell that `member` has taken has less choice.
    fn ask_again_around(&mut self, member: u32) {
        for at in 0..self.template.steps.len() {
            let cell = self.cells.around(member)[at];
            let Some(near) = self.cells.member(cell) else {
                continue;
            };
            for &other in self.adjacency.of_member(near) {
                let doubted = self.doubted[other as usize] && self.at[other as usize].is_none();
                // With more placed neighbours than that, the next one placed asks anyway.
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

    /// Whether so many neighbours were placed since a member was last in doubt that it may be none
    /// any more: one in a large neighbourhood tells nothing new.
    fn has_many_more(&self, member: u32) -> bool {
        let counted = self.counted[member as usize];
        self.placed[member as usize] - counted >= (counted / MORE).max(1)
    }

    /// The one cell that more speaks for than for any other; unless that is `enough`, it must be
    /// forced.
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

    /// Free cells around the placed neighbours of a member.
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

    /// The cell that a neighbour has no other room than: on the seam of a ring, where both sides
    /// want a member equally.
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
