//! Expands the collectives of a profile into traffic between world ranks.

use super::{Call, Edge, Model, MpiLibrary, inter};
use rankfold_base::Rank;
use rankfold_graph::{Builder, CommError, Entry, Result};
use rankfold_wire::{Collective, Communicator, MemberBlocks, Operation};
use std::collections::BTreeMap;
use std::fmt;

/// Most pairs that one dense collective may expand to; larger ones are omitted. So many entries
/// already need gigabytes of memory, and equal bytes between that many ranks hardly favour one
/// placement over another. Chosen by hand; not measured.
const MAX_PAIRS: u128 = 1 << 26;

/// The collective calls of a profile.
#[derive(Clone, Copy, Debug)]
pub struct ProfiledCollectives<'a> {
    /// The communicators, by index.
    pub communicators: &'a [Communicator],
    /// The calls on these communicators.
    pub collectives: &'a [Collective],
    /// The blocks of the members in calls whose blocks differ, by ascending index of the calls.
    pub blocks: &'a [MemberBlocks],
    /// The host of each rank of the world; empty if unknown.
    pub hosts: &'a [String],
    /// The MPI library of the run.
    pub library: &'a MpiLibrary,
}

/// A collective that was omitted from the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOutCollective {
    /// The operation.
    pub op: Operation,
    /// Number of members of the communicator.
    pub members: usize,
    /// Bytes of all calls, counted as in the profile.
    pub bytes: u64,
}

impl fmt::Display for LeftOutCollective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on {} ranks is left out: it has more pairs than the {MAX_PAIRS} supported \
             (--collectives bruck approximates it)",
            self.op.name(),
            self.members
        )
    }
}

impl ProfiledCollectives<'_> {
    /// Adds the traffic of every collective as `model` expands it. Returns the collectives it
    /// omitted.
    ///
    /// # Errors
    /// As [`Builder::push`], and [`CommError::TooManyBytes`].
    pub fn add(&self, model: &dyn Model, traffic: &mut Builder) -> Result<Vec<LeftOutCollective>> {
        let mut left_out = Vec::new();
        let mut last = None;
        let mut members = Vec::new();
        let mut hosts = Vec::new();
        for (index, comm, row) in self.rows() {
            if last != Some(row.comm) {
                members = comm.members.iter().chain(comm.remote.iter()).collect();
                hosts = self.hosts_of(&members);
                last = Some(row.comm);
            }
            let others = comm.remote.len();
            let call = Call {
                hosts: &hosts,
                ..self.call(index, row, members.len() - others)
            };
            let (dense, peers) = match others {
                0 => (model.is_dense(&call), call.members),
                _ => (inter::is_dense(row.op), others),
            };
            if dense && call.members as u128 * peers as u128 > MAX_PAIRS {
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
                    failure = push(edge, &call, &members, traffic);
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

    /// Least number of bytes that collectives on sub-communicators move, in a world of `ranks`
    /// ranks.
    #[must_use]
    pub fn moved_by_parts(&self, ranks: usize) -> u128 {
        let calls = self
            .rows()
            .map(|(index, comm, row)| self.call(index, row, comm.members.len()));
        let parts = calls.filter(|call| (2..ranks).contains(&call.members));
        parts.map(|call| call.moved()).sum()
    }

    /// The operation that moves most bytes on communicators of all `ranks` ranks, and the least
    /// number of bytes that all operations on these communicators move. `None` if no bytes move
    /// there.
    #[must_use]
    pub fn moved_by_world(&self, ranks: usize) -> Option<(Operation, u128)> {
        let calls = self
            .rows()
            .map(|(index, comm, row)| self.call(index, row, comm.members.len()));
        let of_world = calls.filter(|call| call.members == ranks);
        let moved: Vec<(Operation, u128)> = of_world.map(|call| (call.op, call.moved())).collect();
        let most = moved.iter().max_by_key(|(_, bytes)| bytes)?;
        let all = moved.iter().map(|(_, bytes)| bytes).sum();
        (all > 0).then_some((most.0, all))
    }

    /// The collectives that move bytes, each with its index and its communicator.
    fn rows(&self) -> impl Iterator<Item = (usize, &Communicator, &Collective)> {
        self.collectives
            .iter()
            .enumerate()
            .filter_map(|(index, row)| {
                let comm = self.communicators.get(row.comm as usize)?;
                (row.bytes > 0 && !comm.members.is_empty()).then_some((index, comm, row))
            })
    }

    /// The blocks of the members in the calls with this index. Empty if all blocks are equal.
    pub fn blocks_of(&self, index: usize) -> &[u64] {
        let found = self
            .blocks
            .binary_search_by_key(&index, |own| own.collective as usize);
        found.map_or(&[], |at| &self.blocks[at].bytes)
    }

    /// The calls of one row. Blocks with more bytes than the row are those of a damaged profile and
    /// are left out.
    fn call(&self, index: usize, row: &Collective, members: usize) -> Call<'_> {
        let blocks = self.blocks_of(index);
        let bytes: u128 = blocks.iter().map(|&bytes| u128::from(bytes)).sum();
        let fits = blocks.len() == members && bytes <= u128::from(row.bytes);
        Call {
            blocks: if fits { blocks } else { &[] },
            calls: row.calls,
            form: row.form,
            root: row.root.map_or(0, |root| root as usize),
            ..Call::new(row.op, members, row.bytes, self.library)
        }
    }

    /// The number of the host of each member. Empty if the host of a member is unknown.
    fn hosts_of(&self, members: &[Option<u32>]) -> Vec<u32> {
        let mut numbers = BTreeMap::new();
        let hosts = members.iter().map(|member| {
            let host = self.hosts.get((*member)? as usize)?;
            let next = u32::try_from(numbers.len()).ok()?;
            (!host.is_empty()).then(|| *numbers.entry(host).or_insert(next))
        });
        hosts.collect::<Option<_>>().unwrap_or_default()
    }
}

/// Adds an edge to the traffic. The members of the edge are counted from the root.
fn push(edge: Edge, call: &Call<'_>, members: &[Option<u32>], traffic: &mut Builder) -> Result<()> {
    let rank = |member: usize| {
        if member < call.members {
            members[(member + call.root) % call.members]
        } else {
            members[member]
        }
    };
    let (Some(from), Some(to)) = (rank(edge.from), rank(edge.to)) else {
        // A member outside this world.
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

#[cfg(test)]
mod tests;
