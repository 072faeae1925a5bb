//! A launch command taken apart: the launcher, the options given to it one by one, and the program.

mod launcher;
mod options;

pub(crate) use launcher::{Launcher, Placing};
pub(crate) use options::{Given, Known, Options, Role, join, known};

use crate::error::LaunchError;
use std::borrow::Cow;
use std::ffi::OsString;

/// The user's launch command.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) launcher: &'static dyn Launcher,
    /// The launcher as typed.
    command: OsString,
    pub(crate) options: Options,
    /// The program and its arguments.
    pub(crate) program: Vec<OsString>,
}

impl Launch {
    /// Takes `words` apart.
    ///
    /// # Errors
    /// An option the launcher does not know, one we cannot follow, several programs, or none.
    pub(crate) fn parse(
        launcher: &'static dyn Launcher,
        words: &[OsString],
    ) -> Result<Self, LaunchError> {
        let no_program = || LaunchError::NoProgram {
            command: join(words),
        };
        let (command, mut rest) = words.split_first().ok_or_else(no_program)?;
        let mut options = Options::default();
        while let Some(given) = next_option(launcher, rest)? {
            rest = &rest[given.words.len()..];
            options.push(given);
        }
        if let [dashes, after @ ..] = rest
            && dashes == "--"
        {
            rest = after;
        }
        if rest.iter().any(|word| word == ":") {
            return Err(LaunchError::Option {
                option: ":".into(),
                problem: "several programs in one launch are not supported yet: start one".into(),
            });
        }
        if rest.is_empty() {
            return Err(no_program());
        }
        Ok(Self {
            launcher,
            command: command.clone(),
            options,
            program: rest.to_vec(),
        })
    }

    /// The number of ranks the user asked for, and the option that says so.
    ///
    /// # Errors
    /// A value that is no positive number.
    pub(crate) fn ranks(&self) -> Result<Option<(usize, String)>, LaunchError> {
        let Some(given) = self.options.last(|given| given.role == Role::Ranks) else {
            return Ok(None);
        };
        match given.value(0).and_then(|value| value.parse().ok()) {
            Some(ranks) if ranks > 0 => Ok(Some((ranks, given.text()))),
            _ => Err(LaunchError::Option {
                option: given.text(),
                problem: "the number of ranks must be a number from 1".into(),
            }),
        }
    }

    /// The whole command again, with `inserted` before the user's own options.
    pub(crate) fn words(&self, inserted: &[OsString]) -> Vec<OsString> {
        std::iter::once(&self.command)
            .chain(inserted)
            .chain(self.options.iter().flat_map(|given| &given.words))
            .chain(&self.program)
            .cloned()
            .collect()
    }
}

/// The option `words` start with, or `None` where the program starts.
fn next_option(
    launcher: &'static dyn Launcher,
    words: &[OsString],
) -> Result<Option<Given>, LaunchError> {
    let Some(text) = words.first().map(|word| word.to_string_lossy()) else {
        return Ok(None);
    };
    if !text.starts_with('-') || text == "--" {
        return Ok(None);
    }
    let dashless = text.trim_start_matches('-');
    let (name, joined) = match dashless.split_once('=') {
        Some((name, _)) => (name, true),
        None => (dashless, false),
    };
    let known = launcher
        .options()
        .iter()
        .find(|known| known.names.contains(&name))
        .ok_or_else(|| LaunchError::UnknownOption {
            option: text.to_string(),
            launcher: launcher.name(),
        })?;
    if let Role::Refused(problem) = known.role {
        return Err(LaunchError::Option {
            option: text.to_string(),
            problem: problem.into(),
        });
    }
    let length = if joined { 1 } else { 1 + known.values };
    if words.len() < length {
        return Err(LaunchError::Option {
            option: text.to_string(),
            problem: "its value is missing".into(),
        });
    }
    Ok(Some(Given {
        words: words[..length].to_vec(),
        role: known.role,
    }))
}

/// The words as one line: a shell would take it apart into the same words again.
pub(crate) fn quoted(words: &[OsString]) -> String {
    let quoted: Vec<_> = words
        .iter()
        .map(|word| {
            let word = word.to_string_lossy();
            shlex::try_quote(&word).map_or_else(|_| word.clone().into_owned(), Cow::into_owned)
        })
        .collect();
    quoted.join(" ")
}
