//! The fixed processes: one for every corner of the machine (section 3.6).

use super::cells::Cells;
use rankfold_model::ids::{NodeId, Rank};
use sprs::linalg::reverse_cuthill_mckee;
use sprs::{CsMatI, TriMatI};
use std::collections::{BTreeMap, VecDeque};

/// How processes and nodes are lined up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    ReverseCuthillMckee,
    BreadthFirst,
}

/// Processes that stay put, and their nodes. A corner that holds nothing anchors nothing.
///
/// A corner gets the process at its own position in the other order. Pieces of a communication graph that
/// are not connected and hold no anchor are left to the solver.
pub(super) fn choose(cells: &Cells<'_>, order: Order) -> BTreeMap<Rank, NodeId> {
    let processes = order.of(cells.affinity().matrix());
    let nodes = order.of(&network(cells));
    let mut position = 0;
    let mut first = vec![0; cells.wanted.len()];
    for node in nodes {
        first[node as usize] = position;
        position += cells.wanted[node as usize] as usize;
    }
    let corners = corners(cells.grid.dims());
    corners
        .into_iter()
        .map(|at| cells.grid.node_at(&at))
        .filter(|node| cells.wanted[node.index()] > 0)
        .map(|node| (Rank(processes[first[node.index()]]), node))
        .collect()
}

impl Order {
    /// Vertices in this order; vertices nothing leads to come last, lowest first.
    fn of<W: PartialEq>(self, matrix: &CsMatI<W, u32, usize>) -> Vec<u32> {
        match self {
            Self::ReverseCuthillMckee => {
                let ordering = reverse_cuthill_mckee(matrix.view());
                ordering.perm.vec().to_vec()
            }
            Self::BreadthFirst => breadth_first(matrix),
        }
    }
}

fn breadth_first<W>(matrix: &CsMatI<W, u32, usize>) -> Vec<u32> {
    let mut order = Vec::with_capacity(matrix.rows());
    let mut seen = vec![false; matrix.rows()];
    for start in 0..matrix.rows() {
        let mut queue = VecDeque::from([start]);
        while let Some(vertex) = queue.pop_front() {
            if std::mem::replace(&mut seen[vertex], true) {
                continue;
            }
            order.push(vertex as u32);
            let row = matrix.indptr().outer_inds_sz(vertex);
            queue.extend(matrix.indices()[row].iter().map(|&to| to as usize));
        }
    }
    order
}

/// Links between nodes, transit nodes included.
fn network(cells: &Cells<'_>) -> CsMatI<u8, u32, usize> {
    let nodes = cells.wanted.len();
    let mut links: TriMatI<u8, u32> = TriMatI::new((nodes, nodes));
    for node in (0..nodes).map(NodeId::at) {
        for next in cells.neighbours(node) {
            links.add_triplet(node.index(), next.index(), 1);
        }
    }
    links.to_csr()
}

/// Every combination of first and last coordinate.
fn corners(dims: &[usize]) -> Vec<Vec<usize>> {
    let mut corners = vec![Vec::new()];
    for &k in dims {
        let ends = if k > 1 { vec![0, k - 1] } else { vec![0] };
        corners = corners
            .into_iter()
            .flat_map(|at: Vec<usize>| {
                ends.iter().map(move |&end| {
                    let mut longer = at.clone();
                    longer.push(end);
                    longer
                })
            })
            .collect();
    }
    corners
}
