//! Undirected traffic between pairs of ranks, the input of all parts of the analyser.

use super::adjacency::Adjacency;
use rankfold_base::Rank;
use rankfold_graph::CommGraph;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A hub has partners among more than this share of all ranks, and [`HUB_DEGREES`] times the median
/// number of partners. Chosen by hand (see [thresholds](super#thresholds-and-their-evidence)).
const HUB_SHARE: f64 = 0.25;
const HUB_DEGREES: usize = 3;

/// Two members that exchange bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair {
    /// The member with the lower number.
    pub(super) low: u32,
    /// The member with the higher number.
    pub(super) high: u32,
    /// Bytes from `low` to `high`.
    pub(super) up: u64,
    /// Bytes from `high` to `low`.
    pub(super) down: u64,
}

impl Pair {
    fn ends(&self) -> (u32, u32) {
        (self.low, self.high)
    }

    /// Bytes of both directions.
    pub(super) fn bytes(&self) -> u64 {
        self.up + self.down
    }
}

/// Traffic among some ranks, its members. Members are numbered from 0 in rank order.
#[derive(Clone, Debug)]
pub(super) struct PairTraffic {
    /// The rank of every member, ascending.
    pub(super) ranks: Vec<Rank>,
    /// The pairs, ordered by `low`, then `high`.
    pub(super) pairs: Vec<Pair>,
    /// Members whose messages need not be explained by a grid: a root or a master.
    pub(super) hub: Vec<bool>,
    adjacency: OnceLock<Adjacency>,
}

impl PairTraffic {
    /// All traffic among all ranks.
    pub(super) fn of(graph: &CommGraph) -> Self {
        let ranks = graph.ranks();
        let mut traffic = Self {
            ranks: (0..ranks).map(Rank::at).collect(),
            hub: Vec::new(),
            adjacency: OnceLock::new(),
            pairs: pairs_met(graph),
        };
        traffic.pairs.par_sort_unstable_by_key(|p| (p.low, p.high));
        traffic.hub = hubs(&traffic.degrees());
        traffic
    }

    /// Number of members.
    pub(super) fn members(&self) -> usize {
        self.ranks.len()
    }

    /// Bytes of all pairs.
    pub(super) fn bytes(&self) -> u128 {
        self.pairs.iter().map(|p| u128::from(p.bytes())).sum()
    }

    /// The adjacency of the members. It is computed once; `pairs` must not change afterwards.
    pub(super) fn adjacency(&self) -> &Adjacency {
        self.adjacency
            .get_or_init(|| Adjacency::new(self.members(), 0, self.pairs.iter().map(Pair::ends)))
    }

