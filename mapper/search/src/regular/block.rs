//! Block order: ranks in order on the slots in order, what every launcher does when told nothing.

use crate::heuristic::{About, Family, Heuristic, NotApplicable, Placed, Problem};
use rankfold_model::placement::Placement;

/// The baseline every other placement is measured against, and always a candidate.
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
        Ok(Placement::block(problem.graph.ranks()).into())
    }
}
