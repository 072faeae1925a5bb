//! Who sends to whom when something goes from every rank to rank 0, or back.
//!
//! ```text
//! ranks of one host, one after the other ──> the first of them
//! the first ones of the hosts of a block ──> the first of the block
//! the first ones of 15 blocks ─────────────> the first of the block before them; and so on, 16 times as many each time
//! ```
//!
//! Everybody passes on a contiguous range of ranks, in rank order, so nobody has to hold what
//! others have said. Ranks whose neighbours are on other hosts send to the first of their block
//! themselves.

/// Ranks of a block.
const BLOCK: u32 = 256;
/// Of so many blocks, or blocks of blocks, the first one hears of the others.
const RADIX: u32 = 16;

/// Ranks that another passes on: `ranks` of them, from `first` on, who passes them on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) first: u32,
    pub(super) ranks: u32,
    /// How many levels of others there are behind the first.
    pub(super) height: u32,
}

/// The place of one rank, and how crowded it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(super) tree: Tree,
    /// Ranks of the block that are on this one's host, itself among them.
    pub(super) on_host: u32,
}

/// The place of one rank: it passes on what the branches below it say, after its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    /// Whom it sends to; `None` for rank 0.
    pub(super) above: Option<u32>,
    /// Ascending; together with the rank itself they are a range without gaps.
    pub(super) below: Vec<Branch>,
}

/// The first rank of the block of `rank`.
pub(super) fn first_of(rank: u32) -> u32 {
    rank - rank % BLOCK
}

/// The ranks of the block that begins with `first`, without it.
pub(super) fn members(first: u32, ranks: u32) -> std::ops::Range<u32> {
    first + 1..ranks.min(first.saturating_add(BLOCK))
}

/// The first rank of the block that hears of the one that begins with `first`; `None` for the first
/// one.
pub(super) fn above_block(first: u32) -> Option<u32> {
    let mut block = first / BLOCK;
    let mut step = 1;
    while block > 0 && block.is_multiple_of(step * RADIX) {
        step *= RADIX;
    }
    block = block.checked_sub(1)? / (step * RADIX) * (step * RADIX);
    Some(block * BLOCK)
}

/// The blocks that the one that begins with `first` hears of, each with those behind it.
pub(super) fn blocks_below(first: u32, ranks: u32) -> Vec<Branch> {
    let (block, blocks) = (first / BLOCK, ranks.div_ceil(BLOCK));
    let mut below = Vec::new();
    let (mut step, mut height) = (1, 1);
    while step < blocks && block.is_multiple_of(step * RADIX) {
        for next in (1..RADIX).map(|index| block + index * step) {
            if next < blocks {
                let first = next * BLOCK;
                below.push(Branch {
                    first,
                    ranks: (step * BLOCK).min(ranks - first),
                    height,
                });
            }
        }
        (step, height) = (step * RADIX, height + 1);
    }
    below
}

/// How many levels of blocks a world has.
pub(super) fn levels(ranks: u32) -> u32 {
    blocks_below(0, ranks)
        .last()
        .map_or(0, |branch| branch.height)
}

/// The hosts of a block: ranks that are on one, one after the other.
pub(super) fn runs(first: u32, hosts: &[impl PartialEq]) -> Vec<Branch> {
    let mut runs: Vec<Branch> = Vec::new();
    for (rank, pair) in (first..).zip(
        std::iter::once(None)
            .chain(hosts.iter().map(Some))
            .zip(hosts),
    ) {
        match (runs.last_mut(), pair) {
            (Some(run), (Some(before), host)) if before == host => run.ranks += 1,
            _ => runs.push(Branch {
                first: rank,
                ranks: 1,
                height: 0,
            }),
        }
    }
    runs
}

/// The ranks of a run but its first one, each by itself.
fn rest(run: Branch) -> impl Iterator<Item = Branch> {
    (run.first + 1..run.first + run.ranks).map(|first| Branch {
        first,
        ranks: 1,
        height: 0,
    })
}

impl Tree {
    /// The place of the first rank of a block, whose hosts are `runs`.
    pub(super) fn of_first(first: u32, ranks: u32, runs: &[Branch]) -> Self {
        let own = runs.first().copied().into_iter().flat_map(rest);
        let others = runs.iter().skip(1).copied();
        let blocks = blocks_below(first, ranks);
        Self {
            above: above_block(first),
            below: own.chain(others).chain(blocks).collect(),
        }
    }

    /// The place of another rank of a block, which is of `run`, the host's.
    pub(super) fn of_member(rank: u32, run: Branch) -> Self {
        if rank == run.first {
            return Self {
                above: Some(first_of(rank)),
                below: rest(run).collect(),
            };
        }
        Self {
            above: Some(run.first),
            below: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole tree of a world with hosts of so many ranks.
    fn world(ranks: u32, a_host: u32) -> Vec<Tree> {
        (0..ranks)
            .map(|rank| {
                let first = first_of(rank);
                let hosts: Vec<u32> = (first..members(first, ranks).end)
                    .map(|rank| rank / a_host)
                    .collect();
                let runs = runs(first, &hosts);
                if rank == first {
                    return Tree::of_first(first, ranks, &runs);
                }
                let run = runs
                    .into_iter()
                    .rfind(|run| run.first <= rank)
                    .expect("a run");
                Tree::of_member(rank, run)
            })
            .collect()
    }

    #[test]
    fn every_rank_but_the_first_is_in_one_branch_and_ranges_have_no_gaps() {
        for (ranks, a_host) in [
            (1, 1),
            (2, 1),
            (300, 48),
            (256, 256),
            (5000, 64),
            (70_000, 1),
            (66_000, 96),
        ] {
            let trees = world(ranks, a_host);
            let mut heard = vec![0; ranks as usize];
            for (rank, tree) in (0..).zip(&trees) {
                let mut next = rank + 1;
                for branch in &tree.below {
                    assert_eq!(branch.first, next, "{ranks} ranks, {a_host} a host");
                    assert_eq!(trees[next as usize].above, Some(rank));
                    heard[next as usize] += 1;
                    next += branch.ranks;
                }
                assert!(rank > 0 || next == ranks, "{ranks} ranks");
            }
            assert!(heard.iter().skip(1).all(|&times| times == 1));
            assert_eq!(trees[0].above, None);
        }
    }

    #[test]
    fn nobody_hears_of_many_in_a_world_of_a_million() {
        const MILLION: u32 = 1_000_000;
        let blocks = (0..MILLION).step_by(BLOCK as usize);
        let most = blocks.map(|first| blocks_below(first, MILLION).len()).max();
        assert!(most <= Some(3 * (RADIX as usize - 1)), "{most:?}");
        assert_eq!(levels(MILLION), 3);
        assert_eq!([1, 256, 257, 4096, 4097].map(levels), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn ranks_that_alternate_between_hosts_are_hosts_of_their_own() {
        let runs = runs(256, &["a", "b", "a", "a"]);
        let ranges: Vec<_> = runs.iter().map(|run| (run.first, run.ranks)).collect();
        assert_eq!(ranges, [(256, 1), (257, 1), (258, 2)]);
    }
}
