//! The path of every site from the root of the hierarchy: which child it is in, level by level.

use super::clusters;
use crate::ids::NodeId;
use crate::machine::{Distances, Machine};

/// One path a site; sites of equal paths are told apart by no level.
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

/// Children on the way down to a leaf, `arities` from the root down.
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

/// Cuts the box around some nodes across its longest side, where the slots come nearest to halves.
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

/// Paths of `count` things in a row, halved until they are alone.
pub(super) fn halves(count: usize) -> Vec<Vec<u32>> {
    let row: Vec<Vec<usize>> = (0..count).map(|i| vec![i]).collect();
    let mut paths = vec![Vec::new(); count];
    halve(&row, &vec![1; count], (0..count).collect(), &mut paths);
    paths
}
