//! `ptram` and `ptram-fixed`: parallel topology- and routing-aware mapping (Mirsadeghi and Afsahi,
//! 2016).
//!
//! Processes are bundles of ranks that fill a node, or single ranks where nodes differ in slots.
//! The greedy core ([`greedy`], Algorithm 1) places one process after the other on the node where
//! the hybrid metric (equation 3) is lowest, with link loads under the machine's own routing. The
//! refinement ([`refine`], Algorithm 2) exchanges processes of nearby nodes as long as the highest
//! congestion falls.
//!
//! ```text
//! figures 1 and 2 of the paper in small; routes go by destination, even hosts by spine 0
//!
//!   spine 0   spine 1      rank 0 on host 0 sends 5 bytes to rank 2 on host 4
//!      |   X   |           and 4 bytes to rank 3, which may go to host 6 or 7:
//!   leaf 0    leaf 1       host 6: both messages share the link to spine 0, 9 bytes
//!   0 1 2 3   4 5 6 7      host 7: as many hop-bytes, but 5 bytes by spine 0 and 4 by spine 1
//! ```
//!
//! The paper's listing and its text disagree, so there are two members:
//!
//! * Weight of partners that are not mapped yet. `ptram`: `1 / (unmapped + 1)`, line 3 of the
//!   listing. `ptram-fixed`: `1 / (mapped + 1)`, which "starts at 1 and decreases" as the text
//!   says.
//! * Hybrid metric. `ptram`: the plain sum, with bytes relative to the heaviest message.
//!   `ptram-fixed`: the sum of the terms, each relative to its value for in-order mapping.
//! * Refinement. `ptram`: at most 10 rounds, and the maximum has to fall in each. `ptram-fixed`:
//!   any number of rounds, and fewer links at the maximum are an improvement too.
//!
//! The plain sum adds figures of different units: hop-bytes are a sum over all messages, congestion
//! belongs to one link, and the variance is in squared bytes. The term that dominates depends on
//! the traffic; for a 2D halo exchange on the paper's machine it is hop-bytes. Where several links
//! share the maximum, no single exchange lowers it.
//!
//! Algorithm 2 asks whether "p communicates with q across a route involving l". Here both ends of a
//! message are candidates, see [`refine`].
//!
//! Cost: O(p^2 d l) for the greedy core and O(p d^2 l) for each refinement round, with p processes,
//! d partners of each and l links on a route.
mod greedy;
mod links;
mod refine;

use super::bundles::Bundles;
use crate::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use links::LinkLoads;
use rankfold_model::comm::CommGraph;
use rankfold_model::metric;
use rankfold_model::placement::Placement;

/// Most ranks for which the heuristic takes part without being asked for by name. Every free node
/// is evaluated for every process; this takes a few seconds there, by estimate.
const AFFORDABLE_RANKS: usize = 512;

/// PTRAM as its listings are written.
#[derive(Debug)]
pub(crate) struct Ptram;

/// PTRAM as its text describes it.
#[derive(Debug)]
pub(crate) struct PtramFixed;

impl Heuristic for Ptram {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ptram",
            Family::Irregular,
            "each process where the hybrid metric is lowest, then congestion refinement (PTRAM 2016, as listed)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best)
        .repeating("rounds of refinement; 10")
        .by_all_processes();
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        map(problem, |bundles| Variant::listed(&bundles.graph))
    }
}

impl Heuristic for PtramFixed {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ptram-fixed",
            Family::Irregular,
            "PTRAM with the weights its text describes, terms relative to block order and a refinement past plateaus",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best)
        .repeating("rounds of refinement; until none helps")
        .by_all_processes();
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        map(problem, |_| Variant::meant(problem))
    }
}

fn map(
    problem: &Problem<'_>,
    variant: impl Fn(&Bundles) -> Variant,
) -> Result<Placed, NotApplicable> {
    let bundles = Bundles::new(problem);
    let variant = variant(&bundles);
    let mut links = LinkLoads::new(problem.machine.topology());
    let mut node_of = greedy::place(&bundles, &variant, &mut links, problem.team);
    let (greedy, peak) = (*links.totals(), links.peak());
    let rounds = problem.loops.unwrap_or(variant.rounds());
    let exchanges = refine::refine(
        &bundles,
        &variant,
        (rounds, problem.team),
        &mut links,
        &mut node_of,
    );
    let refined = links.peak();
    Ok(Placed {
        placement: bundles.placement(&node_of, problem),
        diagnostics: Diagnostics {
            passes: exchanges as u32,
            moves: exchanges,
            history: [greedy, *links.totals()]
                .map(|totals| totals.hop_bytes as u128)
                .to_vec(),
            notes: vec![format!(
                "max congestion {} on {} links after the greedy part, {} on {} after {exchanges} exchanges",
                peak.0, peak.1, refined.0, refined.1
            )],
        },
    })
}

/// The points in which the two members differ.
enum Variant {
    /// As listed. `unit` is the number of bytes of the heaviest message.
    Listed { unit: f64 },
    /// As described. `baseline` holds the four terms of the metric for in-order mapping.
    Meant { baseline: [f64; 4] },
}

impl Variant {
    fn listed(graph: &CommGraph) -> Self {
        let heaviest = graph.messages().map(|m| m.bytes).max();
        Self::Listed {
            unit: heaviest.unwrap_or(1) as f64,
        }
    }

    fn meant(problem: &Problem<'_>) -> Self {
        let block = Placement::block(problem.graph.ranks());
        let score = metric::score(problem.graph, problem.machine, &block);
        Self::Meant {
            baseline: [
                score.hop_bytes as f64,
                score.max_congestion,
                score.nz_avg,
                score.nz_var,
            ],
        }
    }

    /// The number by which bytes exchanged with unmapped processes are divided, minus one.
    fn divisor(&self, mapped: usize, processes: usize) -> u64 {
        match self {
            Self::Listed { .. } => (processes - mapped) as u64,
            Self::Meant { .. } => mapped as u64,
        }
    }

    /// The hybrid metric (equation 3).
    fn metric(&self, [hop_bytes, max, average, variance]: [f64; 4]) -> f64 {
        match self {
            Self::Listed { unit } => (hop_bytes + max + average + variance / unit) / unit,
            Self::Meant { baseline } => [hop_bytes, max, average, variance]
                .into_iter()
                .zip(baseline)
                .filter(|&(_, &base)| base > 0.0)
                .map(|(term, base)| term / base)
                .sum(),
        }
    }

    fn rounds(&self) -> u64 {
        match self {
            Self::Listed { .. } => 10,
            Self::Meant { .. } => u64::MAX,
        }
    }

    /// The figure that the refinement lowers: the highest congestion and, in `ptram-fixed`, the
    /// number of links that have it.
    fn peak(&self, (max, links): (f64, usize)) -> (f64, usize) {
        match self {
            Self::Listed { .. } => (max, 0),
            Self::Meant { .. } => (max, links),
        }
    }
}

#[cfg(test)]
mod tests;
