//! `rankfold run --reorder-topologies` without a map: ranks start where the launcher puts them, and
//! the mapper answers `MPI_Cart_create` and the like where the program allows MPI to reorder ranks.

use super::context::RunContext;
use super::whole_loop;
use crate::job;
use crate::rank_mapper::RankMapper;
use crate::session::Session;
use rankfold_console::outln;
use rankfold_launch::launch::quoted;
use rankfold_wire::env;
use std::path::Path;

/// Runs the launch once, without a profile. The exit status is the program's own.
pub(super) fn run(context: &RunContext) -> anyhow::Result<u8> {
    whole_loop::check(context)?;
    let session = Session::beside(Path::new("topologies"))?;
    let file = session.file("mapper");
    mapper(context, &context.hosts())?.write(&file)?;
    let mut launch = context.launch.clone();
    session.preload(&mut launch, vec![(env::REORDER, file.into())])?;
    let words = launch.words();
    if context.args.dry_run {
        outln!("{}", quoted(&words));
        return Ok(0);
    }
    job::run(&words, |_| true)
}

/// The mapper that answers the topology functions of a job on `hosts`.
pub(super) fn mapper(context: &RunContext, hosts: &[String]) -> anyhow::Result<RankMapper> {
    let found = context.discovered(hosts, &[])?;
    RankMapper::new(&found, &context.args.nodes, None)
}
