//! From a node for every cell of a grid to a node for every rank.

use super::factor::SourceGrid;
use rankfold_base::{NodeId, Placement, Rank, Slots};
use rankfold_pattern::Stencil;
use rankfold_problem::heuristic::{NotApplicable, Problem};

/// One way to see the ranks as a grid: a stencil that the analyser recognised.
pub(super) struct GridReading<'a> {
    pub(super) stencil: &'a Stencil,
    pub(super) source: SourceGrid,
    pub(super) grid_ranks: GridRanks<'a>,
}

impl<'a> GridReading<'a> {
    /// All readings of the problem's pattern, the most confident first.
    pub(super) fn all(problem: &Problem<'a>) -> Vec<Self> {
        let stencils = problem.pattern.stencils();
        stencils
            .map(|stencil| Self {
                stencil,
                source: SourceGrid::of(stencil),
                grid_ranks: GridRanks::of(stencil, problem),
            })
            .collect()
    }
}

/// The cell of every rank, `None` for ranks outside the grid, and the slots of the machine.
pub(super) struct GridRanks<'a> {
    cells: Vec<Option<u32>>,
    slots: &'a Slots,
}

impl<'a> GridRanks<'a> {
    pub(super) fn of(stencil: &Stencil, problem: &Problem<'a>) -> Self {
        let ranks = (0..problem.graph.ranks()).map(Rank::at);
        Self {
            cells: ranks
                .map(|rank| stencil.cell(rank).map(|cell| cell as u32))
                .collect(),
            slots: problem.machine.slots(),
        }
    }

    /// For each of the grid's `cells` cells, whether a rank sits in the cell.
    pub(super) fn used(&self, cells: usize) -> Vec<bool> {
        let mut used = vec![false; cells];
        for &cell in self.cells.iter().flatten() {
            used[cell as usize] = true;
        }
        used
    }

    /// The node of every rank, given the node of every cell. Ranks that are not part of the grid
    /// take the first slots that remain. `None` if a node would get more ranks than it has slots.
    pub(super) fn nodes(&self, node_of_cell: &[NodeId]) -> Option<Vec<NodeId>> {
        let mut free: Vec<u32> = (0..self.slots.nodes())
            .map(|node| self.slots.capacity(NodeId::at(node)))
            .collect();
        let mut take = |node: NodeId| {
            free[node.index()] = free[node.index()].checked_sub(1)?;
            Some(node)
        };
        let in_grid = self.cells.iter();
        let mut nodes = in_grid
            .map(|cell| cell.map(|cell| take(node_of_cell[cell as usize])))
            .map(|taken| match taken {
                Some(None) => Err(()),
                Some(node) => Ok(node),
                None => Ok(None),
            })
            .collect::<Result<Vec<Option<NodeId>>, ()>>()
            .ok()?;
        let mut left = free
            .iter()
            .enumerate()
            .flat_map(|(node, &count)| std::iter::repeat_n(NodeId::at(node), count as usize));
        for node in nodes.iter_mut().filter(|node| node.is_none()) {
            *node = left.next();
        }
        nodes.into_iter().collect()
    }

    /// A placement of every rank, given the node of every cell.
    ///
    /// # Errors
    /// [`NotApplicable`] if a node would get more ranks than it has slots.
    pub(super) fn placement(&self, node_of_cell: &[NodeId]) -> Result<Placement, NotApplicable> {
        self.nodes(node_of_cell)
            .and_then(|nodes| Placement::from_nodes(&nodes, self.slots))
            .ok_or_else(|| NotApplicable("a node would get more ranks than it has slots".into()))
    }
}
