//! The choice of the way in which a placement takes effect: by renumbering the ranks inside
//! `MPI_Init`, or by the launcher's own mapfile.

use crate::diagnosis;
use crate::error::{LaunchError, Result};
use crate::launch::{EarlyUse, Launch, NativePlacement};
use crate::placement::{LaunchedSeats, PlacementPlan};
use std::fmt::{self, Display, Formatter};

/// A way to make ranks run where a plan has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PlacingMethod {
    /// The launcher starts every rank on its host, by its own mapfile
    Native,
    /// The launcher starts ranks as it always does, and MPI_Init gives them other numbers
    Renumber,
    /// Nothing is placed. Nobody can ask for it
    #[value(skip)]
    AsLaunched,
}

/// What follows where the launcher was told to place ranks, and gives one another seat than the
/// launch by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LostSeat {
    /// The job is ended before it computes, with status 1
    #[default]
    Stop,
    /// A line says so, and the program goes on
    Warn,
}

/// The chosen method, and the reason for the choice.
#[derive(Debug)]
pub struct MethodChoice {
    /// The method.
    pub how: PlacingMethod,
    reason: String,
}

impl Display for MethodChoice {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let how = match self.how {
            PlacingMethod::Native => "ranks are placed by the launcher itself",
            PlacingMethod::Renumber => "ranks are placed by renumbering in MPI_Init",
            PlacingMethod::AsLaunched => "ranks are not placed, and run as launched",
        };
        write!(f, "{how}: {}", self.reason)
    }
}

/// What is known of a launch as the user has given it.
#[derive(Clone, Debug, Default)]
pub struct BareLaunch {
    /// The seats of its processes.
    pub seats: Option<LaunchedSeats>,
    /// Whether it starts nothing by itself. The seats are then those on the hosts of the plan.
    pub starts_nothing: bool,
}

/// A reason against renumbering.
enum Against {
    /// The seats of the launch are not those of the plan.
    Counts,
    /// Renumbering would change, miss or slow down what the program does.
    Work(String),
    /// Renumbering works, and has a disadvantage.
    Drawback(String),
}

/// Chooses the method for a launch. The method that the user has `asked` for wins. Ranks are
/// renumbered where every host has as many ranks as the plan wants, since the line then stays as it
/// is. Where there is a reason against that, the launcher places the ranks, if tests have shown
/// that it follows mapfiles and if every rank gets a seat that the launch makes by itself. Where
/// neither is possible, nothing is placed. Renumbered ranks may be `slower` on this machine.
///
/// # Errors
/// The user asks for placing by the launcher, and this launcher cannot place ranks.
pub fn choose(
    launch: &Launch,
    plan: &PlacementPlan,
    asked: Option<PlacingMethod>,
    slower: Option<&str>,
    bare: &BareLaunch,
) -> Result<MethodChoice> {
    let counts_stay = match &bare.seats {
        _ if bare.starts_nothing => Some(false),
        seats => seats.as_ref().map(|seats| seats.has_counts_of(plan, &[])),
    };
    let kinds_stay = bare.seats.as_ref().is_none_or(|seats| {
        counts_stay == Some(false)
            || seats.has_counts_of(plan, &launch.kinds(&seats.chosen_cores()))
    });
    let seated = seated(plan, bare);
    let launcher = launch.launcher;
    let native = launcher.natively(&launch.apps, &seated, counts_stay != Some(false));
    let choice = |how, reason: String| Ok(MethodChoice { how, reason });
    match (asked, &native) {
        (Some(PlacingMethod::Native), NativePlacement::Impossible(problem)) => {
            return Err(LaunchError::option(
                "--how native",
                format!("{problem}; leave it out, or use --how renumber"),
            ));
        }
        (Some(how), _) => return choice(how, "as asked for".into()),
        (None, NativePlacement::Verified(_)) if plan.rankfile.is_some() => {
            let reason = "the map is a rankfile with cores, which takes the place of your binding";
            return choice(PlacingMethod::Native, reason.into());
        }
        (None, _) => {}
    }
    if !kinds_stay {
        let reason = "the map gives ranks seats of other programs, or of other numbers of cores, than the launch gives them";
        return choice(PlacingMethod::AsLaunched, reason.into());
    }
    let stays = if plan.hosts_are_open {
        "the batch system chooses the hosts, and a list of them would make the job wait for these"
    } else if counts_stay.is_some() {
        "every host has as many ranks as the map wants, so the line stays as it is"
    } else {
        "the line stays as it is; whether it starts as many ranks on every host as the map wants is seen in MPI_Init"
    };
    let slower = slower.map(|why| Against::Work(why.to_owned()));
    let Some(against) = slower.or_else(|| against(launch, counts_stay)) else {
        return choice(PlacingMethod::Renumber, stays.into());
    };
    let why = match &against {
        Against::Counts if bare.starts_nothing => "the launch starts no ranks by itself",
        Against::Counts => "the map wants other hosts, or other numbers of ranks on them",
        Against::Work(why) | Against::Drawback(why) => why,
    };
    match native {
        NativePlacement::Verified(reason) if !plan.hosts_are_open => {
            choice(PlacingMethod::Native, format!("{why}; {reason}"))
        }
        NativePlacement::Verified(_) | NativePlacement::Documented => match against {
            Against::Work(why) => choice(PlacingMethod::AsLaunched, why),
            _ => choice(PlacingMethod::Renumber, format!("{stays}; but {why}")),
        },
        NativePlacement::Bad(problem) | NativePlacement::Impossible(problem) => match against {
            Against::Drawback(why) => {
                choice(PlacingMethod::Renumber, format!("{stays}; but {why}"))
            }
            _ => choice(PlacingMethod::AsLaunched, format!("{why}; {problem}")),
        },
    }
}

/// The plan with the cores that the launch gives its processes by itself, where these are known.
/// Without them it has no cores.
pub fn seated(plan: &PlacementPlan, bare: &BareLaunch) -> PlacementPlan {
    let seats = bare.seats.as_ref().and_then(|seats| seats.seat(plan));
    seats.unwrap_or_else(|| PlacementPlan {
        cores: crate::placement::RankCores::default(),
        ..plan.clone()
    })
}

/// The strongest reason against renumbering, if there is one.
fn against(launch: &Launch, counts_stay: Option<bool>) -> Option<Against> {
    let early = launch.early_use();
    if let Some(why) = diagnosis::unreachable(launch.program()) {
        return Some(Against::Work(why));
    }
    if let Some(work @ EarlyUse::Work(_)) = &early {
        return Some(Against::Work(work.to_string()));
    }
    if counts_stay == Some(false) {
        return Some(Against::Counts);
    }
    early.map(|early| Against::Drawback(early.to_string()))
}
