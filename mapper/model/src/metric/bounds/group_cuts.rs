//! Bounds on the highest congestion by cuts of the machine between groups of nodes.
//!
//! Idea: nodes form groups, such as those below a switch or the groups of a dragonfly. Only so many
//! ranks fit into a group, so at least some bytes go from group to group, by the argument of the
//! bound [`triples`](super::triples). Each of these bytes passes the cut around the group it
//! leaves, whatever its route. These bytes over the bandwidth of all these cuts together are a
//! bound on the congestion of the busiest channel.
//!
//! ```text
//! tree:2x4@1,4   4 ranks a leaf switch, and an uplink of bandwidth 1:
//!                a ring of 8 ranks sends a byte each way from each switch, congestion 2 / 2
//! ```
//!
//! A cut around a group is the set of its nodes and of all vertices within some hops of them, as
//! far as this set has no node of another group. The narrowest such cut is taken. The argument is
//! the project's own. Cost: the relaxation of [`triples`](super::triples) for each size of groups.

use super::nearness::groups_within;
use super::{BoundEffort, triples};
use crate::comm::Affinity;
use crate::ids::NodeId;
use crate::machine::{Machine, Wiring};

/// The widest ball around the nodes of a group, in hops. Chosen by hand; in fat trees of three
/// levels, the switches of a group are at most two hops from its nodes.
const WIDEST_BALL: usize = 3;

/// With more ranks than this, the relaxations are worth a long effort only, so that other efforts
/// take no more time. Chosen by hand.
const FEW_RANKS: usize = 1024;

/// Whether the bound is worth its time.
pub(super) fn is_worth(ranks: usize, effort: BoundEffort) -> bool {
    match effort {
        BoundEffort::Quick | BoundEffort::Fast => false,
        BoundEffort::Standard => ranks <= FEW_RANKS,
        BoundEffort::Long => true,
    }
}

/// The highest of the bounds by groups of all sizes. 0 where there are no groups, or where the
/// network is known by its paths alone.
pub(super) fn congestion(affinity: &Affinity, machine: &Machine) -> f64 {
    let topology = machine.topology();
    if topology.lists_paths() {
        return 0.0;
    }
    let wiring = topology.wiring();
    let mut highest = 0.0f64;
    for group_of in partitions(machine) {
        let room = largest(machine, &group_of);
        if room >= affinity.ranks() as u64 {
            continue;
        }
        let Some(bytes) = triples::twice_between_groups(affinity, room) else {
            continue;
        };
        let bandwidth = bandwidth_between(machine, &wiring, &group_of);
        if bytes > 0 && bandwidth > 0.0 {
            highest = highest.max((bytes / 2) as f64 / bandwidth);
        }
    }
    highest
}

/// The group of every node, for each way to divide the nodes into several groups of several nodes.
fn partitions(machine: &Machine) -> Vec<Vec<usize>> {
    let topology = machine.topology();
    let nodes = topology.nodes();
    let mut all: Vec<Vec<usize>> = Vec::new();
    if let Some(arities) = topology.structure().arities() {
        let mut size = 1;
        for arity in arities.iter().rev() {
            size *= arity;
            all.push((0..nodes).map(|node| node / size).collect());
        }
    } else if topology.structure().grid().is_none() {
        let near = 1..topology.diameter();
        all.extend(near.filter_map(|hops| groups_within(machine, hops)));
    }
    all.retain(|group_of| {
        let groups = group_of.iter().max().map_or(0, |last| last + 1);
        groups > 1 && groups < nodes
    });
    all.dedup();
    all
}

/// Slots of the largest group.
fn largest(machine: &Machine, group_of: &[usize]) -> u64 {
    let mut room = vec![0; group_of.len()];
    for (node, &group) in group_of.iter().enumerate() {
        room[group] += u64::from(machine.slots().capacity(NodeId::at(node)));
    }
    room.into_iter().max().unwrap_or(0)
}

/// The bandwidth in one direction of the cuts around all groups that have slots.
fn bandwidth_between(machine: &Machine, wiring: &Wiring, group_of: &[usize]) -> f64 {
    let groups = group_of.iter().max().map_or(0, |last| last + 1);
    let mut members = vec![Vec::new(); groups];
    let mut is_used = vec![false; groups];
    for (node, &group) in group_of.iter().enumerate() {
        members[group].push(node as u32);
        is_used[group] |= machine.slots().capacity(NodeId::at(node)) > 0;
    }
    let used = members.iter().zip(is_used).filter(|(_, is_used)| *is_used);
    used.map(|(members, _)| narrowest_cut(wiring, group_of.len(), members))
        .sum()
}

/// The bandwidth that leaves the narrowest ball around the nodes of a group.
fn narrowest_cut(wiring: &Wiring, nodes: usize, members: &[u32]) -> f64 {
    let mut is_inside = vec![false; wiring.vertices()];
    let mut ball = members.to_vec();
    for &node in members {
        is_inside[node as usize] = true;
    }
    let mut narrowest = f64::INFINITY;
    for _ in 0..=WIDEST_BALL {
        let edges = ball.iter().flat_map(|&vertex| wiring.leaving(vertex));
        let outside = || edges.clone().filter(|edge| !is_inside[edge.to as usize]);
        narrowest = narrowest.min(outside().map(|edge| edge.bandwidth).sum());
        let mut next: Vec<u32> = outside().map(|edge| edge.to).collect();
        next.sort_unstable();
        next.dedup();
        if next.is_empty() || next.iter().any(|&vertex| (vertex as usize) < nodes) {
            break;
        }
        for &vertex in &next {
            is_inside[vertex as usize] = true;
        }
        ball.extend(next);
    }
    narrowest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{graph, machine, message};

    fn of_ring(ranks: usize, spec: &str) -> f64 {
        let ring = (0..ranks).map(|rank| message(rank, (rank + 1) % ranks, 100));
        congestion(&graph(ranks, ring.collect()).affinity(), &machine(spec, 1))
    }

    #[test]
    fn cuts_are_the_uplinks_of_switches_and_the_links_of_groups() {
        let cut = |spec: &str| {
            let machine = machine(spec, 1);
            let wiring = machine.topology().wiring();
            let all = partitions(&machine);
            let cuts = all
                .iter()
                .map(|it| bandwidth_between(&machine, &wiring, it));
            cuts.collect::<Vec<f64>>()
        };
        assert_eq!(cut("tree:2x4@3,1"), [6.0]);
        assert_eq!(cut("tree:2x2x4@3,2,1"), [8.0, 6.0]);
        assert_eq!(cut("xgft:4,2:1,2"), [4.0]);
        assert!(cut("torus:4x4").is_empty());
    }

    #[test]
    fn a_ring_must_leave_every_switch() {
        // The relaxation may be a little below the ten bytes of each switch.
        let bound = of_ring(8, "tree:2x4@1,4");
        assert!((50.0..=100.0).contains(&bound), "{bound}");
    }
}
