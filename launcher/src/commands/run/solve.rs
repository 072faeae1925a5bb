//! From a profile and the hosts of a job to a placement, and what it is predicted to gain.

use super::args::Args;
use super::cores::{note, of_ranks};
use super::corrected::CorrectedPrediction;
use crate::cache::{Cache, Entry, Host, Predicted, cluster};
use crate::discovery::{self, Capacities, DiscoveredMachine, DiscoveryQuery};
use crate::launch::Launch;
use crate::placement::{RankCores, canonical};
use rankfold_mapper::cli::input::collectives;
use rankfold_mapper::cli::report::Report;
use rankfold_mapper::cli::search::search;
use rankfold_mapper::cli::{explain, output, terminal};
use rankfold_mapper::error::Error;
use rankfold_model::comm::rfp;
use rankfold_model::ids::{NodeId, SlotId};
use rankfold_model::placement::Placement;
use rankfold_model::{Machine, metric};
use rankfold_profile::{Profile, Surroundings};
use std::collections::HashMap;

/// What is known before anything is solved.
pub(super) struct RunContext<'a> {
    pub(super) args: &'a Args,
    pub(super) launch: &'a Launch,
    /// `None` where there is no place for one.
    pub(super) cache: Option<Cache>,
    /// The hosts of the job; `None` where nothing tells them before the launch.
    pub(super) allocation: Option<Vec<Host>>,
    pub(super) cluster: String,
}

impl<'a> RunContext<'a> {
    pub(super) fn new(args: &'a Args, launch: &'a Launch) -> anyhow::Result<Self> {
        let cache = Cache::open();
        if let Err(error) = &cache {
            eprintln!("rankfold: nothing is remembered: no cache: {error}");
        }
        let allocation = discovery::allocation(Some(launch));
        let names: Vec<String> = match &allocation {
            Some(hosts) => hosts.iter().map(|host| host.name.clone()).collect(),
            None => vec![crate::traces::host()],
        };
        Ok(Self {
            args,
            launch,
            cache: cache.ok(),
            allocation,
            cluster: cluster(&names),
        })
    }

    /// The hosts of the job for whoever is to know the machine. Where nothing tells them, the
    /// machine given is asked for none, and any other for that of this host.
    pub(super) fn hosts(&self) -> Vec<String> {
        match &self.allocation {
            Some(hosts) => hosts.iter().map(|host| host.name.clone()).collect(),
            None if self.args.machine.is_some() => Vec::new(),
            None => vec![crate::traces::host()],
        }
    }

    /// What is predicted, as far as earlier runs say how long that takes here.
    pub(super) fn corrected(&self, predicted: &Predicted) -> Option<CorrectedPrediction> {
        CorrectedPrediction::new(self.cache.as_ref(), &self.cluster, predicted)
    }
}

/// What is to be placed, and against what.
pub(super) struct MappingCase<'a> {
    pub(super) profile: &'a Profile,
    pub(super) hosts: &'a [Host],
    /// The host of every rank in the order the launcher chose; without it that is predicted to fill
    /// the hosts as they come.
    pub(super) default: Option<&'a [String]>,
    /// The most ranks that the launcher put on one host by itself.
    pub(super) a_host: u32,
    /// Whether the profile is of the first part of a run only.
    pub(super) part: bool,
    /// Whether somebody waits for the launch.
    pub(super) hurry: bool,
}

/// A placement.
pub(super) struct SolvedMap {
    /// The host of every rank.
    pub(super) hosts: Vec<String>,
    /// The cores of every rank there.
    pub(super) cores: RankCores,
    /// Who found it.
    pub(super) heuristic: String,
    /// The source of the machine.
    pub(super) machine: String,
    pub(super) predicted: Predicted,
    /// Whether it is predicted to be better than the order the launcher chooses.
    pub(super) worth: bool,
}

impl SolvedMap {
    /// Notes the map in what is remembered.
    pub(super) fn note(&self, entry: &mut Entry) {
        entry.unsolved = false;
        entry.map = self.worth.then(|| self.hosts.clone());
        note(&self.cores, entry);
        entry.heuristic.clone_from(&self.heuristic);
        entry.machine.clone_from(&self.machine);
        entry.predicted = self.predicted.clone();
        entry.dropped = None;
    }
}

/// Less than this is not worth another order of the ranks.
const LEAST_GAIN: f64 = 1.01;

