//! The tree along which data goes from every rank to rank 0 and back.
//!
//! ```text
//! ranks of one host that follow each other ──> the first of these ranks
//! these first ranks of a block of 256 ranks ─> the first rank of the block
//! first ranks of 15 blocks ────────────────> the first rank of the block before them
//! first ranks of 15 groups of 16 blocks ───> the first rank of the group before them, and so on
//! ```
//!
//! Every rank of the tree passes on a contiguous range of ranks, in rank order, so no rank has to
//! store the data of others. A rank whose neighbours in rank order are on other hosts sends to the
//! first rank of its block directly.

/// Number of ranks of a block. Chosen by hand; not measured.
const BLOCK: u32 = 256;
/// The first of this many blocks receives from the others, and so does the first of this many
/// groups of blocks. With this value rank 0 of a million ranks receives from fewer than a hundred
/// ranks, as a test below checks.
const RADIX: u32 = 16;

/// A contiguous range of ranks whose data one rank of it, the first, passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) first: u32,
    pub(super) ranks: u32,
    /// Number of levels of the tree below the first rank of the range.
    pub(super) height: u32,
}

/// The position of this rank in the tree, and how many ranks share its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreePosition {
    pub(super) tree: Tree,
    /// Number of ranks of the block that are on the host of this rank, this rank included.
    pub(super) on_host: u32,
    /// Whether all ranks of the world are on one host, by its name and by what the launcher has
    /// told every rank.
    pub(super) is_one_host: bool,
}

/// The position of one rank in the tree. The rank passes on its own data, then that of the branches
/// below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    /// The rank that this rank sends to; `None` for rank 0.
    pub(super) above: Option<u32>,
    /// The branches that send to this rank, ascending. Together with this rank they cover a
    /// contiguous range of ranks.
    pub(super) below: Vec<Branch>,
}

/// The first rank of the block that contains `rank`.
pub(super) fn first_of(rank: u32) -> u32 {
    rank - rank % BLOCK
}

/// The ranks of the block that begins with rank `first`, except `first` itself.
pub(super) fn members(first: u32, ranks: u32) -> std::ops::Range<u32> {
    first + 1..ranks.min(first.saturating_add(BLOCK))
}

/// The first rank of the block to which the block that begins with rank `first` sends; `None` for
/// block 0.
pub(super) fn above_block(first: u32) -> Option<u32> {
    let mut block = first / BLOCK;
    let mut step = 1;
    while block > 0 && block.is_multiple_of(step * RADIX) {
        step *= RADIX;
    }
    block = block.checked_sub(1)? / (step * RADIX) * (step * RADIX);
    Some(block * BLOCK)
}

/// The branches of other blocks that send to the block that begins with rank `first`.
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

/// Number of levels of blocks in a world of this many ranks.
pub(super) fn levels(ranks: u32) -> u32 {
    blocks_below(0, ranks)
        .last()
        .map_or(0, |branch| branch.height)
}

/// The branches of a block: each is a range of ranks that follow each other and are on one host.
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

/// The ranks of a branch except its first, each as a branch of its own.
fn rest(run: Branch) -> impl Iterator<Item = Branch> {
    (run.first + 1..run.first + run.ranks).map(|first| Branch {
        first,
        ranks: 1,
        height: 0,
    })
}

impl Tree {
    /// The position of the first rank of a block whose branches are `runs`.
    pub(super) fn of_first(first: u32, ranks: u32, runs: &[Branch]) -> Self {
        let own = runs.first().copied().into_iter().flat_map(rest);
        let others = runs.iter().skip(1).copied();
        let blocks = blocks_below(first, ranks);
        Self {
            above: above_block(first),
            below: own.chain(others).chain(blocks).collect(),
        }
    }

    /// The position of a rank that is not the first of its block; `run` is the branch that contains
    /// it.
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

    /// The positions of all ranks in a world with `a_host` ranks a host.
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
