//! How a network is built, as far as its drawing needs to know.

use super::names;
use crate::data::{Level, LowerEnds, NetworkShape, VertexPosition};
use rankfold_base::NodeId;
use rankfold_machine::{Machine, Structure};

/// The structure of a network: its shape, and the ends and kinds of its links.
pub(super) struct NetworkLayout<'a> {
    pub(super) machine: &'a Machine,
    pub(super) shape: NetworkShape,
    /// The two ends of every channel; `None` for channels that are no links.
    pub(super) ends: Vec<Option<(u32, u32)>>,
    /// The position of each vertex, in a network of levels.
    pub(super) places: Vec<VertexPosition>,
    pub(super) vertices: usize,
}

impl<'a> NetworkLayout<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        let topology = machine.topology();
        let ends = topology.ends();
        let highest = ends.iter().flatten().map(|&(from, to)| from.max(to)).max();
        let vertices = highest.map_or(0, |v| v as usize + 1).max(topology.nodes());
        let mut layout = Self {
            machine,
            shape: NetworkShape::Other,
            ends,
            places: Vec::new(),
            vertices,
        };
        let switches = vertices - topology.nodes();
        layout.shape = match topology.structure() {
            Structure::Grid(grid) => NetworkShape::Grid {
                dims: grid.dims().to_vec(),
                wraps: grid.wraps(),
            },
            Structure::Groups(&[groups, routers, hosts]) if switches == groups * routers => {
                NetworkShape::Groups {
                    groups,
                    routers,
                    hosts,
                }
            }
            Structure::Groups(&[groups, drawers, nodes]) if switches == 0 => NetworkShape::Groups {
                groups,
                routers: drawers * nodes,
                hosts: 0,
            },
            _ => layout.levels().unwrap_or_default(),
        };
        layout
    }

    pub(super) fn nodes(&self) -> usize {
        self.machine.topology().nodes()
    }

    /// The kind of a link, as an index into [`kinds`](Self::kinds).
    pub(super) fn kind(&self, (from, to): (u32, u32), channel: usize) -> usize {
        let nodes = self.nodes();
        match &self.shape {
            NetworkShape::Grid { .. } => channel / nodes / 2,
            NetworkShape::Levels { .. } => {
                let (a, b) = (self.level(from), self.level(to));
                2 * a.min(b) + usize::from(a > b)
            }
            NetworkShape::Groups { hosts: 0, .. } => {
                let arities = self.machine.topology().structure().arities();
                let drawer = arities.map_or(1, |arities| arities[2]);
                let router = self.routers();
                let (from, to) = (from as usize, to as usize);
                match (from / drawer == to / drawer, from / router == to / router) {
                    (true, _) => 0,
                    (false, true) => 1,
                    (false, false) => 2,
                }
            }
            NetworkShape::Groups { .. } => {
                if (from.min(to) as usize) < nodes {
                    0
                } else {
                    2 - usize::from(self.group(from) == self.group(to))
                }
            }
            NetworkShape::Other => 0,
        }
    }

    /// The names of the kinds of links.
    pub(super) fn kinds(&self) -> Vec<String> {
        match &self.shape {
            NetworkShape::Grid { dims, .. } => (0..dims.len())
                .map(|dim| format!("along {}", names::axis(dim)))
                .collect(),
            NetworkShape::Levels { levels, .. } => levels
                .iter()
                .flat_map(|level| ["↑", "↓"].map(|way| format!("{} {way}", level.name)))
                .collect(),
            NetworkShape::Groups { hosts: 0, .. } => {
                vec![
                    "within a drawer".into(),
                    "between drawers".into(),
                    "between supernodes".into(),
                ]
            }
            NetworkShape::Groups { .. } => {
                vec![
                    "node – router".into(),
                    "within a group".into(),
                    "between groups".into(),
                ]
            }
            NetworkShape::Other => vec!["all links".into()],
        }
    }

    fn level(&self, vertex: u32) -> usize {
        self.places[vertex as usize].level as usize
    }

    fn routers(&self) -> usize {
        match self.shape {
            NetworkShape::Groups { routers, .. } => routers,
            _ => 1,
        }
    }

    /// The group of a vertex: of a router, or of a node that is a router or belongs to one.
    pub(super) fn group(&self, vertex: u32) -> usize {
        let (vertex, nodes) = (vertex as usize, self.nodes());
        let NetworkShape::Groups { routers, hosts, .. } = self.shape else {
            return 0;
        };
        match (vertex.checked_sub(nodes), hosts) {
            (Some(router), _) => router / routers,
            (None, 0) => vertex / routers,
            (None, _) => vertex / (routers * hosts),
        }
    }

    /// The name of a vertex.
    pub(super) fn vertex(&self, vertex: u32) -> String {
        let Some(switch) = (vertex as usize).checked_sub(self.nodes()) else {
            return names::node(self.machine, NodeId(vertex));
        };
        match &self.shape {
            NetworkShape::Groups { routers, .. } => {
                format!("router {}.{}", switch / routers, switch % routers)
            }
            NetworkShape::Levels { levels, .. } => {
                let level = self.level(vertex);
                let word = level_word(level, levels.len());
                let before = self.places[self.nodes()..][..switch].iter();
                let number = before.filter(|place| place.level as usize == level).count();
                format!("{word} {number}")
            }
            _ => format!("switch {switch}"),
        }
    }

    pub(super) fn link(&self, channel: usize) -> String {
        match self.ends[channel] {
            Some((from, to)) => format!("{} → {}", self.vertex(from), self.vertex(to)),
            None => String::new(),
        }
    }

    /// The network as levels of vertices; `None` if a link skips a level or stays on one.
    fn levels(&mut self) -> Option<NetworkShape> {
        const FAR: u32 = u32::MAX;
        let nodes = self.nodes();
        let mut leaving = vec![Vec::new(); self.vertices];
        for &(from, to) in self.ends.iter().flatten() {
            leaving[from as usize].push(to);
        }
        let mut places: Vec<VertexPosition> = (0..self.vertices as u32)
            .map(|vertex| {
                if (vertex as usize) < nodes {
                    VertexPosition {
                        level: 0,
                        first: vertex,
                        last: vertex,
                    }
                } else {
                    VertexPosition {
                        level: FAR,
                        first: FAR,
                        last: 0,
                    }
                }
            })
            .collect();
        let mut front: Vec<u32> = (0..nodes as u32).collect();
        let mut level = 0;
        while !front.is_empty() {
            let mut next = Vec::new();
            for &vertex in &front {
                let here = places[vertex as usize];
                for &over in &leaving[vertex as usize] {
                    let there = &mut places[over as usize];
                    if there.level == FAR {
                        there.level = level + 1;
                        next.push(over);
                    }
                    if there.level == level + 1 {
                        there.first = there.first.min(here.first);
                        there.last = there.last.max(here.last);
                    }
                }
            }
            next.sort_unstable();
            (front, level) = (next, level + 1);
        }
        let top = level.checked_sub(1).filter(|&top| top > 0)? as usize;
        let mut cables = vec![0; top];
        for &(from, to) in self.ends.iter().flatten() {
            let (a, b) = (places[from as usize].level, places[to as usize].level);
            if a.abs_diff(b) != 1 {
                return None;
            }
            if a < b {
                cables[a as usize] += 1;
            }
        }
        self.places = places;
        let levels = cables.into_iter().enumerate().map(|(low, cables)| Level {
            name: format!("{} – {}", level_word(low, top), level_word(low + 1, top)),
            lower_ends: match low {
                0 => LowerEnds::Nodes,
                _ => LowerEnds::Switches,
            },
            cables,
        });
        Some(NetworkShape::Levels {
            levels: levels.collect(),
            places: Vec::new(),
        })
    }
}

/// The name of vertices of a level, where `top` levels are above the nodes.
fn level_word(level: usize, top: usize) -> String {
    match (level, top) {
        (0, _) => "node".into(),
        (1, 1) => "switch".into(),
        (1, _) => "leaf".into(),
        (l, t) if l == t => "spine".into(),
        (2, 3) => "pod switch".into(),
        (l, _) => format!("level {l} switch"),
    }
}
