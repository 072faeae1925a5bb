//! The user's launch with a placement, verified from inside the processes.

use crate::error::LaunchError;
use crate::launch::{self, Launch};
use crate::placement::{Plan, verify};
use crate::session::Session;
use crate::{diagnosis, job};
use rankfold_mapper::cli::{output, terminal};
use rankfold_profile::read_seats;
use std::ffi::OsString;
use std::path::Path;

/// Exit status when the program succeeded on the wrong places.
const MISPLACED: u8 = 1;

/// Runs `launch` with its ranks placed by `plan`; `map` is what messages call the plan. The exit status is the program's own; if that is 0 and the
/// placement is not as planned, it is 1. Ranks that left no record of where they ran change nothing.
pub(super) fn relaunch(launch: &Launch, plan: &Plan, map: &str) -> anyhow::Result<u8> {
    let session = Session::beside(Path::new("seats"))?;
    let words = command(&session, launch, plan, map)?;
    let seats = session.seats();
    let mut verified = None;
    let status = job::run(&words, |_| {
        // The record appears in one step, so what can be read is complete.
        if verified.is_none() && seats.exists() {
            verified = Some(report(plan, &seats));
        }
        verified.is_some()
    })?;
    if verified.is_none() && seats.exists() {
        verified = Some(report(plan, &seats));
    }
    match (status, verified) {
        (0, Some(false)) => Ok(MISPLACED),
        (_, Some(_)) => Ok(status),
        (_, None) => {
            let why = diagnosis::silence(launch.program(), session.has_begun());
            eprintln!("rankfold: placement not verified: {why}");
            Ok(status)
        }
    }
}

/// The command [`relaunch`] would run; its temporary directory is gone when this returns.
pub(super) fn dry(launch: &Launch, plan: &Plan, map: &str) -> anyhow::Result<String> {
    let session = Session::beside(Path::new("seats"))?;
    Ok(launch::quoted(&command(&session, launch, plan, map)?))
}

/// Prints one line about the placement, and returns whether it is as planned.
fn report(plan: &Plan, seats: &Path) -> bool {
    let ranks = plan.hosts.len();
    let problem = match read_seats(seats) {
        Err(error) => error.to_string(),
        Ok(seats) => match verify(&plan.hosts, &seats) {
            Err(mismatch) => mismatch.to_string(),
            Ok(()) => {
                terminal::good(format_args!("placement verified {ranks}/{ranks}"));
                return true;
            }
        },
    };
    eprintln!("rankfold: placement not as planned: {problem}");
    false
}

/// The launch with what its launcher needs to place and to verify the ranks; writes the files it will read.
fn command(
    session: &Session,
    launch: &Launch,
    plan: &Plan,
    map: &str,
) -> anyhow::Result<Vec<OsString>> {
    let mut launch = launch.clone();
    count(&mut launch, plan, map)?;
    session.seating(&mut launch);
    let launcher = launch.launcher;
    let placing = launcher.place(&mut launch.apps, plan, &session.file("hosts"))?;
    for (path, text) in &placing.files {
        output::write(path, text.as_bytes())?;
    }
    if !placing.replaced.is_empty() {
        let replaced = placing.replaced.join(" ");
        terminal::note(format_args!("the placement replaces your {replaced}"));
    }
    Ok(launch.words())
}

/// Inserts `-n RANKS` where the user gave no number of ranks. One that was given must be the plan's.
fn count(launch: &mut Launch, plan: &Plan, map: &str) -> Result<(), LaunchError> {
    let placed = plan.hosts.len();
    match launch.ranks()? {
        None => {
            if let [app] = &mut launch.apps[..] {
                app.inserted
                    .extend(["-n".into(), placed.to_string().into()]);
            }
            Ok(())
        }
        Some((ranks, _)) if ranks == placed => Ok(()),
        Some((ranks, option)) => Err(LaunchError::WrongRanks {
            map: map.into(),
            placed,
            ranks,
            option,
        }),
    }
}
