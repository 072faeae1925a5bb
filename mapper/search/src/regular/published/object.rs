//! The object grid of the published heuristics, and the processor mesh it is mapped onto.

use crate::regular::grid_ranks::GridRanks;
use rankfold_base::NodeId;
use rankfold_machine::Grid;
use rankfold_pattern::Stencil;
use rankfold_problem::heuristic::{NotApplicable, Placed, Problem};

/// A 2D grid of bricks of ranks, one brick for every node.
pub(super) struct ObjectGrid<'a> {
    stencil: &'a Stencil,
    mesh: &'a [usize],
    /// Number of ranks of a brick along each dimension.
    brick: [usize; 2],
}

/// The sizes of processor meshes that a heuristic can lay an object grid on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeshFit {
    /// Meshes with as many cells as the grid.
    Exact,
    /// Larger meshes as well.
    Roomy,
}

impl<'a> ObjectGrid<'a> {
    /// The object grid of a problem, for a mesh of `dims` dimensions.
    ///
    /// # Errors
    /// [`NotApplicable`] if the ranks form no 2D grid, the machine is no mesh of `dims` dimensions,
    /// nodes differ in slots, the ranks do not fill every node that they use, or the mesh does not
    /// fit.
    pub(super) fn of(
        problem: &Problem<'a>,
        dims: usize,
        fit: MeshFit,
    ) -> Result<Self, NotApplicable> {
        let no = |reason: String| Err(NotApplicable(reason));
        let mut stencils = problem.pattern.stencils();
        let Some(stencil) = stencils.find(|s| s.dims.len() == 2) else {
            return no("the ranks form no 2D grid".into());
        };
        let grid = problem.machine.topology().structure().grid();
        let mesh = grid.map(Grid::dims).filter(|d| d.len() == dims);
        let Some(mesh) = mesh else {
            return no(format!("the machine is no {dims}D mesh or torus"));
        };
        let slots = problem.machine.slots();
        let cores = slots.capacity(NodeId(0)) as usize;
        let equal = (0..slots.nodes()).all(|n| slots.capacity(NodeId::at(n)) as usize == cores);
        let cells = stencil.cells();
        let fits = match fit {
            MeshFit::Exact => cells == slots.len(),
            MeshFit::Roomy => cells <= slots.len() && cells.is_multiple_of(cores.max(1)),
        };
        if !equal || !fits {
            return no(format!(
                "the grid's {cells} cells do not give every node the same number of ranks"
            ));
        }
        let brick = brick(&stencil.dims, cores);
        Ok(Self {
            stencil,
            mesh,
            brick,
        })
    }

    /// Number of bricks along each dimension.
    pub(super) fn size(&self) -> (usize, usize) {
        let [a, b] = self.brick;
        (self.stencil.dims[0] / a, self.stencil.dims[1] / b)
    }

    /// Sizes of the processor mesh.
    pub(super) fn mesh(&self) -> &[usize] {
        self.mesh
    }

    /// A placement of every rank, given the node of every brick in row order.
    pub(super) fn seat(
        &self,
        problem: &Problem<'_>,
        nodes: &[usize],
    ) -> Result<Placed, NotApplicable> {
        let (_, high) = self.size();
        let cells: Vec<NodeId> = (0..self.stencil.cells())
            .map(|cell| {
                let (x, y) = (cell / self.stencil.dims[1], cell % self.stencil.dims[1]);
                NodeId::at(nodes[x / self.brick[0] * high + y / self.brick[1]])
            })
            .collect();
        GridRanks::of(self.stencil, problem)
            .placement(&cells)
            .map(Placed::from)
    }
}

/// The brick of `cores` ranks with the smallest surface whose sides divide the sizes of the grid.
fn brick(dims: &[usize], cores: usize) -> [usize; 2] {
    (1..=cores)
        .filter(|a| cores.is_multiple_of(*a))
        .map(|a| [a, cores / a])
        .filter(|[a, b]| dims[0].is_multiple_of(*a) && dims[1].is_multiple_of(*b))
        .min_by_key(|[a, b]| a + b)
        .expect("what divides a product is a product of divisors")
}
