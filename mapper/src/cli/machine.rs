//! `rankfold machine`: shows what a spec or a machine file means.

use super::document::{self, Document};
use super::options::NodeArgs;
use super::terminal::wrapped;
use super::{import, output, picture};
use crate::error::Error;
use message_rules::MessageRules;
use rankfold_importers::Rule;
use rankfold_machine::{
    Bisection, FAMILIES, Machine, Routing, SizeRow, Speed, Topology, Unit, bandwidth_in_words,
    time_in_words,
};
use schemars::JsonSchema;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  rankfold machine torus:8x8x16@5GB/s+500ns
  rankfold machine site.toml --cores 64 --json machine.json
  rankfold machine draw torus:4x4x4 -o torus.svg
  rankfold machine import slurm /etc/slurm/topology.conf -o site.toml";

/// `rankfold machine`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, after_help = families(), args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// The machine: a spec or a machine file
    #[arg(required = true)]
    spec: Option<String>,
    #[command(flatten)]
    nodes: NodeArgs,
    /// Where to write the description as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Write a machine file from what other tools say
    Import(import::Args),
    /// Draw a machine as an SVG file, with or without ranks on it
    Draw(drawing::Args),
    /// Find the machine of the given hosts or launch, and draw it
    Show(Box<Show>),
}

const SHOW_EXAMPLES: &str = "\
Examples:
  rankfold machine show
  rankfold machine show -- mpirun -n 64 --hostfile hosts ./app
  rankfold machine show --hosts hosts --rule cray-ex";

/// `rankfold machine show`. The launcher carries it out, since finding a machine needs a launch.
#[derive(Debug, clap::Args)]
#[command(before_help = SHOW_EXAMPLES)]
pub struct Show {
    /// The machine, instead of finding one
    #[arg(long, value_name = "SPEC|FILE")]
    pub machine: Option<String>,
    /// How host names tell the position of a host: a pattern with one group for every level, or the
    /// name of a rule
    #[arg(long, value_name = "RULE")]
    pub rule: Option<Rule>,
    /// What a job may use of the nodes.
    #[command(flatten)]
    pub nodes: NodeArgs,
    /// Where to write the description as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// A launch whose hosts are to be found: mpirun --hostfile hosts ./app
    #[arg(last = true, value_name = "LAUNCH")]
    pub launch: Vec<OsString>,
}

impl Args {
    /// The arguments of `machine show`, if that is the command.
    #[must_use]
    pub fn show(&self) -> Option<&Show> {
        match &self.action {
            Some(Action::Show(show)) => Some(show),
            _ => None,
        }
    }
}

/// The keys of `--json`.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Description<'a> {
    /// The machine's canonical spec.
    machine: String,
    /// Number of nodes.
    nodes: usize,
    /// Number of places for ranks.
    slots: usize,
    /// The largest distance of two nodes, in hops.
    diameter: u32,
    /// Mean distance over all pairs of different nodes.
    mean_hops: f64,
    /// Number of ordered pairs of different nodes at each distance, from 0 hops on.
    pairs: Vec<u64>,
    /// Number of directed links; a cable is two.
    channels: usize,
    /// The unit of times: "seconds" where bandwidths are bytes per second, "bytes over one link"
    /// where they are relative.
    unit: Unit,
    /// The links, slowest first.
    links: Vec<LinkClass>,
    /// Seconds a rank is busy with each message it sends or receives.
    overhead: f64,
    /// Bytes per second between ranks of one node; null if unknown.
    memory: Option<f64>,
    /// Shares of the bandwidth and factors on the latency by message size.
    sizes: &'a [SizeRow],
    /// Bandwidth between two halves of the machine, where the exact value is known.
    bisection_bandwidth: Option<f64>,
    /// An upper bound of the bisection bandwidth, where only some halvings were computed.
    bisection_at_most: Option<f64>,
    /// How messages take their ways.
    routing: Routing,
    #[serde(flatten)]
    message_rules: MessageRules,
    /// The names of the nodes, in their order; null if they have none.
    hosts: Option<&'a [String]>,
}

impl Document for Description<'_> {
    const NAME: &'static str = "machine";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "machine and machine show: the description of a machine";
}

