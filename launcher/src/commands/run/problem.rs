//! What a map is made for: the communication of a program and the machine of its job. Where
//! `torchrun` is started once on each node, only the order of the hosts is free. Hosts then stand
//! for their ranks.

use super::context::RunContext;
use super::orders::seated;
use crate::discovery::{self, Capacities};
use crate::torchrun_nodes;
use rankfold_assess::{Case, Constraints, Unit};
use rankfold_base::{Placement, Rank};
use rankfold_cache::{Host, Measured};
use rankfold_console::terminal;
use rankfold_formats::rfp;
use rankfold_graph::CommGraph;
use rankfold_launch::placement::LaunchedSeats;
use rankfold_machine::Machine;
use rankfold_mapper::cli::input::collectives;
use rankfold_mapper::error::Error;
use rankfold_wire::Profile;

/// The run to make a map for.
pub(super) struct MappingCase<'a> {
    pub(super) profile: &'a Profile,
    /// The hosts that the map may use.
    pub(super) hosts: &'a [Host],
    /// The host of every rank as the launcher puts it there. Without this list, the launcher is
    /// assumed to fill one host after the other.
    pub(super) launched: Option<&'a [String]>,
    /// The most ranks that the launcher put on one host by itself.
    pub(super) fullest: u32,
    /// Whether the profile is of the first part of a run only.
    pub(super) part: bool,
    /// Whether the launch waits for the map, so that the search has to be short.
    pub(super) hurry: bool,
    /// What the profiled run has measured, where it is the run that has just ended.
    pub(super) took: Option<Measured>,
    /// What earlier runs of the program with the same arguments have measured.
    pub(super) runs: &'a [Measured],
}

/// The graph of a profile and the machine of its job.
pub(super) struct Problem {
    pub(super) graph: CommGraph,
    pub(super) machine: JobMachine,
    /// Whole hosts, where only their order is free.
    pub(super) unit: Unit,
    /// Where the launcher puts the ranks. Where the machine has no room for that, block order
    /// stands in for it.
    pub(super) launched: Placement,
    /// Whether rank 0 stays where the launcher starts it: a scheduler chooses the hosts, so that
    /// ranks are renumbered once they have started.
    keeps_rank_0: bool,
}

impl Problem {
    /// What is searched for.
    pub(super) fn case(&self) -> Case<'_> {
        let machine = &self.machine.machine;
        let constraints = if self.keeps_rank_0 {
            Constraints::on_node_of(&self.launched, machine, Rank(0))
        } else {
            Constraints::default()
        };
        Case::new(&self.graph, machine)
            .launched(Some(self.launched.clone()))
            .keeping(constraints)
            .moving(self.unit)
    }
}

/// The machine of a job.
pub(super) struct JobMachine {
    pub(super) machine: Machine,
    /// The source of the machine description, in words.
    pub(super) source: String,
    /// The digest of the machine description; empty where no source knows the network.
    pub(super) digest: String,
}

/// The graph and the machine of a case.
pub(super) fn problem(context: &RunContext, case: &MappingCase) -> anyhow::Result<Problem> {
    let collectives = collectives(context.args.collectives.as_deref());
    let (graph, notes) = rfp::graph(case.profile, collectives).map_err(Error::from)?;
    notes.iter().for_each(terminal::note);
    let graph = context.args.search.exchange.of(graph);
    let machine = machine(context, case, graph.ranks())?;
    let is_open = hosts_are_open(context);
    let moves_hosts = torchrun_nodes::are_started_by(context.launch);
    if moves_hosts && is_open {
        anyhow::bail!(
            "the nodes of torchrun can be ordered only where their hosts are known before the launch: inside an allocation (salloc, sbatch), or with a list of hosts"
        );
    }
    let order = case.launched.and_then(|it| seated(it, &machine.machine));
    Ok(Problem {
        unit: if moves_hosts {
            Unit::Hosts(case.fullest)
        } else {
            Unit::Ranks
        },
        keeps_rank_0: is_open && order.is_some(),
        launched: order.unwrap_or_else(|| machine.machine.block_order(graph.ranks())),
        graph,
        machine,
    })
}

/// Whether a batch system chooses the hosts when the job starts.
pub(super) fn hosts_are_open(context: &RunContext) -> bool {
    context.allocation.is_none() && context.launch.launcher.chooses_hosts()
}

/// The machine of a case. The source of its description is printed.
///
/// # Errors
/// The machine lacks a host or has too few slots.
pub(super) fn machine(
    context: &RunContext,
    case: &MappingCase,
    ranks: usize,
) -> anyhow::Result<JobMachine> {
    let seen = &case.profile.surroundings;
    let discovery = context.look_for_machine(&sorted_names(case.hosts), seen)?;
    discovery.notes.iter().for_each(terminal::note);
    terminal::note(discovery.found.line());
    let capacities = Capacities {
        ranks: Some(ranks),
        a_host: Some(case.fullest),
    };
    let nodes = &context.args.nodes;
    let hardware = discovery.found.hardware;
    let machine = discovery::machine(hardware, case.hosts, capacities, nodes, seen)?;
    let machine = with_seats(machine, case.profile);
    machine.check_fits(ranks).map_err(Error::from)?;
    Ok(JobMachine {
        machine,
        source: discovery.found.source,
        digest: discovery.digest,
    })
}

/// The machine with slots that are the seats of the profiled run, where these are known.
fn with_seats(machine: Machine, profile: &Profile) -> Machine {
    let (Some(launched), Some(names)) = (
        LaunchedSeats::of_profile(profile),
        machine.hosts().map(<[String]>::to_vec),
    ) else {
        return machine;
    };
    machine.with_seats(|node| launched.places_on(&names[node.index()]))
}

/// The names of hosts in an order that does not depend on the launcher, which may list the same
/// hosts differently in every job.
pub(super) fn sorted_names(hosts: &[Host]) -> Vec<String> {
    let mut names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
    names.sort_unstable();
    names
}
