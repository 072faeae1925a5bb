//! What there is to know of a launcher: the trait its file in `launchers/` implements.

use super::options::{Known, Options};
use crate::placement::Plan;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A family of launchers with one command line.
pub(crate) trait Launcher: Sync {
    /// What people call it.
    fn name(&self) -> &'static str;

    /// Whether what it prints for `--version` is this family's.
    fn recognises(&self, version: &str) -> bool;

    /// Every option it takes: without the number of words behind each, nobody knows where the program starts.
    fn options(&self) -> &'static [Known];

    /// The words that make every rank see `variables`. Options by which the user sets the same variables are taken
    /// out of `options`.
    fn export(&self, options: &mut Options, variables: &[(&str, OsString)]) -> Vec<OsString>;

    /// The value the user gives `LD_PRELOAD` through the launcher.
    fn preloaded(&self, options: &Options) -> Option<String>;

    /// How this launcher is made to place ranks as planned. Options that would contradict the plan are taken out of
    /// `options`. `file` is a path free to be written to; further files lie beside it.
    fn place(&self, options: &mut Options, plan: &Plan, file: &Path) -> Placing;
}

/// What makes a launcher place ranks as planned.
pub(crate) struct Placing {
    /// Words to insert before the user's options.
    pub(crate) words: Vec<OsString>,
    /// Files the launcher will read: path and text.
    pub(crate) files: Vec<(PathBuf, String)>,
    /// The user's options that were taken out, for a message.
    pub(crate) replaced: Vec<String>,
}
