//! Builds a tree of switches from hosts that each list the switches above them, as clouds and host
//! names do.

use super::tree::{ROOT, Tree};
use super::{Result, SourceLine};
use rankfold_machine::Description;
use std::collections::{HashMap, HashSet};

/// The line that describes a host, the name of the host, and the switches above the host from the
/// outermost in.
pub(super) type PlacedHost<'a> = (SourceLine<'a>, String, Vec<String>);

/// The description of the machine. Two switches are the same if they, and all switches above them,
/// have equal names. Two kinds of levels are left out: those at which every host is alone, and
/// those that divide the hosts in the same way as the level above.
pub(super) fn describe(hosts: &[PlacedHost], end: SourceLine) -> Result<Description> {
    let kept = kept_levels(hosts);
    let paths: Vec<Vec<&str>> = hosts
        .iter()
        .map(|(.., path)| {
            kept.iter()
                .filter_map(|&level| Some(&**path.get(level)?))
                .collect()
        })
        .collect();
    let unique = unique_names(hosts, &paths);
    let mut tree = Tree::default();
    for ((place, host, _), path) in hosts.iter().zip(&paths) {
        let mut above = tree.define(ROOT, *place)?;
        for (level, short) in path.iter().enumerate() {
            let name = if unique.contains(short) {
                (*short).to_owned()
            } else {
                path[..=level].join("/")
            };
            tree.define(&name, *place)?;
            above = tree.hang(&name, false, above, *place)?;
        }
        tree.hang(host, true, above, *place)?;
    }
    tree.describe(end)
}

/// The levels that divide the hosts further than the level above does, and not host by host.
fn kept_levels(hosts: &[PlacedHost]) -> Vec<usize> {
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
    kept
}

/// The names that one switch alone has, and no host.
fn unique_names<'a>(hosts: &[PlacedHost], paths: &[Vec<&'a str>]) -> HashSet<&'a str> {
    let mut switches: HashMap<&str, HashSet<&[&str]>> = HashMap::new();
    for path in paths {
        for (level, name) in path.iter().enumerate() {
            switches.entry(name).or_default().insert(&path[..=level]);
        }
    }
    let taken: HashSet<&str> = hosts.iter().map(|(_, host, _)| &**host).collect();
    let alone = switches.into_iter().filter(|(_, paths)| paths.len() == 1);
    let names = alone.map(|(name, _)| name);
    names
        .filter(|name| *name != ROOT && !taken.contains(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    #[test]
    fn switches_of_one_name_in_different_places_are_different_switches() {
        let source = Source {
            file: "t".into(),
            text: String::new(),
        };
        let place = SourceLine {
            source: &source,
            line: 1,
        };
        let paths = [
            ["a", "1"],
            ["a", "1"],
            ["a", "2"],
            ["b", "1"],
            ["b", "1"],
            ["b", "h0"],
        ];
        let hosts: Vec<PlacedHost> = paths
            .iter()
            .zip(["h0", "h1", "h2", "h3", "h4", "h5"])
            .map(|(path, host)| (place, host.to_owned(), path.map(str::to_owned).to_vec()))
            .collect();
        let machine = describe(&hosts, place).unwrap();
        let switches = ["network", "a", "a/1", "2", "b", "b/1", "b/h0"];
        assert_eq!(machine.switches, switches);
        assert_eq!(machine.hosts, ["h0", "h1", "h2", "h3", "h4", "h5"]);
    }
}
