//! `multisection`: the ranks are divided along the machine's own hierarchy. For switched networks.
//!
//! Each start assigns all ranks to the sites of the machine: top down, bottom up, or in the given
//! order. Ejection chains and exchanges of subtrees improve every start. The best ones share a
//! large-neighbourhood search, which empties parts of the machine and fills them again.
//!
//! ```text
//! top down            sites of the machine       ranks
//! first cut           leaf 0     | leaf 1        0 1 4 5     | 2 3 6 7
//! second cuts         n0  |  n1  | n2  |  n3     0 4  |  1 5 | 2 6  |  3 7
//!
//! bottom up           ranks in groups as large as a node, then groups onto n0 .. n3
//! ```
//!
//! | step | module |
//! | --- | --- |
//! | the starts and the division of work between them | [`search`] |
//! | top-down multisection | [`top_down`] |
//! | bottom-up multisection | [`bottom_up`] |
//! | multilevel bisection of one region | [`bisect`](mod@bisect) |
//! | large-neighbourhood search | [`neighbourhood`] |
//!
//! Source: new here, from dual recursive bipartitioning (Pellegrini and Roman, HPCN 1996) and
//! hierarchical multisection (Schulz and Träff, SEA 2017). Added are exact sizes, costs of messages
//! that leave a region, the bottom-up start and the search afterwards. Networks without a hierarchy
//! of switches are divided into halves of their box.
//!
//! Cost: O(m log N) for a top-down start with m pairs and N sites, then a fixed amount of work for
//! the search: a number of edge look-ups per rank, independent of the clock.

pub(crate) mod bisect;
mod bottom_up;
mod neighbourhood;
mod search;
pub(crate) mod top_down;

use rankfold_machine::Machine;
use rankfold_machine::sites::Sites;
use rankfold_problem::heuristic::{
    About, Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_problem::weights::Weights;
use search::PoolSearch;

/// The heuristic `multisection`.
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
