//! The figures of a placement that `map` and `eval` report: as JSON, and as a table with a verdict.

use super::predicted::PredictedTime;
use super::verdict::{Figure, still, verdict};
use crate::parallel::Usage;
use rankfold_model::machine::{Machine, Routing, Unit};
use rankfold_model::metric::Score;
use rankfold_model::metric::time::{self, Time};
use rankfold_model::pattern::Pattern;
use rankfold_model::words::counted;
use rankfold_search::heuristic::{Effort, Family};
use rankfold_search::objective::{HopBytes, Objective, printed_time};
use rankfold_search::select::Selection;
use serde::Serialize;
use std::fmt;

/// The figures of one placement. The field names are the keys of `--json` and never change meaning.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// The heuristic that made the placement; null for a placement read from a file.
    pub heuristic: Option<&'static str>,
    /// The refinements that moved at least one rank.
    pub refinements: Vec<&'static str>,
    /// The family of the heuristic; null for a placement read from a file.
    pub family: Option<Family>,
    /// The communication pattern that the analyser found.
    pub pattern: &'a Pattern,
    /// The machine's canonical spec.
    pub machine: String,
    /// The routing behind `max_congestion`, `nz_avg`, `nz_var` and `hybrid`.
    pub routing: Routing,
    /// Number of ranks.
    pub ranks: usize,
    /// Wall-clock seconds between reading the input and writing the result.
    pub seconds: f64,
    /// Seconds of the search alone, from the graph in memory to the placement, without computing
    /// metrics; null where nothing was searched.
    pub search_seconds: Option<f64>,
    /// The metrics.
    #[serde(flatten)]
    pub figures: Figures<'a>,
    /// LibTopoMap's estimate of the maximum congestion, if `--estimate` asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_congestion_estimate: Option<f64>,
    /// No placement has fewer hop-bytes than this.
    pub lower_bound: u128,
    /// Whether the lower bound is the fewest hop-bytes of all placements: proved by branch and
    /// bound.
    pub lower_bound_is_optimum: bool,
    /// Hop-bytes above the lower bound, relative to it; null if the bound is 0 and the hop-bytes
    /// are not.
    pub gap: Option<f64>,
    /// The largest share of the hop-bytes that another placement could save: 1 - lower_bound /
    /// hop_bytes.
    pub still_to_gain: f64,
    /// No placement has a lower `max_congestion` than this.
    pub congestion_lower_bound: f64,
    /// The argument behind that bound: `host links` or `hop-bytes`.
    pub congestion_bound_by: &'static str,
    /// The metrics of block order.
    pub baseline: Figures<'a>,
    /// The figure that was minimised, or the predicted time where nothing was.
    #[serde(skip)]
    pub minimised: Figure,
    /// The objective that was minimised; null where nothing was searched.
    pub objective: Option<&'static dyn Objective>,
    /// The effort of the search; null where nothing was searched.
    pub effort: Option<Effort>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Number of threads used.
    pub threads: usize,
    /// What each process of `--mpi` did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<Vec<Usage>>,
}

/// The metrics of one placement.
#[derive(Debug, Serialize)]
pub struct Figures<'a> {
    /// All but the predicted time.
    #[serde(flatten)]
    pub score: &'a Score,
    /// The predicted communication time.
    pub predicted_time: PredictedTime,
}

impl<'a> Figures<'a> {
    /// Combines a placement's score with `bound`, the lower bound of the predicted time of all
    /// placements.
    #[must_use]
    pub fn new(score: &'a Score, bound: &Time) -> Self {
        Self {
            predicted_time: PredictedTime::new(&score.time, bound),
            score,
        }
    }
}

impl<'a> Report<'a> {
    /// Reports on the winner of a search.
    #[must_use]
    pub fn of_selection(
        selection: &'a Selection,
        machine: &Machine,
        request: &rankfold_search::select::Request,
        cost: Cost,
    ) -> Self {
        let (candidate, solution) = selection.winner();
        Self {
            heuristic: Some(candidate.heuristic),
            refinements: solution.refined_by(),
            family: Some(candidate.family),
            pattern: &selection.pattern,
            machine: machine.topology().spec(),
            routing: machine.topology().routing(),
            ranks: solution.placement.ranks(),
            seconds: cost.seconds,
            search_seconds: Some(selection.search.as_secs_f64()),
            figures: Figures::new(&solution.score, &selection.time_bound),
            max_congestion_estimate: None,
            lower_bound: selection.lower_bound,
            lower_bound_is_optimum: selection.lower_bound_is_optimum,
            gap: gap(solution.score.hop_bytes, selection.lower_bound),
            still_to_gain: still_to_gain(solution.score.hop_bytes, selection.lower_bound),
            congestion_lower_bound: selection.congestion_bound.congestion,
            congestion_bound_by: selection.congestion_bound.which,
            baseline: Figures::new(&selection.baseline, &selection.time_bound),
            minimised: Figure {
                bound: selection.value_bound,
                is_block_order: candidate.is_block_order(),
                is_proved: selection.lower_bound_is_optimum
                    && request.objective.name() == HopBytes.name(),
                ..Figure::new(
                    selection.objective,
                    machine,
                    solution.value,
                    selection.baseline_value,
                )
            },
            objective: Some(request.objective),
            effort: Some(request.effort),
            seed: request.seed,
            threads: cost.threads,
            processes: None,
        }
    }