/// Finds the machine, and the placement.
///
/// # Errors
/// What the options ask for does not fit.
pub(super) fn solve(context: &RunContext, case: &MappingCase) -> anyhow::Result<SolvedMap> {
    let args = context.args;
    let collectives = collectives(args.collectives.as_deref());
    let (graph, notes) = rfp::graph(case.profile, collectives).map_err(Error::from)?;
    notes.iter().for_each(terminal::note);
    let graph = args.search.exchange.of(graph);
    let ranks = graph.ranks();
    let (machine, source) = machine(context, case, ranks)?;
    let request = match case.hurry {
        true => args.search.request_before_launch(),
        false => args.search.request_between_runs(ranks),
    };
    let (selection, cost) = search(&args.search, &graph, &machine, &request)?;
    let report = Report::of_selection(&selection, &machine, &request, cost);
    let (candidate, winner) = selection.winner();
    let names = machine.hosts().unwrap_or_default();
    let nodes = winner.placement.nodes(machine.slots());
    let hosts = nodes.iter().map(|node| names[node.index()].clone());
    let order = match case.default {
        Some(order) => seated(order, &machine),
        None => filled(case.hosts, ranks, &machine),
    };
    let default = order.map_or(selection.baseline.time, |order| {
        metric::score_of_routes(&graph, &machine, &order).time
    });
    let predicted = Predicted {
        default: default.total(),
        mapped: winner.score.time.total(),
        unit: default.unit.to_string(),
        part: case.part,
    };
    tell(context, &report, &predicted, || {
        explain::table(&selection, &report)
    })?;
    let refined = winner.refined_by();
    Ok(SolvedMap {
        hosts: hosts.collect(),
        cores: of_ranks(&machine, &winner.placement, &case.profile.surroundings),
        heuristic: [&[candidate.heuristic], &refined[..]].concat().join("+"),
        machine: source,
        worth: predicted.gain() >= LEAST_GAIN,
        predicted,
    })
}

/// The figures for those who ask: as JSON, and as text.
fn tell(
    context: &RunContext,
    report: &Report,
    predicted: &Predicted,
    candidates: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    let corrected = context.corrected(predicted);
    if let Some(path) = &context.args.json {
        let mut figures: serde_json::Value = serde_json::from_slice(&report.json()?)?;
        figures["corrected"] = corrected.as_ref().map(CorrectedPrediction::json).into();
        output::write(
            path,
            &[serde_json::to_vec_pretty(&figures)?, b"\n".into()].concat(),
        )?;
    }
    if context.args.explain {
        eprint!("{report}\n{}", candidates());
        if let Some(corrected) = corrected {
            eprintln!("corrected prediction: {}", corrected.words());
        }
    }
    Ok(())
}

/// The machine of the job, and who says so.
pub(super) fn machine(
    context: &RunContext,
    case: &MappingCase,
    ranks: usize,
) -> anyhow::Result<(Machine, String)> {
    let args = context.args;
    let names: Vec<String> = case.hosts.iter().map(|host| host.name.clone()).collect();
    let found = discovered(context, &names, &case.profile.surroundings)?;
    let source = found.source.clone();
    let capacities = Capacities {
        ranks: Some(ranks),
        a_host: Some(case.a_host),
    };
    let hardware = found.hardware;
    let seen = &case.profile.surroundings;
    let machine = discovery::machine(hardware, case.hosts, capacities, &args.nodes, seen)?;
    machine.check_fits(ranks).map_err(Error::from)?;
    Ok((machine, source))
}

/// What is found of the machine with these hosts, which is told.
pub(super) fn discovered(
    context: &RunContext,
    hosts: &[String],
    seen: &[Surroundings],
) -> anyhow::Result<DiscoveredMachine> {
    let args = context.args;
    let discovered = discovery::discover(&DiscoveryQuery {
        hosts,
        machine: args.machine.as_deref(),
        nodes: &args.nodes,
        rule: args.rule.as_ref(),
        seen,
        cluster: &context.cluster,
        cache: context.cache.as_ref(),
    })?;
    for note in &discovered.notes {
        eprintln!("rankfold: {note}");
    }
    eprintln!("rankfold: {}", discovered.found.line());
    Ok(discovered.found)
}

/// Ranks on the hosts they are said to be on, in the slots there as they come; `None` where they do
/// not fit.
pub(super) fn seated(order: &[String], machine: &Machine) -> Option<Placement> {
    let names = machine.hosts()?.iter().zip(0..);
    let number: HashMap<String, u32> = names.map(|(name, node)| (canonical(name), node)).collect();
    let mut taken = vec![0; machine.slots().nodes()];
    let slots = order.iter().map(|host| {
        let node = NodeId(*number.get(&canonical(host))?);
        let slot = machine.slots().on(node).nth(taken[node.index()])?;
        taken[node.index()] += 1;
        Some(slot)
    });
    slots.collect::<Option<Vec<SlotId>>>().map(Placement::new)
}

/// Ranks on the hosts as they come, each filled before the next.
pub(super) fn filled(hosts: &[Host], ranks: usize, machine: &Machine) -> Option<Placement> {
    let names = machine.hosts()?.iter().zip(0..);
    let number: HashMap<String, u32> = names.map(|(name, node)| (canonical(name), node)).collect();
    let nodes: Option<Vec<NodeId>> = hosts
        .iter()
        .map(|host| number.get(&canonical(&host.name)).copied().map(NodeId))
        .collect();
    let slots = nodes?.into_iter().flat_map(|node| machine.slots().on(node));
    let slots: Vec<SlotId> = slots.take(ranks).collect();
    (slots.len() == ranks).then(|| Placement::new(slots))
}
