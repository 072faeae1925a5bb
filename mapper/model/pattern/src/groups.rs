//! Finds all-to-alls within groups of ranks of equal size (sub-communicators) and separates them
//! from the grid below.
//!
//! Idea: two members of a group share nearly all their partners, so pairs that share enough
//! partners form connected components. If the components have equal sizes and nearly all their
//! pairs exchange bytes, they are the groups. The usual bytes of a group's pairs are subtracted;
//! the remaining traffic is analysed as a grid, whose neighbours may also be in the same group. The
//! method is the project's own. Cost: O(pairs x partners).
//!
//! ```text
//! 3 x 4 grid of ranks; every row calls Alltoall (u bytes a pair), neighbours exchange halos
//!  0-1-2-3    pairs within a row: u bytes, or u + halo between neighbours
//!  | | | |    the members of a row share their partners in the row   ─> 3 groups of 4
//!  4-5-6-7    after u is subtracted, only the halos remain           ─> 3 x 4 grid
//!  ..
//! ```

use super::adjacency::{Adjacency, shared};
use super::traffic::{Pair, PairTraffic};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Size of the smallest group; smaller cliques may be corners of a stencil. Chosen by hand.
pub(super) const SMALLEST: usize = 4;

/// Shares of partners that members of a group must have in common, tried from the strictest on.
/// Chosen by hand (see [thresholds](super#thresholds-and-their-evidence)).
const ALIKE: [f64; 3] = [0.75, 0.5, 0.3];

/// Least share of a group's pairs that exchange bytes. Chosen by hand.
pub(super) const FULL: f64 = 0.95;

/// A pair whose bytes exceed the usual bytes of its group by this factor exchanges other messages
/// besides the all-to-all. Chosen by hand.
const BEYOND: f64 = 1.2;

/// Groups are likely only where members have this many partners on average. `SAMPLE` pairs are
/// tested. Chosen by hand.
const CROWD: usize = 7;
const SAMPLE: usize = 256;

/// Number of members that are tested for a group before all pairs are compared. Chosen by hand; it
/// saves the comparison for most graphs without groups (commit f9c84c1).
const ASKED: usize = 64;

/// Groups are not looked for if a member has more partners than this, since the comparison would
/// take too long. Chosen by hand; not measured.
const MAX_PARTNERS: usize = 2048;

/// The groups, and the traffic without their all-to-alls.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// Number of groups.
    pub(super) count: usize,
    /// Members of each group.
    pub(super) size: usize,
    /// Bytes of the all-to-alls.
    pub(super) bytes: u128,
    /// All other traffic.
    pub(super) rest: PairTraffic,
}

/// Whether groups may be hidden below a grid of `ranks` ranks: members have enough partners, and
/// most sampled pairs share most of their partners.
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

/// Finds groups that nearly all members belong to.
pub(super) fn peel(traffic: &PairTraffic) -> Option<Groups> {
    let adjacency = traffic.adjacency();
    if adjacency.most_neighbours() > MAX_PARTNERS {
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
        let (count, size) = uniform(traffic, &group, SMALLEST)?;
        let (rest, bytes) = without(traffic, &group);
        Some(Groups {
            count,
            size,
            bytes,
            rest,
        })
    })
}

/// Whether a member may belong to a group. The members that share enough partners with it, directly
/// or through others, must not be more than `largest`, the number that could all exchange messages
/// with one another.
///
/// Asking a few members first saves comparing all pairs in most graphs without groups. Members of a
/// group found are marked in `grouped`, so that none of them is asked again.
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

/// Share of the partners of one end that the other end has too. The end with fewer partners is
/// taken.
fn share(adjacency: &Adjacency, pair: &Pair) -> f64 {
    shared_by(adjacency, pair.low, pair.high)
}

fn shared_by(adjacency: &Adjacency, a: u32, b: u32) -> f64 {
    let (a, b) = (adjacency.of_member(a), adjacency.of_member(b));
    let fewest = a.len().min(b.len()).saturating_sub(1).max(1);
    f64::from(shared(a, b)) / fewest as f64
}

/// Number of the connected component of every member.
pub(super) fn components<'a>(members: usize, joined: impl Iterator<Item = &'a Pair>) -> Vec<usize> {
    let mut sets = petgraph::unionfind::UnionFind::new(members);
    for pair in joined {
        sets.union(pair.low as usize, pair.high as usize);
    }
    sets.into_labeling()
}

/// Number and size of the groups, if all have the same size and nearly all their pairs exchange
/// bytes. `smallest` is the size of the smallest group.
pub(super) fn uniform(
    traffic: &PairTraffic,
    group: &[usize],
    smallest: usize,
) -> Option<(usize, usize)> {
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for &g in group {
        *sizes.entry(g).or_default() += 1;
    }
    let size = *sizes.values().next()?;
    let alike = sizes.values().all(|&s| s == size) && size >= smallest && sizes.len() > 1;
    let inside = traffic.pairs.iter().filter(|p| within(group, p)).count();
    let possible = sizes.len() * size * (size - 1) / 2;
    (alike && inside as f64 >= FULL * possible as f64).then_some((sizes.len(), size))
}

fn within(group: &[usize], pair: &Pair) -> bool {
    group[pair.low as usize] == group[pair.high as usize]
}

/// The traffic without the all-to-alls, and the bytes of the all-to-alls.
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
        .filter_map(|pair| {
            if within(group, pair) {
                beyond(pair, usual[&group[pair.low as usize]])
            } else {
                Some(*pair)
            }
        })
        .collect();
    let bytes = traffic.bytes() - rest.bytes();
    (rest, bytes)
}

/// What a pair exchanges beyond the usual bytes of its group, half of which go each way. `None` if
/// it is not significantly more.
fn beyond(pair: &Pair, usual: u64) -> Option<Pair> {
    let more = pair.bytes() as f64 > BEYOND * usual as f64;
    more.then(|| {
        let up = pair.up.saturating_sub(usual / 2);
        let down = (pair.bytes() - usual).saturating_sub(up);
        Pair { up, down, ..*pair }
    })
}
