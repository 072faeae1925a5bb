//! Coarsening by aggregation: a vertex and its strongest neighbours become one vertex of the next
//! coarser level.
//!
//! Vertices are visited in their order. A vertex without an aggregate starts one with its strongly
//! connected free neighbours; a vertex with hardly any free neighbour joins the aggregate of its
//! heaviest neighbour. Edges between aggregates carry the sums of the weights. In graphs with hubs
//! most vertices end up alone; those beside the same hub are put together.
//!
//! ```text
//! 16 ranks in a 4x4 grid of equal weights     next level
//! a a b b
//! a a b b                                     a - b
//! c c d d                                     |   |
//! c c d d                                     c - d
//! ```
//!
//! Source: aggregation as in algebraic multigrid methods; two-hop matching beside hubs from LaSalle
//! et al., IA3 2015. Evidence: in a prototype a 3D graph of a million ranks shrank to 188k, 55k,
//! 16k and 4k vertices, all levels together 1.22 times the edges of the finest. Cost: O(m log d)
//! for m edges and vertices with d neighbours.

use super::graph::Graph;
use rankfold_base::Csr;
use rayon::prelude::*;
use std::ops::Range;

/// Most vertices in an aggregate; vertices that join later may add half as many. From a prototype,
/// see the module's evidence; other sizes were not recorded.
const SIZE: usize = 8;

/// Share of a vertex's heaviest edge from which a neighbour counts as strongly connected. From a
/// prototype; other values were not recorded.
const STRONG: f32 = 0.2;

/// Most vertices of a level that is not coarsened further.
const COARSEST: usize = 1500;

/// Mean size of aggregates below which vertices beside hubs are put together.
const TOO_SMALL: usize = 3;
/// Most vertices of a level on which vertices beside hubs stay alone.
///
/// A power-law graph of a million ranks stopped at a level of 265 253 vertices without this step.
/// With it the coarsest levels have 14 890 vertices or less, and the eigenvectors take 0.6 s
/// instead of 19 s. Smaller levels take little time in any case.
const LEAVES_HUBS: usize = 1 << 14;

/// Number of parts in which aggregates are collapsed in parallel. Independent of the number of
/// threads, so that the result is too; chosen by hand.
const PARTS: usize = 32;

/// The aggregate of a vertex that has none yet.
const NONE: u32 = u32::MAX;

/// A graph and its coarser versions.
#[derive(Debug)]
pub(super) struct Hierarchy {
    /// The graphs, the finest first.
    pub(super) levels: Vec<Graph>,
    /// For every level but the last, the vertex of the next level that holds each vertex.
    pub(super) parents: Vec<Vec<u32>>,
}

/// The levels of a hierarchy from one level to the coarsest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels<'a> {
    /// See [`Hierarchy::levels`].
    pub(super) levels: &'a [Graph],
    /// See [`Hierarchy::parents`].
    pub(super) parents: &'a [Vec<u32>],
}

impl Hierarchy {
    /// Coarsens until few vertices are left, or until hardly any vertex finds a partner (stars and
    /// cliques).
    pub(super) fn new(finest: Graph) -> Self {
        let (mut levels, mut parents) = (Vec::new(), Vec::new());
        let mut graph = finest;
        while graph.len() > COARSEST {
            let (mut parent, mut count) = aggregate(&graph);
            if graph.len() > LEAVES_HUBS && count * TOO_SMALL > graph.len() {
                count = gather_beside_hubs(&graph, &mut parent, count);
            }
            if count * 10 > graph.len() * 9 {
                break;
            }
            let coarse = collapse(&graph, &parent, count);
            levels.push(std::mem::replace(&mut graph, coarse));
            parents.push(parent);
        }
        levels.push(graph);
        Self { levels, parents }
    }

    /// The levels from number `first` to the coarsest.
    pub(super) fn from(&self, first: usize) -> Levels<'_> {
        Levels {
            levels: &self.levels[first..],
            parents: &self.parents[first..],
        }
    }

    /// The number of the finest level with at most `most` vertices, or of the coarsest level.
    pub(super) fn level_of(&self, most: usize) -> usize {
        let small = self.levels.iter().position(|graph| graph.len() <= most);
        small.unwrap_or(self.levels.len() - 1)
    }

    /// The number of vertices of a level that hold the first `vertices` of the finest level, if no
    /// edge leaves these. They are the first of the level, since aggregates are numbered by first
    /// vertices.
    pub(super) fn first(&self, vertices: usize, level: usize) -> usize {
        let parents = self.parents[..level].iter();
        parents.fold(vertices, |count, parent| {
            let last = parent[..count].iter().max();
            last.map_or(0, |&last| last as usize + 1)
        })
    }
}

