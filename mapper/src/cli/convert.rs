//! `rankfold convert`: a communication matrix in another format.

use super::output;
use crate::comm::{self, mtx};
use crate::error::Error;
use std::path::PathBuf;

/// `rankfold convert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The communication graph: .rfp or .mtx
    input: PathBuf,
    /// The file to write: .mtx
    output: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    if args.output.extension().is_none_or(|ending| ending != "mtx") {
        return Err(Error::Flag {
            flag: "OUT",
            value: args.output.display().to_string(),
            problem: "no writer for this kind of file: name it .mtx".into(),
        }
        .into());
    }
    output::check(&args.output)?;
    let graph = comm::read(&args.input).map_err(Error::from)?;
    let mut text = Vec::new();
    mtx::write(&graph, &mut text)?;
    Ok(output::write(&args.output, &text)?)
}
