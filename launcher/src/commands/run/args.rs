//! The options of `rankfold run`.

use crate::how::How;
use rankfold_mapper::cli::options::{NodeArgs, SearchArgs, mapfile_formats};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rankfold run --map app.map -- mpirun -n 64 ./app args
  rankfold run --machine torus:4x4x4 --hosts hosts -- mpirun -n 64 ./app args    profile first, then map and relaunch";

/// `rankfold run`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub(in crate::commands) struct Args {
    /// The placement: a mapfile of any format (nodes needs --hosts)
    #[arg(long, value_name = "MAPFILE", conflicts_with = "machine")]
    pub(super) map: Option<PathBuf>,
    /// Format of the mapfile [default: what its lines look like; one number a line is nodes, not cray]
    #[arg(long, value_name = "FORMAT", value_parser = mapfile_formats(), hide_possible_values = true, requires = "map")]
    pub(super) from: Option<String>,
    /// Profile, map onto this machine, then relaunch; the program runs twice
    #[arg(long, value_name = "SPEC")]
    pub(super) machine: Option<String>,
    #[command(flatten)]
    pub(super) nodes: NodeArgs,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    /// How the placement takes effect [default: native where the launcher is known to place right, else renumber]
    #[arg(long, value_name = "HOW")]
    pub(super) how: Option<How>,
    /// Where to write the figures of the mapping as JSON (with --machine)
    #[arg(long, value_name = "FILE", conflicts_with = "map")]
    pub(super) json: Option<PathBuf>,
    /// Print every candidate and why the winner won, on stderr (with --machine)
    #[arg(long, conflicts_with = "map")]
    pub(super) explain: bool,
    /// Print the command that would run (with --machine: the first one) and why it places so, and do not run it
    #[arg(long)]
    pub(super) dry_run: bool,
    /// The launch: mpirun -n 64 ./app args
    #[arg(last = true, required = true, value_name = "LAUNCH")]
    pub(super) launch: Vec<OsString>,
}
