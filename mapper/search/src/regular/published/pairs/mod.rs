//! `pairs`: pairwise exchanges with probabilistic jumps (heuristic 7 of section V, after Bokhari
//! 1981 and Lee and Aggarwal 1987).
//!
//! The paper uses the method as an estimate of the optimum that all other heuristics are compared
//! with, and calls it too expensive to be practical. It gives O(n^3) as the cost for n objects.
//!
//! What differs from the paper: it leaves open where the search starts, how it jumps and when it
//! ends. Here a search starts from the mapping of every other heuristic of the plane, and random
//! exchanges first save hops until hardly any does. Jumps then follow in rounds, see [`search`].
//! The rounds end when several turns have gained nothing, when every edge takes one hop, or when
//! the search has tried a fixed number of exchanges.
//!
//! Cost: O(1) for every exchange that is tried. The number of tries does not grow with the objects
//! beyond the limit, so that a large grid ends at mappings that are farther from the optimum.

mod search;

use super::member::{CellMap, PlaneSize, about};
use super::object::{MeshFit, ObjectGrid};
use super::plane::hops;
use super::{AFFN, COCE, EXCO, MXOV_AL, MXOVLP, PlaneHeuristic, STEP};
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Heuristic, NotApplicable, Placed, Problem,
};
use rayon::prelude::*;
pub(super) use search::PairSearch;

/// Exchanges that start from every other 2D heuristic's mapping, with random jumps: the paper's
/// estimate of the optimum. The best mapping of all searches is returned.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    /// Most exchanges tried in jumps from each start.
    tries: usize,
}

/// The search with all its jumps.
pub const PAIRS: Pairs = Pairs { tries: 1 << 23 };

impl Pairs {
    /// The exchanges alone, which end much sooner: at mappings that no exchange improves.
    pub const WITHOUT_JUMPS: Self = Self { tries: 0 };
}

const STARTS: [PlaneHeuristic; 6] = [AFFN, MXOVLP, MXOV_AL, EXCO, COCE, STEP];

impl Heuristic for Pairs {
    fn about(&self) -> &About {
        const ABOUT: About = about(
            "pairs",
            "exchanges and probabilistic jumps from the other mappings of the plane on (Bhatele 2010, V.7)",
        )
        // Others reach as few hops in a fraction of the time, and the paper calls it impractical.
        .at_least(Effort::Best);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let object = ObjectGrid::of(problem, 2, MeshFit::Exact)?;
        let (size, mesh) = (object.size(), (object.mesh()[0], object.mesh()[1]));
        let found = STARTS.par_iter().enumerate().map(|(number, start)| {
            let (layout, rounds) = improved(
                start,
                (size, mesh),
                problem.seed ^ number as u64,
                self.tries,
            );
            (hops(size, mesh, &layout), number, layout, rounds)
        });
        let best = found.min_by_key(|&(hops, number, ..)| (hops, number));
        let (hops, number, layout, rounds) = best.expect("there are starts");
        let mut placed = object.seat(problem, &layout)?;
        placed.diagnostics = Diagnostics {
            passes: rounds,
            notes: vec![format!(
                "from {}, {hops} hops between objects after {rounds} rounds of jumps",
                STARTS[number].about.name
            )],
            ..Diagnostics::default()
        };
        Ok(placed)
    }
}

/// The best mapping that the search finds from a start with up to `tries` exchanges tried, and the
/// number of rounds of jumps.
pub(super) fn improved(
    start: &PlaneHeuristic,
    (object, mesh): (PlaneSize, PlaneSize),
    seed: u64,
    tries: usize,
) -> (CellMap, u32) {
    let layout = (start.lay)(object, mesh, seed);
    PairSearch::new(layout, object, mesh, seed).run(tries)
}
