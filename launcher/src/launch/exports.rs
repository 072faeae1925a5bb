//! The variables that every rank is to see.

use std::ffi::{OsStr, OsString};

/// Names and values, `LD_PRELOAD` apart.
#[derive(Clone, Debug)]
pub(crate) struct Exports {
    variables: Vec<(&'static str, OsString)>,
    /// What is preloaded.
    library: OsString,
    /// What the user preloads into everything, unless the launch says otherwise.
    theirs: Option<OsString>,
}

impl Exports {
    /// `variables`, and `library` to be preloaded ahead of what the user preloads.
    pub(crate) fn new(variables: Vec<(&'static str, OsString)>, library: OsString) -> Self {
        Self {
            variables,
            library,
            theirs: std::env::var_os("LD_PRELOAD"),
        }
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
