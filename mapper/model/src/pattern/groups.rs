//! All-to-alls within sub-communicators of one size, laid over a grid.
//!
//! Two members of a group share nearly all their partners. Once found, what every pair of a group
//! exchanges anyway is taken off; what remains is the grid, whose neighbours may be of one group.

use super::adjacency::{Adjacency, shared};
use super::traffic::{Pair, PairTraffic};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Smallest group that is more than a corner of a stencil.
const SMALLEST: usize = 4;

/// Shares of partners that members of a group have in common, at least: the strictest that works
/// counts.
const ALIKE: [f64; 3] = [0.75, 0.5, 0.3];

/// Share of a group's pairs that must talk.
const FULL: f64 = 0.95;

/// A pair with more than this many times the usual bytes of its group talks beyond the all-to-all.
const BEYOND: f64 = 1.2;

/// Partners a member has at least, on average, and pairs tried, where groups are likely.
const CROWD: usize = 7;
const SAMPLE: usize = 256;

/// Members asked whether they are in a group before all are.
const ASKED: usize = 64;

/// Partners above which members are not compared one by one.
const MOST_PARTNERS: usize = 2048;

/// The groups, and the traffic without what they account for.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// Number of groups.
    pub(super) count: usize,
    /// Members of each.
    pub(super) size: usize,
    /// Bytes their all-to-alls account for.
    pub(super) bytes: u128,
    /// Everything else.
    pub(super) rest: PairTraffic,
}

/// Whether groups may be what a grid of `ranks` ranks was made of: these have enough partners, and
/// most pairs tried have most of them in common.
pub(super) fn are_likely(traffic: &PairTraffic, ranks: usize) -> bool {
    if traffic.pairs.len() * 2 < CROWD * ranks {
        return false;
    }
    let adjacency = traffic.adjacency();
    let tried = traffic
        .pairs
        .iter()
        .step_by(traffic.pairs.len() / SAMPLE + 1);
    let (alike, all) = tried.fold((0, 0), |(alike, all), pair| {
        (
            alike + usize::from(share(adjacency, pair) >= ALIKE[0]),
            all + 1,
        )
    });
    2 * alike > all
}

/// Groups that nearly all members belong to, if there are any.
pub(super) fn peel(traffic: &PairTraffic) -> Option<Groups> {
    let adjacency = traffic.adjacency();
    if adjacency.most_neighbours() > MOST_PARTNERS {
        return None;
    }
    let largest = (adjacency.most_neighbours() as f64 / FULL) as usize + 1;
    let mut shares = Vec::new();
    ALIKE.iter().find_map(|&alike| {
        let asked = (0..adjacency.members()).step_by(adjacency.members() / ASKED + 1);
        let mut grouped = vec![false; adjacency.members()];
        if !asked
            .map(|m| m as u32)
            .all(|m| grouped[m as usize] || has_group(adjacency, m, alike, largest, &mut grouped))
        {
            return None;
        }
        if shares.is_empty() {
            let pairs = traffic.pairs.par_iter();
            shares = pairs.map(|pair| share(adjacency, pair)).collect();
        }
        let pairs = traffic.pairs.iter().zip(&shares);
        let joined = pairs.filter(|&(_, &share)| share >= alike);
        let group = components(traffic.members(), joined.map(|(pair, _)| pair));
        let (count, size) = uniform(traffic, &group)?;
        let (rest, bytes) = without(traffic, &group);
        Some(Groups {
            count,
            size,
            bytes,
            rest,
        })
    })
}

/// Whether a member may be in a group at all: those alike to it, and those alike to them, are no
/// more than the `largest` number that could all talk to one another.
///
/// The answers of a few spare most graphs without groups the look at every pair. Members of a group
/// are marked, so that none of them need be asked the same again.
fn has_group(
    adjacency: &Adjacency,
    member: u32,
    alike: f64,
    largest: usize,
    grouped: &mut [bool],
) -> bool {
    let mut size = 1;
    grouped[member as usize] = true;
    let mut queue = vec![member];
    while let Some(member) = queue.pop() {
        for &other in adjacency.of_member(member) {
            if !grouped[other as usize] && shared_by(adjacency, member, other) >= alike {
                grouped[other as usize] = true;
                size += 1;
                queue.push(other);
            }
        }
        if size > largest {
            return false;
        }
    }
    size >= SMALLEST
}

/// Share of the partners of the less sociable of two members that are the other one's too.
fn share(adjacency: &Adjacency, pair: &Pair) -> f64 {
    shared_by(adjacency, pair.low, pair.high)
}

fn shared_by(adjacency: &Adjacency, a: u32, b: u32) -> f64 {
    let (a, b) = (adjacency.of_member(a), adjacency.of_member(b));
    let fewest = a.len().min(b.len()).saturating_sub(1).max(1);
    f64::from(shared(a, b)) / fewest as f64
}

/// The number of the component of every member.
fn components<'a>(members: usize, joined: impl Iterator<Item = &'a Pair>) -> Vec<usize> {
    let mut sets = petgraph::unionfind::UnionFind::new(members);
    for pair in joined {
        sets.union(pair.low as usize, pair.high as usize);
    }
    sets.into_labeling()
}

/// Number and size of the groups, if they are alike and their members all talk to one another.
fn uniform(traffic: &PairTraffic, group: &[usize]) -> Option<(usize, usize)> {
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for &g in group {
        *sizes.entry(g).or_default() += 1;
    }
    let size = *sizes.values().next()?;
    let alike = sizes.values().all(|&s| s == size) && size >= SMALLEST && sizes.len() > 1;
    let inside = traffic.pairs.iter().filter(|p| within(group, p)).count();
    let possible = sizes.len() * size * (size - 1) / 2;
    (alike && inside as f64 >= FULL * possible as f64).then_some((sizes.len(), size))
}

fn within(group: &[usize], pair: &Pair) -> bool {
    group[pair.low as usize] == group[pair.high as usize]
}

/// The traffic beyond the all-to-alls, and the bytes of these.
fn without(traffic: &PairTraffic, group: &[usize]) -> (PairTraffic, u128) {
    let mut usual: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for pair in traffic.pairs.iter().filter(|p| within(group, p)) {
        let bytes = usual.entry(group[pair.low as usize]).or_default();
        bytes.push(pair.bytes());
    }
    let median = |mut bytes: Vec<u64>| {
        let middle = bytes.len() / 2;
        *bytes.select_nth_unstable(middle).1
    };
    let usual: BTreeMap<usize, u64> = usual.into_iter().map(|(g, b)| (g, median(b))).collect();
    let mut rest = traffic.filtered(|_| true);
    rest.pairs = traffic
        .pairs
        .iter()
        .filter_map(|pair| match within(group, pair) {
            true => beyond(pair, usual[&group[pair.low as usize]]),
            false => Some(*pair),
        })
        .collect();
    let bytes = traffic.bytes() - rest.bytes();
    (rest, bytes)
}

/// What a pair exchanges beyond the usual bytes of its group, half of which go each way.
fn beyond(pair: &Pair, usual: u64) -> Option<Pair> {
    let more = pair.bytes() as f64 > BEYOND * usual as f64;
    more.then(|| {
        let up = pair.up.saturating_sub(usual / 2);
        let down = (pair.bytes() - usual).saturating_sub(up);
        Pair { up, down, ..*pair }
    })
}
