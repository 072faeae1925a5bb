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
//! The paper's listing and its text disagree, so there are two readings:
//!
//! * Weight of partners that are not mapped yet. As listed: `1 / (unmapped + 1)`, line 3 of the
//!   listing. As described: `1 / (mapped + 1)`, which "starts at 1 and decreases" as the text says.
//! * Hybrid metric. As listed: the plain sum, with bytes relative to the heaviest message. As
//!   described: the sum of the terms, each relative to its value for in-order mapping.
//! * Refinement. As listed: at most 10 rounds, and the maximum has to fall in each. As described:
//!   any number of rounds, and fewer links at the maximum are an improvement too.
//!
//! `ptram` is the listing. It stops on plateaus: where several links share the maximum, no single
//! exchange lowers it. On the paper's third benchmark, all-to-all in the columns of a grid, 11
//! links share the maximum after the greedy core, and the refinement makes no exchange at all.
//!
//! `ptram-fixed` is our improvement. It goes on from the result of `ptram` with the refinement as
//! described, which crosses plateaus, and maps as described from the beginning as well. It returns
//! the mapping with the lower maximum congestion, of equals that with fewer hop-bytes. Neither
//! reading of the weights is better in general, so a member with the described weights alone ended
//! above `ptram` in many cases.
//!
//! The plain sum adds figures of different units: hop-bytes are a sum over all messages, congestion
//! belongs to one link, and the variance is in squared bytes. The term that dominates depends on
//! the traffic; for a 2D halo exchange on the paper's machine it is hop-bytes. The option `weights`
//! multiplies the terms, and `k` sets the number of nodes that the refinement tries for a process.
//!
//! Algorithm 2 asks whether "p communicates with q across a route involving l". Here both ends of a
//! message are candidates, see [`refine`].
//!
//! Cost: O(p^2 d l) for the greedy core and O(p d^2 l) for each refinement round, with p processes,
//! d partners of each and l links on a route.
mod greedy;
mod links;
mod refine;

use links::{LinkLoads, LoadTotals};
use rankfold_base::NodeId;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric as metric;
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_problem::member_options::{MemberOption, MemberOptions, OptionKind};
use rankfold_search::irregular::bundles::Bundles;

/// Most ranks for which the heuristic takes part without being asked for by name. Every free node
/// is evaluated for every process; this takes a few seconds there, by estimate.
const AFFORDABLE_RANKS: usize = 512;

/// PTRAM as its listings are written.
#[derive(Debug)]
pub(crate) struct Ptram;

/// The better of PTRAM as listed and as described, refined past plateaus.
#[derive(Debug)]
pub(crate) struct PtramFixed;

const OPTIONS: &[MemberOption] = &[
    MemberOption {
        name: "k",
        summary: "closest nodes that the refinement tries for a process [default: 7, as in the paper]",
        kind: OptionKind::Count(1),
    },
    MemberOption {
        name: "weights",
        summary: "of hop-bytes, congestion, its average and its variance in the metric [default: 1/1/1/1]",
        kind: OptionKind::Numbers(4),
    },
];

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
        .with_options(OPTIONS)
        .by_all_processes();
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let bundles = Bundles::new(problem);
        let mapping = Mapping::listed(problem, &bundles);
        Ok(mapping.placed(problem, &bundles))
    }
}

impl Heuristic for PtramFixed {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ptram-fixed",
            Family::Irregular,
            "the better of PTRAM as listed and with the weights its text describes, both refined past plateaus",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best)
        .repeating("rounds of refinement; until none helps")
        .with_options(OPTIONS)
        .by_all_processes();
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let bundles = Bundles::new(problem);
        let described = Variant::meant(problem).with(problem.options);
        let mut listed = Mapping::listed(problem, &bundles);
        listed.refine(problem, &bundles, &described);
        let mut meant = Mapping::by_greedy(problem, &bundles, &described);
        meant.refine(problem, &bundles, &described);
        let better = if meant.figures() < listed.figures() {
            meant
        } else {
            listed
        };
        Ok(better.placed(problem, &bundles))
    }
}

/// A mapping of all processes, with the loads that it causes.
struct Mapping<'a> {
    links: LinkLoads<'a>,
    node_of: Vec<NodeId>,
    greedy: LoadTotals,
    /// The highest congestion after the greedy part, and the number of links that have it.
    greedy_peak: (f64, usize),
    exchanges: u64,
}

impl<'a> Mapping<'a> {
    /// The result of both algorithms as listed.
    fn listed(problem: &Problem<'a>, bundles: &Bundles) -> Self {
        let variant = Variant::listed(&bundles.graph, problem.machine).with(problem.options);
        let mut mapping = Self::by_greedy(problem, bundles, &variant);
        mapping.refine(problem, bundles, &variant);
        mapping
    }

    /// The result of Algorithm 1.
    fn by_greedy(problem: &Problem<'a>, bundles: &Bundles, variant: &Variant) -> Self {
        let mut links = LinkLoads::new(problem.machine.topology());
        let node_of = greedy::place(bundles, variant, &mut links, problem.team);
        Self {
            greedy: *links.totals(),
            greedy_peak: links.peak(),
            links,
            node_of,
            exchanges: 0,
        }
    }

