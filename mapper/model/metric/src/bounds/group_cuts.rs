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
//! On meshes and tori, which have no switches, the groups are the two halves on either side of a
//! plane, of the axis where the least bandwidth joins the halves. A ring is cut at two places.
//!
//! With the effort [`BoundEffort::Long`], the bytes that go from group to group have a second
//! bound: that of [`split`](super::split), in which nodes of one group are at distance 0 and others
//! at distance 1.
//!
//! A cut around a group is the set of its nodes and of all vertices within some hops of them, as
//! far as this set has no node of another group. The narrowest such cut is taken. The argument is
//! the project's own. Cost: the relaxation of [`triples`](super::triples) and the steps of `split`
//! for each size of groups.

use super::nearness::groups_within;
use super::{BoundEffort, SplitProof, split, triples};
use rankfold_base::NodeId;
use rankfold_graph::Affinity;
use rankfold_machine::{Grid, Machine, Wiring};

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

/// A way to divide the nodes, and the bandwidth that leaves all groups together, in one direction.
struct Division {
    group_of: Vec<usize>,
    bandwidth: f64,
}

/// The highest of the bounds by groups of all sizes. 0 where there are no groups, or where the
/// network is known by its paths alone.
pub(super) fn congestion(affinity: &Affinity, machine: &Machine, effort: BoundEffort) -> f64 {
    let divisions = divisions(machine, effort).into_iter();
    let by = divisions.map(|division| {
        let bytes = bytes_between(affinity, machine, &division.group_of, effort);
        bytes as f64 / division.bandwidth
    });
    by.fold(0.0, f64::max)
}

/// The proof that a number of bytes passes from group to group in every placement.
#[derive(Clone, Debug)]
pub struct CutProof {
    /// The proof of these bytes: hops are 1 between slots of different groups, and 0 otherwise.
    pub bytes: SplitProof,
    /// The bandwidth that leaves all groups together, in one direction. These bytes over this
    /// bandwidth are a bound on the congestion of the busiest channel.
    pub bandwidth: f64,
}

/// The proof of the highest bound on congestion that the bound `split` gives for any division of
/// the nodes. `None` where it gives none.
#[must_use]
pub fn cut_proof(affinity: &Affinity, machine: &Machine) -> Option<CutProof> {
    let divisions = divisions(machine, BoundEffort::Long).into_iter();
    let proofs = divisions.filter_map(|division| {
        let bandwidth = division.bandwidth;
        let (bound, bytes) = split::proof_between_groups(affinity, machine, &division.group_of)?;
        (bound > 0).then(|| (bound as f64 / bandwidth, CutProof { bytes, bandwidth }))
    });
    let highest = proofs.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    Some(highest.1)
}

/// All ways to divide the nodes whose cuts have a bandwidth. None where the network is known by its
/// paths alone.
fn divisions(machine: &Machine, effort: BoundEffort) -> Vec<Division> {
    let topology = machine.topology();
    if topology.lists_paths() {
        return Vec::new();
    }
    let wiring = topology.wiring();
    let mut divided = partitions(machine);
    if let (Some(grid), BoundEffort::Long) = (topology.structure().grid(), effort) {
        divided.extend(narrowest_halves(machine, &wiring, grid));
    }
    let all = divided.into_iter().map(|group_of| Division {
        bandwidth: bandwidth_between(machine, &wiring, &group_of),
        group_of,
    });
    all.filter(|division| division.bandwidth > 0.0).collect()
}

