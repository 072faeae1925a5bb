//! Groups of ranks that call collectives together, stored compactly.

use serde::{Deserialize, Serialize};

/// Largest number of ranks that a reader accepts. Readers allocate memory by this number, so a
/// damaged file must not ask for too much. Chosen by hand, above the size of any machine.
pub const MAX_RANKS: u32 = 1 << 24;

/// The value of [`Run::first`] for ranks outside the world, which were spawned or joined later.
const OUTSIDE: u32 = u32::MAX;

/// Ranks of the world with a constant difference from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Run {
    first: u32,
    stride: i32,
    count: u32,
}

/// The members of a group in group order, each with its rank in `MPI_COMM_WORLD`.
///
/// They are stored as runs of equal stride. The world, a row of a grid and a column of a grid are
/// one run each.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Members(Vec<Run>);

impl Members {
    /// Number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|run| run.count as usize).sum()
    }

    /// Whether the group has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members in order; `None` stands for a member outside the world.
    pub fn iter(&self) -> impl Iterator<Item = Option<u32>> {
        self.0.iter().flat_map(Run::ranks)
    }

    /// Number of runs, which is the size of the group in a file.
    pub(crate) fn runs(&self) -> usize {
        self.0.len()
    }

    /// Whether every member is outside the world or has a rank below `ranks`, and there are at most
    /// [`MAX_RANKS`] members.
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

/// Builds runs greedily: a member joins the last run if it continues its stride.
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

    /// Adds `rank` to the run if the rank continues its stride; any rank continues a run of one.
    /// Returns whether the rank was added.
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

/// A communicator. Two communicators with the same members in the same order are stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Communicator {
    /// The members.
    pub members: Members,
    /// The remote group of an intercommunicator; empty for other communicators.
    pub remote: Members,
}

impl Communicator {
    /// Whether the communicator is possible in a world of `ranks` ranks.
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
