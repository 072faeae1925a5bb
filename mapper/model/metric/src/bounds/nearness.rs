//! Which nodes of a machine are within some hops of each other, and what that implies for three
//! ranks.

use super::capacities;
use rankfold_base::NodeId;
use rankfold_machine::{Machine, Structure};

/// Most nodes whose pairs are compared one by one. Chosen by hand; not measured.
const MAX_NODES: usize = 2048;

/// A rule that holds for all nodes within some hops of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Near {
    /// Nodes form groups: each node is near all nodes of its group and no others. Holds the number
    /// of slots of the largest group.
    Groups(u64),
    /// No three ranks are pairwise near each other.
    NoTriangles,
}

/// The rule for nodes within `hops` of each other, if there is one.
pub(super) fn near(machine: &Machine, hops: u32) -> Option<Near> {
    let largest = capacities(machine).max().unwrap_or(0);
    match machine.topology().structure() {
        _ if hops == 0 => Some(Near::Groups(largest)),
        Structure::Grid(grid) => {
            let triangles = grid.wraps() && grid.dims().contains(&3);
            (hops == 1 && largest == 1 && !triangles).then_some(Near::NoTriangles)
        }
        _ => groups(machine, hops).map(Near::Groups),
    }
}

/// The number of slots in the largest group, if being within `hops` of each other divides the nodes
/// into groups.
fn groups(machine: &Machine, hops: u32) -> Option<u64> {
    let group_of = groups_within(machine, hops)?;
    let mut room = vec![0; group_of.len()];
    for (capacity, &group) in capacities(machine).zip(&group_of) {
        room[group] += capacity;
    }
    room.into_iter().max()
}

/// The group of every node, numbered by their first nodes, if being within `hops` of each other
/// divides the nodes into groups. A node without slots is in a group of its own, since its
/// distances do not matter.
pub(super) fn groups_within(machine: &Machine, hops: u32) -> Option<Vec<usize>> {
    let slots = machine.slots();
    let is_used = |node: &usize| slots.capacity(NodeId::at(*node)) > 0;
    let used: Vec<usize> = (0..slots.nodes()).filter(is_used).collect();
    if used.len() > MAX_NODES {
        return None;
    }
    let distances = machine.topology().distances();
    let mut first_of = vec![usize::MAX; used.len()];
    for (i, &node) in used.iter().enumerate() {
        let first = match first_of[i] {
            usize::MAX => i,
            first => first,
        };
        for (j, &other) in used.iter().enumerate().skip(i) {
            let near = distances.hops(NodeId::at(node), NodeId::at(other)) <= hops;
            match first_of[j] {
                usize::MAX if near && first == i => first_of[j] = i,
                it if (it == first) == near => {}
                _ => return None,
            }
        }
    }
    Some(numbered(slots.nodes(), &used, &first_of))
}

/// Groups numbered from 0 on without gaps, given the used nodes and the first node of the group of
/// each, as an index into the used nodes.
fn numbered(nodes: usize, used: &[usize], first_of: &[usize]) -> Vec<usize> {
    let mut group_of = vec![usize::MAX; nodes];
    let mut groups = 0;
    let mut next = || {
        groups += 1;
        groups - 1
    };
    for (&node, &first) in used.iter().zip(first_of) {
        let known = group_of[used[first]];
        group_of[node] = if known == usize::MAX { next() } else { known };
    }
    for group in &mut group_of {
        if *group == usize::MAX {
            *group = next();
        }
    }
    group_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_machine::samples::{machine, unequal_nodes};

    #[test]
    fn nodes_below_a_switch_are_groups_and_torus_neighbours_have_no_triangles() {
        let near = |spec, cores, hops| near(&machine(spec, cores), hops);
        assert_eq!(near("tree:2x3x4", 2, 2), Some(Near::Groups(8)));
        assert_eq!(near("tree:2x3x4", 2, 3), Some(Near::Groups(8)));
        assert_eq!(near("tree:2x3x4", 2, 4), Some(Near::Groups(24)));
        assert_eq!(near("dragonfly:4,2,2,3", 1, 2), Some(Near::Groups(4)));
        assert_eq!(near("torus:4x4", 3, 0), Some(Near::Groups(3)));
        assert_eq!(near("torus:4x5x2", 1, 1), Some(Near::NoTriangles));
        assert_eq!(near("torus:4x3", 1, 1), None);
        assert_eq!(near("mesh:4x3", 1, 1), Some(Near::NoTriangles));
        assert_eq!(near("mesh:4x3", 1, 2), None);
    }

    #[test]
    fn nodes_without_slots_are_in_no_group() {
        let part = unequal_nodes("tree:2x3", &[0, 0, 4, 1, 1, 1]);
        assert_eq!(near(&part, 2), Some(Near::Groups(4)));
    }
}
