//! Imports Slurm's `topology.yaml`, which holds named topologies: trees, blocks, rings and 3D tori.

use super::super::Description;
use super::hostlist::expand;
use super::slurm::SlurmNetwork;
use super::tree::{BLOCKS, Tree};
use super::{ImportError, Importer, Source, SourceLine, has_line};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

/// The importer of `topology.yaml`.
pub(super) const TOPOLOGY: Importer = Importer {
    name: "slurm-yaml",
    about: "topology.yaml (the default topology of the cluster if there are several)",
    recognises: |source| has_line(source, &["- topology:", "---", "topology:"]),
    read,
};

fn read(sources: &[Source]) -> Result<Description, ImportError> {
    let [source] = sources else {
        return Err(ImportError {
            file: "slurm-yaml".into(),
            line: None,
            problem: format!("{} files are given: one is needed", sources.len()),
        });
    };
    let topologies: Vec<Named> = serde_saphyr::from_str(&source.text).map_err(|e| ImportError {
        file: source.file.clone(),
        line: e.location().map(|at| at.line() as usize),
        problem: e.without_snippet().to_string(),
    })?;
    let default = topologies.iter().find(|t| t.cluster_default);
    let Some(topology) = default.or(topologies.first()) else {
        return Err(start(source).bad("there is no topology in this file"));
    };
    let place = at(source, &topology.topology);
    let mut network = SlurmNetwork::default();
    topology.add(&mut network, source)?;
    network.describe(place)
}

#[derive(Deserialize)]
struct Named {
    topology: Spanned<String>,
    #[serde(default)]
    cluster_default: bool,
    tree: Option<Switches>,
    block: Option<Blocks>,
    ring: Option<Rings>,
    torus3d: Option<Toruses>,
    flat: Option<IgnoredAny>,
}

impl Named {
    fn add<'a>(
        &self,
        network: &mut SlurmNetwork<'a>,
        source: &'a Source,
    ) -> Result<(), ImportError> {
        let name = &self.topology.value;
        let place = at(source, &self.topology);
        let tree = &mut network.tree;
        match (&self.tree, &self.block, &self.ring, &self.torus3d) {
            (Some(given), None, None, None) => {
                let mut switches = given.switches.iter();
                switches.try_for_each(|switch| switch.hang(tree, source))
            }
            (None, Some(given), None, None) => {
                let mut blocks = given.blocks.iter();
                blocks.try_for_each(|block| block.hang(tree, source))
            }
            (None, None, Some(given), None) => {
                let mut rings = given.rings.iter();
                rings.try_for_each(|ring| ring.fill(network, source))
            }
            (None, None, None, Some(given)) => {
                let mut toruses = given.toruses.iter();
                toruses.try_for_each(|torus| torus.fill(network, source))
            }
            (None, None, None, None) if self.flat.is_some() => Err(place.bad(format!(
                "topology {name} is flat: it does not describe the network"
            ))),
            _ => Err(place.bad(format!(
                "topology {name} is neither a tree, blocks, a ring nor a torus3d"
            ))),
        }
    }
}

#[derive(Deserialize)]
struct Switches {
    switches: Vec<Switch>,
}

#[derive(Deserialize)]
struct Switch {
    switch: Spanned<String>,
    children: Option<Spanned<String>>,
    nodes: Option<Spanned<String>>,
}

#[derive(Deserialize)]
struct Blocks {
    blocks: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    block: Spanned<String>,
    nodes: Spanned<String>,
}

#[derive(Deserialize)]
struct Rings {
    rings: Vec<Ring>,
}

#[derive(Deserialize)]
struct Ring {
    nodes: Spanned<String>,
}

#[derive(Deserialize)]
struct Toruses {
    toruses: Vec<Torus>,
}

#[derive(Deserialize)]
struct Torus {
    name: Spanned<String>,
    dims: Triple,
    nodes: Option<Spanned<String>>,
    regions: Option<Vec<Region>>,
}

