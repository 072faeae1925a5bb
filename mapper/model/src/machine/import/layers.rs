//! Builds a tree of switches from hosts that each list the switches above them, as clouds and host
//! names do.

use super::super::Description;
use super::tree::Tree;
use super::{ImportError, SourceLine};

/// Name of the switch above all switches that have no other switch above them.
const ROOT: &str = "network";

/// The line that describes a host, the name of the host, and the switches above the host from the
/// outermost in.
pub(super) type PlacedHost<'a> = (SourceLine<'a>, String, Vec<String>);

/// The description of the machine. Two switches are the same if they, and all switches above them,
/// have equal names. Two kinds of levels are left out: those at which every host is alone, and
/// those that divide the hosts in the same way as the level above.
pub(super) fn describe(hosts: &[PlacedHost], end: SourceLine) -> Result<Description, ImportError> {
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
