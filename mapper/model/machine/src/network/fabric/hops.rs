//! Distances in a fabric, in hops.
//!
//! Most nodes hang off a single switch, and many nodes share one switch. So the table of distances
//! has rows for the switches that nodes hang off (the *points*) instead of rows for nodes:
//!
//! ```text
//!  n0 n1    n2 n3         rows: A, B       columns: A, B, S
//!   └A┘      └B┘          hops(n0, n3) = 1 + table[A][B] + 1
//!    └───S────┘
//! ```
//!
//! The table is filled when the first distance is asked for, by breadth-first searches from all
//! points, 64 sources at a time, one bit of a word for each (Then et al., "The more the merrier:
//! efficient multi-source graph traversal", VLDB 2014). Cost, for p points, v vertices and e links:
//! O(p (v + e)) bits of work in words of 64 bits, and p v entries of memory. How many nodes there
//! are at each distance is counted by the same searches without a table, from as many points as see
//! something of their own.

use super::Channel;
use crate::network::distance_profile;
use crate::{DistanceProfile, Distances};
use rankfold_base::Csr;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// The largest number of entries of a table: half a gigabyte at two bytes an entry.
const LARGEST_TABLE: usize = 1 << 28;
/// The most hosts of a family whose members are lists of links: a hundred megabytes of links.
const MOST_HOSTS: usize = 1 << 20;
/// Number of sources that are searched at once: the bits of a word.
const BATCH: usize = 64;
/// The column of a vertex that is on no path between other vertices.
const NO_COLUMN: u32 = u32::MAX;
const UNREACHED: u16 = u16::MAX;

/// Distances between nodes, and from vertices on their paths to nodes.
///
/// The *point* of a node is its only switch, or the node itself if the node has several neighbours.
#[derive(Clone, Debug)]
pub(super) struct Hops {
    /// The point of every node. Points are the first columns of the table.
    point: Arc<[u32]>,
    /// Number of links from each node to its point, 0 or 1.
    below: Arc<[u8]>,
    /// The column of every vertex, or [`NO_COLUMN`].
    column: Vec<u32>,
    columns: usize,
    points: usize,
    /// The columns that the links of every column lead to.
    neighbours: Csr<u32>,
    /// Hops, row-major: a row for every point, a column for every vertex except nodes below points.
    table: OnceLock<Arc<[u16]>>,
}

/// Checks that distances between so many points and columns have room in a table, and that the
/// hosts of a list of links are not too many, before anything is built.
///
/// # Errors
/// A message with the numbers.
pub(crate) fn check_size(hosts: usize, points: usize, columns: usize) -> Result<(), String> {
    if hosts > MOST_HOSTS {
        return Err(format!(
            "{hosts} hosts are more than the 2^20 that a list of links can have"
        ));
    }
    if points.saturating_mul(columns) > LARGEST_TABLE {
        return Err(format!(
            "{points} switches with hosts among {columns} are more than a table of distances can hold"
        ));
    }
    Ok(())
}

impl Hops {
    /// Finds the points, and checks that a table has room for their distances.
    pub(super) fn new(graph: &Csr<Channel>, nodes: usize) -> Result<Self, String> {
        let (point, points) = points(graph, nodes);
        let mut column = vec![NO_COLUMN; graph.rows()];
        let on_paths = (0..graph.rows()).filter(|&v| v >= nodes || point[v] == v as u32);
        let others = on_paths.filter(|&v| points.binary_search(&(v as u32)).is_err());
        let vertices: Vec<u32> = points
            .iter()
            .copied()
            .chain(others.map(|v| v as u32))
            .collect();
        for (index, &v) in (0..).zip(&vertices) {
            column[v as usize] = index;
        }
        check_size(0, points.len(), vertices.len())?;
        let neighbours = vertices.iter().map(|&v| {
            let columns = graph.row(v as usize).iter().map(|c| column[c.to as usize]);
            let mut columns: Vec<u32> = columns.filter(|&c| c != NO_COLUMN).collect();
            columns.dedup(); // parallel cables are next to each other
            columns
        });
        let hops = Self {
            neighbours: neighbours.collect(),
            below: (0..).zip(&point).map(|(v, &p)| u8::from(v != p)).collect(),
            point: point.iter().map(|&p| column[p as usize]).collect(),
            columns: vertices.len(),
            points: points.len(),
            column,
            table: OnceLock::new(),
        };
        if hops.is_too_far() {
            return Err("two hosts are more than 65,000 links apart".into());
        }
        Ok(hops)
    }

