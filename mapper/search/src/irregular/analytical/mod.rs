//! Analytical mapping (Wu, Xiong, Berrocal, Wang and Lan, J. Supercomputing 2016): quadratic
//! placement as in circuit design.
//!
//! Stage 1, global mapping ([`global`], sections 3.2 and 3.3): processes are points, messages
//! springs, the corner nodes hold a process each ([`anchors`], section 3.6). Springs are solved for
//! equilibrium, crowded points are shifted apart ([`shifting`]) and held there by forces, until no
//! node has more than four points nearest to it. Stage 2, legalisation ([`legal`], section 3.4): a
//! diffusion moves the surplus.
//!
//! The paper places one process, or one bundle of them, on every node of a 3D mesh or torus. Here
//! any number of dimensions will do, and where usable nodes differ in their cores, ranks are placed
//! one by one with as many to a node as it has cores. Equation 7 has twice the gradient that
//! balances equation 9; the half is used. Wrap-around links shorten distances but do not attract,
//! as in the paper; the orders that choose the anchors leave them out too, and only so are table
//! 4's figures on tori reached.

mod anchors;
mod cells;
mod footprint;
mod global;
mod legal;
mod regions;
mod shifting;
mod solver;

use crate::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use anchors::Order;
use cells::Cells;

/// Anchors by reverse Cuthill-McKee order: the better of the paper's two, used for its results.
#[derive(Debug)]
pub(crate) struct Analytical;

/// Anchors by breadth-first traversal from node 0 and process 0.
#[derive(Debug)]
pub(crate) struct AnalyticalBft;

/// Ranks up to which it takes seconds at most.
const AFFORDABLE_RANKS: usize = 4096;

impl Heuristic for Analytical {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "analytical",
            Family::Irregular,
            "quadratic placement and diffusion, corners anchored by RCM order (Wu et al. 2016)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        map(problem, Order::ReverseCuthillMckee)
    }
}

impl Heuristic for AnalyticalBft {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "analytical-bft",
            Family::Irregular,
            "quadratic placement and diffusion, corners anchored by breadth-first order (Wu et al. 2016)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        map(problem, Order::BreadthFirst)
    }
}

fn map(problem: &Problem<'_>, order: Order) -> Result<Placed, NotApplicable> {
    let Some(grid) = problem.machine.topology().structure().grid() else {
        return Err(NotApplicable(
            "the machine is neither a torus nor a mesh".into(),
        ));
    };
    let cells = Cells::new(problem, grid);
    let anchors = anchors::choose(&cells, order);
    let spread = global::map(&cells, &anchors);
    let legal = legal::legalise(&cells, &spread.points);
    Ok(Placed {
        placement: cells.placement(&legal.node_of, problem),
        diagnostics: Diagnostics {
            passes: spread.iterations,
            moves: legal.moves,
            notes: vec![format!(
                "{} anchors, {} global iterations, at most {} processes nearest to a node, {} rounds of migration",
                anchors.len(),
                spread.iterations,
                spread.crowd,
                legal.rounds
            )],
            ..Diagnostics::default()
        },
    })
}

#[cfg(test)]
mod tests;
