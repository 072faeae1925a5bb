//! Drawings of machines, one file for each kind of network. Except for the height of bars, geometry
//! depends on the machine alone.

mod circle;
mod levels;
mod rings;
mod slices;

use super::picture::Picture;
use crate::data::{Machine, Network, NetworkShape, Side};

/// A drawing, with the text that explains it.
pub(super) struct Drawn {
    /// Name of the drawing in the script's data.
    pub(super) id: &'static str,
    /// Heading of the drawing; empty for the first one.
    pub(super) title: &'static str,
    /// How to read the drawing.
    pub(super) how: String,
    pub(super) picture: Picture,
}

/// All drawings of one side; none where links are not listed one by one.
pub(super) fn drawn(machine: &Machine, side: &Side, top: f64) -> Vec<Drawn> {
    let Some(network) = &machine.network else {
        return Vec::new();
    };
    let scene = Scene {
        machine,
        network,
        side,
        top,
    };
    match &machine.shape {
        NetworkShape::Grid { dims, wraps } => {
            let mut drawn = Vec::new();
            if (1..=3).contains(&dims.len()) {
                drawn.push(slices::drawn(&scene, dims, *wraps));
            }
            if dims.len() > 2 {
                drawn.push(rings::drawn(&scene, dims, *wraps));
            }
            drawn
        }
        NetworkShape::Levels { levels, places } if !places.is_empty() => {
            vec![levels::drawn(&scene, levels, places)]
        }
        NetworkShape::Groups {
            groups,
            routers,
            hosts,
        } if *groups <= circle::MOST => vec![circle::drawn(&scene, (*groups, *routers, *hosts))],
        _ => Vec::new(),
    }
}

/// What is drawn: one side of a machine.
struct Scene<'a> {
    machine: &'a Machine,
    network: &'a Network,
    side: &'a Side,
    /// The highest load of all sides.
    top: f64,
}

impl Scene<'_> {
    /// The ranks of every node on this side; empty for runs with many ranks.
    fn ranks(&self) -> Vec<Vec<usize>> {
        let mut ranks = vec![Vec::new(); self.machine.nodes];
        for (rank, &place) in self.side.place.iter().enumerate() {
            ranks[self.machine.place_node[place as usize] as usize].push(rank);
        }
        ranks
    }
}

/// The number of a node from its coordinates.
fn node_at(at: &[usize], dims: &[usize]) -> usize {
    at.iter().zip(dims).fold(0, |node, (&c, &k)| node * k + c)
}

/// The coordinates of a node.
fn coordinates(node: usize, dims: &[usize]) -> Vec<usize> {
    let mut rest = node;
    let mut at = vec![0; dims.len()];
    for (c, &k) in at.iter_mut().zip(dims).rev() {
        *c = rest % k;
        rest /= k;
    }
    at
}

/// The letter of a dimension.
fn letter(dim: usize) -> char {
    "xyzuvw".chars().nth(dim).unwrap_or('d')
}
