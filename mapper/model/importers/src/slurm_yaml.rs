//! Imports Slurm's `topology.yaml`, which holds named topologies: trees, blocks, rings and 3D tori.

use super::job_hosts::JobHosts;
use super::slurm_network::SlurmNetwork;
use super::technology::Technology;
use super::tree::{BLOCKS, Tree};
use super::{ImportError, Importer, Result, Source, SourceLine, has_line};
use rankfold_machine::Description;
use rankfold_machine::hosts::expand;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

/// The importer of `topology.yaml`.
pub(super) const TOPOLOGY: Importer = Importer {
    name: "slurm-yaml",
    about: "topology.yaml (the default topology of the cluster if there are several)",
    recognises: |source| {
        has_line(source, &["- topology:", "---", "topology:"]) || is_in_flow_style(&source.text)
    },
    for_job: Some(read_for_job),
    technology: Technology::Credits,
    read,
};

/// Whether a text begins with a topology in the flow style of YAML, or in JSON.
fn is_in_flow_style(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let code = lines.filter(|line| !line.starts_with('#'));
    let code: String = code
        .flat_map(str::chars)
        .filter(|c| !" -\"'".contains(*c))
        .take(64)
        .collect();
    let first = code.trim_start_matches(['[', '{']);
    first.len() < code.len()
        && ["topology:", "cluster_default:"]
            .iter()
            .any(|key| first.starts_with(key))
}

fn read(sources: &[Source]) -> Result<Description> {
    let (source, topologies) = parse(sources)?;
    let default = topologies.iter().find(|t| t.cluster_default);
    let Some(topology) = default.or(topologies.first()) else {
        return Err(start(source).bad(NONE));
    };
    let (network, place) = topology.network(source)?;
    network.describe(place)
}

const NONE: &str = "there is no topology in this file";

/// Reads the topology that has the hosts of a job: the first that has all, else the one that lacks
/// the fewest. The default of the cluster comes first.
fn read_for_job(sources: &[Source], job: &JobHosts) -> Result<(Description, Vec<String>)> {
    let (source, mut topologies) = parse(sources)?;
    topologies.sort_by_key(|topology| !topology.cluster_default);
    let mut best: Option<(usize, (Description, Vec<String>))> = None;
    let mut first_error = None;
    for topology in &topologies {
        let read = topology
            .network(source)
            .and_then(|(network, place)| network.describe_for_job(place, job));
        match read {
            Ok((description, added)) => {
                let names = description.hosts.iter().map(String::as_str);
                let lacking = added.len() + job.not_among(names).len();
                if best.as_ref().is_none_or(|(least, _)| lacking < *least) {
                    best = Some((lacking, (description, added)));
                }
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    match best {
        Some((_, found)) => Ok(found),
        None => Err(first_error.unwrap_or_else(|| start(source).bad(NONE))),
    }
}

/// The topologies in the only file.
fn parse(sources: &[Source]) -> Result<(&Source, Vec<Named>)> {
    let [source] = sources else {
        return Err(ImportError::whole(
            "slurm-yaml",
            format!("{} files are given: one is needed", sources.len()),
        ));
    };
    // A single topology may stand without the list.
    let one = || Some(vec![serde_saphyr::from_str(&source.text).ok()?]);
    let list = serde_saphyr::from_str(&source.text).or_else(|e| one().ok_or(e));
    let topologies = list.map_err(|e: serde_saphyr::Error| ImportError {
        file: source.file.clone(),
        line: e.location().map(|at| at.line() as usize),
        problem: e.without_snippet().to_string(),
    })?;
    Ok((source, topologies))
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
    /// The network of this topology, and the line that names it.
    fn network<'a>(&self, source: &'a Source) -> Result<(SlurmNetwork<'a>, SourceLine<'a>)> {
        let mut network = SlurmNetwork::default();
        self.add(&mut network, source)?;
        Ok((network, at(source, &self.topology)))
    }

    fn add<'a>(&self, network: &mut SlurmNetwork<'a>, source: &'a Source) -> Result<()> {
        let name = &self.topology.value;
        let place = at(source, &self.topology);
        match (&self.tree, &self.block, &self.ring, &self.torus3d) {
            (Some(given), None, None, None) => {
                let mut switches = given.switches.iter();
                switches.try_for_each(|switch| switch.hang(network, source))
            }
            (None, Some(given), None, None) => {
                let mut blocks = given.blocks.iter();
                blocks.try_for_each(|block| block.hang(&mut network.tree, source))
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
    nodes: Option<Spanned<String>>,
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
    fn fill<'a>(&self, network: &mut SlurmNetwork<'a>, source: &'a Source) -> Result<()> {
        let place = at(source, &self.nodes);
        let hosts = hosts(&self.nodes, source)?;
        let size = [hosts.len()];
        network
            .lattice(place, &size)?
            .fill(place, &[0], &size, hosts)
    }
}

impl Torus {
    fn fill<'a>(&self, network: &mut SlurmNetwork<'a>, source: &'a Source) -> Result<()> {
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
    fn hang<'a>(&self, network: &mut SlurmNetwork<'a>, source: &'a Source) -> Result<()> {
        let switch = define(&mut network.tree, &self.switch, source)?;
        let is_all = |nodes: &&Spanned<String>| nodes.value.eq_ignore_ascii_case("all");
        if let Some(nodes) = self.nodes.as_ref().filter(is_all) {
            network.all = Some((switch, at(source, nodes)));
            return Ok(());
        }
        let tree = &mut network.tree;
        match (&self.children, &self.nodes) {
            (Some(children), Some(nodes)) => {
                hang(tree, children, false, switch, source)?;
                let hosts = hosts(nodes, source)?;
                network.others.push((switch, at(source, nodes), hosts));
                Ok(())
            }
            (Some(children), None) => hang(tree, children, false, switch, source),
            (None, Some(nodes)) => hang(tree, nodes, true, switch, source),
            (None, None) => Ok(()),
        }
    }
}

impl Block {
    fn hang<'a>(&self, tree: &mut Tree<'a>, source: &'a Source) -> Result<()> {
        let place = at(source, &self.block);
        let block = define(tree, &self.block, source)?;
        let root = tree.define(BLOCKS, place)?;
        tree.hang(&self.block.value, false, root, place)?;
        match &self.nodes {
            Some(nodes) => hang(tree, nodes, true, block, source),
            None => Ok(()),
        }
    }
}

/// Adds a switch or block, which no other place in the file describes.
fn define<'a>(tree: &mut Tree<'a>, name: &Spanned<String>, source: &'a Source) -> Result<usize> {
    let place = at(source, name);
    if tree.is_defined(&name.value) {
        return Err(place.bad(format!("{} is described twice", name.value)));
    }
    tree.define(&name.value, place)
}

/// Puts every host or switch of a list below a switch.
fn hang<'a>(
    tree: &mut Tree<'a>,
    list: &Spanned<String>,
    host: bool,
    below: usize,
    source: &'a Source,
) -> Result<()> {
    for name in hosts(list, source)? {
        tree.hang_again(&name, host, below, at(source, list))?;
    }
    Ok(())
}

/// The host names of a list. A switch may wait for nodes that register later.
fn hosts(list: &Spanned<String>, source: &Source) -> Result<Vec<String>> {
    if list.value.is_empty() {
        return Ok(Vec::new());
    }
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
mod tests;
