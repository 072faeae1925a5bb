//! The fixed processes: one for every corner of the machine, or of a component's region of the
//! machine (section 3.6).

use super::footprint::combinations;
use super::instance::MappingInstance;
use super::regions::regions;
use rankfold_base::{NodeId, Rank};
use rankfold_machine::Grid;
use sprs::linalg::reverse_cuthill_mckee;
use sprs::{CsMatI, TriMatI};
use std::collections::{BTreeMap, VecDeque};

/// The order in which processes and nodes are compared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    ReverseCuthillMckee,
    BreadthFirst,
}

/// The fixed processes and their nodes.
///
/// The node nearest to a corner gets the process with the same position in the other order. In the
/// paper the graph is connected and has one process for every node, so that the node is the corner
/// itself. Springs do not hold a component without anchors: here each component gets a region of
/// the machine, with anchors at the corners of the region.
pub(super) fn choose(instance: &MappingInstance<'_>, order: Order) -> BTreeMap<Rank, NodeId> {
    let components = order.components(instance.affinity().matrix());
    let sizes: Vec<usize> = components.iter().map(Vec::len).collect();
    let places = order.components(&network(instance.grid)).concat();
    let places = places.iter().flat_map(|&node| {
        let wanted = instance.wanted[node as usize] as usize;
        std::iter::repeat_n(NodeId(node), wanted)
    });
    let regions = regions(instance.grid, places.collect(), &sizes);
    let anchored = components.iter().zip(&regions);
    anchored
        .flat_map(|(processes, region)| {
            let ends = nearest_to_corners(instance.grid, region);
            ends.map(|at| (Rank(processes[at]), region[at]))
        })
        .collect()
}

/// For every corner of the box around `region`, the index in `region` of the first place on the
/// node nearest to the corner.
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
        // Wrap-around links do not attract, so they bring no node nearer to a corner.
        let off =
            |at: &[usize]| -> usize { at.iter().zip(&corner).map(|(a, b)| a.abs_diff(*b)).sum() };
        (0..at.len()).min_by_key(|&i| (off(&at[i]), &at[i]))
    })
}

impl Order {
    /// The connected components of a graph, the vertices of each in this order.
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

/// The vertices that can be reached from `start` and have not been seen, breadth first.
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

/// The links between nodes, transit nodes included, without the wrap-around links of a torus.
///
/// With wrap-around links all corners would be close to each other in the order, and so would their
/// processes, while the springs pull these processes apart.
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
