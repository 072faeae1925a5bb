//! Sites: sets of slots with equal distances to all other slots, and the hierarchy of these sets.
//!
//! A *site* is a node, or all nodes below one switch if each node takes a single rank. Sites are
//! ordered so that at every level of the hierarchy a group is a range of sites: a rack, a group or
//! a leaf switch of a switched network, or a part of a grid that is halved again and again.
//!
//! ```text
//!  tree:2x2, one slot a node     level 0: {0 1}      sites 0 (n0, n1) and 1 (n2, n3)
//!                                level 1: {0} {1}
//! ```

mod clusters;
mod paths;

use crate::{Distances, Machine};
use rankfold_base::{NodeId, Placement, Rank, SlotId, Slots};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Up to this number of sites there is a table of their distances, of at most 32 MB. Chosen by
/// hand.
const MOST_TABLED: usize = 4096;

/// Number of sites sampled from each set when distances are averaged. Chosen by hand; not measured.
const SAMPLE: usize = 12;

/// The usable slots of a machine as sites.
#[derive(Clone, Debug)]
pub struct Sites {
    /// Number of ranks that fit on each site.
    capacity: Vec<u32>,
    /// The usable nodes of each site, ascending.
    nodes: Arc<[Vec<NodeId>]>,
    between: SiteDistances,
    levels: Vec<Level>,
}

/// The groups of one level of the hierarchy. A group is a range of sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    group_of: Vec<u32>,
    /// The first site of every group, then the number of sites.
    first: Vec<u32>,
}

/// The hops between sites.
#[derive(Clone, Debug)]
enum SiteDistances {
    /// A matrix, row-major.
    Table { hops: Arc<[u16]>, sites: usize },
    /// An oracle, which is asked for the first nodes of the sites. `inside` holds the hops between
    /// two nodes of each site.
    Oracle {
        distances: Distances,
        first: Arc<[NodeId]>,
        inside: Arc<[u16]>,
    },
    /// One hop from any site to any other.
    Alike,
}

impl Level {
    /// Number of groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.first.len() - 1
    }

    /// The group that holds a site.
    #[inline]
    #[must_use]
    pub fn group_of(&self, site: u32) -> u32 {
        self.group_of[site as usize]
    }

    /// The sites of a group.
    #[must_use]
    pub fn sites(&self, group: u32) -> Range<u32> {
        self.first[group as usize]..self.first[group as usize + 1]
    }

    /// The groups of sites with equal labels. Sites with equal labels must be consecutive.
    fn new(labels: impl Iterator<Item = u32>) -> Self {
        let (mut group_of, mut first, mut last) = (Vec::new(), Vec::new(), None);
        for (site, label) in (0..).zip(labels) {
            if last.replace(label) != Some(label) {
                first.push(site);
            }
            group_of.push(first.len() as u32 - 1);
        }
        first.push(group_of.len() as u32);
        Self { group_of, first }
    }
}

