//! The usable nodes near a node: its neighbours on a grid, the nodes of its subtrees elsewhere.
//!
//! ```text
//! tree:2x2x2, node 0    circles  {0 1}  {0 1 2 3}  {0 .. 7}
//! mesh:3x3, node 0      circles  {0 1 3}  {0 1 2 3 4 6}
//! ```

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_base::NodeId;
use rankfold_machine::Machine;
use rankfold_machine::sites::Sites;
use std::ops::Range;

/// A draw goes on to the next larger circle with one chance in this many.
const HIGHER: u32 = 3;

/// The usable nodes around each usable node, in circles that widen.
pub(crate) struct Nearby {
    /// The nodes of all circles: subtree by subtree, or circle by circle.
    nodes: Vec<u32>,
    /// For each node its circles with at least two nodes, the smallest first, as ranges of `nodes`.
    around: Vec<Vec<Range<usize>>>,
}

impl Nearby {
    pub(crate) fn new(machine: &Machine) -> Self {
        let sites = Sites::new(machine);
        let mut nearby = Self {
            nodes: Vec::new(),
            around: vec![Vec::new(); machine.slots().nodes()],
        };
        if machine.is_switched() {
            nearby.by_subtree(&sites);
        } else {
            nearby.by_distance(machine, &sites);
        }
        nearby
    }

    /// Draws a node near `centre`; `centre` itself if it has no circle.
    pub(crate) fn draw(&self, centre: u32, random: &mut Xoshiro256PlusPlus) -> u32 {
        let circles = &self.around[centre as usize];
        if circles.is_empty() {
            return centre;
        }
        let mut circle = 0;
        while circle + 1 < circles.len() && random.random_range(0..HIGHER) == 0 {
            circle += 1;
        }
        self.nodes[random.random_range(circles[circle].clone())]
    }

    fn by_subtree(&mut self, sites: &Sites) {
        let mut first = vec![0];
        for site in 0..sites.len() as u32 {
            self.nodes.extend(sites.nodes(site).iter().map(|n| n.0));
            first.push(self.nodes.len());
        }
        for site in 0..sites.len() as u32 {
            let mut circles: Vec<Range<usize>> = Vec::new();
            for level in sites.levels().iter().rev() {
                let group = level.sites(level.group_of(site));
                let range = first[group.start as usize]..first[group.end as usize];
                if range.len() > 1 && circles.last() != Some(&range) {
                    circles.push(range);
                }
            }
            for node in sites.nodes(site) {
                self.around[node.index()].clone_from(&circles);
            }
        }
    }

    /// Two circles of each node: the node with its neighbours, then their neighbours as well.
    fn by_distance(&mut self, machine: &Machine, sites: &Sites) {
        let topology = machine.topology();
        let usable = |n: &NodeId| machine.slots().capacity(*n) > 0;
        for site in 0..sites.len() as u32 {
            let centre = sites.nodes(site)[0];
            let mut near = topology.nearest(centre);
            near.push(centre);
            let mut wide: Vec<NodeId> = near.iter().flat_map(|&n| topology.nearest(n)).collect();
            wide.extend(&near);
            wide.sort_unstable();
            wide.dedup();
            for circle in [near, wide] {
                let start = self.nodes.len();
                self.nodes
                    .extend(circle.into_iter().filter(usable).map(|n| n.0));
                if self.nodes.len() > start + 1 {
                    self.around[centre.index()].push(start..self.nodes.len());
                }
            }
        }
    }
}
