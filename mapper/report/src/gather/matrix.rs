//! The matrix of a placement: ranks on its axes are ordered by their place in the machine.

use super::names;
use crate::data::{Band, Bands, Blocks, NodeMatrix};
use rankfold_base::{NodeId, Placement};
use rankfold_graph::CommGraph;
use rankfold_machine::{Machine, Structure};

/// Maximum number of places whose pairs are drawn one by one: about as many as the drawing on the
/// page has pixels a side.
pub(super) const DRAWN: usize = 512;
/// Maximum number of places that are listed. Chosen by hand, for the size of the page.
pub(super) const PLACED: usize = 1 << 14;
/// Maximum number of rows of a matrix of parts of the machine. Chosen by hand.
const PARTS: usize = 64;

/// The axis of a matrix: all slots of nodes that hold a rank in some placement, in order of the
/// machine.
pub(super) struct Axis {
    /// The place of every slot. Entries of nodes without ranks have no meaning.
    place: Vec<u32>,
    /// The node of every place.
    node: Vec<NodeId>,
    nodes: usize,
}

impl Axis {
    pub(super) fn new(machine: &Machine, placements: &[&Placement]) -> Self {
        let slots = machine.slots();
        let mut used = vec![false; slots.nodes()];
        for placement in placements {
            for node in placement.nodes(slots) {
                used[node.index()] = true;
            }
        }
        let mut axis = Self {
            place: vec![0; slots.len()],
            node: Vec::new(),
            nodes: used.iter().filter(|&&used| used).count(),
        };
        for node in (0..slots.nodes())
            .map(NodeId::at)
            .filter(|n| used[n.index()])
        {
            for slot in slots.on(node) {
                axis.place[slot.index()] = axis.node.len() as u32;
                axis.node.push(node);
            }
        }
        axis
    }

    /// Number of places.
    pub(super) fn len(&self) -> usize {
        self.node.len()
    }

    /// Number of nodes that hold ranks.
    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    pub(super) fn place_nodes(&self) -> Vec<u32> {
        self.node.iter().map(|node| node.0).collect()
    }

    /// The place of every rank.
    pub(super) fn of(&self, placement: &Placement) -> Vec<u32> {
        let slots = placement.slots().iter();
        slots.map(|slot| self.place[slot.index()]).collect()
    }

    /// The place of every rank; empty for runs with many ranks.
    pub(super) fn places_of(&self, placement: &Placement) -> Vec<u32> {
        if self.len() <= PLACED {
            self.of(placement)
        } else {
            Vec::new()
        }
    }

    /// Bytes between blocks of places.
    pub(super) fn blocks(&self, graph: &CommGraph, placement: &Placement) -> Blocks {
        blocks(graph, &self.of(placement), self.len())
    }
}

/// Bytes between blocks of an axis of `length` places. `place` holds the place of every rank.
pub(super) fn blocks(graph: &CommGraph, place: &[u32], length: usize) -> Blocks {
    let each = length.div_ceil(DRAWN).max(1);
    let size = length.div_ceil(each);
    let mut bytes = vec![0u64; size * size];
    for message in graph.messages() {
        let row = place[message.from.index()] as usize / each;
        let column = place[message.to.index()] as usize / each;
        bytes[row * size + column] += message.bytes;
    }
    let cells = (0..).zip(bytes).filter(|(_, bytes)| *bytes > 0);
    Blocks {
        size,
        places_each: each,
        cells: cells
            .map(|(cell, bytes): (usize, u64)| ((cell / size) as u32, (cell % size) as u32, bytes))
            .collect(),
    }
}

/// The parts of the machine's top level: rows, planes, pods or groups; `None` if the network has
/// none.
pub(super) fn bands(machine: &Machine, axis: &Axis) -> Option<Bands> {
    let nodes = machine.topology().nodes();
    let (word, parts) = match machine.topology().structure() {
        Structure::Grid(grid) if grid.dims().len() == 2 => ("row", grid.dims()[0]),
        Structure::Grid(grid) if grid.dims().len() > 2 => ("plane", grid.dims()[0]),
        Structure::Tree(&[pods, _, ..]) if pods > 1 => ("pod", pods),
        Structure::Groups(&[groups, ..]) => ("group", groups),
        _ => return None,
    };
    let each = nodes / parts;
    let mut bands: Vec<Band> = Vec::new();
    let mut last = None;
    for (place, node) in axis.node.iter().enumerate() {
        let part = node.index() / each;
        if last != Some(part) {
            last = Some(part);
            bands.push(Band {
                name: match word {
                    "row" | "plane" => format!("x = {part}"),
                    _ => format!("{word} {part}"),
                },
                start: place,
                end: place,
            });
        }
        if let Some(band) = bands.last_mut() {
            band.end = place + 1;
        }
    }
    Some(Bands {
        word: word.into(),
        bands,
    })
}

/// Share of the bytes that stay within a band.
pub(super) fn within(graph: &CommGraph, axis: &Axis, bands: &Bands, placement: &Placement) -> f64 {
    let mut band_of = vec![0u32; axis.len()];
    for (number, band) in (0..).zip(&bands.bands) {
        band_of[band.start..band.end].fill(number);
    }
    let place = axis.of(placement);
    let band = |rank: usize| band_of[place[rank] as usize];
    let inside = graph
        .messages()
        .filter(|m| band(m.from.index()) == band(m.to.index()));
    let inside: u128 = inside.map(|m| u128::from(m.bytes)).sum();
    inside as f64 / (graph.total_bytes() as f64).max(1.0)
}

/// Bytes between parts of the machine: one matrix for each dimension, or one of leaf switches,
/// groups or nodes.
pub(super) fn nodes(graph: &CommGraph, machine: &Machine, nodes: &[NodeId]) -> Vec<NodeMatrix> {
    let all = machine.topology().nodes();
    match machine.topology().structure() {
        Structure::Grid(grid) => {
            let dims = grid.dims();
            let stride = |dim: usize| dims[dim + 1..].iter().product::<usize>();
            let folded = (0..dims.len()).filter(|&dim| dims[dim] > 1).map(|dim| {
                let part = |node: NodeId| node.index() / stride(dim) % dims[dim];
                matrix(graph, nodes, names::axis(dim), dims[dim], part)
            });
            folded.collect()
        }
        structure => {
            let arities = structure.arities().unwrap_or(&[]);
            let (word, parts) = match (structure, arities) {
                (Structure::Tree(_), [above @ .., leaf]) if !above.is_empty() && *leaf > 1 => {
                    ("leaf switch", above.iter().product())
                }
                (Structure::Groups(_), [groups, ..]) => ("group", *groups),
                _ => ("node", all),
            };
            let each = all / parts;
            let part = |node: NodeId| node.index() / each;
            vec![matrix(graph, nodes, word.into(), parts, part)]
        }
    }
}

/// Bytes between parts. `part` gives the part of a node; many parts share a row.
fn matrix(
    graph: &CommGraph,
    nodes: &[NodeId],
    word: String,
    parts: usize,
    part: impl Fn(NodeId) -> usize,
) -> NodeMatrix {
    let each = parts.div_ceil(PARTS).max(1);
    let size = parts.div_ceil(each);
    let part_of: Vec<usize> = nodes.iter().map(|&node| part(node) / each).collect();
    let mut bytes = vec![0; size * size];
    for message in graph.messages() {
        let cell = part_of[message.from.index()] * size + part_of[message.to.index()];
        bytes[cell] += message.bytes;
    }
    NodeMatrix {
        word: match each {
            1 => word,
            _ => format!("{word} ({each} together)"),
        },
        size,
        bytes,
    }
}
