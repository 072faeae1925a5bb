//! The options that a launcher takes, and the options that the user has given.

use rankfold_machine::HostList;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The effect of an option, as far as it matters for placing and profiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Any other effect. The option stays as it is.
    Other,
    /// Gives the number of ranks.
    Ranks,
    /// Names the hosts.
    Hosts,
    /// Names hosts of the job that get no rank.
    ExcludedHosts,
    /// Places the ranks. Such options are removed when rankfold places the ranks.
    Mapping,
    /// Sets or passes an environment variable.
    Export,
    /// Names a file with the programs to start, one a line.
    Programs,
}

/// A row in a launcher's table of options: one or several options that are alike.
pub struct LauncherOption {
    /// The names of the options, without dashes, with spaces between them.
    names: &'static str,
    /// The number of words that follow each of the options.
    pub values: usize,
    /// What the options do.
    pub role: Role,
}

/// Makes a row of a launcher's table of options.
pub const fn known(names: &'static str, values: usize, role: Role) -> LauncherOption {
    LauncherOption {
        names,
        values,
        role,
    }
}

impl LauncherOption {
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split(' ')
    }
}

/// An option as the user has typed it, with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenOption {
    /// The option and its values; a single word where the value is joined with `=`.
    pub words: Vec<OsString>,
    /// What the option does.
    pub role: Role,
    /// Whether the value follows the option's letter in the same word: `-n4`.
    attached: bool,
}

/// The words of these options.
pub(crate) fn words<'a>(options: impl IntoIterator<Item = &'a GivenOption>) -> Vec<OsString> {
    let words = options.into_iter().flat_map(|given| &given.words);
    words.cloned().collect()
}

/// The texts of these options, for a message.
pub(crate) fn texts(options: &[GivenOption]) -> Vec<String> {
    options.iter().map(GivenOption::text).collect()
}

impl GivenOption {
    pub(super) fn new(words: Vec<OsString>, role: Role) -> Self {
        let attached = false;
        Self {
            words,
            role,
            attached,
        }
    }

    /// A short option with its value, or with further short options, in one word.
    pub(super) fn attached(words: Vec<OsString>, role: Role) -> Self {
        let attached = true;
        Self {
            words,
            role,
            attached,
        }
    }

    /// The option's name, without dashes and without a value joined with `=`.
    pub fn name(&self) -> Option<&str> {
        let word = self.words.first()?.to_str()?;
        if self.attached {
            word.get(1..2)
        } else {
            Some(name(word))
        }
    }

    /// Whether the option's name is among the words `names`.
    pub fn is_one_of(&self, names: &str) -> bool {
        self.name()
            .is_some_and(|name| names.split(' ').any(|known| known == name))
    }

    /// The option and its values, for messages.
    pub fn text(&self) -> String {
        join(&self.words)
    }

    /// Value number `index`, from 0, whether it is a word of its own or joined with `=`.
    pub fn value(&self, index: usize) -> Option<String> {
        match self.words.get(index + 1) {
            Some(word) => Some(word.to_string_lossy().into_owned()),
            None if self.attached => {
                let value = self.words[0].to_str()?.get(2..)?;
                (index == 0).then(|| value.to_owned())
            }
            None => {
                let (_, value) = self.words[0].to_str()?.split_once('=')?;
                (index == 0).then(|| value.to_owned())
            }
        }
    }
}

impl GivenOption {
    /// Whether the first value is a file.
    pub fn names_a_file(&self) -> bool {
        self.value(0)
            .is_some_and(|value| Path::new(&value).is_file())
    }

    /// The hosts that the option names, in a file or in a list; `None` where they cannot be read.
    pub fn hosts(&self) -> Option<HostList> {
        HostList::parse(&self.value(0)?).ok()
    }
}

/// The user's options for the launcher, in the order given.
#[derive(Clone, Debug, Default)]
pub struct Options(Vec<GivenOption>);

impl Options {
    pub(super) fn push(&mut self, given: GivenOption) {
        self.0.push(given);
    }

    /// The options in the order in which they were typed.
    pub fn iter(&self) -> std::slice::Iter<'_, GivenOption> {
        self.0.iter()
    }

    /// Appends the options `others`.
    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// The last option that matches. In launchers the last option overrides earlier ones.
    pub fn last(&self, matches: impl Fn(&GivenOption) -> bool) -> Option<&GivenOption> {
        self.0.iter().rfind(|given| matches(given))
    }

    /// Removes the options that match, and returns them.
    pub fn take(&mut self, matches: impl Fn(&GivenOption) -> bool) -> Vec<GivenOption> {
        self.0.extract_if(.., |given| matches(given)).collect()
    }
}

/// The name of the option in `word`: without dashes and without a value behind `=`.
pub(super) fn name(word: &str) -> &str {
    let dashless = word.trim_start_matches('-');
    dashless.split('=').next().unwrap_or(dashless)
}

/// The words as one line, for messages.
pub fn join(words: &[impl AsRef<OsStr>]) -> String {
    let words: Vec<_> = words
        .iter()
        .map(|word| word.as_ref().to_string_lossy())
        .collect();
    words.join(" ")
}