    /// The name of what made the placement: the heuristic and the refinements, joined by `+`. A
    /// placement read from a file is called "placement".
    #[must_use]
    pub fn maker(&self) -> String {
        let heuristic = self.heuristic.unwrap_or("placement");
        [&[heuristic], &self.refinements[..]].concat().join("+")
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// Does not fail: the fields are plain numbers and strings.
    pub fn json(&self) -> serde_json::Result<Vec<u8>> {
        pretty(self)
    }
}

/// Indented JSON with a final newline.
pub(super) fn pretty(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}

/// What it took to compute a result.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Threads used.
    pub threads: usize,
}

/// Hop-bytes above the lower bound, relative to the bound; `None` if the bound is 0 and the
/// hop-bytes are not.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
pub fn gap(hop_bytes: u128, lower_bound: u128) -> Option<f64> {
    match (hop_bytes, lower_bound) {
        (0, 0) => Some(0.0),
        (_, 0) => None,
        (found, bound) => Some((found as f64 - bound as f64) / bound as f64),
    }
}

/// The largest share of the hop-bytes that another placement could save.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
pub fn still_to_gain(hop_bytes: u128, lower_bound: u128) -> f64 {
    time::still_to_gain(hop_bytes as f64, lower_bound as f64)
}

/// The table for people: block order beside the placement.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ours, block) = (self.figures.score, self.baseline.score);
        let (time, block_time) = (&self.figures.predicted_time, &self.baseline.predicted_time);
        let routing = self.routing;
        writeln!(f, "{} on {}", counted(self.ranks, "rank"), self.machine)?;
        writeln!(f, "{:26} {:>16} {:>16}", "", "block order", self.maker())?;
        let minimised = &self.minimised;
        let mut in_table = minimised.value.max(minimised.block) <= 0.0;
        let mut row = |label: &str, block: &dyn fmt::Display, ours: &dyn fmt::Display| {
            in_table |= label.starts_with(minimised.name);
            writeln!(f, "{label:26} {block:>16} {ours:>16}")
        };
        for ((label, ours), (_, block)) in time.rows().into_iter().zip(block_time.rows()) {
            if ours.max(block) > 0.0 {
                let in_words = |value| printed_time(value, time.unit);
                row(&label, &in_words(block), &in_words(ours))?;
            }
        }
        row("hop-bytes", &block.hop_bytes, &ours.hop_bytes)?;
        let mut real = |label: &str, block: f64, ours: f64| {
            row(label, &format!("{block:.4}"), &format!("{ours:.4}"))
        };
        real("hops per byte", block.hops_per_byte, ours.hops_per_byte)?;
        real("average dilation", block.avg_dilation, ours.avg_dilation)?;
        real(
            "maximum dilation",
            block.max_dilation.into(),
            ours.max_dilation.into(),
        )?;
        real(
            &format!("max congestion ({routing})"),
            block.max_congestion,
            ours.max_congestion,
        )?;
        if let (Some(block), Some(ours)) = (block.max_congestion_amp, ours.max_congestion_amp) {
            real("max congestion (amp)", block, ours)?;
        }
        real("non-zero average", block.nz_avg, ours.nz_avg)?;
        real("non-zero variance", block.nz_var, ours.nz_var)?;
        real("hybrid", block.hybrid, ours.hybrid)?;
        if block.inner_levels.max(ours.inner_levels) > 0 {
            row(
                "levels inside nodes",
                &block.inner_levels,
                &ours.inner_levels,
            )?;
        }
        if !in_table {
            let [block, ours] = &minimised.printed;
            writeln!(f, "{:26} {block:>16} {ours:>16}", minimised.name)?;
        }
        if let Some(estimate) = self.max_congestion_estimate {
            writeln!(
                f,
                "max congestion (estimate)  {:>33}",
                format!("{estimate:.4}")
            )?;
        }
        let bound = printed_time(time.lower_bound, time.unit);
        let still_of_time = still(time.total, time.lower_bound);
        writeln!(f, "lower bound of time        {bound:>33}  {still_of_time}")?;
        let bound = self.lower_bound;
        let still_of_hops = still(ours.hop_bytes as f64, bound as f64);
        let proof = if self.lower_bound_is_optimum {
            " (the optimum, by branch and bound)"
        } else {
            ""
        };
        writeln!(
            f,
            "lower bound of hop-bytes   {bound:>33}  {still_of_hops}{proof}"
        )?;
        let (bound, by) = (self.congestion_lower_bound, self.congestion_bound_by);
        let still_of_links = still(ours.max_congestion, bound);
        writeln!(
            f,
            "lower bound of max congestion {bound:>31.4}  {still_of_links} (by {by})"
        )?;
        if let Some(verdict) = verdict(minimised) {
            writeln!(f, "{verdict}")?;
        }
        if time.unit == Unit::BytesOverOneLink {
            writeln!(
                f,
                "times are bytes over one link: the machine gives no bandwidth in bytes per second"
            )?;
        }
        match block_time.nothing_at_stake() {
            Some(sentence) => writeln!(f, "{sentence}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_relative_to_the_bound() {
        assert_eq!(gap(150, 100), Some(0.5));
        assert_eq!(gap(0, 0), Some(0.0));
        assert_eq!(gap(7, 0), None);
    }
}