    /// Runs Algorithm 2, up to the user's number of rounds in total.
    fn refine(&mut self, problem: &Problem<'_>, bundles: &Bundles, variant: &Variant) {
        let rounds = problem.loops.unwrap_or(u64::MAX) - self.exchanges;
        self.exchanges += refine::refine(
            bundles,
            variant,
            (rounds.min(variant.rounds()), problem.team),
            &mut self.links,
            &mut self.node_of,
        );
    }

    /// The highest congestion, then hop-bytes.
    fn figures(&self) -> (f64, f64) {
        let [hop_bytes, max, ..] = self.links.totals().terms();
        (max, hop_bytes)
    }

    fn placed(self, problem: &Problem<'_>, bundles: &Bundles) -> Placed {
        let (peak, refined, exchanges) = (self.greedy_peak, self.links.peak(), self.exchanges);
        Placed {
            placement: bundles.placement(&self.node_of, problem),
            diagnostics: Diagnostics {
                passes: exchanges as u32,
                moves: exchanges,
                history: [self.greedy, *self.links.totals()]
                    .map(|totals| totals.hop_bytes as u128)
                    .to_vec(),
                notes: vec![format!(
                    "max congestion {} on {} links after the greedy part, {} on {} after {exchanges} exchanges",
                    peak.0, peak.1, refined.0, refined.1
                )],
            },
        }
    }
}

/// Number of closest nodes tried for each process. From the paper, footnote 2.
const CLOSEST: usize = 7;

/// A reading of the paper, with what the user may set.
struct Variant {
    reading: Reading,
    /// Factors of the four terms of the metric, in the order of equation 3.
    weights: [f64; 4],
    /// The number of closest nodes that the refinement tries for a process: k of the paper.
    closest: usize,
}

/// The points in which the listing and the text differ.
enum Reading {
    /// As listed. `unit` is the number of bytes of the heaviest message, and `slowest` the
    /// bandwidth of the slowest link: the sum is of weights relative to both.
    Listed { unit: f64, slowest: f64 },
    /// As described. `baseline` holds the four terms of the metric for in-order mapping.
    Meant { baseline: [f64; 4] },
}

impl Variant {
    fn of(reading: Reading) -> Self {
        Self {
            reading,
            weights: [1.0; 4],
            closest: CLOSEST,
        }
    }

    fn listed(graph: &CommGraph, machine: &Machine) -> Self {
        let heaviest = graph.messages().map(|m| m.bytes).max();
        Self::of(Reading::Listed {
            unit: heaviest.unwrap_or(1) as f64,
            slowest: metric::slowest_bandwidth(machine.topology()),
        })
    }

    fn meant(problem: &Problem<'_>) -> Self {
        let block = problem.machine.block_order(problem.graph.ranks());
        let score = metric::score(problem.graph, problem.machine, &block);
        Self::of(Reading::Meant {
            baseline: [
                score.hop_bytes as f64,
                score.max_congestion,
                score.nz_avg,
                score.nz_var,
            ],
        })
    }

    /// The same with the user's options.
    fn with(mut self, options: &MemberOptions) -> Self {
        if let Some(k) = options.count("k") {
            self.closest = usize::try_from(k).unwrap_or(usize::MAX);
        }
        if let Some(weights) = options.numbers("weights") {
            self.weights.copy_from_slice(weights);
        }
        self
    }

    /// The number by which bytes exchanged with unmapped processes are divided, minus one.
    fn divisor(&self, mapped: usize, processes: usize) -> u64 {
        match self.reading {
            Reading::Listed { .. } => (processes - mapped) as u64,
            Reading::Meant { .. } => mapped as u64,
        }
    }

    /// The hybrid metric (equation 3), with each term multiplied by its weight.
    fn metric(&self, terms: [f64; 4]) -> f64 {
        let mut weighted = terms;
        for (term, weight) in weighted.iter_mut().zip(self.weights) {
            *term *= weight;
        }
        let [hop_bytes, max, average, variance] = weighted;
        match &self.reading {
            Reading::Listed { unit, slowest } => {
                let congestion = (max + average) * slowest + variance * slowest * slowest / unit;
                (hop_bytes + congestion) / unit
            }
            Reading::Meant { baseline } => weighted
                .into_iter()
                .zip(baseline)
                .filter(|&(_, &base)| base > 0.0)
                .map(|(term, base)| term / base)
                .sum(),
        }
    }

    fn rounds(&self) -> u64 {
        match self.reading {
            Reading::Listed { .. } => 10,
            Reading::Meant { .. } => u64::MAX,
        }
    }

    /// The figure that the refinement lowers: the highest congestion and, as described, the number
    /// of links that have it.
    fn peak(&self, (max, links): (f64, usize)) -> (f64, usize) {
        match self.reading {
            Reading::Listed { .. } => (max, 0),
            Reading::Meant { .. } => (max, links),
        }
    }
}

#[cfg(test)]
mod tests;
