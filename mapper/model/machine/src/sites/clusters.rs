//! A hierarchy of sites from distances alone, for networks of unknown structure.
//!
//! Idea: if "at most t hops apart" is an equivalence relation, its classes are the groups of a
//! level. This finds all levels of a fat tree. A group in which distances differ and no t gives an
//! equivalence is bisected: around two nodes far apart first, then by mean distance to either half,
//! as k-means does with two clusters of equal size.
//!
//! Source: own. Cost: O(n^2) for each distance of each group, with n switches.

use crate::Distances;
use petgraph::unionfind::UnionFind;
use rankfold_base::NodeId;
use std::collections::BTreeMap;

/// With more switches than this, sites stay in node order. Chosen by hand: the matrix of distances
/// takes 64 MB then.
const MOST_SWITCHES: usize = 4096;
/// Limit on the rounds of a bisection. Chosen by hand; not measured.
const MOST_ROUNDS: usize = 12;

/// The path of every site from the root of the hierarchy.
pub(super) fn paths(distances: &Distances, sites: &[Vec<NodeId>]) -> Vec<Vec<u32>> {
    let mut switches: BTreeMap<(bool, u64), Vec<usize>> = BTreeMap::new();
    for (index, site) in sites.iter().enumerate() {
        let key = match distances.switch(site[0]) {
            Some(switch) => (true, switch),
            None => (false, u64::from(site[0].0)),
        };
        switches.entry(key).or_default().push(index);
    }
    let switches: Vec<Vec<usize>> = switches.into_values().collect();
    let first: Vec<NodeId> = switches.iter().map(|s| sites[s[0]][0]).collect();
    let mut above = vec![Vec::new(); first.len()];
    if first.len() <= MOST_SWITCHES {
        Points::new(distances, &first).part((0..first.len()).collect(), &mut above);
    }
    let mut paths = vec![Vec::new(); sites.len()];
    for ((switch, node), mut path) in switches.iter().zip(&first).zip(above) {
        path.push(node.0);
        for &site in switch {
            paths[site].clone_from(&path);
        }
    }
    paths
}

/// The matrix of hops between the first nodes of all switches, row-major.
struct Points {
    hops: Vec<u32>,
    count: usize,
}

impl Points {
    fn new(distances: &Distances, nodes: &[NodeId]) -> Self {
        let row = |&a: &NodeId| nodes.iter().map(move |&b| distances.hops(a, b));
        Self {
            hops: nodes.iter().flat_map(row).collect(),
            count: nodes.len(),
        }
    }

    fn hops(&self, a: usize, b: usize) -> u32 {
        self.hops[a * self.count + b]
    }

    /// Divides the points `here` into groups, recursively, and appends the number of the group to
    /// the path of each point.
    fn part(&self, here: Vec<usize>, paths: &mut [Vec<u32>]) {
        let pairs = || {
            let pair = |(i, &a): (usize, &usize)| {
                let after = here[i + 1..].iter();
                after.map(move |&b| self.hops(a, b)).collect::<Vec<_>>()
            };
            here.iter().enumerate().flat_map(pair)
        };
        let mut seen: Vec<u32> = pairs().collect();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() < 2 {
            return;
        }
        seen.pop();
        let classes = seen
            .iter()
            .rev()
            .find_map(|&most| self.classes(&here, most));
        for (child, part) in (0..).zip(classes.unwrap_or_else(|| self.halves(here))) {
            for &point in &part {
                paths[point].push(child);
            }
            self.part(part, paths);
        }
    }

    /// The classes of the relation "at most `most` hops apart", if that is an equivalence relation
    /// with several classes.
    fn classes(&self, here: &[usize], most: u32) -> Option<Vec<Vec<usize>>> {
        let mut joined = UnionFind::<u32>::new(here.len());
        for (i, &a) in here.iter().enumerate() {
            for (j, &b) in here.iter().enumerate().skip(i + 1) {
                if self.hops(a, b) <= most {
                    joined.union(i as u32, j as u32);
                }
            }
        }
        let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (i, &a) in here.iter().enumerate() {
            classes.entry(joined.find(i as u32)).or_default().push(a);
        }
        let together = |class: &Vec<usize>| {
            let near = |&a: &usize| class.iter().all(|&b| self.hops(a, b) <= most);
            class.iter().all(near)
        };
        let mut classes: Vec<Vec<usize>> = classes.into_values().collect();
        classes.sort_unstable();
        (classes.len() > 1 && classes.iter().all(together)).then_some(classes)
    }

    /// Bisects the points `here`: by distance to two points far apart first, then repeatedly by the
    /// difference of the mean distances to both halves.
    fn halves(&self, mut here: Vec<usize>) -> Vec<Vec<usize>> {
        let farthest = |from: usize| {
            let far = |&&p: &&usize| (self.hops(from, p), std::cmp::Reverse(p));
            *here.iter().max_by_key(far).expect("there are two points")
        };
        let a = farthest(here[0]);
        let b = farthest(a);
        here.sort_by_key(|&p| (i64::from(self.hops(a, p)) - i64::from(self.hops(b, p)), p));
        for _ in 0..MOST_ROUNDS {
            let (left, right) = here.split_at(here.len().div_ceil(2));
            let mean = |p: usize, half: &[usize]| {
                let sum: u32 = half.iter().map(|&q| self.hops(p, q)).sum();
                let others = half.len() - usize::from(half.contains(&p));
                f64::from(sum) / others.max(1) as f64
            };
            let mut ranked: Vec<(f64, usize)> = here
                .iter()
                .map(|&p| (mean(p, left) - mean(p, right), p))
                .collect();
            ranked.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            let next: Vec<usize> = ranked.into_iter().map(|(_, p)| p).collect();
            if next == here {
                break;
            }
            here = next;
        }
        let upper = here.split_off(here.len().div_ceil(2));
        vec![here, upper]
    }
}
