//! How a placement takes effect: by the launcher's own file, or by renumbering the ranks inside the program.

use crate::error::LaunchError;
use crate::launch::{Launch, Native};
use crate::placement::Plan;
use std::fmt::{self, Display, Formatter};

/// A way to place ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum How {
    /// The launcher starts every rank on its host, by its own mapfile
    Native,
    /// The launcher starts ranks as it always does, and MPI_Init gives them other numbers
    Renumber,
}

/// A choice, and why.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) how: How,
    reason: String,
}

impl Display for Choice {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let how = match self.how {
            How::Native => "by the launcher itself",
            How::Renumber => "by renumbering in MPI_Init",
        };
        write!(f, "ranks are placed {how}: {}", self.reason)
    }
}

/// The way `asked` for, otherwise the launcher's own where that has been seen to be right, otherwise renumbering.
///
/// # Errors
/// The launcher is asked for what it cannot do.
pub(crate) fn choose(
    launch: &Launch,
    plan: &Plan,
    asked: Option<How>,
) -> Result<Choice, LaunchError> {
    let native = launch.launcher.natively(&launch.apps, plan);
    let choice = |how, reason: &str| Choice {
        how,
        reason: reason.to_owned(),
    };
    Ok(match (asked, native) {
        (Some(How::Native), Native::Impossible(problem)) => {
            return Err(LaunchError::Option {
                option: "--how native".into(),
                problem: format!("{problem}; leave it out, or use --how renumber"),
            });
        }
        (Some(how), _) => choice(how, "as asked for"),
        (None, Native::Verified(reason)) => choice(How::Native, reason),
        (None, Native::Documented) => choice(
            How::Renumber,
            "that this launcher follows its own mapfile has not been seen here",
        ),
        (None, Native::Bad(problem) | Native::Impossible(problem)) => {
            choice(How::Renumber, problem)
        }
    })
}
