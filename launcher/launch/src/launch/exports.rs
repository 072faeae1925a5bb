//! The environment variables for all ranks.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Changes to the environment of a launcher: variables with their values, and variables that are
/// taken out of it.
pub type Around = Vec<(&'static str, Option<OsString>)>;

/// The word `name=value`.
pub(crate) fn assignment(name: &str, value: OsString) -> OsString {
    [OsString::from(name), value].join(OsStr::new("="))
}

/// The environment variables for all ranks; `LD_PRELOAD` is kept apart from the others.
#[derive(Clone, Debug)]
pub struct Exports {
    variables: Vec<(&'static str, OsString)>,
    /// The preload libraries of rankfold, as a value of `LD_PRELOAD`.
    library: OsString,
    /// The user's own value of `LD_PRELOAD`, unless the launch sets another one for a program.
    theirs: Option<OsString>,
    /// The directory in which the launcher is installed.
    prefix: Option<PathBuf>,
}

impl Exports {
    /// The variables `variables`, and `library` to be preloaded ahead of the user's libraries.
    pub fn new(variables: Vec<(&'static str, OsString)>, library: OsString) -> Self {
        Self {
            variables,
            library,
            theirs: std::env::var_os("LD_PRELOAD"),
            prefix: None,
        }
    }

    /// These variables for the launcher `command` with the words `before` it, which may set
    /// `LD_PRELOAD`.
    pub fn of(mut self, before: &[OsString], command: &OsStr) -> Self {
        let assigned = before.iter().filter_map(|word| word.to_str());
        let mut assigned = assigned.filter_map(|word| word.strip_prefix("LD_PRELOAD="));
        if let Some(last) = assigned.next_back() {
            self.theirs = Some(last.into());
        }
        let directories = std::env::var_os("PATH").unwrap_or_default();
        let mut named =
            std::env::split_paths(&directories).map(|directory| directory.join(command));
        let found = if Path::new(command).components().count() > 1 {
            Some(PathBuf::from(command))
        } else {
            named.find(|path| path.is_file())
        };
        let found = found.and_then(|path| path.canonicalize().ok());
        self.prefix = found.and_then(|path| Some(path.parent()?.parent()?.to_owned()));
        self
    }

    /// The directory in which the launcher is installed, if it is known.
    pub fn prefix(&self) -> Option<&Path> {
        self.prefix.as_deref()
    }

    /// Whether the launcher's own environment has the variable `name`.
    pub fn is_around(&self, name: &str) -> bool {
        match name {
            "LD_PRELOAD" => self.theirs.is_some(),
            _ => std::env::var_os(name).is_some(),
        }
    }

    /// All variables for a program into which the user's launch preloads `theirs`.
    pub fn beside(&self, theirs: Option<&str>) -> Vec<(&'static str, OsString)> {
        let theirs = theirs.map(OsStr::new).or(self.theirs.as_deref());
        let mut preload = self.library.clone();
        if let Some(theirs) = theirs.filter(|theirs| !theirs.is_empty()) {
            preload.push(":");
            preload.push(theirs);
        }
        let mut variables = vec![("LD_PRELOAD", preload)];
        variables.extend(self.variables.iter().cloned());
        variables
    }
}
