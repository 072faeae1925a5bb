//! What MPICH does in stages where members share hosts: one stage among the members of each host,
//! one among the leaders of the hosts, and one among the members of each host again.
//!
//! Source: `maint/tuning/coll/ch4/generic.json` and `src/mpid/ch4/src/ch4_coll_impl.h` of MPICH
//! 4.0.2 and 5.0.1. The leader of a host is its member with the lowest rank. Messages inside of a
//! host go through shared memory; the model puts them on the pairs of MPICH's algorithm for
//! messages.

use super::flat;
use crate::library::hosts::{Hosts, Stage};
use crate::{Call, Edge, Sink};
use rankfold_wire::Operation;

// Thresholds in bytes and members, from the table cited above.
const BCAST_SHORT: u64 = 12 << 10;
const BCAST_LONG: u64 = 512 << 10;
const BCAST_MEMBERS: usize = 8;
const REDUCE_SHORT: u64 = 2 << 10;

/// Expands a call that MPICH carries out in stages. Returns whether it is one. Nonblocking
/// broadcasts and reductions of any size have the stages of short ones, and nonblocking allreduces
/// have none.
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) -> bool {
    let hosts = Hosts::of(call);
    let is_reduction = matches!(call.op, Operation::Reduce | Operation::Allreduce);
    if !hosts.have_two_levels() || is_reduction && call.form.is_ordered() {
        return false;
    }
    let soon = call.form.nonblocking;
    let (size, whole) = (call.size(), call.whole());
    let is_short = soon || call.members < BCAST_MEMBERS || size < BCAST_SHORT;
    let root = call.root;
    let leader = hosts.place(root).map_or(root, |(host, _)| host[0]);
    let send = |from: usize, to: usize, sink: Sink<'_>| {
        if from != to {
            sink(Edge::once(
                call.counted_from_root(from),
                call.counted_from_root(to),
                whole,
            ));
        }
    };
    let stages = Stages {
        call,
        hosts: &hosts,
    };
    match call.op {
        Operation::Bcast if is_short => {
            send(root, leader, sink);
            stages.among_leaders(Operation::Bcast, leader, sink);
            stages.inside(Operation::Bcast, |_| true, sink);
        }
        Operation::Bcast if call.members.is_power_of_two() && size < BCAST_LONG => {
            let is_first = |host: &[usize]| root != leader && host.contains(&root);
            if root != leader {
                stages.on_host_of_root(Operation::Bcast, sink);
            }
            stages.among_leaders(Operation::Bcast, leader, sink);
            stages.inside(Operation::Bcast, |host| !is_first(host), sink);
        }
        Operation::Reduce if soon || size <= REDUCE_SHORT => {
            let is_last = |host: &[usize]| host.contains(&root);
            stages.inside(Operation::Reduce, |host| !is_last(host), sink);
            stages.among_leaders(Operation::Reduce, leader, sink);
            stages.on_host_of_root(Operation::Reduce, sink);
        }
        Operation::Reduce => {
            stages.inside(Operation::Reduce, |_| true, sink);
            stages.among_leaders(Operation::Reduce, 0, sink);
            send(0, root, sink);
        }
        Operation::Allreduce if !soon => {
            stages.inside(Operation::Reduce, |_| true, sink);
            stages.among_leaders(Operation::Allreduce, 0, sink);
            stages.inside(Operation::Bcast, |_| true, sink);
        }
        Operation::Scan if hosts.are_consecutive() => {
            stages.inside(Operation::Scan, |_| true, sink);
            for host in hosts.groups() {
                send(host[host.len() - 1], host[0], sink);
            }
            stages.among_leaders(Operation::Scan, 0, sink);
            for pair in hosts.at(0).windows(2) {
                send(pair[0], pair[1], sink);
            }
            stages.inside(Operation::Bcast, |host| host[0] != 0, sink);
        }
        _ => return false,
    }
    true
}

/// The stages of a call, each of which moves the whole vector once.
struct Stages<'a> {
    call: &'a Call<'a>,
    hosts: &'a Hosts,
}

impl Stages<'_> {
    /// A stage on the leaders of all hosts.
    fn among_leaders(&self, op: Operation, root: usize, sink: Sink<'_>) {
        self.stage(op, &self.hosts.at(0), root, sink);
    }

    /// A stage on each host that `is_in` selects, with its leader as the root.
    fn inside(&self, op: Operation, is_in: impl Fn(&[usize]) -> bool, sink: Sink<'_>) {
        for host in self.hosts.groups().filter(|host| is_in(host)) {
            self.stage(op, host, host[0], sink);
        }
    }

    /// A stage on the host of the root.
    fn on_host_of_root(&self, op: Operation, sink: Sink<'_>) {
        if let Some((host, _)) = self.hosts.place(self.call.root) {
            self.stage(op, host, self.call.root, sink);
        }
    }

    fn stage(&self, op: Operation, ranks: &[usize], root: usize, sink: Sink<'_>) {
        Stage::once(op, self.call.whole()).among(self.call, ranks, root, flat, sink);
    }
}