    /// Whether two hosts are farther apart than a table can tell.
    fn is_too_far(&self) -> bool {
        let deepest = |first, sources| {
            let mut deepest = 0;
            self.search_batch(first, sources, |depth, _, _| deepest = depth);
            deepest
        };
        // No two vertices are farther apart than both are from a third one.
        let far = usize::from(UNREACHED) - 2;
        2 * deepest(0, 1) > far
            && (0..self.points).step_by(BATCH).any(|first| {
                let sources = BATCH.min(self.points - first);
                deepest(first, sources) > far
            })
    }

    /// The table, filled by breadth-first searches from 64 points at once.
    fn table(&self) -> &Arc<[u16]> {
        self.table.get_or_init(|| self.filled())
    }

    fn filled(&self) -> Arc<[u16]> {
        // Allocated as an `Arc` at once, since two copies of a large table may not fit memory.
        let entries = self.points * self.columns;
        let mut table: Arc<[u16]> = std::iter::repeat_n(UNREACHED, entries).collect();
        Arc::get_mut(&mut table)
            .expect("nobody else has it yet")
            .par_chunks_mut(BATCH * self.columns)
            .enumerate()
            .for_each(|(batch, rows)| {
                let sources = rows.len() / self.columns;
                self.search_batch(batch * BATCH, sources, |depth, v, mut new| {
                    while new != 0 {
                        rows[new.trailing_zeros() as usize * self.columns + v] = depth as u16;
                        new &= new - 1;
                    }
                });
            });
        table
    }

    /// Searches from so many points, from the point `first` on. `visit` gets each depth with each
    /// vertex that is first reached there, and the points that reach it, one bit each.
    fn search_batch(&self, first: usize, sources: usize, mut visit: impl FnMut(usize, usize, u64)) {
        let all = u64::MAX >> (BATCH - sources);
        let mut seen = vec![0u64; self.columns];
        for source in 0..sources {
            seen[first + source] = 1 << source;
            visit(0, first + source, 1 << source);
        }
        let mut frontier = seen.clone();
        let mut next = vec![0u64; self.columns];
        for depth in 1.. {
            let mut reached = 0;
            for v in 0..self.columns {
                next[v] = 0;
                if seen[v] == all {
                    continue;
                }
                let before = self.neighbours.row(v).iter();
                let arriving = before.fold(0, |bits, &u| bits | frontier[u as usize]);
                let new = arriving & !seen[v];
                next[v] = new;
                if new != 0 {
                    reached |= new;
                    visit(depth, v, new);
                }
            }
            if reached == 0 {
                break;
            }
            for (seen, new) in seen.iter_mut().zip(&next) {
                *seen |= new;
            }
            std::mem::swap(&mut frontier, &mut next);
        }
    }

    /// Hops from a vertex to a node; `None` if the vertex is on no path to the node.
    pub(super) fn between(&self, vertex: usize, node: usize) -> Option<u32> {
        self.towards(node).from(vertex)
    }

