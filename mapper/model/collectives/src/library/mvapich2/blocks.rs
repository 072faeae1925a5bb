//! Operations of MVAPICH2 that move a block of every member.

use super::layout::{Expand, Layout};
use super::tables::{ALLGATHER, ALLTOALL, GATHER, SCATTER};
use crate::library::hosts::Stage;
use crate::{Call, Sink, binomial, bruck, gathered, pairwise, recursive, ring, star};
use rankfold_wire::Operation;

/// From this size of a block on, allgathers go around a ring in the order of the hosts where the
/// ranks of a host do not follow each other.
const ALLGATHER_SCATTERED: u64 = 1 << 10;
/// The largest block of an allgather with blocks of different sizes, as a mean, that is no ring: up
/// to 32 members, and above. Source: the last table of `allgatherv_tuning.c`.
const ALLGATHERV_SHORT: [u128; 2] = [512, 256];
const ALLGATHERV_MEMBERS: usize = 32;
/// The most bytes of one member in an alltoall that is an allgather, and for short blocks also the
/// largest block and members on a host, from which on Bruck's algorithm is taken.
const ALLTOALL_GATHERED: u64 = 512;
const ALLTOALL_BLOCK: u64 = 32;
const ALLTOALL_EACH: usize = 16;

pub(super) fn allgather(layout: &Layout<'_>, sink: Sink<'_>) {
    let call = layout.call;
    let is_scattered = layout.each().is_some() && !layout.is_blocked();
    if is_scattered && call.size() >= ALLGATHER_SCATTERED {
        return layout.by_host(ring::allgather, sink);
    }
    match layout.algorithm(&ALLGATHER) {
        'd' => gathered::doubling(call.members, |own, _| call.parts(own), sink),
        'b' => bruck::allgather(call, sink),
        _ => ring::allgather(call, sink),
    }
}

pub(super) fn allgatherv(layout: &Layout<'_>, sink: Sink<'_>) {
    let call = layout.call;
    let [few, many] = ALLGATHERV_SHORT;
    let short = if call.members <= ALLGATHERV_MEMBERS {
        few
    } else {
        many
    };
    if call.whole_size() > short * call.members as u128 {
        layout.by_host(ring::allgather, sink);
    } else if call.members.is_power_of_two() {
        recursive::allgather(call, sink);
    } else {
        bruck::allgather(call, sink);
    }
}

/// Expands an alltoall. Very short ones are allgathers of all that each member sends.
pub(super) fn alltoall(layout: &Layout<'_>, expand: Expand, sink: Sink<'_>) {
    let call = layout.call;
    match alltoall_algorithm(layout) {
        'd' => {
            let all = u128::from(call.bytes) * call.members as u128;
            expand(&call.stage(Operation::Allgather, all), sink);
        }
        'b' => bruck::alltoall(call, sink),
        _ => pairwise::pairs(call, |_, _| call.bytes.into(), sink),
    }
}

/// Whether every member of an alltoall sends straight to every other one.
pub(super) fn is_straight(layout: &Layout<'_>) -> bool {
    alltoall_algorithm(layout) == 'p'
}

fn alltoall_algorithm(layout: &Layout<'_>) -> char {
    let size = layout.call.size();
    let of_member = size.saturating_mul(layout.call.members as u64);
    if layout.is_short() {
        let is_gathered = of_member < ALLTOALL_GATHERED
            && layout.each() < Some(ALLTOALL_EACH)
            && size < ALLTOALL_BLOCK;
        return if is_gathered { 'd' } else { 'b' };
    }
    match layout.algorithm(&ALLTOALL) {
        'd' if of_member > ALLTOALL_GATHERED => 'p',
        algorithm => algorithm,
    }
}

/// Expands a gather. The table holds only where the ranks of a host do not follow each other.
pub(super) fn gather(layout: &Layout<'_>, sink: Sink<'_>) {
    let call = layout.call;
    if layout.is_blocked() {
        return binomial::TREE.expand(call, sink);
    }
    match layout.algorithm(&GATHER) {
        'd' => star::TREE.expand(call, sink),
        't' => {
            let leader = layout.leader_of_root();
            layout.inside(Operation::Gather, call.bytes.into(), sink);
            for host in layout.hosts.groups() {
                layout.send(host[0], leader, of_host(call, host), sink);
            }
            layout.send(leader, call.root, call.whole(), sink);
        }
        _ => binomial::TREE.expand(call, sink),
    }
}

/// Expands a scatter. Stages need that the ranks of every host follow each other.
pub(super) fn scatter(layout: &Layout<'_>, sink: Sink<'_>) {
    let call = layout.call;
    let algorithm = layout.algorithm(&SCATTER);
    let is_in_stages = matches!(algorithm, 't' | 'u');
    let is_one_host = layout.hosts.groups().count() == 1;
    if algorithm == 'd' || is_in_stages && is_one_host {
        star::TREE.expand(call, sink);
    } else if is_in_stages && layout.is_blocked() {
        scatter_in_stages(layout, algorithm, sink);
    } else {
        binomial::TREE.expand(call, sink);
    }
}

fn scatter_in_stages(layout: &Layout<'_>, algorithm: char, sink: Sink<'_>) {
    let (call, leader) = (layout.call, layout.leader_of_root());
    layout.send(call.root, leader, call.whole(), sink);
    match layout.each() {
        Some(each) if algorithm == 'u' => {
            let blocks = u128::from(call.bytes) * each as u128;
            let stage = Stage::once(Operation::Scatter, blocks);
            let tree = |part: &Call<'_>, sink: Sink<'_>| binomial::TREE.expand(part, sink);
            layout.between(stage, leader, tree, sink);
        }
        _ => {
            for host in layout.hosts.groups() {
                layout.send(leader, host[0], of_host(call, host), sink);
            }
        }
    }
    layout.inside(Operation::Scatter, call.bytes.into(), sink);
}

/// The bytes of the blocks of all members of a host.
fn of_host(call: &Call<'_>, host: &[usize]) -> u128 {
    u128::from(call.bytes) * host.len() as u128
}
