//! `ltm-ta`, `ltm-greedy-ta`, `ltm-recursive-ta`, `rcm-ta`: threshold accepting of LibTopoMap
//! (Hoefler and Snir, ICS 2011, section 3.5), on the paper's own estimate of congestion (Algorithm
//! 3).
//!
//! As in figure 4 of the paper, ranks are grouped where nodes have several slots, the mappings of
//! greedy, RCM and recursive bisection are made, and the one with the lowest congestion is
//! improved. Random exchanges are accepted if they raise the congestion by less than a threshold.
//! The outer loop ends with the time given, the inner loop makes 20 exchanges.
//!
//! What differs from the paper: it leaves the thresholds open; here they fall linearly to 0.
//! Without a time limit the outer loop ends after a fixed number of routed messages, so that the
//! result does not depend on the clock. The paper runs Algorithm 3 for every exchange; here the
//! routes of all messages are [kept](IncrementalEstimate), and only the messages of the two ranks
//! are routed again. From time to time all messages are routed in order, and only congestions of
//! these estimates decide which mapping is returned.
//!
//! Cost: O(d l) for an exchange of ranks with d partners and routes of l links; the number of
//! exchanges is fixed by time or by [`ROUTED`].

use crate::ltm_recursive::LtmRecursive;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_metric::{Estimate, IncrementalEstimate};
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_search::irregular::bundles::bundled;
use rankfold_search::irregular::{LtmGreedy, Rcm};
use std::time::Instant;

/// Exchanges tried at each threshold. From the paper: its number of inner iterations.
const INNER: usize = 20;

/// The first threshold as a share of the start's congestion. The paper gives none; chosen by hand,
/// not measured.
const FIRST: f64 = 0.01;

/// Messages routed in all exchanges together if no time is given: a few seconds, by estimate. 512
/// ranks then get tens of thousands of exchanges.
const ROUTED: usize = 1 << 18;

/// Most ranks for which the heuristics take part without being asked for by name: a few seconds, by
/// estimate.
const AFFORDABLE_RANKS: usize = 2048;

/// Threshold accepting from the best of some mappings of LibTopoMap.
pub(crate) struct LtmTa {
    about: About,
    /// The heuristics whose mapping with the lowest congestion is the start.
    starts: &'static [&'static dyn Heuristic],
}

/// The paper's whole flow: the best of all its mappings, improved.
pub(crate) const LTM_TA: LtmTa = LtmTa {
    about: about(
        "ltm-ta",
        "the best of ltm-greedy, rcm and ltm-recursive, then random exchanges below a falling threshold of congestion (Hoefler and Snir 2011, 3.5)",
    ),
    starts: &[&LtmGreedy, &Rcm, &LtmRecursive],
};

/// `ltm-greedy` and threshold accepting, as in the paper's figures.
pub(crate) const LTM_GREEDY_TA: LtmTa = LtmTa {
    about: about(
        "ltm-greedy-ta",
        "ltm-greedy, then threshold accepting, as in the paper's figures (Hoefler and Snir 2011, 5.2)",
    ),
    starts: &[&LtmGreedy],
};

/// `ltm-recursive` and threshold accepting, as in the paper's figures.
pub(crate) const LTM_RECURSIVE_TA: LtmTa = LtmTa {
    about: about(
        "ltm-recursive-ta",
        "ltm-recursive, then threshold accepting, as in the paper's figures (Hoefler and Snir 2011, 5.2)",
    ),
    starts: &[&LtmRecursive],
};

/// `rcm` and threshold accepting, as in the paper's figures.
pub(crate) const RCM_TA: LtmTa = LtmTa {
    about: about(
        "rcm-ta",
        "rcm, then threshold accepting, as in the paper's figures (Hoefler and Snir 2011, 5.2)",
    ),
    starts: &[&Rcm],
};

const fn about(name: &'static str, summary: &'static str) -> About {
    About::new(name, Family::Irregular, summary)
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best)
}

impl Heuristic for LtmTa {
    fn about(&self) -> &About {
        &self.about
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        bundled(problem, |problem| {
            let (name, start) = self.best_start(problem)?;
            let nodes = start.nodes(problem.machine.slots());
            let mut placed = accept(problem, nodes);
            placed
                .diagnostics
                .notes
                .insert(0, format!("from {name}'s mapping"));
            Ok(placed)
        })
    }
}

