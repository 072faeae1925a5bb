//! `rankfold map`: finds a placement for a communication graph, and writes it as a mapfile.

use super::host_order::HostOrder;
use super::input::InputArgs;
use super::options::{MachineArgs, SearchArgs, mapfile_formats};
use super::report::Report;
use super::search::search_together;
use super::{as_launched, explain, heat, metrics_table, output, terminal, write_mapfile};
use crate::error::Error;
use crate::parallel::{self, ReportedElsewhere};
use rankfold_base::Placement;
use rankfold_certificate as certificate;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_mapfile::{self as mapfile, MapfileError};
use rankfold_search::refine::first_rank;
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

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
#[command(before_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    search: SearchArgs,
    /// Format of the mapfile (all: rankfold help mapfiles)
    #[arg(long, value_name = "FORMAT", value_parser = mapfile_formats(), hide_possible_values = true, default_value = "nodes")]
    to: String,
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
    #[arg(long)]
    mpi: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let processes = parallel::processes(args.mpi)?;
    let (graph, machine) = parallel::shared(&*processes, &args.machine, || read(args))?;
    let is_first = processes.me() == 0;
    let request = args.search.request();
    let ranks = graph.ranks();
    let format = mapfile::format(&args.to).map_err(Error::from)?;
    let is_host_order = format.holds_host_order() && args.started.is_none();
    let hosts = is_host_order
        .then(|| HostOrder::of(&graph, &machine))
        .flatten();
    let launched = (is_first && hosts.is_none())
        .then(|| as_launched::placement_in(args.input.path(), &machine, ranks))
        .flatten();
    // The search takes the graph. The heat map and the launch as it was need a copy.
    let is_drawn = args.output.is_some() && heat::is_shown();
    let started = args.started.as_deref();
    let started = started
        .map(|file| started_order(file, &machine, ranks))
        .transpose()?;
    let kept = (is_drawn || launched.is_some() || started.is_some()).then(|| graph.clone());
    let affinity = args.certificate.is_some().then(|| graph.affinity());
    let (searched, on) = match &hosts {
        Some(hosts) => (Cow::Borrowed(&hosts.graph), &hosts.machine),
        None => (Cow::Owned(graph), &machine),
    };
    let found = search_together(&args.search, searched, on, &request, &*processes);
    if !is_first && found.is_err() {
        return Err(ReportedElsewhere.into());
    }
    let (selection, cost) = found?;
    let usage = processes.usage();
    if !is_first {
        return Ok(());
    }
    let mut report = Report {
        processes: usage,
        ranks,
        ..Report::of_selection(&selection, on, &request, cost)
    };
    let (_, winner) = selection.winner();
    let found = match &hosts {
        Some(hosts) => {
            terminal::note(hosts.note(format.name()));
            Cow::Owned(hosts.of_ranks(&winner.placement, &machine))
        }
        None => Cow::Borrowed(&winner.placement),
    };
    let launched = launched.zip(kept.as_ref()).map(|(placement, graph)| {
        as_launched::Launched::new(&selection, graph, &machine, &placement)
    });
    if let Some(launched) = &launched {
        report = report.beside(launched, &selection, &machine);
    }
    let started = started.as_ref().zip(kept.as_ref());
    let placement = started.map_or(Cow::Borrowed(&*found), |(started, graph)| {
        Cow::Owned(first_rank::keep(graph, &machine, &found, started))
    });
    let mapfile = format.write(&placement, &machine).map_err(Error::from)?;
    if let (Some(path), Some(affinity)) = (&args.certificate, &affinity) {
        let text = match args.certificate_of {
            Certified::HopBytes => {
                let effort = request.bound_effort();
                certificate::certificate(affinity, &machine, &found, effort)
            }
            Certified::BusiestLink => {
                certificate::busiest_link_certificate(affinity, &machine, &found)
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
        details += &format!("\n{}", explain::table(&selection, &report, on));
    }
    if let Some(path) = &args.output {
        let launch = write_mapfile::write(&mapfile, path)?;
        write!(std::io::stdout(), "{report}{launch}{details}")?;
        if let Some(graph) = kept.as_ref().filter(|_| is_drawn) {
            heat::show_placed(graph, &found, &report.maker_in_words());
        }
    } else {
        write_mapfile::to_stdout(format, &mapfile)?;
        if !details.is_empty() {
            eprint!("{report}{details}");
        }
    }
    Ok(())
}

/// The placement in a file of `--started`.
fn started_order(file: &Path, machine: &Machine, ranks: usize) -> anyhow::Result<Placement> {
    let format = super::mapfile::from(Some("nodes"))?;
    let seats = mapfile::read(file, format).map_err(Error::from)?;
    let name = file.to_string_lossy();
    Ok(mapfile::placement(&seats, machine, ranks, &name).map_err(Error::from)?)
}

/// Reads the input, after checking everything that can be checked before the search.
fn read(args: &Args) -> anyhow::Result<(CommGraph, Machine)> {
    let format = mapfile::format(&args.to).map_err(Error::from)?;
    let machine = args.machine.build()?;
    if format.needs_hosts() && machine.hosts().is_none() {
        let format = format.name();
        return Err(Error::from(MapfileError::NeedsHosts { format }).into());
    }
    let files = args.output.iter().chain(&args.json);
    output::check_all(files.chain(&args.certificate))?;
    if args.certificate.is_some() {
        certificate::check_applies(&machine).map_err(Error::from)?;
    }
    write_mapfile::check(format, args.output.as_deref())?;
    Ok((args.search.exchange.of(args.input.graph()?), machine))
}
