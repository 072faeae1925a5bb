//! Block order: ranks in order on the slots in order, what every launcher does when told nothing.

use crate::heuristic::{Family, Heuristic, NotApplicable, Placed, Problem};
use rankfold_model::placement::Placement;

/// The baseline every other placement is measured against, and always a candidate.
#[derive(Debug)]
pub struct Block;

impl Heuristic for Block {
    fn name(&self) -> &'static str {
        "block"
    }

    fn family(&self) -> Family {
        Family::Oblivious
    }

    fn summary(&self) -> &'static str {
        "ranks in order on the slots in order, the launchers' default"
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        Ok(Placement::block(problem.graph.ranks()).into())
    }
}
