//! PTRAM, parallel topology- and routing-aware mapping (Mirsadeghi and Afsahi, 2016), and what its
//! text means.
//!
//! Processes are bundles that fill a node, or ranks where nodes differ in their cores
//! ([`Bundles`]). The greedy core ([`greedy`], Algorithm 1) seats one after the other where the
//! hybrid metric (equation 3) is lowest, with link loads under the machine's own routing; the
//! refinement ([`refine`], Algorithm 2) exchanges processes of nearby nodes as long as the highest
//! congestion falls. The listing and the text disagree, so there are two members:
//!
//! | | `ptram` | `ptram-fixed` |
//! | --- | --- | --- |
//! | weight of unmapped partners | `1 / (unmapped + 1)`, line 3 of the listing | `1 / (mapped + 1)`: "starts at 1 and decreases" |
//! | hybrid metric | plain sum on bytes relative to the heaviest message | mean of the terms, each relative to in-order mapping |
//! | refinement | at most 10 rounds, the maximum has to fall | any number, fewer links at the maximum will do |
//!
//! The plain sum adds what cannot be added: hop-bytes are a sum over all messages, congestion is of
//! one link, and the variance is in squared bytes. Which term rules depends on the traffic; for a
//! 2D halo exchange on the paper's machine it is hop-bytes. On a plateau, where several links share
//! the maximum, no single exchange lowers it.
//!
//! Algorithm 2 asks whether "p communicates with q across a route involving l". Both ends do: see
//! [`refine`].

mod greedy;
mod links;
mod refine;

use super::bundles::Bundles;
use crate::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use links::Links;
use rankfold_model::comm::CommGraph;
use rankfold_model::metric;
use rankfold_model::placement::Placement;

/// Ranks up to which evaluating every free node for every process takes seconds at most.
const AFFORDABLE_RANKS: usize = 512;

/// The algorithm as published.
#[derive(Debug)]
pub(crate) struct Ptram;

/// The algorithm as its text means it.
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
    let mut links = Links::new(problem.machine.topology());
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

/// Where the two members differ.
enum Variant {
    /// As listed; bytes of the heaviest message.
    Listed { unit: f64 },
    /// As meant; the four terms of in-order mapping.
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

    /// One less than what bytes with unmapped processes are divided by.
    fn divisor(&self, mapped: usize, processes: usize) -> u64 {
        match self {
            Self::Listed { .. } => (processes - mapped) as u64,
            Self::Meant { .. } => mapped as u64,
        }
    }

    /// Equation 3.
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

    /// What the refinement lowers: the maximum, and whether the number of links that have it
    /// counts.
    fn peak(&self, (max, links): (f64, usize)) -> (f64, usize) {
        match self {
            Self::Listed { .. } => (max, 0),
            Self::Meant { .. } => (max, links),
        }
    }
}

#[cfg(test)]
mod tests;
