//! `rankfold map`: finds a placement for a communication graph, and writes it as a mapfile.

use super::input::{InputArgs, RunInput};
use super::options::{MachineArgs, SearchArgs, mapfile_formats};
use super::report::Report;
use super::search::search_together;
use super::tasks::{TaskArgs, Tasks};
use super::weights::Weights;
use super::{explain, heat, launched, memory, metrics_table, output, terminal, write_mapfile};
use crate::error::Error;
use crate::parallel::{self, ReportedElsewhere};
use rankfold_assess::{Case, Constraints, Rule, Unit};
use rankfold_base::Rank;
use rankfold_certificate as certificate;
use rankfold_machine::Machine;
use rankfold_mapfile::{self as mapfile, MapfileError, MapfileFormat};
use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;

/// What a certificate is a proof of.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Certified {
    /// no placement has fewer hop-bytes than the bound
    HopBytes,
    /// no placement has a busiest link of a lower congestion than the bound by cuts of the machine
    BusiestLink,
}

const EXAMPLES: &str = "\
Examples:
  rankfold map app.rfp --machine torus:4x4x4 --cores 16 --hosts hosts --to openmpi5 -o app.map
  rankfold map app.rfp --machine site.toml --hosts $SLURM_JOB_NODELIST --to slurm -o app.map --explain
  rankfold map matrix.mtx --machine dragonfly:4,8,4,33 --effort best --json figures.json > placement";

/// `rankfold map`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, mut_arg("stay", |stay| stay.alias("keep")))]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    tasks: TaskArgs,
    #[command(flatten)]
    search: SearchArgs,
    /// Format of the mapfile (all: rankfold help mapfiles) [default: nodes; with --imbalance,
    /// partition]
    #[arg(long, value_name = "FORMAT", value_parser = mapfile_formats(), hide_possible_values = true)]
    to: Option<String>,
    /// Where to write the mapfile; the figures then go to stdout [default: the mapfile goes to
    /// stdout]
    #[arg(short, long, value_name = "MAPFILE")]
    output: Option<PathBuf>,
    /// The node of every rank as the ranks have started, a number a line: the mapfile keeps rank 0
    /// on its node, and is not predicted to be slower than this order
    #[arg(long, value_name = "FILE", hide = true)]
    started: Option<PathBuf>,
    /// Where to write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Where to write a proof of a lower bound that the placement is compared with, for rankfold
    /// check
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// What the certificate is a proof of
    #[arg(
        long,
        value_name = "FIGURE",
        requires = "certificate",
        default_value = "hop-bytes"
    )]
    certificate_of: Certified,
    /// Print every figure of the placement and of block order (on stderr if the mapfile goes to
    /// stdout)
    #[arg(long)]
    metrics: bool,
    /// Print every figure, every candidate and why the winner won (on stderr if the mapfile goes to
    /// stdout)
    #[arg(long)]
    explain: bool,
    /// Search with all processes that mpirun started: mpirun -n P rankfold-map map --mpi ...; the
    /// result is the same as with one process
    #[arg(long, conflicts_with_all = ["start", "constraints"])]
    mpi: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let processes = parallel::processes(args.mpi)?;
    let ranks = |run: &RunInput| run.graph.ranks();
    let (input, machine) = parallel::shared(&*processes, &args.machine, ranks, || read(args))?;
    let is_first = processes.me() == 0;
    let request = args.search.request();
    let format = format(args)?;
    let sizes = args.search.constraints.weights.sizes(&input.graph)?;
    let tasks = args.tasks.of(&sizes, input.graph.ranks(), &machine)?;
    let machine = tasks.as_ref().map_or(machine, Tasks::room);
    // The search takes the graph. The heat map and trees of switches need a copy.
    let is_drawn = is_first && args.output.is_some() && heat::is_shown();
    let is_divided = tasks.as_ref().is_some_and(Tasks::are_divided);
    let is_kept = is_drawn || is_first && (is_divided || machine.is_tree_of_switches());
    let kept = is_kept.then(|| input.graph.clone());
    let affinity = args.certificate.is_some().then(|| input.graph.affinity());
    let rules = tasks.as_ref().map(|tasks| tasks.rules(input.graph.ranks()));
    let rules = rules.unwrap_or_default();
    let case = case(args, format, input, &machine, &rules)?;
    let unit = case.unit;
    let found = search_together(&args.search, case, &request, &*processes);
    if !is_first && found.is_err() {
        return Err(ReportedElsewhere.into());
    }
    let (selection, cost) = found?;
    let usage = processes.usage();
    if !is_first {
        return Ok(());
    }
    if let Unit::Hosts(each) = unit {
        terminal::note(format_args!(
            "{} holds an order of hosts: {each} ranks in a row stay on one host",
            format.name()
        ));
    }
    let report = Report {
        processes: usage,
        ..Report::of_selection(&selection, &machine, &request, cost)
    };
    let placement = selection.winner().1.placement();
    let report = match &kept {
        Some(graph) => report.assuming(graph, &machine, &selection),
        None => report,
    };
    if let Some(note) = memory::note(&machine, placement) {
        terminal::note(note);
    }
    let (mapfile, parts) = match &tasks {
        None => {
            let wide = sizes.machine_of(placement, &machine);
            let mapfile = format.write(placement, &wide).map_err(Error::from)?;
            (mapfile, None)
        }
        Some(tasks) => {
            let nodes = placement.nodes(machine.slots());
            let parts = tasks.parts(kept.as_ref(), &nodes)?;
            (tasks.write(format, &parts)?, Some(tasks.evenness(&parts)))
        }
    };
    let report = Report {
        parts,
        weights: Weights::of(&sizes, placement.ranks()),
        ..report
    };
    if let (Some(path), Some(affinity)) = (&args.certificate, &affinity) {
        let text = match args.certificate_of {
            Certified::HopBytes => {
                let effort = request.bound_effort();
                certificate::certificate(affinity, &machine, placement, effort)
            }
            Certified::BusiestLink => {
                certificate::busiest_link_certificate(affinity, &machine, placement)
            }
        };
        output::write(path, text.map_err(Error::from)?.as_bytes())?;
    }
    if let Some(path) = &args.json {
        output::write(path, &report.json()?)?;
    }
    let mut details = String::new();
    if args.metrics || args.explain {
        details = format!("\n{}", metrics_table::table(&report));
    }
    if args.explain {
        details += &format!("\n{}", explain::table(&selection, &report, &machine));
    }
    if let Some(path) = &args.output {
        let launch = write_mapfile::write(&mapfile, path)?;
        let mut out = output::beside(args.json.as_deref());
        write!(out, "{report}{launch}{details}")?;
        if let Some(graph) = kept.as_ref().filter(|_| is_drawn) {
            heat::show_placed(graph, placement, &report.maker_in_words());
        }
    } else {
        write_mapfile::to_stdout(format, &mapfile)?;
        match report.parts {
            _ if !details.is_empty() => eprint!("{report}{details}"),
            Some(parts) => eprint!("{parts}"),
            None => {}
        }
    }
    Ok(())
}

