//! The members of a communicator by host, and stages of an operation that only some of them take
//! part in.

use crate::{Call, Edge, Sink};
use rankfold_wire::Operation;
use std::collections::BTreeMap;

/// The ranks of a communicator by host.
pub(crate) struct Hosts {
    /// The ranks on each host, in ascending order. The hosts are in the order of their leaders.
    groups: Vec<Vec<usize>>,
}

impl Hosts {
    /// The hosts of the members of a call. There are none if the call does not know them.
    pub(crate) fn of(call: &Call<'_>) -> Self {
        let mut numbers = BTreeMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (rank, host) in call.hosts.iter().enumerate() {
            let number = *numbers.entry(host).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Vec::new());
            }
            groups[number].push(rank);
        }
        Self { groups }
    }

    /// The ranks of every host. The leader of a host is its first rank.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[usize]> {
        self.groups.iter().map(Vec::as_slice)
    }

    /// Whether the members are on several hosts and at least one host has several members.
    pub(super) fn have_two_levels(&self) -> bool {
        self.groups.len() > 1 && self.groups.iter().any(|host| host.len() > 1)
    }

    /// Whether all hosts have equally many ranks.
    pub(super) fn are_even(&self) -> bool {
        let mut sizes = self.groups.windows(2);
        sizes.all(|pair| pair[0].len() == pair[1].len())
    }

    /// Whether the ranks of every host follow each other.
    pub(super) fn are_consecutive(&self) -> bool {
        let mut hosts = self.groups.iter();
        hosts.all(|host| host[host.len() - 1] - host[0] + 1 == host.len())
    }

    /// The host of a rank, and the place of the rank among the ranks of that host.
    pub(super) fn place(&self, rank: usize) -> Option<(&[usize], usize)> {
        let mut hosts = self.groups();
        hosts.find_map(|host| Some((host, host.iter().position(|&other| other == rank)?)))
    }

    /// The ranks that have this place on their hosts, in ascending order.
    pub(super) fn at(&self, place: usize) -> Vec<usize> {
        let mut ranks: Vec<usize> = self
            .groups
            .iter()
            .filter_map(|host| host.get(place).copied())
            .collect();
        ranks.sort_unstable();
        ranks
    }
}

/// An operation that is carried out once or several times in the course of every call.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    /// The operation.
    pub(super) op: Operation,
    /// Bytes of all calls together, counted as [`Call::bytes`] is.
    pub(super) bytes: u128,
    /// How often the operation is carried out in one call.
    pub(super) times: u64,
}

impl Stage {
    /// An operation that is carried out once in every call.
    pub(super) fn once(op: Operation, bytes: u128) -> Self {
        let times = 1;
        Self { op, bytes, times }
    }

    /// Expands the stage as `algorithm` carries it out among these ranks of the communicator. A
    /// root that is not among them is replaced by the first of them.
    pub(super) fn among(
        self,
        call: &Call<'_>,
        ranks: &[usize],
        root: usize,
        algorithm: impl Fn(&Call<'_>, Sink<'_>),
        sink: Sink<'_>,
    ) {
        if ranks.len() < 2 || self.times == 0 {
            return;
        }
        let root = ranks.iter().position(|&rank| rank == root).unwrap_or(0);
        let part = Call {
            members: ranks.len(),
            calls: call.calls.saturating_mul(self.times),
            root,
            hosts: &[],
            ..call.stage(self.op, self.bytes)
        };
        let member = |number: usize| call.counted_from_root(ranks[(number + root) % ranks.len()]);
        algorithm(&part, &mut |edge| {
            sink(Edge {
                messages: edge.messages.saturating_mul(self.times),
                ..edge.renumbered(member)
            });
        });
    }
}
