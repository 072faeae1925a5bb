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
//! The table is filled by breadth-first searches from all points, 64 sources at a time, one bit of
//! a word for each (Then et al., "The more the merrier: efficient multi-source graph traversal",
//! VLDB 2014). Cost, for p points, v vertices and e links: O(p (v + e)) bits of work in words of 64
//! bits, and p v entries of memory.

use super::Channel;
use crate::network::distance_profile;
use crate::{DistanceProfile, Distances};
use rankfold_base::Csr;
use rayon::prelude::*;
use std::sync::Arc;

/// The largest number of entries of a table: half a gigabyte at two bytes an entry.
const LARGEST_TABLE: usize = 1 << 28;
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
    /// Hops, row-major: a row for every point, a column for every vertex except nodes below points.
    table: Arc<[u16]>,
}

impl Hops {
    /// Fills the table by a search from every point.
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
        let mut hops = Self {
            below: (0..).zip(&point).map(|(v, &p)| u8::from(v != p)).collect(),
            point: point.iter().map(|&p| column[p as usize]).collect(),
            columns: vertices.len(),
            points: points.len(),
            column,
            table: Arc::new([]),
        };
        if hops.points.saturating_mul(hops.columns) > LARGEST_TABLE {
            return Err(format!(
                "{} switches with hosts among {} are more than a table of distances can hold",
                hops.points, hops.columns
            ));
        }
        hops.table = hops.search(graph, &vertices)?;
        Ok(hops)
    }

    /// The table, filled by breadth-first searches from 64 points at once.
    fn search(&self, graph: &Csr<Channel>, vertices: &[u32]) -> Result<Arc<[u16]>, String> {
        let neighbours: Vec<Vec<u32>> = vertices
            .iter()
            .map(|&v| {
                let columns = graph
                    .row(v as usize)
                    .iter()
                    .map(|c| self.column[c.to as usize]);
                let mut columns: Vec<u32> = columns.filter(|&c| c != NO_COLUMN).collect();
                columns.dedup(); // parallel cables are next to each other
                columns
            })
            .collect();
        // Allocated as an `Arc` at once, since two copies of a large table may not fit memory.
        let entries = self.points * self.columns;
        let mut table: Arc<[u16]> = std::iter::repeat_n(UNREACHED, entries).collect();
        Arc::get_mut(&mut table)
            .expect("nobody else has it yet")
            .par_chunks_mut(BATCH * self.columns)
            .enumerate()
            .try_for_each(|(batch, rows)| search_batch(&neighbours, batch * BATCH, rows))?;
        Ok(table)
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
            row: &self.table[row..][..self.columns],
        }
    }

    pub(super) fn distances(&self) -> Distances {
        Distances::switched(
            Arc::clone(&self.point),
            Arc::clone(&self.below),
            Arc::clone(&self.table),
            self.columns,
        )
    }

    /// The numbers of nodes and node pairs at each distance, counted by pairs of points.
    pub(super) fn profile(&self) -> DistanceProfile {
        // For each point: the number of nodes that are the point (0 or 1), and the number of nodes
        // one link below the point.
        let mut members = vec![[0u64; 2]; self.points];
        for (&p, &below) in self.point.iter().zip(&*self.below) {
            members[p as usize][usize::from(below)] += 1;
        }
        let mut views = distance_profile::ProfileBuilder::default();
        let mut counts = Vec::new();
        for (row, &[direct, hanging]) in self.table.chunks_exact(self.columns).zip(&members) {
            counts.clear();
            for (&hops, members) in row.iter().zip(&members) {
                let hops = usize::from(hops);
                if hops + 2 > counts.len() {
                    counts.resize(hops + 2, 0);
                }
                counts[hops] += members[0];
                counts[hops + 1] += members[1];
            }
            if direct > 0 {
                views.add(&counts, direct);
            }
            if hanging > 0 {
                counts.insert(0, 1);
                counts[2] -= 1; // the node itself
                views.add(&counts, hanging);
            }
        }
        views.profile()
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

/// Fills the rows of the next [`BATCH`] points from `first` on.
fn search_batch(neighbours: &[Vec<u32>], first: usize, rows: &mut [u16]) -> Result<(), String> {
    let columns = neighbours.len();
    let sources = rows.len() / columns;
    let all = u64::MAX >> (BATCH - sources);
    let mut seen = vec![0u64; columns];
    for source in 0..sources {
        seen[first + source] = 1 << source;
        rows[source * columns + first + source] = 0;
    }
    let mut frontier = seen.clone();
    let mut next = vec![0u64; columns];
    for depth in 1.. {
        let mut reached = 0;
        for v in 0..columns {
            next[v] = 0;
            if seen[v] == all {
                continue;
            }
            let arriving = neighbours[v]
                .iter()
                .fold(0, |bits, &u| bits | frontier[u as usize]);
            let mut new = arriving & !seen[v];
            next[v] = new;
            reached |= new;
            while new != 0 {
                rows[new.trailing_zeros() as usize * columns + v] = depth;
                new &= new - 1;
            }
        }
        if reached == 0 {
            break;
        }
        if depth == UNREACHED - 1 {
            return Err("two hosts are more than 65,000 links apart".into());
        }
        for (seen, new) in seen.iter_mut().zip(&next) {
            *seen |= new;
        }
        std::mem::swap(&mut frontier, &mut next);
    }
    Ok(())
}
