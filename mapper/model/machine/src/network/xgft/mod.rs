//! Extended generalised fat trees (Öhring, Ibel, Das and Kumar, "On generalized fat trees", IPPS
//! 1995) and their special cases: `xgft:m1,m2,..:w1,w2,..`, `fattree:K`, `tree:AxBx..`, each with
//! `[@speed,..]`: the speeds of the links of every level, or one with a unit for all links. Without
//! speeds, all links have bandwidth 1 and no latency. `/distances=d1:d2:..` behind a spec says what
//! distances count in the place of links: see `hierarchy`.
//!
//! The nodes are level 0. A vertex of level l has m_l children and w_(l+1) parents. It is the pair
//! (x, y): x < w1 * .. * wl is the number of the path from a node up to the vertex, and y is the
//! index of a node below the vertex divided by m1 * .. * ml. Distances, channels and routes follow
//! from arithmetic on these pairs; nothing is stored for each node.
//!
//! ```text
//!  xgft:2,2:1,2       (0,0) (1,0)       level 2, w2 = 2 parents
//!                      │ ╲   ╱ │
//!                    (0,0)   (0,1)      level 1, m1 = 2 children
//!                     ╱ ╲     ╱ ╲
//!                    0   1   2   3      nodes
//! ```
//!
//! Routes are d-mod-k: see [`Xgft::route`]. A route takes O(h) for h levels.

mod bisection;
mod families;
mod hierarchy;
mod rails;
mod tier;

pub(super) use families::{FATTREE, XGFT};
pub(super) use hierarchy::HIERARCHY;
pub(super) use rails::RAILS;

use super::grammar::{Family, sizes_and_speeds};
use super::speed::{Speed, Speeds};
use super::{
    Bisection, DistanceProfile, Distances, PathChoice, Paths, Routing, RoutingRules, Structure,
    Topology, Unit, Wiring,
};
use rankfold_base::{ChannelId, NodeId};
use std::sync::Arc;
use tier::Tier;

/// The `tree` family: every vertex has one parent. Arities and speeds are given from the root down.
pub(super) const TREE: Family = Family {
    name: "tree",
    grammar: "tree:AxBx..[@speed,..] (arities and speeds from the root down)",
    build: |text| {
        let (mut arities, speeds) = sizes_and_speeds(text)?;
        arities.reverse();
        let parents = vec![1; arities.len()];
        let mut tree = Xgft::new(format!("tree:{text}"), arities, &parents)?;
        if let Some(mut speeds) = speeds {
            speeds.of.reverse();
            tree.speeds = speeds;
        }
        Ok(tree.into())
    },
};

/// Limit on vertices and cables, since metrics visit every channel. Chosen by hand; not measured.
const LARGEST: usize = 1 << 24;

/// An extended generalised fat tree.
#[derive(Clone, Debug)]
pub(super) struct Xgft {
    spec: String,
    levels: Vec<Tier>,
    /// Arities from the root down.
    arities: Vec<usize>,
    /// Speeds of the links above the vertices of each level, from the nodes up.
    speeds: Speeds,
    nodes: usize,
    /// For every level, from the nodes up, the distance of nodes that the level is the first to
    /// join.
    distances: Vec<u16>,
    rules: RoutingRules,
}

impl Xgft {
    fn new(spec: String, children: Vec<usize>, parents: &[usize]) -> Result<Self, String> {
        if children.len() != parents.len() {
            return Err(format!(
                "{} levels of children, {} of parents: give one each",
                children.len(),
                parents.len()
            ));
        }
        let product = |of: &[usize]| {
            of.iter()
                .try_fold(1usize, |n, &k| n.checked_mul(k).filter(|&n| n <= LARGEST))
        };
        let nodes = product(&children);
        let mut levels = Vec::new();
        let (mut first_vertex, mut first_cable) = (0, 0);
        for (l, (&m, &w)) in children.iter().zip(parents).enumerate() {
            let counts = product(&children[l..]).zip(product(&parents[..l]));
            let (above, width) = counts.ok_or_else(too_large)?;
            let below = product(&children[..l]).ok_or_else(too_large)?;
            levels.push(Tier {
                children: m,
                parents: w,
                below,
                width,
                first_vertex,
                first_cable,
            });
            first_vertex += above * width;
            first_cable += above * width * w;
            if first_cable > LARGEST {
                return Err(too_large());
            }
        }
        let mut arities = children;
        arities.reverse();
        Ok(Self {
            spec,
            speeds: Speeds::relative(&vec![1.0; levels.len()]),
            distances: links(levels.len()),
            levels,
            arities,
            nodes: nodes.ok_or_else(too_large)?,
            rules: RoutingRules::default(),
        })
    }