#[derive(Deserialize)]
struct Region {
    anchor: Triple,
    dims: Triple,
    nodes: Spanned<String>,
}

#[derive(Clone, Copy, Deserialize)]
struct Triple {
    x: usize,
    y: usize,
    z: usize,
}

impl From<Triple> for [usize; 3] {
    fn from(Triple { x, y, z }: Triple) -> Self {
        [x, y, z]
    }
}

impl Ring {
    fn fill<'a>(
        &self,
        network: &mut SlurmNetwork<'a>,
        source: &'a Source,
    ) -> Result<(), ImportError> {
        let place = at(source, &self.nodes);
        let hosts = hosts(&self.nodes, source)?;
        let size = [hosts.len()];
        network
            .lattice(place, &size)?
            .fill(place, &[0], &size, hosts)
    }
}

impl Torus {
    fn fill<'a>(
        &self,
        network: &mut SlurmNetwork<'a>,
        source: &'a Source,
    ) -> Result<(), ImportError> {
        let dims: [usize; 3] = self.dims.into();
        let place = at(source, &self.name);
        let torus = network.lattice(place, &dims)?;
        match (&self.nodes, &self.regions) {
            (Some(nodes), None) => {
                let hosts = hosts(nodes, source)?;
                torus.fill(at(source, nodes), &[0; 3], &dims, hosts)
            }
            (None, Some(regions)) => regions.iter().try_for_each(|region| {
                let (anchor, dims): ([usize; 3], [usize; 3]) =
                    (region.anchor.into(), region.dims.into());
                let hosts = hosts(&region.nodes, source)?;
                torus.fill(at(source, &region.nodes), &anchor, &dims, hosts)
            }),
            _ => Err(place.bad("a torus has either nodes or regions")),
        }
    }
}

impl Switch {
    fn hang<'a>(&self, tree: &mut Tree<'a>, source: &'a Source) -> Result<(), ImportError> {
        let place = at(source, &self.switch);
        let name = &self.switch.value;
        if tree.is_defined(name) {
            return Err(place.bad(format!("switch {name} is described twice")));
        }
        let switch = tree.define(name, place)?;
        for (list, host) in [(&self.children, false), (&self.nodes, true)] {
            if let Some(list) = list {
                hang(tree, list, host, switch, source)?;
            }
        }
        Ok(())
    }
}

impl Block {
    fn hang<'a>(&self, tree: &mut Tree<'a>, source: &'a Source) -> Result<(), ImportError> {
        let place = at(source, &self.block);
        let block = tree.define(&self.block.value, place)?;
        let root = tree.define(BLOCKS, place)?;
        tree.hang(&self.block.value, false, root, place)?;
        hang(tree, &self.nodes, true, block, source)
    }
}

/// Puts every host or switch of a list below a switch.
fn hang<'a>(
    tree: &mut Tree<'a>,
    list: &Spanned<String>,
    host: bool,
    below: usize,
    source: &'a Source,
) -> Result<(), ImportError> {
    for name in hosts(list, source)? {
        tree.hang(&name, host, below, at(source, list))?;
    }
    Ok(())
}

/// The host names of a list.
fn hosts(list: &Spanned<String>, source: &Source) -> Result<Vec<String>, ImportError> {
    expand(&list.value).map_err(|problem| at(source, list).bad(problem))
}

fn at<'a>(source: &'a Source, text: &Spanned<String>) -> SourceLine<'a> {
    let line = text.referenced.line() as usize;
    SourceLine { source, line }
}

