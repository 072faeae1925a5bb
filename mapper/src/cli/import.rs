//! `rankfold machine import`: what other tools say about a machine, as a machine file.

use super::output;
use crate::error::Error;
use rankfold_model::machine::import::{IMPORTERS, Source};
use std::io::Write;
use std::path::PathBuf;

/// `rankfold machine import`.
#[derive(Debug, clap::Args)]
#[command(after_help = kinds())]
pub(super) struct Args {
    /// What the files are
    kind: String,
    /// The files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Where to write the machine file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let Some(importer) = IMPORTERS.iter().find(|i| i.name == args.kind) else {
        let known: Vec<&str> = IMPORTERS.iter().map(|i| i.name).collect();
        return Err(Error::Flag {
            flag: "import",
            value: args.kind.clone(),
            problem: format!("no such kind; the kinds are {}", known.join(", ")),
        }
        .into());
    };
    if let Some(path) = &args.output {
        output::check(path)?;
    }
    let read = |path: &PathBuf| Source::read(path);
    let sources: Vec<Source> = args
        .files
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map_err(Error::from)?;
    let description = importer.import(sources).map_err(Error::from)?.to_string();
    match &args.output {
        Some(path) => output::write(path, description.as_bytes())?,
        None => std::io::stdout().lock().write_all(description.as_bytes())?,
    }
    Ok(())
}

fn kinds() -> String {
    let kinds: Vec<_> = IMPORTERS
        .iter()
        .map(|i| format!("  {:<12}{}", i.name, i.about))
        .collect();
    format!("Kinds:\n{}", kinds.join("\n"))
}
