//! Block order: rank i on slot i, the default of nearly every launcher. Cost: O(n) for n ranks.

use rankfold_problem::heuristic::{About, Family, Heuristic, NotApplicable, Placed, Problem};

/// The placement that every other placement is compared with. It is always a candidate.
#[derive(Debug)]
pub struct Block;

impl Heuristic for Block {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "block",
            Family::Oblivious,
            "ranks in order on the slots in order, the launchers' default",
        );
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        Ok(problem.machine.block_order(problem.graph.ranks()).into())
    }
}
