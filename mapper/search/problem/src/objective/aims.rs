//! What the searches on the exact routes lower: given by the objective, as data or as a formula
//! over what the searches keep up to date.

use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use std::fmt;

/// How the half-way ties of a torus count of which nobody knows the way. Ties of which the machine
/// says the way go that way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownTies {
    /// All go upwards, as in the papers' figures of congestion.
    Upwards,
    /// As [predicted time](rankfold_metric::time) counts them.
    AsTimed,
}

/// What a descent lowers, exchange by exchange.
pub trait DescentAim: fmt::Debug + Sync {
    /// The number to be lowered, smooth enough that single exchanges change it. A rise by 0.002 is
    /// accepted with probability 1/e.
    fn energy(&self, sums: &ChannelSums) -> f64;

    /// The number by which a descent picks the best placement it has seen; `highest` is the highest
    /// congestion of any channel.
    fn rating(&self, sums: &ChannelSums, highest: f64) -> f64 {
        let _ = highest;
        self.energy(sums)
    }

    /// How ties of an unknown way count.
    fn unknown_ties(&self) -> UnknownTies {
        UnknownTies::Upwards
    }
}

/// Sums over all channels, congestion being bytes over bandwidth.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSums {
    /// Bytes, added up over all channels.
    pub hop_bytes: u128,
    /// The same at the start of the descent.
    pub start_hop_bytes: f64,
    /// What `powers` measures congestion by: the highest congestion when all was last counted.
    pub unit: f64,
    /// log2 of the exponent p of `powers`.
    pub squarings: u32,
    /// Of (congestion / `unit`) to the power p.
    pub powers: f64,
    /// The number of channels that carry bytes.
    pub used: f64,
    /// Of congestion.
    pub congestion: f64,
    /// Of congestion squared.
    pub squares: f64,
}

/// A sum of powers below this is a rounding error of 0, whose root would be far from 0.
const ROUNDING: f64 = 1e-12;

impl ChannelSums {
    /// A smooth stand-in for the highest congestion: the p-norm.
    #[must_use]
    pub fn norm(&self) -> f64 {
        let exponent = f64::from(1 << self.squarings);
        let powers = Some(self.powers).filter(|&powers| powers > ROUNDING);
        self.unit * powers.unwrap_or(0.0).powf(1.0 / exponent)
    }

    /// Mean and population variance of congestion over the channels that carry bytes.
    #[must_use]
    pub fn mean_and_variance(&self) -> (f64, f64) {
        let used = self.used.max(1.0);
        let mean = self.congestion / used;
        (mean, self.squares / used - mean * mean)
    }
}

/// What anneals lower, made ready for one graph and one machine.
pub trait AnnealAim: Sync {
    /// What is annealed: [`LinkTimes`] of the whole graph, and of parts of it that are worth an
    /// anneal each. The first decides whether there is anything to anneal.
    fn link_times(&self) -> Vec<LinkTimes<'_>>;

    /// Further [`LinkTimes`] whose anneals find other placements that are nearly as good, so that
    /// replays have something to choose from. Annealed where replays decide.
    fn variants(&self) -> Vec<LinkTimes<'_>> {
        Vec::new()
    }

    /// What a placement is worth as the start of an anneal; lower is better.
    fn value(&self, placement: &Placement) -> f64;

    /// Whether annealing cannot improve the best start. No placement's highest congestion is below
    /// `congestion_bound`.
    fn is_optimal(&self, best: &AnnealStart<'_>, congestion_bound: f64) -> bool;

    /// Whether only results below the best start are kept. Where it is false, a result as good as
    /// its start is a candidate, too.
    fn keeps_only_gains(&self) -> bool {
        false
    }
}

/// The time on the busiest link, plus a share of the mean transfer of a rank.
#[derive(Clone, Copy, Debug)]
pub struct LinkTimes<'a> {
    /// Bytes as the links feel them.
    pub graph: &'a CommGraph,
    /// The share of the mean transfer.
    pub transfer_share: f64,
    /// A busiest link below this time makes no difference: the overhead of messages hides it.
    pub overhead: f64,
    /// Whether latencies of links and memories of nodes count beside the bandwidths of the network.
    pub timed: bool,
    /// How ties of an unknown way count.
    pub unknown_ties: UnknownTies,
}

/// The placement that anneals would start from first.
#[derive(Clone, Copy, Debug)]
pub struct AnnealStart<'a> {
    /// Rank -> slot.
    pub placement: &'a Placement,
    /// What it is [worth](AnnealAim::value).
    pub value: f64,
    /// Whether no placement found so far has fewer hop-bytes.
    pub has_fewest_hop_bytes: bool,
}
