//! What there is to know of a launcher: the trait its file in `launchers/` implements.

use super::App;
use super::exports::Exports;
use super::native::NativePlacement;
use super::options::{GivenOption, LauncherOption};
use crate::error::LaunchError;
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A family of launchers with one command line.
pub(crate) trait Launcher: Sync {
    /// What people call it.
    fn name(&self) -> &'static str;

    /// File names by which it is told without being asked. Those told by their version have none.
    fn called(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether what it prints for `--version` is this family's.
    fn recognises(&self, _version: &str) -> bool {
        false
    }

    /// The words of which one must follow the launcher, where it does more than starting ranks.
    fn verbs(&self) -> &'static [&'static str] {
        &[]
    }

    /// The option with which the launcher stays until the job has ended, where it does not do so by
    /// itself after that word.
    fn stays(&self, _verb: &str) -> Option<&'static str> {
        None
    }

    /// Whether a short option may have its value, or further short options, in the same word, and
    /// long ones may be cut short.
    fn attaches(&self) -> bool {
        false
    }

    /// Whether `:` stands between programs.
    fn joins_programs(&self) -> bool {
        true
    }

    /// Whether words `NAME=VALUE` between the options and the program set variables.
    fn assigns(&self) -> bool {
        false
    }

    /// Whether the ranks may be on other hosts although the line names none.
    fn chooses_hosts(&self) -> bool {
        false
    }

    /// Every option it takes: without the number of words behind each, nobody knows where the
    /// program starts.
    fn options(&self) -> &'static [LauncherOption];

    /// The number of words behind an option, of which `next` is the first.
    fn values(&self, known: &LauncherOption, _next: Option<&str>) -> usize {
        known.values
    }

    /// The words of a line in a file of programs.
    fn split(&self, line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    /// The option that says how many ranks there are, `None` where ranks are counted in another
    /// way.
    fn counts(&self) -> Option<&'static str> {
        Some("-n")
    }

    /// Makes every rank of `apps` see the variables. Options by which the user sets the same
    /// variables are taken out. Returns variables for the launcher itself, for those that no option
    /// of it can set.
    fn export(&self, apps: &mut [App], exports: &Exports) -> Vec<(&'static str, OsString)>;

    /// Makes this launcher place the ranks of `apps` as planned. Options that would contradict the
    /// plan are taken out. `file` is a path free to be written to; further files lie beside it.
    ///
    /// # Errors
    /// [`LaunchError::Option`] for several programs that this launcher cannot be made to place.
    fn place(
        &self,
        apps: &mut [App],
        plan: &PlacementPlan,
        file: &Path,
    ) -> Result<PlacementFiles, LaunchError>;

    /// Whether [`Launcher::place`] is to be relied on for this plan.
    fn natively(&self, _apps: &[App], _plan: &PlacementPlan) -> NativePlacement {
        NativePlacement::Documented
    }

    /// Whether [`Launcher::place`] also binds each of `apps`' ranks to its cores, by a plan that
    /// has some for every rank.
    ///
    /// # Errors
    /// It does not, and why.
    fn binds(&self, _apps: &[App], _plan: &PlacementPlan) -> Result<(), &'static str> {
        Err("this launcher's own placing names hosts only")
    }

    /// Makes this launcher start as many ranks on every host as planned, whichever they are: they
    /// are renumbered afterwards. The hosts stand in the order in which the ranks first use them,
    /// so rank 0 is started where it is to be. Launchers whose hosts a batch system gives start
    /// them as the user has it.
    ///
    /// # Errors
    /// As [`Launcher::place`].
    fn shape(
        &self,
        apps: &mut [App],
        plan: &PlacementPlan,
        file: &Path,
    ) -> Result<PlacementFiles, LaunchError> {
        if self.chooses_hosts() {
            return Ok(PlacementFiles::default());
        }
        self.place(apps, &plan.in_blocks(), file)
    }

    /// `options`, which the user gave to say on which hosts and how to start, as those that start
    /// one process on each of these hosts; and a file to write for it. `file` is a path free to be
    /// written to.
    fn one_a_host(
        &self,
        options: Vec<&GivenOption>,
        file: &Path,
    ) -> (Vec<OsString>, Option<(PathBuf, String)>);
}

/// What makes a launcher place ranks as planned, besides the words inserted.
#[derive(Debug, Default)]
pub(crate) struct PlacementFiles {
    /// Files the launcher will read: path and text.
    pub(crate) files: Vec<(PathBuf, String)>,
    /// The user's options that were taken out, for a message.
    pub(crate) replaced: Vec<String>,
}
