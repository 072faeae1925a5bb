//! `rankfold errand`: what the job's launcher starts on every host. Hidden: nobody else starts it.

use crate::other_hosts::{self, HostTask};
use crate::traces::Traces;
use std::path::PathBuf;

/// `rankfold errand`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to do
    errand: HostTask,
    /// The name of the run
    run: String,
    /// The directory of its journals
    journals: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    let traces = Traces {
        run: args.run.clone(),
        journals: args.journals.clone(),
    };
    other_hosts::errand(args.errand, &traces)?;
    Ok(0)
}
