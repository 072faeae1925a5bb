//! Hosts, each with the switches above it: what clouds and host names tell.

use super::super::Description;
use super::tree::Tree;
use super::{ImportError, Place};

/// The switch above those that nothing described is above.
const ROOT: &str = "network";

/// A host, the switches from the outermost down to its own, and where that is said.
pub(super) type Placed<'a> = (Place<'a>, String, Vec<String>);

/// The machine; a switch is known by its name and those above it. A level at which every host is by
/// itself, or which parts the hosts as the one above it does, says nothing and is left out.
pub(super) fn describe(hosts: &[Placed], end: Place) -> Result<Description, ImportError> {
    let deepest = hosts.iter().map(|(_, _, path)| path.len()).max();
    let mut kept: Vec<usize> = Vec::new();
    let mut parts = 1;
    for level in 0..deepest.unwrap_or(0) {
        let upto = |path: &'_ [String]| path[..path.len().min(level + 1)].to_vec();
        let mut groups: Vec<Vec<String>> = hosts.iter().map(|(.., path)| upto(path)).collect();
        groups.sort_unstable();
        groups.dedup();
        if groups.len() > parts && groups.len() < hosts.len() {
            kept.push(level);
            parts = groups.len();
        }
    }
    let mut tree = Tree::default();
    for (place, host, path) in hosts {
        let mut above = tree.define(ROOT, *place)?;
        for name in kept.iter().filter_map(|&level| path.get(level)) {
            tree.define(name, *place)?;
            above = tree.hang(name, false, above, *place)?;
        }
        tree.hang(host, true, above, *place)?;
    }
    tree.describe(end)
}