/// All links of one bandwidth and latency. A link is two channels.
#[derive(Debug, PartialEq, serde::Serialize, JsonSchema)]
struct LinkClass {
    /// Bytes per second, or relative to other links: see `unit`.
    bandwidth: f64,
    /// Seconds.
    latency: f64,
    /// Number of such links.
    count: usize,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.action {
        Some(Action::Import(args)) => return import::run(args),
        Some(Action::Draw(args)) => return drawing::run(args),
        Some(Action::Show(_)) | None => {}
    }
    if args.show().is_some() {
        return Err(Error::Flag {
            flag: "machine",
            value: "show".into(),
            problem: "machines are found by `rankfold machine show`; this program starts nothing"
                .into(),
        }
        .into());
    }
    let spec = args.spec.as_deref().unwrap_or_default();
    output::check_all(&args.json, args.nodes.files(spec))?;
    draw(&args.nodes.build(spec)?, args.json.as_deref())
}

/// Prints the description and a picture of a machine on standard output, and writes the description
/// as JSON.
///
/// # Errors
/// Standard output or the file cannot be written.
pub fn draw(machine: &Machine, json: Option<&Path>) -> anyhow::Result<()> {
    if let Some(path) = json {
        output::write(path, &description(machine)?)?;
    }
    print_with_picture(machine, &mut output::beside(json))?;
    Ok(())
}

/// The description of a machine as JSON.
///
/// # Errors
/// Does not fail: the fields are plain numbers and strings.
pub fn description(machine: &Machine) -> serde_json::Result<Vec<u8>> {
    document::text(&describe(machine))
}

/// Prints the description and a picture of a machine.
///
/// # Errors
/// Those of `out`.
pub fn print_with_picture(machine: &Machine, out: &mut impl Write) -> std::io::Result<()> {
    print(&describe(machine), out)?;
    for line in picture::picture(machine) {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn describe(machine: &Machine) -> Description<'_> {
    let topology = machine.topology();
    let pairs = topology.distance_profile().pairs;
    let all: u64 = pairs.iter().sum();
    // A sum over nothing is -0.
    let hops = pairs
        .iter()
        .zip(0u32..)
        .fold(0.0, |hops, (&n, h)| n as f64 * f64::from(h) + hops);
    let (exactly, at_most) = match topology.bisection() {
        Bisection::Exactly(bandwidth) => (Some(bandwidth), None),
        Bisection::AtMost(bandwidth) => (None, Some(bandwidth)),
        Bisection::Unknown => (None, None),
    };
    Description {
        machine: topology.spec(),
        nodes: topology.nodes(),
        slots: machine.slots().len(),
        diameter: topology.diameter(),
        mean_hops: if all == 0 { 0.0 } else { hops / all as f64 },
        pairs,
        channels: topology.channels(),
        unit: topology.unit(),
        links: link_classes(topology),
        overhead: machine.timing().overhead,
        memory: machine.timing().memory,
        sizes: machine.timing().by_size.rows(),
        bisection_bandwidth: exactly,
        bisection_at_most: at_most,
        routing: topology.routing(),
        message_rules: MessageRules::of(machine),
        hosts: machine.hosts(),
    }
}

/// The links grouped by bandwidth and latency, slowest first.
fn link_classes(topology: &dyn Topology) -> Vec<LinkClass> {
    let mut runs = topology.link_speeds();
    let by_bandwidth = |a: &Speed, b: &Speed| a.bandwidth.total_cmp(&b.bandwidth);
    runs.sort_by(|(a, _), (b, _)| by_bandwidth(a, b).then(a.latency.total_cmp(&b.latency)));
    runs.chunk_by(|a, b| a.0 == b.0)
        .map(|class| LinkClass {
            bandwidth: class[0].0.bandwidth,
            latency: class[0].0.latency,
            count: class.iter().map(|(_, number)| number).sum::<usize>() / 2,
        })
        .collect()
}

fn print(described: &Description, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "machine    {}", described.machine)?;
    writeln!(out, "nodes      {}", described.nodes)?;
    writeln!(out, "slots      {}", described.slots)?;
    writeln!(out, "diameter   {} hops", described.diameter)?;
    writeln!(out, "mean       {:.3} hops", described.mean_hops)?;
    for (hops, share) in shares(&described.pairs) {
        writeln!(
            out,
            "{hops:>7} hops  {:>5.1} %  {}",
            100.0 * share,
            bar(share)
        )?;
    }
    let bandwidth = |value: f64| match described.unit {
        Unit::Seconds => bandwidth_in_words(to_four_digits(value)),
        Unit::BytesOverOneLink => to_four_digits(value).to_string(),
    };
    for class in &described.links {
        write!(
            out,
            "links      {} of bandwidth {}",
            class.count,
            bandwidth(class.bandwidth)
        )?;
        match described.unit {
            Unit::Seconds => writeln!(
                out,
                ", latency {}",
                time_in_words(to_four_digits(class.latency))
            )?,
            Unit::BytesOverOneLink => writeln!(out)?,
        }
    }
    print_timing(described, out)?;
    if let Some(bisection) = described.bisection_bandwidth {
        writeln!(out, "bisection  {} each way", bandwidth(bisection))?;
    }
    if let Some(bisection) = described.bisection_at_most {
        let bisection = bandwidth(bisection);
        let halves = "the first half of the nodes against the second";
        writeln!(out, "bisection  {bisection} each way at most: {halves}")?;
    }
    writeln!(out, "routing    {}", described.routing)?;
    described.message_rules.print(out)?;
    if let Some(hosts) = described.hosts {
        writeln!(
            out,
            "{}",
            wrapped(&format!("hosts      {}", hosts.join(" ")))
        )?;
    }
    Ok(())
}

