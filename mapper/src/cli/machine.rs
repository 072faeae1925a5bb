//! `rankfold machine`: what a spec means.

use super::options::NodeArgs;
use super::{output, report};
use crate::machine::{FAMILIES, Machine, Routing};
use std::io::Write;
use std::path::PathBuf;

/// `rankfold machine`.
#[derive(Debug, clap::Args)]
#[command(after_help = families())]
pub struct Args {
    /// The machine
    spec: String,
    #[command(flatten)]
    nodes: NodeArgs,
    /// Where to write the description as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The keys of `--json`.
#[derive(serde::Serialize)]
struct Description<'a> {
    machine: String,
    nodes: usize,
    slots: usize,
    diameter: u32,
    channels: usize,
    routing: Routing,
    hosts: Option<&'a [String]>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(path) = &args.json {
        output::check(path)?;
    }
    let machine = args.nodes.build(&args.spec)?;
    let described = describe(&machine);
    if let Some(path) = &args.json {
        output::write(path, &report::pretty(&described)?)?;
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "machine   {}", described.machine)?;
    writeln!(out, "nodes     {}", described.nodes)?;
    writeln!(out, "slots     {}", described.slots)?;
    writeln!(out, "diameter  {} hops", described.diameter)?;
    writeln!(out, "channels  {}", described.channels)?;
    writeln!(out, "routing   {:?}", described.routing)?;
    if let Some(hosts) = described.hosts {
        writeln!(out, "hosts     {}", hosts.join(" "))?;
    }
    Ok(())
}

fn describe(machine: &Machine) -> Description<'_> {
    let topology = machine.topology();
    Description {
        machine: topology.spec(),
        nodes: topology.nodes(),
        slots: machine.slots().len(),
        diameter: topology.diameter(),
        channels: topology.channels(),
        routing: topology.routing(),
        hosts: machine.hosts(),
    }
}

fn families() -> String {
    let grammars: Vec<_> = FAMILIES
        .iter()
        .map(|f| format!("  {}", f.grammar))
        .collect();
    format!("Specs:\n{}", grammars.join("\n"))
}
