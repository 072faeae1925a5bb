//! Groups of ranks that call collectives together, written compactly.

use serde::{Deserialize, Serialize};

/// Largest world believed: where a file says how many ranks there are, a reader allocates memory
/// for them.
pub const MAX_RANKS: u32 = 1 << 24;

/// Stands in a [`Run`] for ranks outside the world: spawned, or joined later.
const OUTSIDE: u32 = u32::MAX;

/// Ranks of the world that follow each other with one stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Run {
    first: u32,
    stride: i32,
    count: u32,
}

/// Members of a group in the order of their ranks in it, each as its rank in `MPI_COMM_WORLD`.
///
/// Kept as runs of equal stride: the world, a row and a column of a grid are one run each.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Members(Vec<Run>);

impl Members {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|run| run.count as usize).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members in order; `None` is one outside the world.
    pub fn iter(&self) -> impl Iterator<Item = Option<u32>> {
        self.0.iter().flat_map(Run::ranks)
    }

    /// Runs, for the reader's sense of proportion.
    pub(crate) fn runs(&self) -> usize {
        self.0.len()
    }

    /// Whether every member of the world has a rank below `ranks`, and there are not absurdly many.
    fn fit(&self, ranks: u64) -> bool {
        let count: u64 = self.0.iter().map(|run| u64::from(run.count)).sum();
        let most = u64::from(MAX_RANKS);
        let inside = |rank: i64| (0..ranks.cast_signed()).contains(&rank);
        count <= most
            && self.0.iter().all(|run| {
                run.count > 0
                    && (run.first == OUTSIDE || inside(run.at(0)) && inside(run.at(run.count - 1)))
            })
    }
}

/// Greedy runs: a member that continues the stride of the last two joins them.
impl FromIterator<Option<u32>> for Members {
    fn from_iter<I: IntoIterator<Item = Option<u32>>>(members: I) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for member in members {
            let rank = member.unwrap_or(OUTSIDE);
            if !runs.last_mut().is_some_and(|run| run.take(rank)) {
                runs.push(Run {
                    first: rank,
                    stride: 0,
                    count: 1,
                });
            }
        }
        Self(runs)
    }
}

impl Run {
    fn at(&self, index: u32) -> i64 {
        i64::from(self.first) + i64::from(self.stride) * i64::from(index)
    }

    fn ranks(&self) -> impl Iterator<Item = Option<u32>> {
        let inside = self.first != OUTSIDE;
        (0..self.count).map(move |index| u32::try_from(self.at(index)).ok().filter(|_| inside))
    }

    /// Adds `rank` if it is the next one, which it always is to a run of one; whether it did.
    fn take(&mut self, rank: u32) -> bool {
        if (self.first == OUTSIDE) != (rank == OUTSIDE) {
            return false;
        }
        if self.count == 1
            && let Ok(stride) = i32::try_from(i64::from(rank) - i64::from(self.first))
        {
            self.stride = stride;
        }
        let next = self.at(self.count) == i64::from(rank);
        self.count += u32::from(next);
        next
    }
}

/// A communicator. Two with the same members in the same order are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Communicator {
    /// Its members.
    pub members: Members,
    /// The other side of an intercommunicator, whose collectives run between the two; empty
    /// otherwise.
    pub remote: Members,
}

impl Communicator {
    /// Whether it can be one of a world of `ranks`.
    pub(crate) fn fits(&self, ranks: u64) -> bool {
        self.members.fit(ranks) && self.remote.fit(ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(ranks: &[u32]) -> Members {
        ranks.iter().copied().map(Some).collect()
    }

    #[test]
    fn worlds_rows_columns_and_reversals_are_one_run() {
        let world: Vec<u32> = (0..1000).collect();
        let column: Vec<u32> = (3..1000).step_by(8).collect();
        let reversed: Vec<u32> = (0..1000).rev().collect();
        for ranks in [world, column, reversed] {
            assert_eq!(of(&ranks).runs(), 1);
            assert_eq!(of(&ranks).len(), ranks.len());
        }
    }

    #[test]
    fn members_outside_the_world_are_kept_apart() {
        let members: Members = [None, None, Some(0), Some(1), None].into_iter().collect();
        assert_eq!(members.runs(), 3);
        assert_eq!(
            members.iter().collect::<Vec<_>>(),
            [None, None, Some(0), Some(1), None]
        );
    }

    proptest! {
        #[test]
        fn runs_hold_any_order(ranks in prop::collection::vec(prop::option::of(0..5000_u32), 0..60)) {
            let members: Members = ranks.iter().copied().collect();
            prop_assert_eq!(members.iter().collect::<Vec<_>>(), ranks);
            prop_assert!(members.fit(5000));
        }
    }
}
