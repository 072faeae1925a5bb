//! Multisection: ranks and machine come apart together along the machine's own hierarchy.
//!
//! Ours, after dual recursive bipartitioning (Pellegrini & Roman, HPCN 1996) and hierarchical
//! multisection (Schulz & Träff, SEA 2017). Several starts, top down ([`top_down`]), bottom up
//! ([`bottom_up`]) and the given order, are each improved by ejection chains and exchanges of
//! subtrees; the best of them share a large-neighbourhood search ([`search`]). For switched
//! networks; grids come apart in halves of their box.

pub(crate) mod bisect;
mod bottom_up;
mod neighbourhood;
mod search;
pub(crate) mod top_down;

use crate::heuristic::{About, Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem};
use crate::weights::Weights;
use rankfold_model::machine::Machine;
use rankfold_model::sites::Sites;
use search::PoolSearch;

/// Top-down and bottom-up multisection with local search.
#[derive(Debug)]
pub(crate) struct Multisection;

impl Heuristic for Multisection {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "multisection",
            Family::Irregular,
            "machine and ranks halved together with exact sizes, from the top and from the bottom, then chains and refilled subtrees (ours; after Pellegrini & Roman 1996)",
        )
        .on(Machine::is_switched)
        .with_refinements();
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        if problem.graph.pairs() == 0 {
            return Err(NotApplicable("no two ranks exchange bytes".into()));
        }
        let sites = Sites::new(problem.machine);
        let diameter = problem.machine.topology().diameter();
        let weights = Weights::new(problem.affinity, diameter);
        let found = PoolSearch::new(problem, &weights, &sites).run();
        Ok(Placed {
            placement: sites.seat(&found.site_of, problem.machine.slots(), None),
            diagnostics: Diagnostics {
                passes: found.starts,
                moves: found.moves,
                notes: found.notes,
                ..Diagnostics::default()
            },
        })
    }
}

#[cfg(test)]
mod tests;