/// The aggregate of every vertex, and the number of aggregates.
fn aggregate(graph: &Graph) -> (Vec<u32>, usize) {
    let mut parent = vec![NONE; graph.len()];
    let mut sizes: Vec<usize> = Vec::new();
    let mut free = Vec::new();
    for vertex in 0..graph.len() {
        if parent[vertex] != NONE {
            continue;
        }
        free.clear();
        free.extend(graph.neighbours(vertex).filter(|&(v, _)| parent[v] == NONE));
        if free.len() < 2
            && let Some(join) = to_join(graph, vertex, &parent, &sizes)
        {
            parent[vertex] = join;
            sizes[join as usize] += 1;
            continue;
        }
        let heaviest = graph
            .neighbours(vertex)
            .fold(0.0, |a: f32, (_, w)| a.max(w));
        free.retain(|&(_, w)| w >= STRONG * heaviest);
        free.sort_by(|a, b| b.1.total_cmp(&a.1));
        free.truncate(SIZE - 1);
        let new = sizes.len() as u32;
        parent[vertex] = new;
        for &(neighbour, _) in &free {
            parent[neighbour] = new;
        }
        sizes.push(1 + free.len());
    }
    (parent, sizes.len())
}

/// The aggregate of the heaviest neighbour that has one, if that aggregate has room for one more.
fn to_join(graph: &Graph, vertex: usize, parent: &[u32], sizes: &[usize]) -> Option<u32> {
    let taken = graph.neighbours(vertex).filter(|&(v, _)| parent[v] != NONE);
    let (heaviest, _) = taken.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    Some(parent[heaviest]).filter(|&p| sizes[p as usize] < SIZE + SIZE / 2)
}

/// Puts single vertices together whose heaviest neighbours belong to the same aggregate (two-hop
/// matching). Returns the new number of aggregates, which are numbered by their first vertices.
fn gather_beside_hubs(graph: &Graph, parent: &mut [u32], count: usize) -> usize {
    let mut sizes = vec![0; count];
    for &p in &*parent {
        sizes[p as usize] += 1;
    }
    // For every aggregate, the new aggregate that grows beside it.
    let mut beside = vec![NONE; count];
    for vertex in 0..graph.len() {
        let own = parent[vertex];
        if sizes[own as usize] > 1 {
            continue;
        }
        let heaviest = graph
            .neighbours(vertex)
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some((heaviest, _)) = heaviest else {
            continue;
        };
        let hub = parent[heaviest] as usize;
        let growing = beside[hub];
        if growing != NONE && sizes[growing as usize] < SIZE {
            parent[vertex] = growing;
            sizes[growing as usize] += 1;
            sizes[own as usize] = 0;
        } else {
            beside[hub] = own;
        }
    }
    numbered_by_first(parent, count)
}

/// Numbers the aggregates in the order of their first vertices; returns their number.
fn numbered_by_first(parent: &mut [u32], most: usize) -> usize {
    let mut number = vec![NONE; most];
    let mut count = 0;
    for p in parent {
        let number = &mut number[*p as usize];
        if *number == NONE {
            *number = count;
            count += 1;
        }
        *p = *number;
    }
    count as usize
}

/// The graph between the aggregates.
fn collapse(graph: &Graph, parent: &[u32], count: usize) -> Graph {
    let by_aggregate = parent.iter().map(|&p| p as usize).zip(0..);
    let members = Csr::grouped(count, by_aggregate);
    let parts: Vec<Graph> = (0..PARTS)
        .into_par_iter()
        .map(|part| {
            let range = count * part / PARTS..count * (part + 1) / PARTS;
            collapse_part(graph, parent, &members, range)
        })
        .collect();
    let rows = parts.iter().flat_map(|part| part.edges.iter());
    let mut coarse = Graph {
        edges: rows.map(|row| row.iter().copied()).collect(),
        ..Graph::default()
    };
    for part in parts {
        coarse.mass.extend(part.mass);
        coarse.ranks.extend(part.ranks);
    }
    coarse
}

