//! From a seed to everybody: each member goes where most of its placed neighbours want it.

use super::seed::Seed;
use super::template::Template;
use crate::pattern::net::Net;
use crate::pattern::stencil_steps::{Steps, plus};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Growth that has placed this many members stops when more than [`WRONG`] of their edges contradict it.
const TRIAL: usize = 64;
const WRONG: f64 = 0.4;

/// Placed neighbours that name cells; all of them judge the cells named.
const VOTERS: usize = 6;

/// Placed neighbours beside whose edges squares are counted.
const FEW: usize = 3;

/// Members in the endless grid of a template.
pub(super) struct Growth<'a> {
    net: &'a Net,
    template: &'a Template,
    /// Cell of every member placed.
    pub(super) at: Vec<Option<Steps>>,
    taken: HashMap<Steps, u32>,
    /// Members to place, those with the most placed neighbours first.
    waiting: BinaryHeap<(u32, Reverse<u32>)>,
    /// Members nothing else decides, those with the most squares beside their edges first: a stray edge
    /// has hardly any.
    doubtful: BinaryHeap<(usize, Reverse<u32>)>,
    /// Placed neighbours of every member.
    placed: Vec<u32>,
    /// Members that have been doubtful: asked again when there is less room.
    doubted: Vec<bool>,
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
    /// The same less placed members around it that are no neighbours.
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
            doubtful: BinaryHeap::new(),
            placed: vec![0; net.members()],
            doubted: vec![false; net.members()],
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
        self.taken.len()
    }

    fn run(&mut self) {
        while !self.is_hopeless() {
            if let Some((count, Reverse(member))) = self.waiting.pop() {
                let stale = self.placed[member as usize] != count;
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

    /// Puts everybody with a placed neighbour up again, if somebody was placed since the last time. Where an
    /// edge is missing, too little may have spoken for a cell before all around it were placed.
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
        self.doubtful.push((self.squares(member), Reverse(member)));
    }

    /// Squares that a member's edge to a placed neighbour spans with other placed members; the most of
    /// a few such edges.
    fn squares(&self, member: u32) -> usize {
        let is_placed = |other: &&u32| self.at[**other as usize].is_some();
        let spans = |&&other: &&u32| self.net.common(other, member) > 1;
        let around = self.net.of_member(member).iter().filter(is_placed);
        around
            .take(FEW)
            .map(|&placed| {
                let beside = self.net.of_member(placed).iter().filter(is_placed);
                beside.filter(spans).count()
            })
            .max()
            .unwrap_or(0)
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
        self.ask_again_around(&cell);
    }

    /// Whoever has a neighbour around a cell now taken has less choice.
    fn ask_again_around(&mut self, cell: &Steps) {
        for step in &self.template.steps {
            let at = self.template.reduced(&plus(cell, step));
            let Some(&near) = self.taken.get(&at) else {
                continue;
            };
            for &other in self.net.of_member(near) {
                let doubted = self.doubted[other as usize] && self.at[other as usize].is_none();
                // With more placed neighbours than that, the next one placed asks anyway.
                if doubted && self.placed[other as usize] <= 2 {
                    self.doubted[other as usize] = false;
                    let count = self.placed[other as usize];
                    self.waiting.push((count, Reverse(other)));
                }
            }
        }
    }

    /// The one cell that more speaks for than for any other; unless that is `enough`, it must be forced.
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
        (clear && !tied && votes_of_best.score > 0).then_some(best)
    }

    /// Free cells around the placed neighbours of a member, in order.
    fn votes(&self, member: u32) -> BTreeMap<Steps, Votes> {
        let around = self.net.of_member(member).iter();
        let placed: Vec<Steps> = around.filter_map(|&m| self.at[m as usize]).collect();
        let mut votes: BTreeMap<Steps, Votes> = BTreeMap::new();
        for at in placed.iter().take(VOTERS) {
            let around = self.template.steps.iter();
            let free: Vec<Steps> = around
                .map(|step| self.template.reduced(&plus(at, step)))
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
        let others = placed.get(VOTERS..).unwrap_or_default();
        for (cell, v) in &mut votes {
            let more = others.iter().filter(|at| self.template.adjacent(at, cell));
            v.score += more.count() as i32;
        }
        let most = votes.values().map(|v| v.score).max().unwrap_or(0);
        votes.retain(|_, v| v.score + 2 > most);
        for (cell, v) in &mut votes {
            v.support = v.score;
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

    /// The cell that a neighbour has no other room than: on the seam of a ring, where both sides want a
    /// member equally.
    fn settle(&self, member: u32) -> Option<Steps> {
        let votes = self.votes(member).into_iter();
        let forced = votes.filter(|(_, v)| v.forced && v.score >= 0);
        let best = forced.max_by_key(|&(cell, v)| (v.score, Reverse(cell)))?;
        Some(best.0)
    }
}