    /// The same tree with the given speeds, from the nodes up.
    fn with_speeds(mut self, speeds: Option<Speeds>) -> Result<Self, String> {
        if let Some(speeds) = speeds {
            self.speeds = speeds.of_sizes(self.levels.len())?;
        }
        Ok(self)
    }

    /// The level of the lower end of a channel's cable.
    fn level_of(&self, channel: ChannelId) -> usize {
        let cable = channel.index() / 2;
        self.levels.partition_point(|l| l.first_cable <= cable) - 1
    }

    /// The level of the lowest common ancestors of two nodes.
    fn meeting_level(&self, a: usize, b: usize) -> usize {
        if a == b {
            return 0;
        }
        let apart = |level: &&Tier| a / level.below != b / level.below;
        self.levels.iter().take_while(apart).count()
    }

    /// Calls `visit` with every cable: its number, the level of its lower end, and both ends, the
    /// lower end first.
    fn each_cable(&self, visit: &mut dyn FnMut(usize, usize, (u32, u32))) {
        for (l, level) in self.levels.iter().enumerate() {
            let above = level.below * level.children;
            let next = level.first_vertex + self.nodes / level.below * level.width;
            for node in (0..self.nodes).step_by(level.below) {
                for x in 0..level.width {
                    let vertex = level.vertex(node, x) as u32;
                    for parent in 0..level.parents {
                        let row = node / above * level.width * level.parents;
                        let over = (next + row + x + parent * level.width) as u32;
                        visit(level.cable(node, x, parent), l, (vertex, over));
                    }
                }
            }
        }
    }

    fn cables(&self) -> usize {
        self.levels.last().map_or(0, |top| {
            top.first_cable + top.children * top.width * top.parents
        })
    }

    fn vertices(&self) -> usize {
        self.levels.last().map_or(1, |top| {
            top.first_vertex + top.children * top.width + top.width * top.parents
        })
    }
}

/// For every level, the links between nodes that the level is the first to join.
fn links(levels: usize) -> Vec<u16> {
    (1..=levels as u16).map(|level| 2 * level).collect()
}

fn too_large() -> String {
    "the levels multiply to more than 2^24 vertices or cables".into()
}

/// The channel that leads up a cable.
fn up(cable: usize) -> ChannelId {
    ChannelId::at(2 * cable)
}

/// The channel that leads down a cable.
fn down(cable: usize) -> ChannelId {
    ChannelId::at(2 * cable + 1)
}

impl Topology for Xgft {
    fn spec(&self) -> String {
        self.spec.clone() + &self.rules.to_string()
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Tree(&self.arities)
    }

    fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        match self.meeting_level(from.index(), to.index()) {
            0 => 0,
            level => u32::from(self.distances[level - 1]),
        }
    }

    fn distances(&self) -> Distances {
        Distances::hierarchy(&self.arities, &self.distances)
    }

    fn by_links(&self) -> Option<Arc<dyn Topology>> {
        self.rules.distances.as_ref()?;
        let rules = RoutingRules {
            distances: None,
            ..self.rules.clone()
        };
        Some(Arc::new(Self {
            distances: links(self.levels.len()),
            rules,
            ..self.clone()
        }))
    }

    fn distance_profile(&self) -> DistanceProfile {
        let mut around = vec![0; self.diameter() as usize + 1];
        around[0] = 1;
        let mut reached = 1;
        let levels = self.levels.iter().zip(&self.distances);
        // A level of one child joins no nodes.
        for (level, &distance) in levels.filter(|(level, _)| level.children > 1) {
            let below = (level.below * level.children) as u64;
            around[usize::from(distance)] += below - reached;
            reached = below;
        }
        DistanceProfile::same_everywhere(around, self.nodes)
    }

    fn diameter(&self) -> u32 {
        self.hops(NodeId(0), NodeId::at(self.nodes - 1))
    }

    fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        let levels = self.levels.iter().zip(&self.distances);
        let mut joining = levels.filter(|(level, _)| level.children > 1).peekable();
        let least = joining.peek().map(|(_, least)| *least);
        let nearest = joining.take_while(|&(_, distance)| Some(distance) == least);
        let siblings = nearest
            .last()
            .map_or(1, |(level, _)| level.below * level.children);
        let first = node.index() / siblings * siblings;
        (first..first + siblings)
            .map(NodeId::at)
            .filter(|&n| n != node)
            .collect()
    }

    fn channels(&self) -> usize {
        2 * self.cables()
    }

    fn unit(&self) -> Unit {
        self.speeds.unit
    }

    fn bandwidth(&self, channel: ChannelId) -> f64 {
        self.speeds.of[self.level_of(channel)].bandwidth
    }

    fn latency(&self, channel: ChannelId) -> f64 {
        self.speeds.of[self.level_of(channel)].latency
    }

    fn link_speeds(&self) -> Vec<(Speed, usize)> {
        let ends = self.levels.iter().skip(1).map(|level| level.first_cable);
        let ends = ends.chain([self.cables()]);
        let levels = self.levels.iter().zip(ends).zip(&self.speeds.of);
        let of = |((level, end), speed): ((&Tier, usize), &Speed)| {
            (*speed, 2 * (end - level.first_cable))
        };
        levels.map(of).collect()
    }

    fn path_latency(&self, from: NodeId, to: NodeId) -> f64 {
        let climbed = self.meeting_level(from.index(), to.index());
        let up: f64 = self.speeds.of[..climbed].iter().map(|s| s.latency).sum();
        2.0 * up
    }

    fn routing(&self) -> Routing {
        match self.path_choice() {
            PathChoice::Several => Routing::Spread,
            _ => Routing::Static,
        }
    }

    fn rules(&self) -> &RoutingRules {
        &self.rules
    }

    fn set_rules(&mut self, rules: RoutingRules) -> Result<(), String> {
        rules.check_switched()?;
        let levels = self.levels.len();
        self.distances = match &rules.distances {
            None => links(levels),
            Some(given) if given.len() == levels => given.clone(),
            Some(given) => return Err(hierarchy::not_one_each(given.len(), levels)),
        };
        self.rules = rules;
        Ok(())
    }

    /// Fixed also where every vertex has one parent, and so one path.
    fn path_choice(&self) -> PathChoice {
        match self.rules.paths {
            Some(Paths::Spread) if self.levels.iter().any(|l| l.parents > 1) => PathChoice::Several,
            _ => PathChoice::Fixed,
        }
    }

    /// d-mod-k: from a vertex of level l the route goes up to parent `d / (w1 * .. * wl) mod
    /// w_(l+1)` until the vertex is above node d, then down.
    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId)) {
        let (a, d) = (from.index(), to.index());
        let climbed = &self.levels[..self.meeting_level(a, d)];
        let mut x = 0;
        for level in climbed {
            let parent = d / level.width % level.parents;
            visit(up(level.cable(a, x, parent)));
            x += parent * level.width;
        }
        for level in climbed.iter().rev() {
            let parent = x / level.width;
            x %= level.width;
            visit(down(level.cable(d, x, parent)));
        }
    }

    /// All vertices of a level above a node carry the same share of its bytes, up as well as down.
    fn route_shares(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId, f64)) {
        if self.path_choice() == PathChoice::Fixed {
            return self.route(from, to, &mut |channel| visit(channel, 1.0));
        }
        let (a, d) = (from.index(), to.index());
        for level in &self.levels[..self.meeting_level(a, d)] {
            let share = 1.0 / (level.width * level.parents) as f64;
            for x in 0..level.width {
                for parent in 0..level.parents {
                    visit(up(level.cable(a, x, parent)), share);
                    visit(down(level.cable(d, x, parent)), share);
                }
            }
        }
    }

    fn ends(&self) -> Vec<Option<(u32, u32)>> {
        let mut ends = vec![None; self.channels()];
        self.each_cable(&mut |cable, _, (vertex, over)| {
            ends[up(cable).index()] = Some((vertex, over));
            ends[down(cable).index()] = Some((over, vertex));
        });
        ends
    }

    fn wiring(&self) -> Wiring {
        let mut edges = Vec::with_capacity(self.channels());
        self.each_cable(&mut |_, l, (vertex, over)| {
            edges.push((vertex, over, self.speeds.of[l].bandwidth));
            edges.push((over, vertex, self.speeds.of[l].bandwidth));
        });
        Wiring::new(self.vertices(), edges)
    }

    fn bisection(&self) -> Bisection {
        self.halves()
    }
}

#[cfg(test)]
mod tests;
