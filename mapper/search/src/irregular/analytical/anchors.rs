//! The fixed processes: one for every corner (section 3.6), of the machine or of a component's
//! region of it.

use super::cells::Cells;
use super::footprint::combinations;
use super::regions::regions;
use rankfold_model::ids::{NodeId, Rank};
use rankfold_model::machine::Grid;
use sprs::linalg::reverse_cuthill_mckee;
use sprs::{CsMatI, TriMatI};
use std::collections::{BTreeMap, VecDeque};

/// How processes and nodes are lined up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    ReverseCuthillMckee,
    BreadthFirst,
}

/// Processes that stay put, and their nodes.
///
/// The node nearest to a corner gets the process at its own position in the other order. The paper
/// has connected graphs only, one process for every node, and the node is the corner itself.
/// Springs do not hold a component without anchors, so each gets a region of the machine and
/// anchors at the corners of that.
pub(super) fn choose(cells: &Cells<'_>, order: Order) -> BTreeMap<Rank, NodeId> {
    let components = order.components(cells.affinity().matrix());
    let sizes: Vec<usize> = components.iter().map(Vec::len).collect();
    let places = order.components(&network(cells.grid)).concat();
    let places = places.iter().flat_map(|&node| {
        let wanted = cells.wanted[node as usize] as usize;
        std::iter::repeat_n(NodeId(node), wanted)
    });
    let regions = regions(cells.grid, places.collect(), &sizes);
    let anchored = components.iter().zip(&regions);
    anchored
        .flat_map(|(processes, region)| {
            let ends = nearest_to_corners(cells.grid, region);
            ends.map(|at| (Rank(processes[at]), region[at]))
        })
        .collect()
}

/// For every corner of the box around `region`, where in it the first place of the node nearest to
/// the corner is.
fn nearest_to_corners(grid: &Grid, region: &[NodeId]) -> impl Iterator<Item = usize> {
    let at: Vec<Vec<usize>> = region.iter().map(|&n| grid.coordinates(n)).collect();
    let ends = (0..grid.dims().len()).map(|dim| {
        let along = at.iter().map(|at| at[dim]);
        let ends = [along.clone().min(), along.max()];
        let mut ends: Vec<usize> = ends.into_iter().flatten().collect();
        ends.dedup();
        ends
    });
    let corners = combinations(&ends.collect::<Vec<_>>());
    corners.into_iter().filter_map(move |corner| {
        // Wrap-around links do not attract, so they bring no node nearer to a corner either.
        let off =
            |at: &[usize]| -> usize { at.iter().zip(&corner).map(|(a, b)| a.abs_diff(*b)).sum() };
        (0..at.len()).min_by_key(|&i| (off(&at[i]), &at[i]))
    })
}

impl Order {
    /// Connected components, the vertices of each in this order.
    fn components<W: PartialEq>(self, matrix: &CsMatI<W, u32, usize>) -> Vec<Vec<u32>> {
        match self {
            Self::ReverseCuthillMckee => {
                let ordering = reverse_cuthill_mckee(matrix.view());
                let order = ordering.perm.vec();
                let ends = ordering.connected_parts.windows(2);
                ends.map(|ends| order[ends[0]..ends[1]].to_vec()).collect()
            }
            Self::BreadthFirst => {
                let mut seen = vec![false; matrix.rows()];
                let starts = 0..matrix.rows();
                let components = starts.map(|start| breadth_first(matrix, start, &mut seen));
                components.filter(|found| !found.is_empty()).collect()
            }
        }
    }
}

/// What is reached from `start` and has not been seen.
fn breadth_first<W>(matrix: &CsMatI<W, u32, usize>, start: usize, seen: &mut [bool]) -> Vec<u32> {
    let mut order = Vec::new();
    let mut queue = VecDeque::from([start]);
    while let Some(vertex) = queue.pop_front() {
        if std::mem::replace(&mut seen[vertex], true) {
            continue;
        }
        order.push(vertex as u32);
        let row = matrix.indptr().outer_inds_sz(vertex);
        queue.extend(matrix.indices()[row].iter().map(|&to| to as usize));
    }
    order
}

/// Links between nodes, transit nodes included, those around the ends of a torus not: with them
/// every corner would be a step away from every other in the order, and its process as near to
/// theirs, while the springs pull them apart.
fn network(grid: &Grid) -> CsMatI<u8, u32, usize> {
    let inside = Grid::new(grid.dims().to_vec(), false);
    let mut links: TriMatI<u8, u32> = TriMatI::new((grid.nodes(), grid.nodes()));
    for node in (0..grid.nodes()).map(NodeId::at) {
        for next in inside.nearest(node) {
            links.add_triplet(node.index(), next.index(), 1);
        }
    }
    links.to_csr()
}
