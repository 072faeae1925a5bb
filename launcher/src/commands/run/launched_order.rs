//! A measured run in the order as launched.

use super::context::RunContext;
use crate::commands::profile::{self, Profiled};
use crate::commands::profile_watch::ProfileWatch;
use crate::job;
use crate::session::Session;
use rankfold_console::outln;
use rankfold_launch::launch::Launch;
use std::path::Path;
use std::time::Instant;

/// Runs the launch in the order as launched, and a sample of the ranks measures the time inside
/// MPI. Where there is no directory for their journals, the launch runs as it is and nothing is
/// measured.
pub(super) fn measured_run(launch: &Launch) -> anyhow::Result<Profiled> {
    let session = Session::beside(Path::new("profile.rfp"));
    if !session.is_ok_and(|session| session.has_journals()) {
        let begun = Instant::now();
        let status = job::run(&launch.words(), |_| true)?;
        return Ok(Profiled {
            status,
            elapsed: begun.elapsed(),
            profile: None,
            world_times: None,
        });
    }
    profile::profile_and(launch, ProfileWatch::new(None, &mut |_| ()), false, |_| {
        false
    })
}

/// Runs the launch as the user has given it, and measures nothing.
pub(super) fn plain_run(context: &RunContext) -> anyhow::Result<u8> {
    let words = context.launch.words();
    if context.args.dry_run {
        outln!("{}", rankfold_launch::launch::quoted(&words));
        return Ok(0);
    }
    job::run(&words, |_| true)
}
