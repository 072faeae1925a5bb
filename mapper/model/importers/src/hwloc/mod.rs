//! Imports the insides of hosts from hwloc: the XML of `lstopo --of xml`, versions 1 to 3.
//!
//! One file describes one host. Packages, NUMA nodes, dies, groups and caches become levels. A
//! level is left out if it groups the cores in the same way as another level, or not at all.
//! Network adapters and GPUs are near to cores by PCI. A host has a cable for each adapter.

mod devices;

use super::technology::Technology;
use super::{Importer, Result, Source, SourceLine};
use rankfold_machine::{Description, Inside, InsideLevel};
use roxmltree::Node;
use std::collections::{HashMap, HashSet};

/// The importer of files of hwloc.
pub(super) const HWLOC: Importer = Importer {
    name: "hwloc",
    about: "the XML of `lstopo --of xml` of one host, or of several hosts below one switch; all other kinds also take such files, for the insides of their hosts",
    recognises,
    for_job: None,
    technology: Technology::Unknown,
    read,
};

/// The hosts of some files below one switch, since the files do not describe the network.
fn read(sources: &[Source]) -> Result<Description> {
    let hosts: Vec<Host> = sources.iter().map(host).collect::<Result<_, _>>()?;
    let mut names: Vec<String> = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let name = host.name.clone().unwrap_or_else(|| format!("host{number}"));
        if names.contains(&name) {
            return Err(host.place.bad(format!("there are two hosts named {name}")));
        }
        names.push(name);
    }
    let mut description = Description::flat(&names);
    for (link, host) in description.links.iter_mut().zip(&hosts) {
        link.cables = host.inside.nics().len().max(1) as u32;
    }
    add_insides(&mut description, hosts.iter().zip(0..).map(|(h, n)| (n, h)));
    Ok(description)
}

/// Whether a text is the XML of hwloc.
pub(super) fn recognises(source: &Source) -> bool {
    source.text.contains("<topology") && source.text.contains("<object")
}

/// The inside of the host that a file describes.
pub(super) fn inside(source: &Source) -> Result<Inside> {
    Ok(host(source)?.inside)
}

/// Adds the insides of hosts to a description. A single file holds for all hosts, several files for
/// the hosts that they name.
pub(super) fn add(description: &mut Description, sources: &[Source]) -> Result<()> {
    let hosts: Vec<Host> = sources.iter().map(host).collect::<Result<_, _>>()?;
    if let [host] = &hosts[..] {
        description.insides = vec![(None, host.inside.clone())];
        return Ok(());
    }
    let numbers: HashMap<String, usize> = description.hosts.iter().cloned().zip(0..).collect();
    let mut named: HashMap<usize, &Host> = HashMap::new();
    for host in &hosts {
        let Some(name) = &host.name else {
            let problem = "of several such files each must name its host (info HostName)";
            return Err(host.place.bad(problem));
        };
        let Some(&number) = numbers.get(name) else {
            return Err(host.place.bad(format!("there is no host named {name}")));
        };
        if named.insert(number, host).is_some() {
            return Err(host
                .place
                .bad(format!("there are two files of host {name}")));
        }
    }
    let mut named: Vec<(usize, &Host)> = named.into_iter().collect();
    named.sort_unstable_by_key(|(number, _)| *number);
    add_insides(description, named.into_iter());
    Ok(())
}

/// Adds one entry for all hosts with equal insides, without host names if all hosts are equal.
fn add_insides<'a>(
    description: &mut Description,
    hosts: impl Iterator<Item = (usize, &'a Host<'a>)>,
) {
    let mut kinds: Vec<(Vec<String>, &Inside)> = Vec::new();
    for (number, host) in hosts {
        let name = description.hosts[number].clone();
        match kinds.iter_mut().find(|(_, inside)| **inside == host.inside) {
            Some((names, _)) => names.push(name),
            None => kinds.push((vec![name], &host.inside)),
        }
    }
    let all = description.hosts.len();
    let insides = kinds.into_iter().map(|(names, inside)| {
        let names = (names.len() < all).then_some(names);
        (names, inside.clone())
    });
    description.insides = insides.collect();
}

/// The host that a file describes.
struct Host<'a> {
    place: SourceLine<'a>,
    name: Option<String>,
    inside: Inside,
}

fn host(source: &Source) -> Result<Host<'_>> {
    let bad = |line, problem: String| SourceLine { source, line }.bad(problem);
    let document = source.xml()?;
    let root = document.root_element();
    let line = document.text_pos_at(root.range().start).row as usize;
    if root.tag_name().name() != "topology" {
        let problem = format!("<{}> is not hwloc's <topology>", root.tag_name().name());
        return Err(bad(line, problem));
    }
    let slots = slots(root);
    if slots.is_empty() {
        return Err(bad(
            line,
            "there is no core in this file: were they filtered out?".into(),
        ));
    }
    let name = root
        .descendants()
        .find(|n| n.has_tag_name("info") && n.attribute("name") == Some("HostName"))
        .and_then(|n| n.attribute("value"))
        .map(str::to_owned);
    let inside = Inside::new(slots.len() as u32, levels(&slots))
        .and_then(|it| it.with_devices(devices::nics(root, &slots), devices::gpus(root, &slots)))
        .map_err(|problem| bad(line, problem))?;
    Ok(Host {
        place: SourceLine { source, line },
        name,
        inside,
    })
}