impl Sites {
    /// The sites of the usable nodes of a machine.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        let distances = machine.topology().distances();
        let mut groups = gather(machine, &distances);
        let paths = paths::paths(machine, &distances, &groups);
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by(|&a, &b| paths[a].cmp(&paths[b]).then(groups[a].cmp(&groups[b])));
        let paths: Vec<&[u32]> = order.iter().map(|&s| &paths[s][..]).collect();
        let nodes: Vec<Vec<NodeId>> = order
            .iter()
            .map(|&s| std::mem::take(&mut groups[s]))
            .collect();
        let slots = machine.slots();
        Self {
            capacity: nodes
                .iter()
                .map(|nodes| nodes.iter().map(|&n| slots.capacity(n)).sum())
                .collect(),
            between: SiteDistances::new(distances, &nodes),
            levels: levels(&paths),
            nodes: nodes.into(),
        }
    }

    /// `count` sites of `capacity` ranks each that are all one hop apart; each level of the
    /// hierarchy halves the groups of the level before.
    #[must_use]
    pub fn alike(count: usize, capacity: u32) -> Self {
        let paths: Vec<Vec<u32>> = paths::halves(count);
        let paths: Vec<&[u32]> = paths.iter().map(|p| &p[..]).collect();
        Self {
            capacity: vec![capacity; count],
            nodes: Arc::new([]),
            between: SiteDistances::Alike,
            levels: levels(&paths),
        }
    }

    /// The same sites with a capacity of one rank each.
    #[must_use]
    pub fn singly(&self) -> Self {
        Self {
            capacity: vec![1; self.len()],
            ..self.clone()
        }
    }

    /// Number of sites.
    #[must_use]
    pub fn len(&self) -> usize {
        self.capacity.len()
    }

    /// Whether the machine has no usable node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.capacity.is_empty()
    }

    /// Number of ranks that fit on a site.
    #[inline]
    #[must_use]
    pub fn capacity(&self, site: u32) -> u32 {
        self.capacity[site as usize]
    }

    /// Number of ranks that fit on each site.
    #[must_use]
    pub fn capacities(&self) -> &[u32] {
        &self.capacity
    }

    /// The usable nodes of a site, ascending.
    #[must_use]
    pub fn nodes(&self, site: u32) -> &[NodeId] {
        &self.nodes[site as usize]
    }

    /// Hops between a rank on one site and another rank on the other site, which may be the same
    /// site.
    #[inline]
    #[must_use]
    pub fn hops(&self, a: u32, b: u32) -> u32 {
        match &self.between {
            SiteDistances::Table { hops, sites } => {
                u32::from(hops[a as usize * sites + b as usize])
            }
            SiteDistances::Oracle { inside, .. } if a == b => u32::from(inside[a as usize]),
            SiteDistances::Oracle {
                distances, first, ..
            } => distances.hops(first[a as usize], first[b as usize]),
            SiteDistances::Alike => u32::from(a != b),
        }
    }

    /// Hops from a site to all sites, if there is a table.
    #[inline]
    #[must_use]
    pub fn hops_from(&self, site: u32) -> Option<&[u16]> {
        match &self.between {
            SiteDistances::Table { hops, sites } => Some(&hops[site as usize * sites..][..*sites]),
            _ => None,
        }
    }

    /// The mean number of hops between a rank on one set of sites and a rank on another set, over a
    /// sample of each set.
    #[must_use]
    pub fn mean_hops(&self, a: &[u32], b: &[u32]) -> f64 {
        fn sample(set: &[u32]) -> impl ExactSizeIterator<Item = &u32> {
            set.iter().step_by((set.len() / SAMPLE).max(1))
        }
        let mut sum = 0;
        for &x in sample(a) {
            for &y in sample(b) {
                sum += u64::from(self.hops(x, y));
            }
        }
        sum as f64 / (sample(a).len() * sample(b).len()) as f64
    }

    /// A placement of the ranks on the given sites. A rank that is on the same site in `now` keeps
    /// its slot; the other ranks get the free slots of their sites in order.
    ///
    /// # Panics
    /// If a site gets more ranks than fit.
    #[must_use]
    pub fn seat(&self, site_of: &[u32], slots: &Slots, now: Option<&Placement>) -> Placement {
        let mut free: Vec<Vec<SlotId>> = self
            .nodes
            .iter()
            .map(|nodes| {
                nodes
                    .iter()
                    .rev()
                    .flat_map(|&n| slots.on(n).rev())
                    .collect()
            })
            .collect();
        let kept = |rank: usize| {
            let slot = now?.slot(Rank::at(rank));
            let nodes = &self.nodes[site_of[rank] as usize];
            nodes.contains(&slots.node_of(slot)).then_some(slot)
        };
        let mut slot_of: Vec<Option<SlotId>> = (0..site_of.len()).map(kept).collect();
        let mut taken = vec![false; slots.len()];
        for slot in slot_of.iter().flatten() {
            taken[slot.index()] = true;
        }
        for site in &mut free {
            site.retain(|slot| !taken[slot.index()]);
        }
        for (slot, &site) in slot_of.iter_mut().zip(site_of) {
            if slot.is_none() {
                *slot = free[site as usize].pop();
            }
        }
        let slot_of = slot_of.into_iter();
        Placement::new(
            slot_of
                .map(|slot| slot.expect("the ranks of a site fit it"))
                .collect(),
        )
    }

    /// The site of every rank of a placement.
    #[must_use]
    pub fn of(&self, placement: &Placement, slots: &Slots) -> Vec<u32> {
        let mut site_of_node = vec![0; slots.nodes()];
        for (site, nodes) in (0..).zip(self.nodes.iter()) {
            for node in nodes {
                site_of_node[node.index()] = site;
            }
        }
        let nodes = placement.nodes(slots).into_iter();
        nodes.map(|node| site_of_node[node.index()]).collect()
    }

    /// The levels of the hierarchy, from one group of all sites to one group for each site.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
}

impl SiteDistances {
    fn new(distances: Distances, nodes: &[Vec<NodeId>]) -> Self {
        let inside = |nodes: &Vec<NodeId>| match nodes[..] {
            [a, b, ..] => distances.hops(a, b) as u16,
            _ => 0,
        };
        if nodes.len() > MOST_TABLED {
            return Self::Oracle {
                first: nodes.iter().map(|n| n[0]).collect(),
                inside: nodes.iter().map(inside).collect(),
                distances,
            };
        }
        let mut hops = Vec::with_capacity(nodes.len() * nodes.len());
        for (a, from) in nodes.iter().enumerate() {
            hops.extend(nodes.iter().enumerate().map(|(b, to)| {
                if a == b {
                    inside(from)
                } else {
                    distances.hops(from[0], to[0]) as u16
                }
            }));
        }
        Self::Table {
            hops: hops.into(),
            sites: nodes.len(),
        }
    }
}

/// The usable nodes of every site, in no particular order.
fn gather(machine: &Machine, distances: &Distances) -> Vec<Vec<NodeId>> {
    let slots = machine.slots();
    let mut below: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    let mut sites = Vec::new();
    for node in (0..slots.nodes()).map(NodeId::at) {
        match (slots.capacity(node), distances.switch(node)) {
            (0, _) => {}
            (_, Some(switch)) => below.entry(switch).or_default().push(node),
            (_, None) => sites.push(vec![node]),
        }
    }
    for nodes in below.into_values() {
        if nodes.iter().all(|&n| slots.capacity(n) == 1) {
            sites.push(nodes);
        } else {
            sites.extend(nodes.into_iter().map(|n| vec![n]));
        }
    }
    sites
}

/// The levels at which sorted paths differ, and the level of the sites themselves.
fn levels(paths: &[&[u32]]) -> Vec<Level> {
    let deepest = paths.iter().map(|p| p.len()).max().unwrap_or(0);
    let mut levels: Vec<Level> = Vec::new();
    for depth in 0..=deepest + 1 {
        let mut label = 0;
        let labels = (0..paths.len()).map(|site| {
            let upto = |site: usize| &paths[site][..depth.min(paths[site].len())];
            if site > 0 && (depth > deepest || upto(site - 1) != upto(site)) {
                label += 1;
            }
            label
        });
        let level = Level::new(labels);
        if levels.last() != Some(&level) {
            levels.push(level);
        }
    }
    levels
}

#[cfg(test)]
mod tests;
