//! `bhatele`: the choice of the framework (section III).
//!
//! Cost: that of all heuristics of the suite together, and O(m) for the hop-bytes of each with m
//! pairs of ranks.

use super::member::about;
use super::{AFFN, COCE, EXCO, FOLDING, Hilbert, MXOV_AL, MXOVLP, STACKING, STEP};
use rankfold_problem::heuristic::{About, Effort, Heuristic, NotApplicable, Placed, Problem};

/// The mapping with the fewest hop-bytes of all that the paper's suite makes.
///
/// The suite is that of sections V and VI, as listed there. `pairs` is not part of it: the paper
/// calls it impractical and uses it to judge the others. The variants `exco-sorted` and
/// `coce-sorted` are other readings of two members and take no part either.
#[derive(Clone, Copy, Debug)]
pub struct Bhatele;

/// The paper's suite, in its order. Of equally good mappings the first one is taken.
const FRAMEWORK: [&dyn Heuristic; 9] = [
    &MXOVLP, &MXOV_AL, &EXCO, &COCE, &AFFN, &STEP, &STACKING, &FOLDING, &Hilbert,
];

impl Heuristic for Bhatele {
    fn about(&self) -> &About {
        const ABOUT: About = about(
            "bhatele",
            "the mapping with the fewest hop-bytes of the paper's own suite (Bhatele 2010, III)",
        )
        // The members of the suite take part themselves.
        .at_least(Effort::Best);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let mut refused = None;
        let mut chosen: Option<(u128, &str, Placed)> = None;
        for member in FRAMEWORK {
            match member.place(problem) {
                Ok(placed) => {
                    let hop_bytes = problem.hop_bytes(&placed.placement);
                    if chosen.as_ref().is_none_or(|(least, ..)| hop_bytes < *least) {
                        chosen = Some((hop_bytes, member.about().name, placed));
                    }
                }
                Err(reason) => refused = Some(reason),
            }
        }
        let Some((_, name, mut placed)) = chosen else {
            return Err(refused.expect("a member of the suite places the ranks or says why not"));
        };
        placed
            .diagnostics
            .notes
            .insert(0, format!("as {name} places it"));
        Ok(placed)
    }
}