/// Bytes that go from group to group in every placement.
fn bytes_between(
    affinity: &Affinity,
    machine: &Machine,
    group_of: &[usize],
    effort: BoundEffort,
) -> u128 {
    let room = rooms(machine, group_of).into_iter().max().unwrap_or(0);
    if room >= affinity.ranks() as u64 {
        return 0;
    }
    let relaxed = triples::twice_between_groups(affinity, room).unwrap_or(0) / 2;
    if effort < BoundEffort::Long {
        return relaxed;
    }
    let split = split::bytes_between_groups(affinity, machine, group_of).unwrap_or(0);
    relaxed.max(split)
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

/// The two halves of a grid on either side of a plane, for the axis with the least bandwidth
/// between the halves for each pair of slots in different halves.
fn narrowest_halves(machine: &Machine, wiring: &Wiring, grid: &Grid) -> Option<Vec<usize>> {
    let width = |group_of: &Vec<usize>| {
        let pairs: u64 = rooms(machine, group_of).iter().product();
        bandwidth_between(machine, wiring, group_of) / pairs as f64
    };
    let axes = 0..grid.dims().len();
    axes.filter_map(|axis| halves(machine, grid, axis))
        .min_by(|one, other| width(one).total_cmp(&width(other)))
}

/// The most even way to divide a grid by a plane across an axis, or by two planes where rows are
/// rings. `None` where one half would have no slots.
fn halves(machine: &Machine, grid: &Grid, axis: usize) -> Option<Vec<usize>> {
    let size = grid.dims()[axis];
    let stride: usize = grid.dims()[axis + 1..].iter().product();
    let nodes: usize = grid.dims().iter().product();
    let beyond = |start: usize, length: usize| {
        let half = |node| usize::from((node / stride % size + size - start) % size >= length);
        (0..nodes).map(half).collect::<Vec<usize>>()
    };
    let all: Vec<Vec<usize>> = if grid.wraps() {
        (0..size).map(|start| beyond(start, size / 2)).collect()
    } else {
        (1..size).map(|length| beyond(0, length)).collect()
    };
    let smaller = |group_of: &Vec<usize>| match rooms(machine, group_of)[..] {
        [one, other] => one.min(other),
        _ => 0,
    };
    let even = all.into_iter().rev().max_by_key(smaller)?;
    (smaller(&even) > 0).then_some(even)
}

/// Slots of each group.
fn rooms(machine: &Machine, group_of: &[usize]) -> Vec<u64> {
    let groups = group_of.iter().max().map_or(0, |last| last + 1);
    let mut room = vec![0; groups];
    for (node, &group) in group_of.iter().enumerate() {
        room[group] += u64::from(machine.slots().capacity(NodeId::at(node)));
    }
    room
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
    use rankfold_graph::samples::{graph, message};
    use rankfold_machine::samples::{machine, unequal_nodes};

    fn of_ring(ranks: usize, spec: &str) -> f64 {
        let ring = (0..ranks).map(|rank| message(rank, (rank + 1) % ranks, 100));
        let ring = graph(ranks, ring.collect()).affinity();
        congestion(&ring, &machine(spec, 1), BoundEffort::Standard)
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

    /// Every rank of a complete graph exchanges a byte each way with every other one.
    fn of_all(ranks: usize, spec: &str, effort: BoundEffort) -> f64 {
        let pairs = (0..ranks).flat_map(|a| (0..ranks).map(move |b| message(a, b, 1000)));
        let all = graph(ranks, pairs.collect()).affinity();
        congestion(&all, &machine(spec, 1), effort)
    }

    #[test]
    fn halves_of_a_grid_exchange_bytes_through_the_plane_between_them() {
        // 8 ranks on either side. A half of the torus is left by 2 links at each of two places, a
        // half of the mesh by 2 links.
        for (spec, links) in [("torus:8x2", 4.0), ("mesh:8x2", 2.0)] {
            let bound = of_all(16, spec, BoundEffort::Long);
            let exact = 8.0 * 8.0 * 1000.0 / links;
            assert!(
                (0.99..=1.0).contains(&(bound / exact)),
                "{spec}: {bound} of {exact}"
            );
            assert_eq!(of_all(16, spec, BoundEffort::Standard), 0.0);
        }
    }

    #[test]
    fn a_half_has_the_slots_that_it_has() {
        // Four of the eight slots are in the first place of the axis, so the plane is behind it.
        let part = unequal_nodes("mesh:4x2", &[2, 2, 2, 1, 1, 0, 0, 0]);
        let grid = part.topology().structure().grid().cloned();
        let divided = halves(&part, &grid.unwrap(), 0).unwrap();
        assert_eq!(rooms(&part, &divided), [4, 4]);
        assert_eq!(
            halves(&machine("mesh:1x4", 1), &Grid::new(vec![1, 4], false), 0),
            None
        );
    }
}