    /// The adjacency without hubs. `None` if a member that is no hub has more partners than any
    /// cell of a grid has neighbours.
    pub(super) fn adjacency_without_hubs(&self) -> Option<Cow<'_, Adjacency>> {
        let is_hub = |member: u32| self.hub[member as usize];
        let hubs = self.hub.iter().filter(|&&hub| hub).count();
        let adjacency = match hubs {
            0 => Cow::Borrowed(self.adjacency()),
            _ => {
                let pairs = self.pairs.iter().map(Pair::ends);
                let others = pairs.filter(|&(low, high)| !is_hub(low) && !is_hub(high));
                Cow::Owned(Adjacency::new(self.members(), hubs, others))
            }
        };
        (!adjacency.is_crowded()).then_some(adjacency)
    }

    /// Number of partners of every member.
    pub(super) fn degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.members()];
        for p in &self.pairs {
            degrees[p.low as usize] += 1;
            degrees[p.high as usize] += 1;
        }
        degrees
    }

    /// The traffic among the members that have a partner.
    pub(super) fn active(&self) -> Cow<'_, Self> {
        let degrees = self.degrees();
        if degrees.contains(&0) {
            Cow::Owned(self.only(|member| degrees[member] > 0))
        } else {
            Cow::Borrowed(self)
        }
    }

    /// The traffic among the members that have a partner, reusing the memory.
    pub(super) fn into_active(mut self) -> Self {
        let degrees = self.degrees();
        if !degrees.contains(&0) {
            return self;
        }
        let mut number = vec![u32::MAX; self.members()];
        let taking_part = (0..self.members()).filter(|&m| degrees[m] > 0);
        for (new, member) in taking_part.enumerate() {
            number[member] = new as u32;
            (self.ranks[new], self.hub[new]) = (self.ranks[member], self.hub[member]);
        }
        let count = degrees.iter().filter(|&&degree| degree > 0).count();
        self.ranks.truncate(count);
        self.hub.truncate(count);
        for pair in &mut self.pairs {
            pair.low = number[pair.low as usize];
            pair.high = number[pair.high as usize];
        }
        self.adjacency = OnceLock::new();
        self
    }

    /// The traffic without hubs; `None` if there are none.
    pub(super) fn without_hubs(&self) -> Option<Self> {
        let any = self.hub.contains(&true);
        any.then(|| {
            let others = self.only(|member| !self.hub[member]);
            others.into_active()
        })
    }

    /// The same traffic, where members that no longer have enough partners are no hubs any more.
    pub(super) fn with_fewer_hubs(mut self) -> Self {
        let still = hubs(&self.degrees());
        for (hub, still) in self.hub.iter_mut().zip(still) {
            *hub &= still;
        }
        self
    }

    /// Bytes of all pairs without a hub.
    pub(super) fn bytes_beside_hubs(&self) -> u128 {
        let is_hub = |member: u32| self.hub[member as usize];
        let others = self
            .pairs
            .iter()
            .filter(|p| !is_hub(p.low) && !is_hub(p.high));
        others.map(|p| u128::from(p.bytes())).sum()
    }

    /// The median of the bytes that each hub exchanges with a partner; 0 for other members.
    pub(super) fn usual_bytes_of_hubs(&self) -> Vec<u64> {
        if !self.hub.contains(&true) {
            return vec![0; self.members()];
        }
        let mut exchanged = vec![Vec::new(); self.members()];
        for p in &self.pairs {
            for member in [p.low as usize, p.high as usize] {
                if self.hub[member] {
                    exchanged[member].push(p.bytes());
                }
            }
        }
        let median = |mut bytes: Vec<u64>| {
            let middle = bytes.len() / 2;
            if bytes.is_empty() {
                0
            } else {
                *bytes.select_nth_unstable(middle).1
            }
        };
        exchanged.into_iter().map(median).collect()
    }

    /// The traffic of all members, restricted to pairs that `keep` accepts.
    pub(super) fn filtered(&self, keep: impl Fn(&Pair) -> bool) -> Self {
        Self {
            ranks: self.ranks.clone(),
            pairs: self.pairs.iter().copied().filter(|p| keep(p)).collect(),
            hub: self.hub.clone(),
            adjacency: OnceLock::new(),
        }
    }

    /// The traffic among the members that `keep` accepts.
    pub(super) fn only(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut number = vec![u32::MAX; self.members()];
        let mut kept = Vec::new();
        for member in (0..self.members()).filter(|&m| keep(m)) {
            number[member] = kept.len() as u32;
            kept.push(member);
        }
        let renumbered = self.pairs.iter().map(|p| Pair {
            low: number[p.low as usize],
            high: number[p.high as usize],
            ..*p
        });
        Self {
            pairs: renumbered
                .filter(|p| p.low != u32::MAX && p.high != u32::MAX)
                .collect(),
            ranks: kept.iter().map(|&m| self.ranks[m]).collect(),
            hub: kept.iter().map(|&m| self.hub[m]).collect(),
            adjacency: OnceLock::new(),
        }
    }
}

/// Number of ranks in one task of the parallel loop. Chosen by hand; not measured.
const CHUNK: usize = 2048;

/// All pairs, each listed at the first rank that mentions it, rank by rank. Takes no more memory
/// than the result.
fn pairs_met(graph: &CommGraph) -> Vec<Pair> {
    let chunk = |number: usize| {
        let ranks = number * CHUNK..graph.ranks().min((number + 1) * CHUNK);
        ranks.map(Rank::at)
    };
    let lengths: Vec<usize> = (0..graph.ranks().div_ceil(CHUNK))
        .into_par_iter()
        .map(|number| {
            let met = |from: Rank| {
                let first = |&(to, _): &(Rank, u64)| from < to || graph.bytes(to, from) == 0;
                graph.sent_by(from).filter(first).count()
            };
            chunk(number).map(met).sum()
        })
        .collect();
    let mut pairs = vec![Pair::default(); lengths.iter().sum()];
    let mut rest = pairs.as_mut_slice();
    let parts = lengths.iter().map(|&length| {
        let (part, behind) = std::mem::take(&mut rest).split_at_mut(length);
        rest = behind;
        part
    });
    let parts: Vec<&mut [Pair]> = parts.collect();
    parts
        .into_par_iter()
        .enumerate()
        .for_each(|(number, part)| {
            let met = chunk(number).flat_map(|from| pairs_met_at(graph, from));
            part.iter_mut()
                .zip(met)
                .for_each(|(place, pair)| *place = pair);
        });
    pairs
}

/// The pairs that are listed at a rank: pairs with higher ranks it sends to, and pairs with lower
/// ranks that only receive from it.
fn pairs_met_at(graph: &CommGraph, from: Rank) -> impl Iterator<Item = Pair> + '_ {
    graph.sent_by(from).filter_map(move |(to, bytes)| {
        let answer = graph.bytes(to, from);
        if from < to {
            Some(Pair {
                low: from.0,
                high: to.0,
                up: bytes,
                down: answer,
            })
        } else {
            (answer == 0).then_some(Pair {
                low: to.0,
                high: from.0,
                up: 0,
                down: bytes,
            })
        }
    })
}

fn hubs(degrees: &[u32]) -> Vec<bool> {
    let mut sorted = degrees.to_vec();
    let middle = sorted.len() / 2;
    let typical = *sorted.select_nth_unstable(middle).1 as usize;
    let many = (HUB_SHARE * degrees.len() as f64) as usize;
    let limit = many.max(HUB_DEGREES * typical.max(1));
    degrees.iter().map(|&d| d as usize > limit).collect()
}