impl LtmTa {
    fn best_start(
        &self,
        problem: &Problem<'_>,
    ) -> Result<(&'static str, Placement), NotApplicable> {
        let mut estimate = Estimate::new(problem.graph, problem.machine.topology());
        let mut best: Option<(f64, &'static str, Placement)> = None;
        for start in self.starts {
            let placement = start.place(problem)?.placement;
            let congestion = estimate.congestion(&placement.nodes(problem.machine.slots()));
            if best.as_ref().is_none_or(|(least, ..)| congestion < *least) {
                best = Some((congestion, start.about().name, placement));
            }
        }
        let (_, name, placement) = best.expect("there is a start");
        Ok((name, placement))
    }
}

/// The end of the search: a time, or a number of routed messages.
struct Schedule {
    begun: Instant,
    deadline: Option<Instant>,
}

impl Schedule {
    /// The share of the search that is left: 1 at first, 0 or less when the time is over or,
    /// without a time, when [`ROUTED`] messages have been routed.
    fn left(&self, routed: usize) -> f64 {
        let Some(deadline) = self.deadline else {
            return 1.0 - routed as f64 / ROUTED as f64;
        };
        let all = deadline.saturating_duration_since(self.begun).as_secs_f64();
        let left = deadline.saturating_duration_since(Instant::now());
        left.as_secs_f64() / all.max(f64::MIN_POSITIVE)
    }
}

/// Threshold accepting from `nodes`. Returns the mapping with the lowest congestion among those
/// whose messages were routed in order.
fn accept(problem: &Problem<'_>, nodes: Vec<NodeId>) -> Placed {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(problem.seed);
    let schedule = Schedule {
        begun: Instant::now(),
        deadline: problem.deadline,
    };
    let messages = problem.graph.pairs();
    let estimate = Estimate::new(problem.graph, problem.machine.topology());
    let mut kept = estimate.incremental(nodes);
    let first = kept.congestion();
    let mut best = Best {
        congestion: first,
        nodes: kept.nodes().to_vec(),
    };
    let mut done = Done::default();
    let mut in_order = 0;
    loop {
        let left = schedule.left(done.routed);
        if left <= 0.0 || kept.nodes().len() < 2 {
            break;
        }
        let threshold = FIRST * first * left;
        inner(&mut kept, threshold, &mut random, &mut done);
        if done.routed - in_order >= messages {
            in_order = done.routed;
            best.meet(&mut kept, threshold);
        }
    }
    best.meet(&mut kept, 0.0);
    let placement = Placement::from_nodes(&best.nodes, problem.machine.slots());
    Placed {
        placement: placement.expect("exchanges leave every node as full as it was"),
        diagnostics: Diagnostics {
            passes: done.outer,
            moves: done.kept,
            notes: vec![format!(
                "estimated congestion {first} before, {} after {} of {} exchanges",
                best.congestion, done.kept, done.tried
            )],
            ..Diagnostics::default()
        },
    }
}

/// The mapping with the lowest congestion so far, with all messages routed in order.
struct Best {
    congestion: f64,
    nodes: Vec<NodeId>,
}

impl Best {
    /// Compares the present mapping with the best one after routing all messages in order. Goes
    /// back to the best one if the present one is worse by more than `threshold`: many accepted
    /// steps can add up to a much worse mapping.
    fn meet(&mut self, kept: &mut IncrementalEstimate, threshold: f64) {
        let congestion = kept.refresh();
        if congestion < self.congestion {
            self.congestion = congestion;
            self.nodes.copy_from_slice(kept.nodes());
        } else if congestion > self.congestion + threshold {
            kept.place(&self.nodes);
        }
    }
}

/// Counts of the search's work.
#[derive(Default)]
struct Done {
    outer: u32,
    tried: u64,
    kept: u64,
    routed: usize,
}

/// The inner loop: random exchanges at one threshold.
fn inner(
    kept: &mut IncrementalEstimate,
    threshold: f64,
    random: &mut Xoshiro256PlusPlus,
    done: &mut Done,
) {
    for _ in 0..INNER {
        let pair = [(); 2].map(|()| Rank::at(random.random_range(0..kept.nodes().len())));
        // One more than the messages, so that pairs without messages end the search, too.
        done.routed += 1 + kept.messages_of(pair);
        let [a, b] = pair.map(|rank| kept.nodes()[rank.index()]);
        if a == b {
            continue;
        }
        done.tried += 1;
        let now = kept.congestion();
        let after = kept.exchange(pair);
        if after > now && after >= now + threshold {
            kept.undo();
        } else {
            done.kept += 1;
        }
    }
    done.outer += 1;
}

#[cfg(test)]
mod tests;
