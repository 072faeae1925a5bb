//! A launch command taken apart: the launcher, its options one by one, and the program.

use crate::error::LaunchError;
use crate::launchers::Launcher;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

/// What an option of a launcher does, as far as we care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing we touch.
    Other,
    /// Says how many ranks there are.
    Ranks,
    /// Says which hosts there are.
    Hosts,
    /// Says which rank goes where: a placement of ours takes its place.
    Mapping,
    /// Sets or passes an environment variable.
    Export,
    /// Starts something we cannot follow.
    Refused(&'static str),
}

/// An option of a launcher: names without dashes, how many words follow it, what it does.
pub(crate) struct Known {
    pub(crate) names: &'static [&'static str],
    pub(crate) values: usize,
    pub(crate) role: Role,
}

/// A row of a launcher's table of options.
pub(crate) const fn known(names: &'static [&'static str], values: usize, role: Role) -> Known {
    Known {
        names,
        values,
        role,
    }
}

/// An option as the user typed it, with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) words: Vec<OsString>,
    pub(crate) role: Role,
}

impl Given {
    /// The option and its values, for messages.
    pub(crate) fn text(&self) -> String {
        join(&self.words)
    }

    /// Value number `index`, whether it is a word of its own or joined with `=`.
    pub(crate) fn value(&self, index: usize) -> Option<String> {
        match self.words.get(index + 1) {
            Some(word) => Some(word.to_string_lossy().into_owned()),
            None => {
                let (_, value) = self.words[0].to_str()?.split_once('=')?;
                (index == 0).then(|| value.to_owned())
            }
        }
    }
}

/// The user's launch command.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) launcher: &'static dyn Launcher,
    /// The launcher as typed.
    pub(crate) command: OsString,
    pub(crate) options: Vec<Given>,
    /// The program and its arguments.
    pub(crate) program: Vec<OsString>,
}

impl Launch {
    /// Takes `words` apart.
    pub(crate) fn parse(
        launcher: &'static dyn Launcher,
        words: &[OsString],
    ) -> Result<Self, LaunchError> {
        let no_program = || LaunchError::NoProgram {
            command: join(words),
        };
        let (command, mut rest) = words.split_first().ok_or_else(no_program)?;
        let mut options = Vec::new();
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
    pub(crate) fn ranks(&self) -> Result<Option<(usize, String)>, LaunchError> {
        let Some(given) = self.options.iter().rfind(|o| o.role == Role::Ranks) else {
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

    /// Removes the options that match, and returns them.
    pub(crate) fn take(&mut self, matches: impl Fn(&Given) -> bool) -> Vec<Given> {
        let (taken, kept) = std::mem::take(&mut self.options)
            .into_iter()
            .partition(matches);
        self.options = kept;
        taken
    }

    /// The whole command again, with `inserted` before the user's own options.
    pub(crate) fn words(&self, inserted: &[OsString]) -> Vec<OsString> {
        std::iter::once(&self.command)
            .chain(inserted)
            .chain(self.options.iter().flat_map(|option| &option.words))
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

/// The words as one line, for messages.
pub(crate) fn join(words: &[impl AsRef<OsStr>]) -> String {
    let words: Vec<_> = words
        .iter()
        .map(|word| word.as_ref().to_string_lossy())
        .collect();
    words.join(" ")
}

/// The words as one line a shell reads as the same words.
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
