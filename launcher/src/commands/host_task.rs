//! `rankfold host-task`: the internal command that the job's launcher starts on every host, to send
//! or to remove the files of a run.

use crate::other_hosts::{self, HostTask};
use crate::traces::Traces;
use std::path::PathBuf;

/// `rankfold host-task`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to do
    task: HostTask,
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
    other_hosts::perform(args.task, &traces)?;
    Ok(0)
}