/// The format that is written.
fn format(args: &Args) -> Result<&'static dyn MapfileFormat, Error> {
    Ok(mapfile::format(args.tasks.format(args.to.as_deref())?)?)
}

/// What is searched for: an order of hosts where the mapfile holds nothing else, and a placement
/// that keeps rank 0 where it has started, and the seats of ranks of every weight, where the ranks
/// have started already.
fn case<'a>(
    args: &Args,
    format: &dyn MapfileFormat,
    RunInput { graph, hosts }: RunInput,
    machine: &'a Machine,
    rules: &[Rule],
) -> anyhow::Result<Case<'a>> {
    let ranks = graph.ranks();
    let weights = &args.search.constraints.weights;
    let case = Case::owning(Cow::Owned(graph), machine);
    let Some(file) = &args.started else {
        let unit = if format.holds_host_order() {
            Unit::hosts_of(machine)
        } else {
            Unit::Ranks
        };
        let case = case.launched(launched::placement(&hosts, machine));
        return Ok(weights.apply_with(case.moving(unit), rules)?);
    };
    let nodes = super::mapfile::from(Some("nodes"))?;
    let seats = mapfile::read(file, nodes).map_err(Error::from)?;
    let name = file.to_string_lossy();
    let started = mapfile::placement(&seats, machine, ranks, &name).map_err(Error::from)?;
    let sizes = weights.sizes(&case.graph)?;
    let kinds: Vec<u32> = (0..ranks).map(|rank| sizes.of(Rank::at(rank))).collect();
    let constraints = Constraints::in_seats_of(&started, machine, &kinds, true);
    Ok(case.launched(Some(started)).keeping(constraints))
}

/// Reads the input, after checking everything that can be checked before the search.
fn read(args: &Args) -> anyhow::Result<(RunInput, Machine)> {
    let format = format(args)?;
    let machine = args.machine.build()?;
    if format.needs_hosts() && machine.hosts().is_none() {
        let format = format.name();
        return Err(Error::from(MapfileError::NeedsHosts { format }).into());
    }
    if args.output.is_none() && args.json.as_deref().is_some_and(output::is_stdout) {
        return Err(Error::Flag {
            flag: "--json",
            value: "-".into(),
            problem: "the mapfile goes to standard output too: name a file for it by -o".into(),
        }
        .into());
    }
    let results = args
        .output
        .iter()
        .chain(&args.json)
        .chain(&args.certificate);
    output::check_all(results, args.input.files().chain(args.machine.files()))?;
    if args.certificate.is_some() {
        certificate::check_applies(&machine).map_err(Error::from)?;
    }
    write_mapfile::check(format, args.output.as_deref())?;
    let RunInput { graph, hosts } = args.input.run()?;
    let graph = args.search.exchange.of(graph);
    Ok((RunInput { graph, hosts }, machine))
}
