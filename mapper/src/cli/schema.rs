//! `rankfold schema`: prints the JSON schemas of what commands write as JSON.

use super::document::DocumentKind;
use super::help;
use super::report::Report;
use super::{analyze, machine};
use crate::error::Error;
use clap::builder::{PossibleValue, PossibleValuesParser};
use rankfold_base::words::did_you_mean;
use rankfold_mapfile::JsonMapfile;
use std::io::Write;

/// The documents that the commands of this crate write.
pub const DOCUMENTS: &[DocumentKind] = &[
    DocumentKind::of::<Report<'static>>(),
    DocumentKind::of::<analyze::Analysis<'static>>(),
    DocumentKind::of::<machine::Description<'static>>(),
    DocumentKind::of::<rankfold_report::data::Report>(),
    DocumentKind::of::<JsonMapfile>(),
];

const EXAMPLES: &str = "\
Examples:
  rankfold schema                           the documents, each with the commands that write it
  rankfold schema figures > figures.json    the schema of what map and eval write with --json";

/// `rankfold schema`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    /// A document: the name in its "format" without "rankfold-" [default: list all of them]
    name: Option<String>,
}

/// Gives the command `schema` of `whole` the names of `documents`, so that shells complete them.
pub(super) fn with_known_names(
    whole: clap::Command,
    documents: &[&[DocumentKind]],
) -> clap::Command {
    let all = documents.iter().copied().flatten();
    let names = all.map(|kind| PossibleValue::new(kind.name).help(kind.summary));
    let known = PossibleValuesParser::new(names);
    whole.mut_subcommand("schema", |schema| {
        schema.mut_arg("name", |name| name.value_parser(known))
    })
}

/// Lists `documents`, or prints the schema of one of them.
pub(super) fn run(args: &Args, documents: &[&[DocumentKind]]) -> anyhow::Result<()> {
    let documents = || documents.iter().copied().flatten();
    let mut out = std::io::stdout().lock();
    let Some(name) = &args.name else {
        let lines = documents().map(|kind| (kind.name, kind.summary));
        return Ok(out.write_all(help::list(lines).as_bytes())?);
    };
    let called = name.strip_prefix("rankfold-").unwrap_or(name);
    let Some(kind) = documents().find(|kind| kind.name == called) else {
        let meant = did_you_mean(called, documents().map(|kind| kind.name));
        return Err(Error::Flag {
            flag: "schema",
            value: name.clone(),
            problem: format!("no such document{meant}; rankfold schema lists them all"),
        }
        .into());
    };
    writeln!(out, "{:#}", kind.schema())?;
    Ok(())
}
