//! Names of dimensions and nodes.

use rankfold_base::NodeId;
use rankfold_machine::{Grid, Machine, Structure, hosts};

/// The name of a dimension.
pub(super) fn axis(dim: usize) -> String {
    match b"xyzuvw".get(dim) {
        Some(&letter) => char::from(letter).to_string(),
        None => format!("dimension {dim}"),
    }
}

/// The name of a node.
pub(super) fn node(machine: &Machine, node: NodeId) -> String {
    let named = machine.hosts().map(|hosts| &hosts[node.index()]);
    let place = match machine.topology().structure() {
        Structure::Grid(grid) => coordinates(grid, node),
        _ => format!("node {node}"),
    };
    match named.filter(|name| *name != hosts::UNUSABLE) {
        Some(name) if matches!(machine.topology().structure(), Structure::Grid(_)) => {
            format!("{name} {place}")
        }
        Some(name) => name.clone(),
        None => place,
    }
}

fn coordinates(grid: &Grid, node: NodeId) -> String {
    let at = grid.coordinates(node);
    let at: Vec<String> = at.iter().map(ToString::to_string).collect();
    format!("({})", at.join(","))
}
