//! Slurm's `topology.yaml`: named topologies, each a tree or blocks.

use super::super::Description;
use super::hostlist::expand;
use super::tree::{BLOCKS, Tree};
use super::{ImportError, Importer, Place, Source};
use serde::Deserialize;
use serde_saphyr::Spanned;

/// The importer.
pub(super) const TOPOLOGY: Importer = Importer {
    name: "slurm-yaml",
    about: "topology.yaml (the default topology of the cluster if there are several)",
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
    let mut tree = Tree::default();
    match (&topology.tree, &topology.block) {
        (Some(given), None) => {
            for switch in &given.switches {
                switch.hang(&mut tree, source)?;
            }
        }
        (None, Some(given)) => {
            for block in &given.blocks {
                block.hang(&mut tree, source)?;
            }
        }
        _ => {
            return Err(place.bad(format!(
                "topology {} is neither a tree nor blocks",
                topology.topology.value
            )));
        }
    }
    tree.describe(place)
}

#[derive(Deserialize)]
struct Named {
    topology: Spanned<String>,
    #[serde(default)]
    cluster_default: bool,
    tree: Option<Switches>,
    block: Option<Blocks>,
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

/// Hangs every host or switch of a list below a switch.
fn hang<'a>(
    tree: &mut Tree<'a>,
    list: &Spanned<String>,
    host: bool,
    below: usize,
    source: &'a Source,
) -> Result<(), ImportError> {
    let place = at(source, list);
    for name in expand(&list.value).map_err(|problem| place.bad(problem))? {
        tree.hang(&name, host, below, place)?;
    }
    Ok(())
}

fn at<'a>(source: &'a Source, text: &Spanned<String>) -> Place<'a> {
    let line = text.referenced.line() as usize;
    Place { source, line }
}

fn start(source: &Source) -> Place<'_> {
    Place { source, line: 1 }
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
            ("  tree:", "  flat:", "t:11: topology fabric is neither"),
            ("---", "--- {", "t:"),
        ] {
            let error = import(&TWO.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{to}: {error}");
        }
        let error = import("[]").unwrap_err().to_string();
        assert_eq!(error, "t:1: there is no topology in this file");
    }
}
