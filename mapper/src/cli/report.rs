//! The figures of a placement that `map` and `eval` report: as JSON, and as a table with a verdict.

use super::assumed::AssumedCapacities;
use super::document::{self, Document};
use super::other_hosts::OtherHosts;
use super::parts::Parts;
use super::predicted::PredictedTime;
use super::verdict::{ComparedWith, Figure, both, gap, still_to_gain_in_words};
use super::weights::Weights;
use crate::parallel::Usage;
use rankfold_assess::{Assessment, Bounds, Saving, saved};
use rankfold_base::words::counted;
use rankfold_graph::CommGraph;
use rankfold_machine::{Machine, Routing, Unit};
use rankfold_metric::time::Predictor;
use rankfold_metric::{Score, time};
use rankfold_pattern::Pattern;
use rankfold_problem::heuristic::{Effort, Family};
use rankfold_problem::objective::{self, HopBytes, Objective};
use rankfold_search::select::{Selection, name_in_words};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The figures of one placement. The field names are the keys of `--json` and never change meaning.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report<'a> {
    /// The heuristic that made the placement; null for a placement read from a file.
    pub heuristic: Option<&'static str>,
    /// The refinements that moved at least one rank.
    pub refinements: Vec<&'static str>,
    /// The family of the heuristic; null for a placement read from a file.
    pub family: Option<Family>,
    /// The communication pattern of the program.
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
    /// hop_bytes. The shares of other figures are `congestion_still_to_gain` and
    /// `predicted_time.still_to_gain`.
    pub still_to_gain: f64,
    /// No placement has a lower `max_congestion` than this.
    pub congestion_lower_bound: f64,
    /// The largest share of `max_congestion` that another placement could save: 1 -
    /// congestion_lower_bound / max_congestion.
    pub congestion_still_to_gain: f64,
    /// The argument behind that bound: `host links`, `hop-bytes`, `one message` or `cuts`.
    pub congestion_bound_by: &'static str,
    /// The metrics of block order.
    #[serde(rename = "baseline")]
    pub block: Figures<'a>,
    /// The metrics of the placement that the launcher made, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launched: Option<Figures<'a>>,
    /// The figure that was minimised, or the predicted time where nothing was.
    #[serde(skip)]
    pub minimised: Figure,
    /// The predicted time.
    #[serde(skip)]
    pub time: Figure,
    /// The objective that was minimised; null where nothing was searched.
    #[schemars(with = "Option<String>")]
    pub objective: Option<&'static dyn Objective>,
    /// The effort of the search; null where nothing was searched.
    pub effort: Option<Effort>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Number of threads used.
    pub threads: usize,
    /// Capacities that nobody told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<AssumedCapacities>,
    /// What other hosts would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_hosts: Option<OtherHosts>,
    /// How even the parts are, where tasks are placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    /// The slots that ranks take, where some take several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// What each process of `--mpi` did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<Vec<Usage>>,
}

/// The metrics of one placement.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Figures<'a> {
    /// All metrics but the predicted time.
    #[serde(flatten)]
    pub score: &'a Score,
    /// The predicted communication time.
    pub predicted_time: PredictedTime,
}

impl<'a> Figures<'a> {
    /// The figures of a placement, and how near they are to what no placement is below.
    #[must_use]
    pub fn new(assessment: &'a Assessment, bounds: &Bounds) -> Self {
        Self {
            predicted_time: PredictedTime::new(assessment.time(), &bounds.time),
            score: assessment.score(),
        }
    }
}

/// A placement, and what it is compared with, assessed together.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// Block order.
    pub block: &'a Assessment,
    /// Where the launcher put the ranks, if that is known.
    pub launched: Option<&'a Assessment>,
    /// The placement that the report is about.
    pub mapped: &'a Assessment,
    /// What no placement is below.
    pub bounds: &'a Bounds,
}

impl<'a> Compared<'a> {
    fn with(&self) -> ComparedWith {
        match self.launched {
            Some(_) => ComparedWith::Launched,
            None => ComparedWith::Block,
        }
    }