fn start(source: &Source) -> SourceLine<'_> {
    SourceLine { source, line: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "---
- topology: racks
  cluster_default: false
  block:
    block_sizes: [2]
    blocks:
      - block: b0
        nodes: n[0-1]
      - block: b1
        nodes: n[2-3]
- topology: fabric
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: leaf[0-1]
      - switch: leaf0
        nodes: n[0-1]
      - switch: leaf1
        nodes: n[2-3]
";

    fn import(text: &str) -> Result<Description, ImportError> {
        read(&[Source {
            file: "t".into(),
            text: text.into(),
        }])
    }

    #[test]
    fn the_clusters_default_is_taken_or_else_the_first() {
        let fabric = import(TWO).unwrap();
        assert_eq!(fabric.switches, ["top", "leaf0", "leaf1"]);
        assert_eq!(fabric.hosts, ["n0", "n1", "n2", "n3"]);
        let racks = import(&TWO.replace("true", "false")).unwrap();
        assert_eq!(racks.switches, ["blocks", "b0", "b1"]);
        assert_eq!(racks.hosts.len(), 4);
    }

    const TORUS: &str = "- topology: pods
  torus3d:
    toruses:
      - name: pod1
        dims: {x: 3, y: 2, z: 1}
        regions:
          - anchor: {x: 0, y: 0, z: 0}
            dims: {x: 1, y: 2, z: 1}
            nodes: a[0-1]
          - anchor: {x: 2, y: 0, z: 0}
            dims: {x: 1, y: 1, z: 1}
            nodes: b
        placements:
          - dims: {x: 1, y: 1, z: 1}
";

    #[test]
    fn regions_put_their_hosts_in_their_places_of_the_torus() {
        let pod = import(TORUS).unwrap();
        assert_eq!(pod.network.unwrap(), "torus:1x2x3");
        // x varies fastest
        assert_eq!(pod.hosts, ["a0", "-", "b", "a1", "-", "-"]);
    }

    #[test]
    fn a_ring_is_a_torus_of_one_dimension() {
        let ring =
            "- topology: t\n  ring:\n    rings:\n      - ring: r0\n        nodes: n[1-3,0]\n";
        let ring = import(ring).unwrap();
        assert_eq!(ring.network.unwrap(), "torus:4");
        assert_eq!(ring.hosts, ["n1", "n2", "n3", "n0"]);
    }

    #[test]
    fn mistakes_of_tori_name_the_line() {
        for (from, to, expected) in [
            (
                "nodes: b",
                "nodes: b[0-1]",
                "t:12: 2 hosts are named for 1 places",
            ),
            ("nodes: b", "nodes: a0", "t:12: a0 is in two places"),
            (
                "{x: 2, y: 0",
                "{x: 0, y: 0",
                "t:12: b is in the place of a0",
            ),
            (
                "{x: 2, y: 0",
                "{x: 3, y: 0",
                "t:12: these places are not all",
            ),
            ("{x: 3,", "{x: 0,", "t:4: every dimension must be"),
            ("{x: 3,", "{x: 99999999999,", "t:4: the sizes multiply"),
            (
                "regions:",
                "nodes: c\n        regions:",
                "t:4: a torus has either",
            ),
            ("torus3d:", "flat: true\n  x:", "t:1: topology pods is flat"),
        ] {
            let error = import(&TORUS.replacen(from, to, 1)).unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with(expected), "{to}: {error}");
        }
    }

    #[test]
    fn mistakes_name_the_line() {
        for (from, to, expected) in [
            (
                "leaf[0-1]",
                "leaf[0-2]",
                "t:16: there is no switch named leaf2",
            ),
            ("leaf[0-1]", "leaf[0-", "t:16: a [ is never closed"),
            (
                "- switch: leaf1",
                "- switch: leaf0",
                "t:19: switch leaf0 is described twice",
            ),
            ("        nodes: n[2-3]\n-", "-", "t:9: "),
            ("  tree:", "  star:", "t:11: topology fabric is neither"),
            ("---", "--- {", "t:"),
        ] {
            let error = import(&TWO.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{to}: {error}");
        }
        let error = import("[]").unwrap_err().to_string();
        assert_eq!(error, "t:1: there is no topology in this file");
    }
}
