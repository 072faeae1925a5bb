//! The variables that every rank is to see.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Names and values, `LD_PRELOAD` apart.
#[derive(Clone, Debug)]
pub(crate) struct Exports {
    variables: Vec<(&'static str, OsString)>,
    /// What is preloaded.
    library: OsString,
    /// What the user preloads into everything, unless the launch says otherwise.
    theirs: Option<OsString>,
    /// Where the launcher is installed.
    prefix: Option<PathBuf>,
}

impl Exports {
    /// `variables`, and `library` to be preloaded ahead of what the user preloads.
    pub(crate) fn new(variables: Vec<(&'static str, OsString)>, library: OsString) -> Self {
        Self {
            variables,
            library,
            theirs: std::env::var_os("LD_PRELOAD"),
            prefix: None,
        }
    }

    /// The same for the launcher `command`, with the words `before` it.
    pub(crate) fn of(mut self, before: &[OsString], command: &OsStr) -> Self {
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

    /// Where the launcher is installed, if that is known.
    pub(crate) fn prefix(&self) -> Option<&Path> {
        self.prefix.as_deref()
    }

    /// All variables for a program into which the launch itself preloads `theirs`.
    pub(crate) fn beside(&self, theirs: Option<&str>) -> Vec<(&'static str, OsString)> {
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