    /// The predicted time of the placement, beside that of the launch or of block order.
    fn time(&self, machine: &Machine) -> Figure {
        let reference = self.launched.unwrap_or(self.block).time();
        let totals = [reference.total(), self.mapped.time().total()];
        let bound = self.bounds.time_by(self.mapped.time().predictor());
        Figure::new(&objective::Time, machine, self.with(), totals, Some(bound))
    }

    /// Whether the placement is that of the launch: every rank is on the same node.
    fn is_launched(&self, machine: &Machine) -> bool {
        let nodes = |assessment: &Assessment| assessment.placement().nodes(machine.slots());
        let launched = self.launched;
        launched.is_some_and(|launched| nodes(launched) == nodes(self.mapped))
    }
}

impl<'a> Report<'a> {
    /// Reports on a placement that nothing was searched for.
    #[must_use]
    pub fn new(
        compared: Compared<'a>,
        machine: &Machine,
        pattern: &'a Pattern,
        cost: Cost,
    ) -> Self {
        let Compared {
            block,
            launched,
            mapped,
            bounds,
        } = compared;
        let score = mapped.score();
        let congestion = bounds.congestion;
        let time = || Figure {
            is_unchanged: compared.is_launched(machine),
            ..compared.time(machine)
        };
        Self {
            heuristic: None,
            refinements: Vec::new(),
            family: None,
            pattern,
            machine: machine.topology().spec(),
            routing: machine.topology().routing(),
            ranks: mapped.placement().ranks(),
            seconds: cost.seconds,
            search_seconds: None,
            figures: Figures::new(mapped, bounds),
            max_congestion_estimate: None,
            lower_bound: bounds.hop_bytes,
            lower_bound_is_optimum: bounds.is_optimum,
            gap: gap(score.hop_bytes, bounds.hop_bytes),
            still_to_gain: still_to_gain(score.hop_bytes, bounds.hop_bytes),
            congestion_lower_bound: congestion.congestion,
            congestion_still_to_gain: time::still_to_gain(
                score.max_congestion,
                congestion.congestion,
            ),
            congestion_bound_by: congestion.which,
            block: Figures::new(block, bounds),
            launched: launched.map(|launched| Figures::new(launched, bounds)),
            minimised: time(),
            time: time(),
            objective: None,
            effort: None,
            seed: 0,
            threads: cost.threads,
            assumed: None,
            other_hosts: None,
            parts: None,
            weights: None,
            processes: None,
        }
    }

    /// Reports on the winner of a search.
    #[must_use]
    pub fn of_selection(
        selection: &'a Selection,
        machine: &Machine,
        request: &rankfold_search::select::Request,
        cost: Cost,
    ) -> Self {
        let (candidate, solution) = selection.winner();
        let launched = selection.launched.as_ref();
        let compared = Compared {
            block: &selection.block.assessment,
            launched: launched.map(|launched| &launched.assessment),
            mapped: solution.assessment(),
            bounds: &selection.bounds,
        };
        let report = Self::new(compared, machine, &selection.pattern, cost);
        let is_unchanged = match launched {
            Some(_) => report.time.is_unchanged,
            None => candidate.is_block_order(),
        };
        let reference = launched.unwrap_or(&selection.block).value;
        let values = [reference, solution.value];
        let objective = selection.objective;
        let bound = selection.value_bound;
        Self {
            heuristic: Some(candidate.heuristic),
            refinements: solution.refined_by(),
            family: Some(candidate.family),
            search_seconds: Some(selection.search.as_secs_f64()),
            minimised: Figure {
                is_unchanged,
                is_proved: selection.bounds.is_optimum && objective.name() == HopBytes.name(),
                ..Figure::new(objective, machine, compared.with(), values, bound)
            },
            time: Figure {
                is_unchanged,
                ..report.time
            },
            objective: Some(request.objective),
            effort: Some(request.effort),
            seed: request.seed,
            ..report
        }
    }

