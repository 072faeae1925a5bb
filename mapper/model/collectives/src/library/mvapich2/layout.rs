//! The members of a call by host, and the stages of an operation among some of them.

use super::table::Table;
use crate::library::hosts::{Hosts, Stage};
use crate::{Call, Edge, Sink, star};
use rankfold_wire::Operation;

/// Up to this size, and on hosts with equally many members, MVAPICH2 looks no table up: variable
/// `mv2_coll_skip_table_threshold`.
const SHORT: u64 = 1024;

/// Expands a call of another operation that an algorithm is composed of.
pub(super) type Expand = fn(&Call<'_>, Sink<'_>);

/// A call, and its members by host.
pub(super) struct Layout<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) hosts: Hosts,
}

impl<'a> Layout<'a> {
    pub(super) fn of(call: &'a Call<'a>) -> Self {
        let hosts = Hosts::of(call);
        Self { call, hosts }
    }

    /// The number of members on each host, or `None` if two hosts have different numbers.
    pub(super) fn each(&self) -> Option<usize> {
        let first = self.hosts.groups().next()?;
        self.hosts.are_even().then_some(first.len())
    }

    /// Whether MVAPICH2 looks no table up, since the call is short.
    pub(super) fn is_short(&self) -> bool {
        self.each().is_some() && self.call.size() <= SHORT
    }

    /// Whether the ranks of every host follow each other.
    pub(super) fn is_blocked(&self) -> bool {
        self.hosts.are_consecutive()
    }

    pub(super) fn algorithm(&self, table: &Table) -> char {
        table.algorithm(self.each(), self.call.members, self.call.size())
    }

    /// The leader of the host of the root.
    pub(super) fn leader_of_root(&self) -> usize {
        let root = self.call.root;
        self.hosts.place(root).map_or(root, |(host, _)| host[0])
    }

    /// A message between two ranks, if they differ.
    pub(super) fn send(&self, from: usize, to: usize, bytes: u128, sink: Sink<'_>) {
        if from != to {
            let number = |rank| self.call.counted_from_root(rank);
            sink(Edge::once(number(from), number(to), bytes));
        }
    }

    /// A stage on every host, between its leader and each other member.
    pub(super) fn inside(&self, op: Operation, bytes: u128, sink: Sink<'_>) {
        for host in self.hosts.groups() {
            let stage = Stage::once(op, bytes);
            let straight = |part: &Call<'_>, sink: Sink<'_>| star::TREE.expand(part, sink);
            stage.among(self.call, host, host[0], straight, sink);
        }
    }

    /// A stage among the leaders of all hosts.
    pub(super) fn between(
        &self,
        stage: Stage,
        root: usize,
        algorithm: impl Fn(&Call<'_>, Sink<'_>),
        sink: Sink<'_>,
    ) {
        stage.among(self.call, &self.hosts.at(0), root, algorithm, sink);
    }

    /// The call among all members in the order of their hosts.
    pub(super) fn by_host(&self, algorithm: impl Fn(&Call<'_>, Sink<'_>), sink: Sink<'_>) {
        if self.is_blocked() {
            return algorithm(self.call, sink);
        }
        let ranks: Vec<usize> = self.hosts.groups().flatten().copied().collect();
        let stage = Stage::once(self.call.op, self.call.bytes.into());
        stage.among(self.call, &ranks, self.call.root, algorithm, sink);
    }
}
