//! How a placement takes effect: by the launcher's own file, or by renumbering the ranks inside the program.

use crate::error::LaunchError;
use crate::launch::{App, Launch};
use crate::placement::Plan;
use object::{Object, ObjectSection};
use std::fmt::{self, Display, Formatter};

/// A way to place ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum How {
    /// The launcher starts every rank on its host, by its own mapfile
    Native,
    /// The launcher starts ranks as it always does, and MPI_Init gives them other numbers
    Renumber,
}

/// What is known of a launcher's own placing, for one plan and program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Native {
    /// Seen to be right, and the MPI library believes it.
    Verified(&'static str),
    /// Documented, and never run by us.
    Documented,
    /// Known to do harm.
    Bad(&'static str),
    /// There is no way to tell the launcher.
    Impossible(&'static str),
}

/// The MPI library that a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    OpenMpi,
    Mpich,
    /// MPICH of a version from 4.1, or Intel MPI: their libraries have one name.
    MpichAbi,
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

/// The library of the first program, as far as its file tells.
pub(crate) fn library(apps: &[App]) -> Option<Library> {
    let program = apps.first()?.program.first()?;
    let bytes = std::fs::read(crate::diagnosis::find(program)?).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let names = file.section_by_name(".dynstr")?.data().ok()?;
    let has = |name: &[u8]| names.windows(name.len()).any(|window| window == name);
    if has(b"libmpi.so.40") {
        Some(Library::OpenMpi)
    } else if has(b"libmpich.so") {
        Some(Library::Mpich)
    } else {
        (has(b"libmpi.so.12") || has(b"libmpi_abi.so")).then_some(Library::MpichAbi)
    }
}
