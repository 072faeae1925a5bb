//! The winner where a part of the machine is assumed.
//!
//! * Where nobody told the capacities of the links between switches, placements within
//!   [`NEARLY_EQUAL`] of the best are told apart by what they cost should these links be narrow:
//!   the load of the busiest of them.
//! * Where nobody told capacities, whether routes adapt, or how links are shared, block order is
//!   left only for a placement that is no slower than block order on any other machine that fits,
//!   and by [`FIXED`] at most for any number of cables of which bytes take one by a fixed rule.
//!
//! `scripts/bench machines --every 12` judges the winners of 48 searches on six machines whose
//! capacities the searches do not know. In the geometric mean, a winner takes 0.934 times as long
//! as block order. No winner is slower than block order. 41 winners are within 1 % of the best
//! placement that four objectives give.

use super::choice::too_little;
use super::outcome::{Candidate, Solution};
use rankfold_assess::Assessor;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::{HostsBelow, Machine};
use rankfold_metric as metric;
use rankfold_metric::replay::MOST_WORK;
use rankfold_metric::time::{Predictor, Time, TimeModel};
use rankfold_problem::objective::Objective;
use std::cell::OnceCell;

/// The share by which values differ that are told apart by narrow links.
const NEARLY_EQUAL: f64 = 0.01;

/// Times differ by less through rounding.
const ROUNDING: f64 = 1e-9;

/// The share by which a placement may be slower with fixed routes, where nobody told the cables.
const FIXED: f64 = 0.05;

/// A machine that fits what was told.
struct Fitting {
    machine: Machine,
    /// Switches by level, where they may have any number of cables.
    switches: Option<Vec<Vec<HostsBelow>>>,
}

impl Fitting {
    fn new(machine: Machine) -> Self {
        Self {
            switches: machine.switches_with_unknown_cables(),
            machine,
        }
    }

    fn model<'a>(&'a self, graph: &'a CommGraph) -> TimeModel<'a> {
        TimeModel::new(graph, &self.machine, graph.exchange())
    }
}

/// What nobody told of a machine, where the time of placements is minimised.
pub(super) struct Doubts<'a> {
    graph: &'a CommGraph,
    machine: &'a Machine,
    pub(super) objective: &'a dyn Objective,
    /// The work of each replay on a machine of other shares.
    most_work: u64,
    /// The machine, and others.
    fitting: OnceCell<Vec<Fitting>>,
    other_sharing: OnceCell<Option<Machine>>,
}

impl<'a> Doubts<'a> {
    /// The doubts of a search for placements of `graph`.
    pub(super) fn of(
        graph: &'a CommGraph,
        machine: &'a Machine,
        objective: &'a dyn Objective,
    ) -> Self {
        Self {
            graph,
            machine,
            objective,
            most_work: MOST_WORK,
            fitting: OnceCell::new(),
            other_sharing: OnceCell::new(),
        }
    }

    /// The same with other work for each replay.
    pub(super) fn replaying_within(self, most_work: u64) -> Self {
        Self { most_work, ..self }
    }

    /// Whether capacities are assumed, and times depend on them.
    fn are_on_capacities(&self) -> bool {
        self.objective.is_predicted_time() && self.machine.assumes_capacities()
    }

    /// The index of the winner among candidates that may win, the best first. The first candidate
    /// of all stays where no other one is a gain beyond doubt.
    pub(super) fn winner(&self, candidates: &[Candidate], ranked: Vec<usize>) -> usize {
        let Some(stay) = stay(candidates) else {
            return ranked.first().copied().unwrap_or(0);
        };
        let wins = |number: &usize| {
            let solution = candidates[*number].outcome.as_ref();
            let is_gain = |it: &Solution| self.is_gain(it, stay) && self.hold_for(it, stay);
            *number == 0 || solution.is_ok_and(is_gain)
        };
        let ordered = self.ordered(candidates, ranked, stay);
        ordered.into_iter().find(wins).unwrap_or(0)
    }