    /// The same with what nobody told of the machine, and what other hosts would change.
    #[must_use]
    pub fn assuming(self, graph: &CommGraph, machine: &Machine, selection: &Selection) -> Self {
        let placement = selection.winner().1.placement();
        Self {
            other_hosts: OtherHosts::of(graph, machine, placement),
            ..self.resting_on(selection.saving(graph, machine).as_ref())
        }
    }

    /// The same with what nobody told of the machine: no more is promised than what is saved for
    /// sure.
    #[must_use]
    pub fn resting_on(mut self, saving: Option<&Saving>) -> Self {
        let Some(saving) = saving else { return self };
        let time = self.time.name;
        let saved = saved([self.time.reference, self.time.value]);
        for figure in [&mut self.minimised, &mut self.time] {
            figure.promised = (figure.name == time).then(|| saving.promised(saved));
        }
        let assumed = AssumedCapacities::of(saving, saved);
        Self {
            assumed: Some(assumed),
            ..self
        }
    }

    /// Lines on what nobody told of the machine, and on what other hosts would change.
    #[must_use]
    pub fn what_to_know(&self) -> String {
        let assumed = self.assumed.iter().map(ToString::to_string);
        let other = self.other_hosts.iter().map(ToString::to_string);
        assumed.chain(other).collect()
    }

    /// The name of what made the placement: the heuristic and the refinements, joined by `+`. A
    /// placement read from a file is called "placement".
    #[must_use]
    pub fn maker(&self) -> String {
        let heuristic = self.heuristic.unwrap_or("placement");
        [&[heuristic], &self.refinements[..]].concat().join("+")
    }

    /// The same for people: `gray` is "gray (code)".
    #[must_use]
    pub fn maker_in_words(&self) -> String {
        name_in_words(&self.maker())
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// Does not fail: the fields are plain numbers and strings.
    pub fn json(&self) -> serde_json::Result<Vec<u8>> {
        document::text(self)
    }
}

impl Document for Report<'_> {
    const NAME: &'static str = "figures";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "map and eval: the figures of a placement and of block order";
}

/// What it took to compute a result.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Threads used.
    pub threads: usize,
}

/// The largest share of the hop-bytes that another placement could save.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
pub fn still_to_gain(hop_bytes: u128, lower_bound: u128) -> f64 {
    time::still_to_gain(hop_bytes as f64, lower_bound as f64)
}

/// The lines for people: the time of the reference and of the placement, what is still to gain, and
/// where the time goes. A figure other than the time that was minimised comes first.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ranks, machine) = (counted(self.ranks, "rank"), &self.machine);
        write!(f, "{ranks} on {machine}")?;
        if self.heuristic.is_some() {
            write!(f, ", placed by {}", self.maker_in_words())?;
        }
        writeln!(f)?;
        let mut line = |label: &str, text: &str| writeln!(f, "{label:16}{text}");
        let (minimised, time) = (&self.minimised, &self.time);
        if minimised.name != time.name {
            line(minimised.name, &both(minimised))?;
        }
        let by = match self.figures.predicted_time.predicted_by {
            Predictor::Replay => " (replay)",
            Predictor::T => " (formula)",
        };
        let turns = self.figures.predicted_time.turns;
        line(time.name, &format!("{}{by}", both(time)))?;
        if let Some(still) = still_to_gain_in_words(minimised) {
            line("still to gain", &still)?;
        }
        if let Some(parts) = self.figures.predicted_time.where_it_goes() {
            line("where it goes", &parts)?;
        }
        if turns > 1 && !by.is_empty() {
            writeln!(f, "messages are exchanged in {turns} turns")?;
        }
        if self.figures.predicted_time.unit == Unit::BytesOverOneLink {
            writeln!(
                f,
                "times are bytes over one link: the machine gives no bandwidth in bytes per second"
            )?;
        }
        f.write_str(&self.what_to_know())?;
        let reference = self.launched.as_ref().unwrap_or(&self.block);
        let time = reference
            .predicted_time
            .nothing_at_stake(time.compared_with);
        time.map_or(Ok(()), |sentence| writeln!(f, "{sentence}"))?;
        self.parts.iter().try_for_each(|parts| parts.fmt(f))
    }
}
