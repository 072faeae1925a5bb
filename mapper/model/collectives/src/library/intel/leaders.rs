//! Operations in which one member of every host sends and receives for all members of that host.
//!
//! This member is the leader of its host. The other members of the host exchange their data with
//! the leader through shared memory, which no counter sees. The model puts these bytes on the pairs
//! of each member and its leader. Where an operation moves blocks to or from a root, the root leads
//! its own host. The lowest rank leads any other host.

use super::algorithms::{self, Algorithm, Choice};
use super::rules;
use crate::library::hosts::{Hosts, Stage};
use crate::{Call, Sink, star};
use rankfold_wire::Operation;

/// Bytes that a message of an alltoall between hosts has besides its blocks. Measured: 1032 bytes
/// for the blocks of 64 bytes of four members each, 264 for those of two members.
const HEADER: u128 = 8;

/// Expands a call by an algorithm, among all members or among one of every host.
pub(super) fn expand(call: &Call<'_>, choice: Choice, sink: Sink<'_>) {
    let hosts = Hosts::of(call);
    match choice {
        Choice::Flat(Algorithm::ReduceBcast) => {
            for op in [Operation::Reduce, Operation::Bcast] {
                let stage = call.stage(op, call.whole());
                expand(&stage, rules::choice(&stage), sink);
            }
        }
        Choice::Leaders(algorithm) if hosts.have_two_levels() => {
            Leaders { call, hosts }.expand(algorithm, sink);
        }
        Choice::Leaders(algorithm) | Choice::Flat(algorithm) => {
            algorithms::expand(call, algorithm, sink);
        }
    }
}

struct Leaders<'a> {
    call: &'a Call<'a>,
    hosts: Hosts,
}

impl Leaders<'_> {
    fn expand(&self, algorithm: Algorithm, sink: Sink<'_>) {
        let (op, whole) = (self.call.op, self.call.whole());
        let block = u128::from(self.call.bytes);
        // Mean number of members on a host.
        let share = (self.call.members / self.hosts.groups().count()).max(1) as u128;
        match op {
            Operation::Bcast => {
                self.with_leader(Operation::Bcast, sink);
                self.between(Stage::once(op, whole), algorithm, sink);
                self.inside(Stage::once(op, whole), sink);
            }
            Operation::Reduce => {
                self.inside(Stage::once(op, whole), sink);
                self.between(Stage::once(op, whole), algorithm, sink);
                self.with_leader(Operation::Reduce, sink);
            }
            Operation::Allreduce => {
                self.inside(Stage::once(Operation::Reduce, whole), sink);
                self.between(Stage::once(op, whole), algorithm, sink);
                self.inside(Stage::once(Operation::Bcast, whole), sink);
            }
            Operation::Gather | Operation::Scatter => {
                self.inside(Stage::once(op, block), sink);
                self.between(Stage::once(op, block * share), algorithm, sink);
            }
            Operation::Alltoall => {
                let of_member = block * self.call.members as u128;
                self.inside(Stage::once(Operation::Gather, of_member), sink);
                let header = HEADER * u128::from(self.call.calls);
                let between = Stage::once(op, block * share * share + header);
                self.between(between, algorithm, sink);
                self.inside(Stage::once(Operation::Scatter, of_member), sink);
            }
            _ => algorithms::expand(self.call, algorithm, sink),
        }
    }

    /// The leader of a host.
    fn of_host(&self, host: &[usize]) -> usize {
        let moves_blocks = matches!(self.call.op, Operation::Gather | Operation::Scatter);
        if moves_blocks && host.contains(&self.call.root) {
            return self.call.root;
        }
        host[0]
    }

    /// The message between the root and the leader of its host: from the root in a broadcast, to it
    /// in a reduction.
    fn with_leader(&self, op: Operation, sink: Sink<'_>) {
        let Some((host, _)) = self.hosts.place(self.call.root) else {
            return;
        };
        let ranks = [self.call.root, self.of_host(host)];
        if ranks[0] != ranks[1] {
            let stage = Stage::once(op, self.call.whole());
            stage.among(self.call, &ranks, self.call.root, star_of, sink);
        }
    }

    fn between(&self, stage: Stage, algorithm: Algorithm, sink: Sink<'_>) {
        let mut ranks: Vec<usize> = self.hosts.groups().map(|host| self.of_host(host)).collect();
        ranks.sort_unstable();
        let root = self.hosts.place(self.call.root);
        let root = root.map_or(self.call.root, |(host, _)| self.of_host(host));
        let expand = |part: &Call<'_>, sink: Sink<'_>| algorithms::expand(part, algorithm, sink);
        stage.among(self.call, &ranks, root, expand, sink);
    }

    /// A stage on each host, with its leader as the root.
    fn inside(&self, stage: Stage, sink: Sink<'_>) {
        for host in self.hosts.groups() {
            stage.among(self.call, host, self.of_host(host), star_of, sink);
        }
    }
}

fn star_of(call: &Call<'_>, sink: Sink<'_>) {
    star::TREE.expand(call, sink);
}