    /// The distances to one node: its row of the table is looked up once.
    pub(super) fn towards(&self, node: usize) -> Towards<'_> {
        let row = self.point[node] as usize * self.columns;
        Towards {
            hops: self,
            node,
            row: &self.table()[row..][..self.columns],
        }
    }

    pub(super) fn distances(&self) -> Distances {
        Distances::switched(
            Arc::clone(&self.point),
            Arc::clone(&self.below),
            Arc::clone(self.table()),
            self.columns,
        )
    }

    /// The numbers of nodes and node pairs at each distance, counted by pairs of points: the first
    /// `views` of them see what all see.
    pub(super) fn profile(&self, views: Option<usize>) -> DistanceProfile {
        // For each point: the number of nodes that are the point (0 or 1), and the number of nodes
        // one link below the point.
        let mut members = vec![[0u64; 2]; self.points];
        for (&p, &below) in self.point.iter().zip(&*self.below) {
            members[p as usize][usize::from(below)] += 1;
        }
        let sources = views.unwrap_or(self.points);
        let alike = (self.points / sources) as u64;
        let batches = sources.div_ceil(BATCH);
        let seen: Vec<Vec<Vec<u64>>> = (0..batches)
            .into_par_iter()
            .map(|batch| {
                let first = batch * BATCH;
                self.seen_from(first, BATCH.min(sources - first), &members)
            })
            .collect();
        let mut profile = distance_profile::ProfileBuilder::default();
        for (mut counts, &[direct, hanging]) in seen.into_iter().flatten().zip(&members) {
            if direct > 0 {
                profile.add(&counts, direct * alike);
            }
            if hanging > 0 {
                counts.insert(0, 1);
                counts[2] -= 1; // the node itself
                profile.add(&counts, hanging * alike);
            }
        }
        profile.profile()
    }

    /// For each of so many points, from the point `first` on, the nodes at each distance.
    fn seen_from(&self, first: usize, sources: usize, members: &[[u64; 2]]) -> Vec<Vec<u64>> {
        let all = u64::MAX >> (BATCH - sources);
        // What most points see is counted for all of them, and taken from the others.
        let mut by_all: Vec<i64> = Vec::new();
        let mut by_each: Vec<[i64; BATCH]> = Vec::new();
        self.search_batch(first, sources, |depth, v, new| {
            let Some(&[direct, hanging]) = members.get(v) else {
                return;
            };
            let is_most = 2 * new.count_ones() as usize > sources;
            for (hops, nodes) in [(depth, direct as i64), (depth + 1, hanging as i64)] {
                by_all.resize(by_all.len().max(hops + 1), 0);
                by_each.resize(by_each.len().max(hops + 1), [0; BATCH]);
                let (mut points, nodes) = if is_most {
                    by_all[hops] += nodes;
                    (all & !new, -nodes)
                } else {
                    (new, nodes)
                };
                while points != 0 {
                    by_each[hops][points.trailing_zeros() as usize] += nodes;
                    points &= points - 1;
                }
            }
        });
        let of = |source: usize| {
            let both = by_all.iter().zip(&by_each);
            both.map(|(all, each)| (all + each[source]) as u64)
                .collect()
        };
        (0..sources).map(of).collect()
    }
}

/// The distances to one node.
pub(super) struct Towards<'a> {
    hops: &'a Hops,
    pub(super) node: usize,
    row: &'a [u16],
}

impl Towards<'_> {
    /// Hops from a vertex; `None` if the vertex is on no path to the node.
    #[inline]
    pub(super) fn from(&self, vertex: usize) -> Option<u32> {
        if vertex == self.node {
            return Some(0);
        }
        let (column, own) = match self.hops.column[vertex] {
            NO_COLUMN => (self.hops.point[vertex], 1),
            column => (column, 0),
        };
        match self.row[column as usize] {
            UNREACHED => None,
            hops => Some(u32::from(hops) + own + u32::from(self.hops.below[self.node])),
        }
    }
}

/// The point of every node, and the vertices of all points in ascending order.
fn points(graph: &Csr<Channel>, nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let only_neighbour = |v: u32| {
        let channels: &[Channel] = graph.row(v as usize);
        let to = channels.first()?.to;
        channels.iter().all(|c| c.to == to).then_some(to)
    };
    let at: Vec<u32> = (0..nodes as u32)
        .map(|v| match only_neighbour(v) {
            // Of two nodes that are linked only to each other, each is a point.
            Some(to) if to as usize >= nodes || only_neighbour(to).is_none() => to,
            _ => v,
        })
        .collect();
    let mut points = at.clone();
    points.sort_unstable();
    points.dedup();
    (at, points)
}
