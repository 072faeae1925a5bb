//! What MPICH does in stages where members share hosts: one stage among the members of each host,
//! one among the leaders of the hosts, and one among the members of each host again.
//!
//! Source: `maint/tuning/coll/ch4/generic.json` and `src/mpid/ch4/src/ch4_coll_impl.h` of MPICH
//! 4.0.2 and 5.0.1. The leader of a host is its member with the lowest rank. Messages inside of a
//! host go through shared memory; the model puts them on the pairs of MPICH's algorithm for
//! messages.

use super::flat;
use crate::comm::collective::{Call, Edge, Sink};
use rankfold_profile::Operation;
use std::collections::BTreeMap;

// Thresholds in bytes and members, from the table cited above.
const BCAST_SHORT: u64 = 12 << 10;
const BCAST_LONG: u64 = 512 << 10;
const BCAST_MEMBERS: usize = 8;
const REDUCE_SHORT: u64 = 2 << 10;

/// Expands a call that MPICH carries out in stages. Returns whether it is one.
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) -> bool {
    let hosts = Hosts::of(call);
    // One host, or one member on every host.
    if hosts.groups.len() < 2 || hosts.groups.len() == call.members {
        return false;
    }
    let (size, whole) = (call.size(), call.whole());
    let is_short = call.members < BCAST_MEMBERS || size < BCAST_SHORT;
    let (root, leader) = (call.root, hosts.leader(call.root));
    let send = |from: usize, to: usize, sink: Sink<'_>| {
        if from != to {
            sink(Edge::once(
                call.counted_from_root(from),
                call.counted_from_root(to),
                whole,
            ));
        }
    };
    match call.op {
        Operation::Bcast if is_short => {
            send(root, leader, sink);
            hosts.among_leaders(call, Operation::Bcast, leader, sink);
            hosts.inside(call, Operation::Bcast, |_| true, sink);
        }
        Operation::Bcast if call.members.is_power_of_two() && size < BCAST_LONG => {
            let is_first = |host: &[usize]| root != leader && host.contains(&root);
            hosts.rooted(call, Operation::Bcast, root, is_first, sink);
            hosts.among_leaders(call, Operation::Bcast, leader, sink);
            hosts.inside(call, Operation::Bcast, |host| !is_first(host), sink);
        }
        Operation::Reduce if size <= REDUCE_SHORT => {
            let is_last = |host: &[usize]| host.contains(&root);
            hosts.inside(call, Operation::Reduce, |host| !is_last(host), sink);
            hosts.among_leaders(call, Operation::Reduce, leader, sink);
            hosts.rooted(call, Operation::Reduce, root, is_last, sink);
        }
        Operation::Reduce => {
            hosts.inside(call, Operation::Reduce, |_| true, sink);
            hosts.among_leaders(call, Operation::Reduce, 0, sink);
            send(0, root, sink);
        }
        Operation::Allreduce => {
            hosts.inside(call, Operation::Reduce, |_| true, sink);
            hosts.among_leaders(call, Operation::Allreduce, 0, sink);
            hosts.inside(call, Operation::Bcast, |_| true, sink);
        }
        Operation::Scan if hosts.are_consecutive() => {
            hosts.inside(call, Operation::Scan, |_| true, sink);
            for host in &hosts.groups {
                send(host[host.len() - 1], host[0], sink);
            }
            hosts.among_leaders(call, Operation::Scan, 0, sink);
            for pair in hosts.groups.windows(2) {
                send(pair[0][0], pair[1][0], sink);
            }
            hosts.inside(call, Operation::Bcast, |host| host[0] != 0, sink);
        }
        _ => return false,
    }
    true
}

/// The ranks of a communicator by host.
struct Hosts {
    /// The ranks on each host, in ascending order. The hosts are in the order of their leaders.
    groups: Vec<Vec<usize>>,
}

impl Hosts {
    fn of(call: &Call<'_>) -> Self {
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

    /// The lowest rank on the host of a rank.
    fn leader(&self, rank: usize) -> usize {
        let host = self.groups.iter().find(|host| host.contains(&rank));
        host.map_or(rank, |host| host[0])
    }

    /// Whether the ranks of every host follow each other.
    fn are_consecutive(&self) -> bool {
        let mut hosts = self.groups.iter();
        hosts.all(|host| host[host.len() - 1] - host[0] + 1 == host.len())
    }

    /// A stage on the leaders of all hosts.
    fn among_leaders(&self, call: &Call<'_>, op: Operation, root: usize, sink: Sink<'_>) {
        let leaders: Vec<usize> = self.groups.iter().map(|host| host[0]).collect();
        stage(call, op, &leaders, root, sink);
    }

    /// A stage on each host that `is_in` selects, with its leader as the root.
    fn inside(
        &self,
        call: &Call<'_>,
        op: Operation,
        is_in: impl Fn(&[usize]) -> bool,
        sink: Sink<'_>,
    ) {
        for host in self.groups.iter().filter(|host| is_in(host)) {
            stage(call, op, host, host[0], sink);
        }
    }

    /// A stage with this root on each host that `is_in` selects.
    fn rooted(
        &self,
        call: &Call<'_>,
        op: Operation,
        root: usize,
        is_in: impl Fn(&[usize]) -> bool,
        sink: Sink<'_>,
    ) {
        for host in self.groups.iter().filter(|host| is_in(host)) {
            stage(call, op, host, root, sink);
        }
    }
}

/// Expands an operation on some ranks of the communicator, with one of them as the root.
fn stage(call: &Call<'_>, op: Operation, ranks: &[usize], root: usize, sink: Sink<'_>) {
    if ranks.len() < 2 {
        return;
    }
    let root = ranks.iter().position(|&rank| rank == root).unwrap_or(0);
    let part = Call {
        members: ranks.len(),
        root,
        hosts: &[],
        ..call.stage(op, call.whole())
    };
    let member = |number: usize| call.counted_from_root(ranks[(number + root) % ranks.len()]);
    flat(&part, &mut |edge| {
        sink(Edge {
            from: member(edge.from),
            to: member(edge.to),
            ..edge
        });
    });
}
