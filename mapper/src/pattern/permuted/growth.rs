//! From a seed to everybody: each member goes where most of its placed neighbours want it.

use super::net::Net;
use super::seed::Seed;
use super::template::Template;
use crate::pattern::steps::{Steps, plus};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Growth that has placed this many members stops when more than [`WRONG`] of their edges contradict it.
const TRIAL: usize = 64;
const WRONG: f64 = 0.4;

/// Members in the endless grid of a template.
pub(super) struct Growth<'a> {
    net: &'a Net,
    template: &'a Template,
    /// Cell of every member placed.
    pub(super) at: Vec<Option<Steps>>,
    taken: HashMap<Steps, u32>,
    /// Members to place, those with the most placed neighbours first.
    waiting: BinaryHeap<(u32, Reverse<u32>)>,
    /// Placed neighbours of every member.
    placed: Vec<u32>,
    /// Members nothing could be decided about yet.
    undecided: Vec<u32>,
    /// Edges between placed members: all, and those that are no step of the template.
    edges: (usize, usize),
}

/// What speaks for a cell.
#[derive(Clone, Copy, Default)]
struct Votes {
    /// Placed neighbours whose neighbour the cell is, less those around it that are no neighbours.
    score: i32,
    /// Whether some neighbour has no other free cell left.
    forced: bool,
}

impl<'a> Growth<'a> {
    pub(super) fn from(net: &'a Net, template: &'a Template, seed: &Seed) -> Self {
        let mut growth = Self {
            net,
            template,
            at: vec![None; net.members()],
            taken: HashMap::with_capacity(net.members()),
            waiting: BinaryHeap::new(),
            placed: vec![0; net.members()],
            undecided: Vec::new(),
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
        self.taken.len()
    }

    fn run(&mut self) {
        while !self.is_hopeless() {
            while let Some((count, Reverse(member))) = self.waiting.pop() {
                let stale =
                    self.at[member as usize].is_some() || self.placed[member as usize] != count;
                if stale {
                    continue;
                }
                match self.decide(member) {
                    Some(cell) => self.place(member, cell),
                    None => self.undecided.push(member),
                }
                if self.is_hopeless() {
                    return;
                }
            }
            if !self.settle() {
                return;
            }
        }
    }

    fn is_hopeless(&self) -> bool {
        let (all, wrong) = self.edges;
        self.reached() > TRIAL && wrong as f64 > WRONG * all as f64
    }

    fn place(&mut self, member: u32, cell: Steps) {
        self.at[member as usize] = Some(cell);
        self.taken.insert(cell, member);
        for &other in self.net.of_member(member) {
            match self.at[other as usize] {
                Some(at) => {
                    self.edges.0 += 1;
                    self.edges.1 += usize::from(!self.template.adjacent(&at, &cell));
                }
                None => {
                    self.placed[other as usize] += 1;
                    let count = self.placed[other as usize];
                    self.waiting.push((count, Reverse(other)));
                }
            }
        }
    }

    /// The one cell that more speaks for than for any other; a single voice must leave no choice.
    fn decide(&self, member: u32) -> Option<Steps> {
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
        let clear = votes_of_best.score > 1 || votes_of_best.forced;
        (clear && !tied && votes_of_best.score > 0).then_some(best)
    }

    /// Free cells around the placed neighbours of a member, in order.
    fn votes(&self, member: u32) -> BTreeMap<Steps, Votes> {
        let mut votes: BTreeMap<Steps, Votes> = BTreeMap::new();
        for &other in self.net.of_member(member) {
            let Some(at) = self.at[other as usize] else {
                continue;
            };
            let around = self.template.steps.iter();
            let free: Vec<Steps> = around
                .map(|step| self.template.reduced(&plus(&at, step)))
                .filter(|cell| !self.taken.contains_key(cell))
                .collect();
            for cell in &free {
                let v = votes.entry(*cell).or_default();
                v.score += 1;
                v.forced |= free.len() == 1;
            }
        }
        let most = votes.values().map(|v| v.score).max().unwrap_or(0);
        votes.retain(|_, v| 2 * v.score >= most);
        for (cell, v) in &mut votes {
            v.score -= self.strangers(member, cell);
        }
        votes
    }

    /// Placed members around a cell that `member` does not talk to.
    fn strangers(&self, member: u32, cell: &Steps) -> i32 {
        let around = self.template.steps.iter();
        let around = around.filter_map(|step| {
            let cell = self.template.reduced(&plus(cell, step));
            self.taken.get(&cell)
        });
        around
            .filter(|&&other| !self.net.adjacent(member, other))
            .count() as i32
    }

    /// Places one undecided member where a neighbour has no other room for it: on the seam of a ring,
    /// where both sides want it equally. False if there is none.
    fn settle(&mut self) -> bool {
        let undecided = std::mem::take(&mut self.undecided);
        let mut left = undecided.into_iter();
        while let Some(member) = left.next() {
            if self.at[member as usize].is_some() {
                continue;
            }
            let votes = self.votes(member);
            let forced = votes.into_iter().filter(|(_, v)| v.forced && v.score > 0);
            let best = forced.max_by_key(|&(cell, v)| (v.score, Reverse(cell)));
            if let Some((cell, _)) = best {
                self.undecided.extend(left);
                self.place(member, cell);
                return true;
            }
        }
        false
    }
}