/// The value rounded to four digits: more are noise of a measurement or of a division.
fn to_four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// Prints what the machine's timing says besides the speed of links.
fn print_timing(described: &Description, out: &mut impl Write) -> std::io::Result<()> {
    if described.unit == Unit::BytesOverOneLink {
        writeln!(
            out,
            "times      in bytes over one link: bandwidths are relative"
        )?;
    } else {
        let overhead = time_in_words(to_four_digits(described.overhead));
        writeln!(out, "overhead   {overhead} a message, sent or received")?;
    }
    if let Some(memory) = described.memory {
        writeln!(
            out,
            "memory     {} inside a node",
            bandwidth_in_words(to_four_digits(memory))
        )?;
    }
    for row in described.sizes {
        writeln!(
            out,
            "messages   of {} bytes or more: {} of the bandwidth, {} x the latency",
            row.bytes, row.bandwidth, row.latency
        )?;
    }
    Ok(())
}

/// The share of node pairs at each distance. Long profiles are condensed to at most sixteen ranges
/// of distances.
fn shares(pairs: &[u64]) -> Vec<(String, f64)> {
    let all: u64 = pairs.iter().sum();
    let hops = pairs.iter().copied().enumerate().skip(1);
    let hops: Vec<(usize, u64)> = hops.filter(|&(_, count)| count > 0).collect();
    hops.chunks(hops.len().div_ceil(16).max(1))
        .map(|range| {
            let label = match (range[0].0, range[range.len() - 1].0) {
                (first, last) if first == last => first.to_string(),
                (first, last) => format!("{first}-{last}"),
            };
            let count: u64 = range.iter().map(|(_, n)| n).sum();
            (label, count as f64 / all as f64)
        })
        .collect()
}

fn bar(share: f64) -> String {
    "#".repeat((40.0 * share).round() as usize)
}

pub(super) fn families() -> String {
    let grammars: Vec<_> = FAMILIES
        .iter()
        .map(|f| format!("  {}", f.grammar))
        .collect();
    format!(
        "Specs:\n{}\n\
         A speed is a bandwidth, relative (2) or with a unit (12.5GB/s, 100Gbit/s), and optionally a latency (12.5GB/s+600ns).\n\
         A single speed with a unit applies to all links. Several speeds apply to the kinds of link in the order shown.\n\
         Defaults: bandwidth 1 (percs: 24,5,10), latency 0. Predicted times are in seconds if bandwidths have units, otherwise in bytes over one link.\n\
         A machine file is what rankfold machine import writes; its [time] adds bandwidth, latency, overhead, memory and sizes.",
        grammars.join("\n")
    )
}

mod drawing;
mod folding;
mod message_rules;
#[cfg(test)]
mod tests;
