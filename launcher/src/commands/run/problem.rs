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
    /// The kind of every rank: ranks change places with ranks of their kind. Empty where only the
    /// order of hosts is free.
    kinds: Vec<(u32, u32)>,
    /// Whether rank 0 stays where the launcher starts it: a scheduler chooses the hosts, so that
    /// ranks are renumbered once they have started.
    keeps_rank_0: bool,
}

impl Problem {
    /// What is searched for.
    pub(super) fn case(&self) -> Case<'_> {
        let machine = &self.machine.machine;
        let (launched, kinds) = (&self.launched, &self.kinds);
        let constraints = Constraints::in_seats_of(launched, machine, kinds, self.keeps_rank_0);
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
    let mut machine = machine(context, case, graph.ranks())?;
    let is_open = hosts_are_open(context);
    let moves_hosts = torchrun_nodes::are_started_by(context.launch);
    if moves_hosts && is_open {
        anyhow::bail!(
            "the nodes of torchrun can be ordered only where their hosts are known before the launch: inside an allocation (salloc, sbatch), or with a list of hosts"
        );
    }
    let kinds = if moves_hosts {
        Vec::new()
    } else {
        kinds(context, case.profile, &graph)?
    };
    let order = |machine: &Machine| case.launched.and_then(|it| seated(it, machine));
    let block = |machine: &Machine| machine.block_order(graph.ranks());
    if kinds.windows(2).any(|pair| pair[0] != pair[1]) {
        let launched = order(&machine.machine).unwrap_or_else(|| block(&machine.machine));
        machine.machine = with_seats(seats_alone(&machine.machine, &launched), case.profile);
    }
    let order = order(&machine.machine);
    Ok(Problem {
        kinds,
        unit: if moves_hosts {
            Unit::Hosts(case.fullest)
        } else {
            Unit::Ranks
        },
        keeps_rank_0: is_open && order.is_some(),
        launched: order.unwrap_or_else(|| block(&machine.machine)),
        graph,
        machine,
    })
}

/// The kinds of ranks: those of the launch, with the weights that the user has given.
fn kinds(
    context: &RunContext,
    profile: &Profile,
    graph: &CommGraph,
) -> anyhow::Result<Vec<(u32, u32)>> {
    let seats = LaunchedSeats::of_profile(profile);
    let chosen = seats.map(|seats| seats.chosen_cores());
    let chosen = chosen.unwrap_or_else(|| vec![0; graph.ranks()]);
    let kinds = context.launch.kinds(&chosen);
    let sizes = context.args.search.constraints.weights.sizes(graph)?;
    let with_weight = |(rank, kind)| (kind, sizes.of(Rank::at(rank)));
    Ok(kinds.into_iter().enumerate().map(with_weight).collect())
}

/// The machine with the slots alone in which a launch has put ranks: where these are not alike, no
/// other launch is made of it.
fn seats_alone(machine: &Machine, launched: &Placement) -> Machine {
    let mut seats = vec![0; machine.slots().nodes()];
    for node in launched.nodes(machine.slots()) {
        seats[node.index()] += 1;
    }
    machine.with_slots(&seats)
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
