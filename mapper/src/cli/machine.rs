//! `rankfold machine`: what a spec or a machine file means.

use super::options::NodeArgs;
use super::{import, output, picture, report};
use rankfold_model::ids::ChannelId;
use rankfold_model::machine::{Bisection, FAMILIES, Machine, Routing, Topology};
use std::io::Write;
use std::path::PathBuf;

/// `rankfold machine`.
#[derive(Debug, clap::Args)]
#[command(after_help = families(), args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
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
    /// Make a machine file of what other tools say
    Import(import::Args),
}

/// The keys of `--json`.
#[derive(serde::Serialize)]
struct Description<'a> {
    machine: String,
    nodes: usize,
    slots: usize,
    diameter: u32,
    /// Over all pairs of different nodes.
    mean_hops: f64,
    /// Ordered pairs of different nodes at each distance, from 0.
    pairs: Vec<u64>,
    channels: usize,
    links: Vec<LinkClass>,
    /// Where it is known exactly.
    bisection_bandwidth: Option<f64>,
    /// Where only some halves are known to have no more between them.
    bisection_at_most: Option<f64>,
    routing: Routing,
    hosts: Option<&'a [String]>,
}

/// Links of one bandwidth; a link is two channels.
#[derive(Debug, PartialEq, serde::Serialize)]
struct LinkClass {
    bandwidth: f64,
    count: usize,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(Action::Import(args)) = &args.action {
        return import::run(args);
    }
    if let Some(path) = &args.json {
        output::check(path)?;
    }
    let spec = args.spec.as_deref().unwrap_or_default();
    let machine = args.nodes.build(spec)?;
    let described = describe(&machine);
    if let Some(path) = &args.json {
        output::write(path, &report::pretty(&described)?)?;
    }
    let mut out = std::io::stdout().lock();
    print(&described, &mut out)?;
    for line in picture::picture(&machine) {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn describe(machine: &Machine) -> Description<'_> {
    let topology = machine.topology();
    let pairs = topology.distance_profile().pairs;
    let all: u64 = pairs.iter().sum();
    let hops: f64 = pairs
        .iter()
        .zip(0u32..)
        .map(|(&n, h)| n as f64 * f64::from(h))
        .sum();
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
        links: link_classes(topology),
        bisection_bandwidth: exactly,
        bisection_at_most: at_most,
        routing: topology.routing(),
        hosts: machine.hosts(),
    }
}

/// The links by bandwidth, slowest first.
fn link_classes(topology: &dyn Topology) -> Vec<LinkClass> {
    let grid = topology.structure().grid();
    let wired = grid.map(|_| topology.wiring());
    // Channels of a grid may be numbers without a cable; its cables are those of the wiring.
    let mut bandwidths: Vec<f64> = match &wired {
        Some(wiring) => wiring.bandwidths(),
        None => (0..topology.channels())
            .map(|c| topology.bandwidth(ChannelId::at(c)))
            .collect(),
    };
    bandwidths.sort_by(f64::total_cmp);
    bandwidths
        .chunk_by(|a, b| a == b)
        .map(|class| LinkClass {
            bandwidth: class[0],
            count: class.len() / 2,
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
    for class in &described.links {
        writeln!(
            out,
            "links      {} of bandwidth {}",
            class.count, class.bandwidth
        )?;
    }
    if let Some(bisection) = described.bisection_bandwidth {
        writeln!(out, "bisection  {bisection} each way")?;
    }
    if let Some(bisection) = described.bisection_at_most {
        let halves = "the first half of the nodes against the second";
        writeln!(out, "bisection  {bisection} each way at most: {halves}")?;
    }
    writeln!(out, "routing    {}", described.routing)?;
    if let Some(hosts) = described.hosts {
        writeln!(out, "hosts      {}", hosts.join(" "))?;
    }
    Ok(())
}

/// Distances of different nodes, at most sixteen ranges of them, and the share of pairs at each.
fn shares(pairs: &[u64]) -> Vec<(String, f64)> {
    let all: u64 = pairs.iter().sum();
    let hops: Vec<(usize, u64)> = pairs.iter().copied().enumerate().skip(1).collect();
    hops.chunks(hops.len().div_ceil(16).max(1))
        .map(|range| {
            let label = match (range[0].0, range[range.len() - 1].0) {
                (first, last) if first == last => first.to_string(),
                (first, last) => format!("{first}-{last}"),
            };
            let count: u64 = range.iter().map(|(_, n)| n).sum();
            (label, count as f64 / all as f64)
        })
        .filter(|(_, share)| *share > 0.0)
        .collect()
}

fn bar(share: f64) -> String {
    "#".repeat((40.0 * share).round() as usize)
}

fn families() -> String {
    let grammars: Vec<_> = FAMILIES
        .iter()
        .map(|f| format!("  {}", f.grammar))
        .collect();
    format!(
        "Specs:\n{}\nA machine file is what rankfold machine import writes.",
        grammars.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_model::machine::parse;

    #[test]
    fn links_are_counted_as_cables_by_bandwidth() {
        let links = |spec| link_classes(&*parse(spec).unwrap());
        let class = |count, bandwidth| LinkClass { bandwidth, count };
        // Size 2 has one cable, and a mesh none at its ends.
        assert_eq!(links("torus:4x2@2,1"), [class(4, 1.0), class(8, 2.0)]);
        assert_eq!(links("mesh:3x2"), [class(7, 1.0)]);
        assert_eq!(links("ibcore:hosts=60"), [class(60 + 12 + 2 * 18, 1.0)]);
    }

    #[test]
    fn a_description_tells_what_the_distances_are() {
        let machine = Machine::uniform(parse("torus:4").unwrap(), 2);
        let described = describe(&machine);
        assert_eq!((described.slots, described.diameter), (8, 2));
        assert_eq!(described.pairs, [0, 8, 4]);
        assert!((described.mean_hops - 4.0 / 3.0).abs() < 1e-15);
        let mut text = Vec::new();
        print(&described, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("1 hops   66.7 %  ###"), "{text}");
        assert!(text.contains("bisection  2 each way"), "{text}");
    }

    #[test]
    fn a_long_way_is_shown_in_ranges() {
        let rows = shares(&[0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        let labels = [&rows[0].0, &rows[9].0];
        assert_eq!((rows.len(), labels), (10, [&"1-2".into(), &"19".into()]));
    }
}
