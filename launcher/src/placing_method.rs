//! The choice of the way in which a placement takes effect: by the launcher's own mapfile, or by
//! renumbering the ranks inside `MPI_Init`.

use crate::error::LaunchError;
use crate::launch::{Launch, NativePlacement};
use crate::placement::PlacementPlan;
use std::fmt::{self, Display, Formatter};

/// A way to make ranks run where a plan has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PlacingMethod {
    /// The launcher starts every rank on its host, by its own mapfile
    Native,
    /// The launcher starts ranks as it always does, and MPI_Init gives them other numbers
    Renumber,
}

/// The chosen method, and the reason for the choice.
#[derive(Debug)]
pub(crate) struct MethodChoice {
    pub(crate) how: PlacingMethod,
    /// Whether the launcher binds ranks to the cores of the plan.
    pub(crate) binds: bool,
    reason: String,
}

impl Display for MethodChoice {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let how = match self.how {
            PlacingMethod::Native => "by the launcher itself",
            PlacingMethod::Renumber => "by renumbering in MPI_Init",
        };
        write!(f, "ranks are placed {how}: {}", self.reason)
    }
}

/// Chooses the method for a launch. The method that the user has `asked` for wins. Ranks are
/// renumbered where the job may get other hosts than those of the plan. Otherwise the launcher
/// places the ranks itself if tests have shown that it follows mapfiles and if it can bind ranks to
/// the cores of the plan. In all other cases ranks are renumbered.
///
/// # Errors
/// The user asks for placing by the launcher, and this launcher cannot place ranks.
pub(crate) fn choose(
    launch: &Launch,
    plan: &PlacementPlan,
    asked: Option<PlacingMethod>,
) -> Result<MethodChoice, LaunchError> {
    let launcher = launch.launcher;
    let cores = if plan.can_bind() {
        launcher.binds(&launch.apps, plan)
    } else {
        Ok(())
    };
    let natively = |reason: &str| MethodChoice {
        how: PlacingMethod::Native,
        binds: plan.rankfile.is_some() || plan.can_bind() && cores.is_ok(),
        reason: match cores {
            Ok(()) if plan.can_bind() => format!("{reason}; each is bound to its cores"),
            Ok(()) => reason.to_owned(),
            Err(problem) => format!("{reason}; the cores of the plan are not followed: {problem}"),
        },
    };
    let renumbered = |reason: &str| MethodChoice {
        how: PlacingMethod::Renumber,
        binds: false,
        reason: reason.to_owned(),
    };
    if asked.is_none() && plan.hosts_are_open {
        return Ok(renumbered(
            "the batch system chooses the hosts, and a list of them would make the job wait for these",
        ));
    }
    Ok(
        match (asked, launcher.natively(&launch.apps, plan), cores) {
            (Some(PlacingMethod::Native), NativePlacement::Impossible(problem), _) => {
                return Err(LaunchError::Option {
                    option: "--how native".into(),
                    problem: format!("{problem}; leave it out, or use --how renumber"),
                });
            }
            (Some(PlacingMethod::Native), ..) => natively("as asked for"),
            (Some(PlacingMethod::Renumber), ..) => renumbered("as asked for"),
            (None, NativePlacement::Verified(reason), Ok(())) => natively(reason),
            (None, NativePlacement::Documented, _) => {
                renumbered("that this launcher follows its own mapfile has not been seen here")
            }
            (None, NativePlacement::Verified(_), Err(problem))
            | (None, NativePlacement::Bad(problem) | NativePlacement::Impossible(problem), _) => {
                renumbered(problem)
            }
        },
    )
}
