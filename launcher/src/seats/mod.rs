//! The seats that a launch gives its processes by itself, asked of the launch: this program is
//! started in place of the user's, and every process tells where it is.

mod process;

pub(crate) use process::tell_own;

use crate::own_ranks::{self, Heard};
use process::ProcessSeat;
use rankfold_launch::diagnosis;
use rankfold_launch::launch::Launch;
use rankfold_launch::placement::{KnownBy, LaunchedSeats, PlacementPlan};
use rankfold_launch::placing_method::BareLaunch;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

/// The hidden command that every process runs.
pub(crate) const COMMAND: &str = "seat-rank";

/// Longest wait for the launch. Chosen by hand; not measured.
const PATIENCE: Duration = Duration::from_secs(60);

/// Options that would lead the answers elsewhere, or start other programs.
const DISTURBING: &str = "multi-prog pty o output e error i input stdin output-filename \
                          output-directory outfile-pattern errfile-pattern gtool gtoolfile bcast \
                          preload-binary app configfile xml-file do-not-launch test-only";

/// What a launch answers.
enum Answer {
    Seats(LaunchedSeats),
    /// It ends with an error before any process starts.
    StartsNothing,
    /// It cannot be asked, or not every process answers.
    Unknown,
}

/// Asks `launch` for its seats. Where it starts nothing by itself, it is asked for those that it
/// gives its processes on the hosts of the plan.
///
/// # Errors
/// A signal has asked for the end, or the list of hosts cannot be written.
pub(crate) fn ask(launch: &Launch, plan: &PlacementPlan) -> anyhow::Result<BareLaunch> {
    match answer(launch)? {
        Answer::Seats(seats) => Ok(BareLaunch {
            seats: Some(seats),
            starts_nothing: false,
        }),
        Answer::StartsNothing => Ok(BareLaunch {
            seats: on_hosts_of_plan(launch, plan)?,
            starts_nothing: true,
        }),
        Answer::Unknown => Ok(BareLaunch::default()),
    }
}

fn on_hosts_of_plan(
    launch: &Launch,
    plan: &PlacementPlan,
) -> anyhow::Result<Option<LaunchedSeats>> {
    let scratch = tempfile::tempdir()?;
    let file = scratch.path().join("hosts");
    let mut launch = launch.clone();
    let launcher = launch.launcher;
    let Some(text) = launcher.start_on(&mut launch.apps, plan, &file) else {
        return Ok(None);
    };
    fs::write(&file, text)?;
    Ok(match answer(&launch)? {
        Answer::Seats(seats) => Some(seats),
        Answer::StartsNothing | Answer::Unknown => None,
    })
}

fn answer(launch: &Launch) -> anyhow::Result<Answer> {
    if launch.launcher.chooses_hosts() && env::var_os("SLURM_JOB_ID").is_none() {
        return Ok(Answer::Unknown);
    }
    let mut asked = launch.clone();
    for app in &mut asked.apps {
        app.options.take(|given| given.is_one_of(DISTURBING));
    }
    own_ranks::take_over(&mut asked, &[OsString::from(COMMAND)])?;
    let mut seats_told: Vec<ProcessSeat> = Vec::new();
    let ended = own_ranks::hear(&asked.words(), PATIENCE, Heard::Alone, |seat| {
        seats_told.push(seat);
    });
    let Ok(ended) = ended else {
        return Ok(Answer::Unknown);
    };
    anyhow::ensure!(
        !ended.interrupted,
        "interrupted before the program was launched"
    );
    if ended.status != 0 && !ended.late && seats_told.is_empty() {
        return Ok(Answer::StartsNothing);
    }
    // Open MPI 5 sometimes does not end although all its processes have ended.
    let ranks = launch.ranks().ok().flatten();
    let have_all_told = ranks.is_some_and(|(ranks, _)| ranks == seats_told.len());
    let has_failed = ended.late && !have_all_told || ended.status != 0 && !ended.late;
    let Some(mut seats) = ordered(seats_told).filter(|_| !has_failed) else {
        return Ok(Answer::Unknown);
    };
    let is_plain =
        |app: &rankfold_launch::launch::App| diagnosis::starts_mpi_itself(&app.program[0]);
    if !launch.apps.iter().all(is_plain) {
        seats.known_by = KnownBy::AskingWithoutWrapper;
    }
    Ok(Answer::Seats(seats))
}

/// The seats in the order of the launcher's ranks; `None` where a rank is missing or comes twice.
fn ordered(mut seats_told: Vec<ProcessSeat>) -> Option<LaunchedSeats> {
    seats_told.sort_by_key(|seat| seat.rank);
    let is_whole = (0..)
        .zip(&seats_told)
        .all(|(rank, seat)| seat.rank == Some(rank));
    if seats_told.is_empty() || !is_whole {
        return None;
    }
    let hosts = seats_told
        .iter()
        .filter_map(|seat| seat.inside.clone())
        .collect();
    let seats = seats_told.into_iter().map(ProcessSeat::seat).collect();
    Some(LaunchedSeats {
        seats,
        hosts,
        known_by: KnownBy::Asking,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_known_only_if_every_rank_tells_once() {
        let seat = |rank, host: &str| ProcessSeat {
            rank: Some(rank),
            host: host.into(),
            ..ProcessSeat::default()
        };
        let found = ordered(vec![seat(1, "b"), seat(0, "a")]).unwrap();
        assert_eq!(found.seats[1].host, "b");
        assert_eq!(ordered(vec![seat(1, "b"), seat(2, "a")]), None);
        assert_eq!(ordered(vec![seat(0, "b"), seat(0, "a")]), None);
        assert_eq!(ordered(vec![]), None);
    }
}
