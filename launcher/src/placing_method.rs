//! How a placement takes effect: by the launcher's own file, or by renumbering the ranks inside the
//! program.

use crate::error::LaunchError;
use crate::launch::{Launch, NativePlacement};
use crate::placement::PlacementPlan;
use std::fmt::{self, Display, Formatter};

/// A way to place ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PlacingMethod {
    /// The launcher starts every rank on its host, by its own mapfile
    Native,
    /// The launcher starts ranks as it always does, and MPI_Init gives them other numbers
    Renumber,
}

/// A choice, and why.
#[derive(Debug)]
pub(crate) struct MethodChoice {
    pub(crate) how: PlacingMethod,
    /// Whether the launcher is told to bind ranks to the cores that the plan has for them.
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

/// The way `asked` for, otherwise the launcher's own where that has been seen to be right and can
/// bind ranks to the cores of the plan, otherwise renumbering.
///
/// # Errors
/// The launcher is asked for what it cannot do.
pub(crate) fn choose(
    launch: &Launch,
    plan: &PlacementPlan,
    asked: Option<PlacingMethod>,
) -> Result<MethodChoice, LaunchError> {
    let launcher = launch.launcher;
    let cores = match plan.can_bind() {
        true => launcher.binds(&launch.apps, plan),
        false => Ok(()),
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
