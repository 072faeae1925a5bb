//! The trait that every file in `launchers/` implements.

use super::App;
use super::exports::{Around, Exports};
use super::native::NativePlacement;
use super::options::{GivenOption, LauncherOption};
use crate::error::{LaunchError, Result};
use crate::placement::PlacementPlan;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A family of launchers with one command line.
pub trait Launcher: Sync {
    /// The name of the launcher in messages.
    fn name(&self) -> &'static str;

    /// File names that belong to this launcher alone. Launchers that are recognised by their
    /// version text have none.
    fn called(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether the output of `--version` belongs to this family.
    fn recognises(&self, _version: &str) -> bool {
        false
    }

    /// The subcommands that start ranks, for launchers with several subcommands.
    fn verbs(&self) -> &'static [&'static str] {
        &[]
    }

    /// The option that makes a subcommand wait for the end of the job, where it does not wait by
    /// itself.
    fn stays(&self, _verb: &str) -> Option<&'static str> {
        None
    }

    /// Whether the word of a short option may also hold its value or further short options, and
    /// names of long options may be shortened.
    fn attaches(&self) -> bool {
        false
    }

    /// Whether `:` separates programs.
    fn joins_programs(&self) -> bool {
        true
    }

    /// Whether words `NAME=VALUE` between the options and the program set variables.
    fn assigns(&self) -> bool {
        false
    }

    /// Whether ranks may run on other hosts even if no option names hosts.
    fn chooses_hosts(&self) -> bool {
        false
    }

    /// Options beside those with the role [`Mapping`](super::Role::Mapping) that decide how many
    /// ranks go to which hosts.
    fn layout_options(&self) -> &'static str {
        ""
    }

    /// Environment variables that decide the same where the line does not.
    fn layout_variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// Why every process of such a launch may be a world of its own, and which option helps; `None`
    /// where the options are no reason.
    fn why_alone(&self, _apps: &[App]) -> Option<&'static str> {
        None
    }

    /// The tables of all options. The numbers of words behind the options show where the program
    /// begins.
    fn options(&self) -> &'static [&'static [LauncherOption]];

    /// The number of words behind an option, of which `next` is the first.
    fn values(&self, known: &LauncherOption, _next: Option<&str>) -> usize {
        known.values
    }

    /// Splits a line of a file of programs into words.
    fn split(&self, line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    /// The option that gives the number of ranks; `None` where no single option does.
    fn counts(&self) -> Option<&'static str> {
        Some("-n")
    }

    /// Sets the variables for all ranks of `apps`. The user's own options for the same variables
    /// are removed. Returns the changes to the environment of the launcher itself.
    fn export(&self, apps: &mut [App], exports: &Exports) -> Around;

    /// Makes this launcher place the ranks of `apps` as planned, each with the cores that the plan
    /// has for it. Options that contradict the plan are removed. `file` is a path that may be
    /// written to; further files lie beside it. A launcher that can place no ranks says why in
    /// [`Launcher::natively`].
    ///
    /// # Errors
    /// [`LaunchError::Option`] for several programs that this launcher cannot be made to place, and
    /// for launchers that can place no ranks.
    fn place(
        &self,
        apps: &mut [App],
        plan: &PlacementPlan,
        _file: &Path,
    ) -> Result<PlacementFiles> {
        let why = match self.natively(apps, plan, true) {
            NativePlacement::Impossible(why) => why,
            _ => "this launcher places no ranks",
        };
        Err(LaunchError::option(
            "--how native",
            format!("{why}; leave it out, or use --how renumber"),
        ))
    }

    /// Whether [`Launcher::place`] can be relied on for this plan, and gives every rank a seat that
    /// the launch makes by itself. `counts_stay` says whether every host gets as many ranks as the
    /// launch starts there by itself.
    fn natively(
        &self,
        _apps: &[App],
        _plan: &PlacementPlan,
        _counts_stay: bool,
    ) -> NativePlacement {
        NativePlacement::Documented
    }

    /// Makes the launch start as many ranks on every host as the plan has there, and binds none of
    /// them. Returns what is to be written to `file`. `None` for launchers that can place ranks
    /// whose cores are not known.
    fn start_on(&self, _apps: &mut [App], _plan: &PlacementPlan, _file: &Path) -> Option<String> {
        None
    }

    /// Adds options without which the MPI library goes wrong if ranks are placed as planned. They
    /// change no seat.
    fn guard(&self, _apps: &mut [App], _plan: &PlacementPlan) {}

    /// The command that prints where this launcher would start each of `ranks` ranks by itself: a
    /// line with the rank and its host for each of them, in any order. `None` where the list of
    /// hosts says so, or nobody knows before the launch.
    fn asks_for_order(&self, _apps: &[App], _ranks: usize) -> Option<Vec<OsString>> {
        None
    }

    /// The options that start one process on each host of the user's `options`, and the path and
    /// text of a file that these options need, if any. `file` is a path that may be written to.
    fn one_a_host(&self, options: Vec<&GivenOption>, file: &Path) -> OneAHost;
}

/// The options that start one process on each host, and the path and text of a file that they need.
pub type OneAHost = (Vec<OsString>, Option<(PathBuf, String)>);

/// The files for a launcher that places ranks, and the user's options that were removed.
#[derive(Debug, Default)]
pub struct PlacementFiles {
    /// The paths and texts of the files that the launcher reads.
    pub files: Vec<(PathBuf, String)>,
    /// The user's options that were removed, for a message.
    pub replaced: Vec<String>,
}
