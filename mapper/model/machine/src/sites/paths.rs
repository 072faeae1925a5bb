//! The path of every site from the root of the hierarchy: the number of the child at every level.

use super::clusters;
use crate::{Distances, Machine};
use rankfold_base::NodeId;

/// The path of every site. Sites with equal paths are in the same group at every level.
pub(super) fn paths(
    machine: &Machine,
    distances: &Distances,
    sites: &[Vec<NodeId>],
) -> Vec<Vec<u32>> {
    let topology = machine.topology();
    if let Some(grid) = topology.structure().grid() {
        let at: Vec<Vec<usize>> = sites.iter().map(|s| grid.coordinates(s[0])).collect();
        let slots: Vec<u32> = sites
            .iter()
            .map(|nodes| machine.slots().capacity(nodes[0]))
            .collect();
        let mut paths = vec![Vec::new(); sites.len()];
        halve(&at, &slots, (0..sites.len()).collect(), &mut paths);
        return paths;
    }
    match topology.structure().arities() {
        Some(arities) => sites.iter().map(|s| digits(s[0], arities)).collect(),
        None => clusters::paths(distances, sites),
    }
}

/// The numbers of the children on the way from the root to a leaf; `arities` are given from the
/// root down.
fn digits(node: NodeId, arities: &[usize]) -> Vec<u32> {
    let mut rest = node.index();
    let mut path: Vec<u32> = arities
        .iter()
        .rev()
        .map(|arity| {
            let digit = rest % arity;
            rest /= arity;
            digit as u32
        })
        .collect();
    path.reverse();
    path
}

/// Cuts the bounding box of the nodes `here` across its longest side into two parts with numbers of
/// slots as equal as possible, recursively, and appends the number of the part to each path.
fn halve(at: &[Vec<usize>], slots: &[u32], mut here: Vec<usize>, paths: &mut [Vec<u32>]) {
    let Some((_, axis)) = (0..at.first().map_or(0, Vec::len))
        .map(|axis| {
            let along = || here.iter().map(|&s| at[s][axis]);
            let extent = along().max().unwrap_or(0) - along().min().unwrap_or(0);
            (extent, axis)
        })
        .filter(|&(extent, _)| extent > 0)
        .min_by_key(|&(extent, axis)| (std::cmp::Reverse(extent), axis))
    else {
        return;
    };
    here.sort_by_key(|&s| at[s][axis]);
    let total: u64 = here.iter().map(|&s| u64::from(slots[s])).sum();
    let mut before = 0;
    let cut = (1..here.len())
        .map(|i| {
            before += u64::from(slots[here[i - 1]]);
            (i, before)
        })
        .filter(|&(i, _)| at[here[i - 1]][axis] != at[here[i]][axis])
        .min_by_key(|&(i, before)| ((2 * before).abs_diff(total), i))
        .map(|(i, _)| i)
        .expect("the box is longer than one node");
    let upper = here.split_off(cut);
    for (side, half) in (0..).zip([here, upper]) {
        for &site in &half {
            paths[site].push(side);
        }
        halve(at, slots, half, paths);
    }
}

/// The paths of `count` items in a row that is halved until each part is one item.
pub(super) fn halves(count: usize) -> Vec<Vec<u32>> {
    let row: Vec<Vec<usize>> = (0..count).map(|i| vec![i]).collect();
    let mut paths = vec![Vec::new(); count];
    halve(&row, &vec![1; count], (0..count).collect(), &mut paths);
    paths
}
