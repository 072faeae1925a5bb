//! `rankfold machine import`: turns what other tools say about a machine into a machine file.

use super::named_values::names;
use super::{output, terminal};
use crate::error::Error;
use crate::members::IMPORTERS;
use clap::builder::TypedValueParser;
use rankfold_importers::{Importer, Source, of_labels};
use rankfold_machine::HostList;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rankfold machine import slurm /etc/slurm/topology.conf -o site.toml
  rankfold machine import infiniband fabric.txt routes.txt -o site.toml
  rankfold machine import hwloc node.xml -o node.toml";

/// `rankfold machine import`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, after_help = kinds())]
pub(super) struct Args {
    /// The kind of the files
    #[arg(value_name = "KIND", value_parser = importers(), hide_possible_values = true)]
    kind: &'static Importer,
    /// The files to import
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The hosts of a job, a file with one a line or a list a,b,c: of networks that nothing joins,
    /// or of several topologies in a topology.yaml, the one that has these hosts is imported
    #[arg(long, value_name = "FILE|LIST")]
    hosts: Option<String>,
    /// A label of Kubernetes nodes that is a level of the network; repeated, from the outermost in
    #[arg(long = "label", value_name = "KEY")]
    labels: Vec<String>,
    /// Where to write the machine file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let importer = args.kind;
    output::check_all(&args.output, args.files.iter().map(PathBuf::as_path))?;
    let read = |path: &PathBuf| Source::read(path);
    let mut sources: Vec<Source> = args
        .files
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map_err(Error::from)?;
    if !args.labels.is_empty() {
        sources.push(of_labels(&args.labels));
    }
    let hosts = args.hosts.as_deref().map(HostList::parse).transpose();
    let description = match hosts.map_err(Error::from)? {
        None => importer.import(sources),
        Some(hosts) => {
            let hosts: Vec<String> = hosts.names().map(str::to_owned).collect();
            importer.import_part_of_job(sources, &hosts)
        }
    };
    let description = description.map_err(Error::from)?;
    for note in description.notes() {
        terminal::note(note);
    }
    let description = description.to_string();
    match &args.output {
        Some(path) => output::write(path, description.as_bytes())?,
        None => std::io::stdout().lock().write_all(description.as_bytes())?,
    }
    Ok(())
}

/// Parses the name of an importer.
fn importers() -> impl TypedValueParser<Value = &'static Importer> {
    names(IMPORTERS.iter().map(|kind| (kind.name, kind.about))).map(|name| {
        let mut all = IMPORTERS.iter();
        all.find(|kind| kind.name == name)
            .expect("the parser lets known names through")
    })
}

pub(super) fn kinds() -> String {
    let kinds: Vec<_> = IMPORTERS
        .iter()
        .map(|i| format!("  {:<12}{}", i.name, i.about))
        .collect();
    format!("Kinds:\n{}", kinds.join("\n"))
}
