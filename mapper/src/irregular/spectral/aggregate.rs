//! Coarsening by aggregation: a vertex and its strong neighbours become one vertex of the next level.

use super::graph::Graph;

/// Vertices an aggregate is made of; stragglers that join later may add half as many.
const SIZE: usize = 8;

/// Share of a vertex's heaviest edge from which on a neighbour is a strong one.
const STRONG: f32 = 0.2;

/// Levels of at most this many vertices are not coarsened further.
const COARSEST: usize = 1500;

/// No aggregate yet.
const NONE: u32 = u32::MAX;

/// A graph and its ever coarser versions.
#[derive(Debug)]
pub(super) struct Hierarchy {
    /// The finest graph first.
    pub(super) levels: Vec<Graph>,
    /// For every level but the last: the vertex of the next level that each vertex is part of.
    pub(super) parents: Vec<Vec<u32>>,
}

impl Hierarchy {
    /// Coarsens until few vertices are left or hardly any find a partner (stars, cliques).
    pub(super) fn new(finest: Graph) -> Self {
        let (mut levels, mut parents) = (Vec::new(), Vec::new());
        let mut graph = finest;
        while graph.len() > COARSEST {
            let (parent, count) = aggregate(&graph);
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
}

/// The aggregate of every vertex, and how many aggregates there are.
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

/// The aggregate of the heaviest neighbour that has one, if a straggler still fits in.
fn to_join(graph: &Graph, vertex: usize, parent: &[u32], sizes: &[usize]) -> Option<u32> {
    let taken = graph.neighbours(vertex).filter(|&(v, _)| parent[v] != NONE);
    let (heaviest, _) = taken.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    Some(parent[heaviest]).filter(|&p| sizes[p as usize] < SIZE + SIZE / 2)
}

/// The graph between the aggregates.
fn collapse(graph: &Graph, parent: &[u32], count: usize) -> Graph {
    let members = members(parent, count);
    let mut coarse = Graph {
        first: vec![0],
        to: Vec::new(),
        weight: Vec::new(),
        mass: vec![0.0; count],
        ranks: vec![0.0; count],
    };
    let mut edge_to = vec![usize::MAX; count];
    for (aggregate, vertices) in members.iter().enumerate() {
        let start = coarse.to.len();
        for &vertex in vertices {
            coarse.mass[aggregate] += graph.mass[vertex];
            coarse.ranks[aggregate] += graph.ranks[vertex];
            for (neighbour, weight) in graph.neighbours(vertex) {
                let other = parent[neighbour] as usize;
                if other == aggregate {
                    continue;
                }
                let edge = edge_to[other];
                // An edge of an earlier aggregate does not count.
                if edge == usize::MAX || edge < start {
                    edge_to[other] = coarse.to.len();
                    coarse.to.push(other as u32);
                    coarse.weight.push(weight);
                } else {
                    coarse.weight[edge] += weight;
                }
            }
        }
        coarse.first.push(coarse.to.len());
    }
    coarse
}

fn members(parent: &[u32], count: usize) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); count];
    for (vertex, &p) in parent.iter().enumerate() {
        members[p as usize].push(vertex);
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Rank;
    use crate::testing::star_stencil;

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