/// The aggregates in `range` with their edges to all other aggregates.
fn collapse_part(graph: &Graph, parent: &[u32], members: &Csr<u32>, range: Range<usize>) -> Graph {
    let mut coarse = Graph::default();
    // For each aggregate: the aggregate that met it last, and its index in the row of that
    // aggregate.
    let mut met = vec![(usize::MAX, 0); members.rows()];
    let mut row: Vec<(u32, f32)> = Vec::new();
    for aggregate in range {
        let (mut mass, mut ranks) = (0.0, 0.0);
        for &vertex in members.row(aggregate) {
            mass += graph.mass[vertex as usize];
            ranks += graph.ranks[vertex as usize];
            for (neighbour, weight) in graph.neighbours(vertex as usize) {
                let other = parent[neighbour] as usize;
                if other == aggregate {
                    continue;
                }
                match met[other] {
                    (by, place) if by == aggregate => row[place].1 += weight,
                    _ => {
                        met[other] = (aggregate, row.len());
                        row.push((other as u32, weight));
                    }
                }
            }
        }
        coarse.mass.push(mass);
        coarse.ranks.push(ranks);
        coarse.edges.push_row(row.drain(..));
    }
    coarse
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_base::Rank;
    use rankfold_problem::testing::{graph, message, star_stencil};

    fn whole(dims: &[usize]) -> Graph {
        let graph = star_stencil(dims, false);
        let order: Vec<Rank> = (0..graph.ranks()).map(Rank::at).collect();
        Graph::new(&graph.affinity(), &order)
    }

    #[test]
    fn every_level_has_all_ranks_and_all_mass() {
        let finest = whole(&[20, 20, 20]);
        let mass: f32 = finest.mass.iter().sum();
        let hierarchy = Hierarchy::new(finest);
        assert!(hierarchy.levels.len() > 1);
        for level in &hierarchy.levels {
            assert_eq!(level.ranks.iter().sum::<f32>(), 8000.0);
            assert!((level.mass.iter().sum::<f32>() / mass - 1.0).abs() < 1e-4);
        }
        assert!(hierarchy.levels.last().unwrap().len() <= COARSEST);
    }

    #[test]
    fn ranks_beside_a_hub_are_put_together() {
        let hubs = 20;
        let leaves = (hubs..100_000).map(|rank| message(rank, rank % hubs, 10));
        let chain = (1..hubs).map(|hub| message(hub - 1, hub, 1));
        let affinity = graph(100_000, leaves.chain(chain).collect()).affinity();
        let order: Vec<Rank> = (0..100_000).map(Rank::at).collect();
        let hierarchy = Hierarchy::new(Graph::new(&affinity, &order));
        let coarsest = hierarchy.levels.last().unwrap();
        assert!(coarsest.len() <= LEAVES_HUBS, "{}", coarsest.len());
        for (parents, next) in hierarchy.parents.iter().zip(&hierarchy.levels[1..]) {
            let mut firsts: Vec<u32> = Vec::new();
            for &parent in parents {
                if parent as usize == firsts.len() {
                    firsts.push(parent);
                }
                assert!(
                    (parent as usize) < firsts.len(),
                    "not numbered by first vertices"
                );
            }
            assert_eq!(firsts.len(), next.len());
        }
    }

    #[test]
    fn the_first_component_is_first_on_every_level() {
        let chains = [0..4095, 4096..6095, 6096..6099].into_iter().flatten();
        let messages = chains.map(|rank| message(rank, rank + 1, 1)).collect();
        let affinity = graph(6100, messages).affinity();
        let order: Vec<Rank> = (0..6100).map(Rank::at).collect();
        let hierarchy = Hierarchy::new(Graph::new(&affinity, &order));
        let level = hierarchy.level_of(1600);
        assert!(level > 0);
        let first = hierarchy.first(4096, level);
        let ranks = &hierarchy.levels[level].ranks;
        assert_eq!(ranks[..first].iter().sum::<f32>(), 4096.0);
    }

    #[test]
    fn collapsed_edges_add_up_and_stay_symmetric() {
        let path = whole(&[6]);
        let coarse = collapse(&path, &[0, 0, 1, 1, 2, 0], 3);
        let row = |v| coarse.neighbours(v).collect::<Vec<_>>();
        assert_eq!(row(0), [(1, 1.0), (2, 1.0)]);
        assert_eq!(row(1), [(0, 1.0), (2, 1.0)]);
        assert_eq!(coarse.ranks, [3.0, 2.0, 1.0]);
        assert_eq!(coarse.mass, [4.0, 4.0, 2.0]);
    }
}
