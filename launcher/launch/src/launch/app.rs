//! One program of a launch.

use super::options::{Options, Role};
use crate::error::{LaunchError, Result};
use std::ffi::OsString;

/// A program, with the launcher's options before it.
#[derive(Clone, Debug, Default)]
pub struct App {
    /// Words that rankfold adds before the user's options.
    pub inserted: Vec<OsString>,
    /// The user's options.
    pub options: Options,
    /// Words that rankfold adds behind the user's options.
    pub added: Vec<OsString>,
    /// Words `NAME=VALUE` before the program, for launchers that accept them.
    pub assigned: Vec<OsString>,
    /// The program and its arguments.
    pub program: Vec<OsString>,
}

impl App {
    /// The number of ranks that the user asks for, and the option that says so.
    ///
    /// # Errors
    /// A value that is no positive number.
    pub fn ranks(&self) -> Result<Option<(usize, String)>> {
        let Some(given) = self.options.last(|given| given.role == Role::Ranks) else {
            return Ok(None);
        };
        match given.value(0).and_then(|value| value.parse().ok()) {
            Some(ranks) if ranks > 0 => Ok(Some((ranks, given.text()))),
            _ => Err(LaunchError::option(
                given.text(),
                "the number of ranks must be a number from 1",
            )),
        }
    }

    /// The words of this program on the command line.
    pub(super) fn words(&self) -> impl Iterator<Item = &OsString> {
        let given = self.options.iter().flat_map(|given| &given.words);
        let options = self.inserted.iter().chain(given).chain(&self.added);
        options.chain(&self.assigned).chain(&self.program)
    }
}