/// The cores in depth-first order, or the processing units if the file has no cores.
fn slots<'a>(root: Node<'a, 'a>) -> Vec<Node<'a, 'a>> {
    let of = |kind: &'static str| {
        root.descendants()
            .filter(move |n| n.attribute("type") == Some(kind) && n.has_tag_name("object"))
    };
    let cores: Vec<Node> = of("Core").collect();
    if cores.is_empty() {
        of("PU").collect()
    } else {
        cores
    }
}

/// The levels that differ from each other and group the cores, from the outermost in.
fn levels(slots: &[Node]) -> Vec<InsideLevel> {
    let mut kinds: Vec<(String, Vec<bool>)> = Vec::new();
    let paths: Vec<Vec<(String, Node)>> = slots.iter().map(|slot| containers(*slot)).collect();
    for path in &paths {
        for (name, _) in path {
            if !kinds.iter().any(|(known, _)| known == name) {
                kinds.push((name.clone(), starts(&paths, name)));
            }
        }
    }
    let count = |starts: &[bool]| starts.iter().filter(|s| **s).count();
    // If two kinds group the cores in the same way, the better known name is kept.
    let known = |name: &str| {
        ["package", "numa"]
            .iter()
            .position(|k| *k == name)
            .unwrap_or(2)
    };
    kinds.sort_by_key(|(name, starts)| (count(starts), known(name)));
    let mut levels = Vec::new();
    let mut above = vec![false; slots.len()];
    above[0] = true;
    for (name, starts) in kinds {
        // If two kinds do not nest, a group also ends where a group of the level above ends.
        let here: Vec<bool> = above.iter().zip(&starts).map(|(a, b)| *a || *b).collect();
        if here != above && count(&here) < slots.len() {
            levels.push(InsideLevel {
                name,
                cores: sizes(&here),
            });
            above = here;
        }
    }
    levels
}

/// For every core, whether it is the first core of a group of some kind. A core that is in none
/// shares none with others, unless all cores of its outermost element are in none.
fn starts(paths: &[Vec<(String, Node)>], kind: &str) -> Vec<bool> {
    let of = |path: &[(String, Node)]| {
        let container = path.iter().find(|(name, _)| name == kind);
        container.map(|(_, node)| node.id())
    };
    let outermost = |path: &[(String, Node)]| path.first().map(|(_, node)| node.id());
    let has_one = paths.iter().filter(|path| of(path).is_some());
    let divided: HashSet<_> = has_one.map(|path| outermost(path)).collect();
    let whole =
        |path: &[(String, Node)]| outermost(path).filter(|it| !divided.contains(&Some(*it)));
    let groups: Vec<_> = paths
        .iter()
        .map(|path| of(path).or_else(|| whole(path)))
        .collect();
    (0..groups.len())
        .map(|core| core == 0 || groups[core].is_none() || groups[core] != groups[core - 1])
        .collect()
}

fn sizes(starts: &[bool]) -> Vec<u32> {
    let mut sizes = Vec::new();
    for &start in starts {
        match sizes.last_mut() {
            Some(size) if !start => *size += 1,
            _ => sizes.push(1),
        }
    }
    sizes
}

/// The elements that a core is part of, each with its kind, the outermost first.
fn containers<'a>(core: Node<'a, 'a>) -> Vec<(String, Node<'a, 'a>)> {
    let mut found = Vec::new();
    let mut groups = 0;
    let above: Vec<Node> = core.ancestors().skip(1).collect();
    for node in above.into_iter().rev() {
        // In version 2, a NUMA node is a child of the element it is local to. In version 1, cores
        // are children of the NUMA node.
        // A cache of that memory may stand between both. Matrices of distances between memories
        // have a type, too.
        let is = |n: Node, kind| n.has_tag_name("object") && n.attribute("type") == Some(kind);
        let is_memory = |n: Node| is(n, "NUMANode");
        let holds_memory = |n: Node| is(n, "MemCache") && n.descendants().any(is_memory);
        let memory = is_memory(node) || node.children().any(|n| is_memory(n) || holds_memory(n));
        let kind = match node.attribute("type") {
            Some("Package" | "Socket") => Some("package".into()),
            Some("Die") => Some("die".into()),
            Some("Group") => {
                groups += 1;
                Some(format!("group{groups}"))
            }
            Some("Cache") => node.attribute("depth").map(|depth| format!("l{depth}")),
            Some(kind) => kind
                .strip_suffix("Cache")
                .filter(|cache| cache.starts_with('L'))
                .map(str::to_lowercase),
            None => None,
        };
        if memory {
            found.retain(|(kind, _)| kind != "numa");
            found.push(("numa".into(), node));
        }
        found.extend(kind.map(|kind| (kind, node)));
    }
    found
}

#[cfg(test)]
mod tests;
