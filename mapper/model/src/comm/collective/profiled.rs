//! The collectives of a profile as traffic of the world.

use super::{Call, Edge, Model, inter};
use crate::comm::{Builder, CommError, Entry};
use crate::ids::Rank;
use rankfold_profile::{Collective, Communicator, Operation};
use std::fmt;

/// A collective that loads all pairs of more members than this is left out: the pairs would not fit
/// in memory, and equal bytes between all of so many ranks hardly tell one placement from another.
const MOST_PAIRS: u128 = 1 << 26;

/// The collectives to add.
#[derive(Clone, Copy, Debug)]
pub struct ProfiledCollectives<'a> {
    /// The communicators by their index.
    pub communicators: &'a [Communicator],
    /// What was called on them.
    pub collectives: &'a [Collective],
}

/// Collectives that were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOutCollective {
    /// The operation.
    pub op: Operation,
    /// Members of the communicator.
    pub members: usize,
    /// Bytes of all calls, as the profile has them.
    pub bytes: u64,
}

impl fmt::Display for LeftOutCollective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on {} ranks is left out: its pairs are more than the {MOST_PAIRS} supported \
             (--collectives bruck approximates it)",
            self.op.name(),
            self.members
        )
    }
}

impl ProfiledCollectives<'_> {
    /// Adds what `model` makes of every collective, and tells what it had to leave out.
    ///
    /// # Errors
    /// As [`Builder::push`], and [`CommError::TooManyBytes`].
    pub fn add(
        &self,
        model: &dyn Model,
        traffic: &mut Builder,
    ) -> Result<Vec<LeftOutCollective>, CommError> {
        let mut left_out = Vec::new();
        let mut last = None;
        let mut members = Vec::new();
        for (comm, row) in self.rows() {
            if last != Some(row.comm) {
                members = comm.members.iter().chain(comm.remote.iter()).collect();
                last = Some(row.comm);
            }
            let others = comm.remote.len();
            let call = call(row, members.len() - others);
            let (dense, peers) = match others {
                0 => (model.is_dense(&call), call.members),
                _ => (inter::is_dense(row.op), others),
            };
            if dense && call.members as u128 * peers as u128 > MOST_PAIRS {
                left_out.push(LeftOutCollective {
                    op: row.op,
                    members: members.len(),
                    bytes: row.bytes,
                });
                continue;
            }
            let mut failure = Ok(());
            let mut sink = |edge: Edge| {
                if failure.is_ok() {
                    failure = push(edge, &call, row.root, &members, traffic);
                }
            };
            match others {
                0 => model.expand(&call, &mut sink),
                _ => inter::expand(&call, others, &mut sink),
            }
            failure?;
        }
        Ok(left_out)
    }

    /// Bytes that the collectives of sub-communicators of a world of `ranks` ranks move at least.
    #[must_use]
    pub fn moved_by_parts(&self, ranks: usize) -> u128 {
        let calls = self.rows().map(|(comm, row)| call(row, comm.members.len()));
        let parts = calls.filter(|call| (2..ranks).contains(&call.members));
        parts.map(|call| call.moved()).sum()
    }

    /// The operation that moves most bytes on the whole world of `ranks` ranks, and the bytes that
    /// all of them move there at least; `None` if there are none.
    #[must_use]
    pub fn moved_by_world(&self, ranks: usize) -> Option<(Operation, u128)> {
        let calls = self.rows().map(|(comm, row)| call(row, comm.members.len()));
        let of_world = calls.filter(|call| call.members == ranks);
        let moved: Vec<(Operation, u128)> = of_world.map(|call| (call.op, call.moved())).collect();
        let most = moved.iter().max_by_key(|(_, bytes)| bytes)?;
        let all = moved.iter().map(|(_, bytes)| bytes).sum();
        (all > 0).then_some((most.0, all))
    }

    /// The collectives that move bytes, with their communicators.
    fn rows(&self) -> impl Iterator<Item = (&Communicator, &Collective)> {
        self.collectives.iter().filter_map(|row| {
            let comm = self.communicators.get(row.comm as usize)?;
            (row.bytes > 0 && !comm.members.is_empty()).then_some((comm, row))
        })
    }
}

fn call(row: &Collective, members: usize) -> Call {
    Call {
        op: row.op,
        members,
        bytes: row.bytes,
        calls: row.calls,
    }
}

/// Adds an edge between members that are counted from the root.
fn push(
    edge: Edge,
    call: &Call,
    root: Option<u32>,
    members: &[Option<u32>],
    traffic: &mut Builder,
) -> Result<(), CommError> {
    let rank = |member: usize| match root {
        Some(root) if member < call.members => members[(member + root as usize) % call.members],
        _ => members[member],
    };
    let (Some(from), Some(to)) = (rank(edge.from), rank(edge.to)) else {
        // Outside this world.
        return Ok(());
    };
    if edge.bytes == 0 {
        return Ok(());
    }
    traffic.push(Entry {
        from: Rank(from),
        to: Rank(to),
        bytes: u64::try_from(edge.bytes).map_err(|_| CommError::TooManyBytes)?,
        messages: edge.messages.saturating_mul(call.calls),
    })
}