    /// Candidates in the order in which they may win, from one in which the best comes first: those
    /// that are nearly as good as the best, and no worse than the placement that stays, by the load
    /// of their links between switches; then all others.
    pub(super) fn ordered(
        &self,
        candidates: &[Candidate],
        ranked: Vec<usize>,
        stay: &Solution,
    ) -> Vec<usize> {
        if !self.are_on_capacities() {
            return ranked;
        }
        let of = |number: usize| candidates[number].outcome.as_ref().ok();
        let value = |number: usize| of(number).map_or(f64::INFINITY, |it| it.value);
        let best = ranked.first().map_or(0.0, |&number| value(number));
        let most = (best * (1.0 + NEARLY_EQUAL)).min(stay.value * (1.0 + ROUNDING));
        let is_near = |number: &&usize| {
            let solution = of(**number);
            solution.is_some_and(|it| it.is_finalist && it.value <= most)
        };
        let near = ranked.iter().take_while(is_near).count();
        let (near, rest) = ranked.split_at(near);
        let mut near: Vec<(f64, usize)> = near
            .iter()
            .filter_map(|&number| Some((self.between_switches(of(number)?), number)))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let near = near.into_iter().map(|(_, number)| number);
        near.chain(rest.iter().copied()).collect()
    }

    /// Whether a placement saves enough to take the place of the one that stays: time, or, where it
    /// takes no more of it and keeps no link busier, load of links whose capacities nobody told.
    pub(super) fn is_gain(&self, solution: &Solution, stay: &Solution) -> bool {
        let unloads = || {
            let [own, before] = [solution, stay].map(|it| self.between_switches(it));
            let links = [solution, stay].map(|it| busiest(it.assessment().time()));
            is_no_slower([solution.value, stay.value])
                && is_no_slower(links)
                && !too_little(own, before, self.objective)
        };
        !too_little(solution.value, stay.value, self.objective)
            || self.are_on_capacities() && unloads()
    }

    fn between_switches(&self, solution: &Solution) -> f64 {
        metric::congestion_between_switches(self.graph, self.machine, solution.placement())
    }

    /// Whether a placement is no slower than the one that stays on every machine that fits what was
    /// told.
    pub(super) fn hold_for(&self, solution: &Solution, stay: &Solution) -> bool {
        let placements = [solution, stay].map(Solution::placement);
        self.hold_by_formula(placements)
            && (solution.assessment().replay().is_none() || self.hold_by_sharing(placements))
    }

    /// Whether the first of two placements is no slower by the formula `T` on every machine of
    /// other routes or capacities that fits what was told.
    pub(super) fn hold_by_formula(&self, both: [&Placement; 2]) -> bool {
        if !self.objective.is_predicted_time() {
            return true;
        }
        let holds_on = |it: &Fitting| {
            let model = it.model(self.graph);
            let times = both.map(|placement| model.time(placement));
            is_no_slower(times.each_ref().map(busiest))
                && is_no_slower(times.each_ref().map(Time::formula))
        };
        let fitting = self.fitting();
        // All links but the cables are as wide as the machine has them.
        let taken = fitting[0].model(self.graph);
        let holds_by_cables = |it: &Fitting| {
            let Some(switches) = &it.switches else {
                return true;
            };
            let [own, before] = both.map(|it| taken.times_by_cables(it, switches));
            let mut times = own.iter().zip(before);
            times.all(|(own, before)| *own <= before * (1.0 + FIXED))
        };
        fitting[1..].iter().all(holds_on) && fitting.iter().all(holds_by_cables)
    }

    /// The machine, and others of other routes or capacities that fit what was told.
    fn fitting(&self) -> &[Fitting] {
        self.fitting.get_or_init(|| {
            let others = self.machine.others_that_fit().into_iter();
            let all = std::iter::once(self.machine.clone()).chain(others);
            all.map(Fitting::new).collect()
        })
    }

    /// Whether the first of two placements is no slower by replays with equal shares of links,
    /// where nobody told how they are shared.
    fn hold_by_sharing(&self, both: [&Placement; 2]) -> bool {
        let other = || self.machine.with_other_sharing();
        let Some(machine) = self.other_sharing.get_or_init(other) else {
            return true;
        };
        let assessor = Assessor::on(self.graph, machine).replaying_within(self.most_work);
        let (assessed, predicted) = assessor.assess(&both);
        predicted.predictor() == Predictor::T
            || is_no_slower([&assessed[0], &assessed[1]].map(|it| it.time().total()))
    }
}

/// What stays where no other candidate is better, where there are others.
fn stay(candidates: &[Candidate]) -> Option<&Solution> {
    match candidates {
        [stay, _, ..] => stay.outcome.as_ref().ok(),
        _ => None,
    }
}

/// How long the busiest link or rank takes, with latencies.
fn busiest(time: &Time) -> f64 {
    time.busiest_link.max(time.overhead) + time.latency
}

fn is_no_slower([own, before]: [f64; 2]) -> bool {
    own <= before * (1.0 + ROUNDING)
}
