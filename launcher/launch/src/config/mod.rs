//! The configuration: what the site, the user and the environment say about every run.
//!
//! Three places can set a key: an environment variable, the file of the user and the file of the
//! site, in this order. The command line comes before all of them. A key that is wrong in one place
//! is left out there and reported; the other keys of the same place still count.

mod file;
mod options;
mod origin;
mod places;
mod setting;
mod settings;

pub use options::DefaultOption;
pub use origin::{ConfigError, Origin};
pub use places::{ConfigFile, SITE_FILE};
pub use setting::SETTINGS;
pub use settings::{CachePlace, SiteSettings};

use setting::Setting;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// Looks up environment variables.
type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// A value in the notation of environment variables, and where it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenValue {
    /// The value as it was written.
    pub text: String,
    /// Where it was written.
    pub origin: Origin,
}

/// The values that count, and what was wrong with others.
#[derive(Debug)]
pub struct Configuration {
    /// The files that were looked for, the one that counts more first.
    pub files: Vec<ConfigFile>,
    /// The values that are given and right, by the names of their keys.
    pub given: BTreeMap<String, GivenValue>,
    /// Everything that is wrong, in the order in which the places count.
    pub problems: Vec<ConfigError>,
    /// What the values say of every run.
    pub settings: SiteSettings,
}

impl Configuration {
    /// Reads the files and the environment of this process. `options` are the options of commands
    /// that may have defaults; `check` says what is wrong with a value of such an option.
    pub fn read(
        options: &[DefaultOption],
        check: impl Fn(&DefaultOption, &str) -> Result<(), String>,
    ) -> Self {
        Self::gather(options, check, &|name| std::env::var_os(name))
    }

    /// As [`Configuration::read`], with other environment variables than those of this process.
    pub fn gather(
        options: &[DefaultOption],
        check: impl Fn(&DefaultOption, &str) -> Result<(), String>,
        variables: Variables,
    ) -> Self {
        let keys = SETTINGS.iter().map(Key::Setting);
        let keys: Vec<Key> = keys.chain(options.iter().map(Key::Option)).collect();
        let names: Vec<String> = keys.iter().map(Key::name).collect();
        let mut problems = Vec::new();
        let mut given = BTreeMap::new();
        let mut add = |values: Vec<(String, GivenValue)>, problems: &mut Vec<ConfigError>| {
            for (name, value) in values {
                let key = keys.iter().find(|key| key.name() == name);
                let right = match key {
                    Some(Key::Setting(setting)) => setting.check(&value, variables),
                    Some(Key::Option(option)) => check(option, &value.text),
                    None => continue,
                };
                match right {
                    Ok(()) => drop(given.entry(name).or_insert(value)),
                    Err(problem) => {
                        problems.push(value.origin.wrong(format!("{name}: {problem}")));
                    }
                }
            }
        };
        let values = from_environment(&names, variables, &mut problems);
        add(values, &mut problems);
        let mut files = places::files(variables);
        for file in &mut files {
            let values = file.values(&names, &mut problems);
            add(values, &mut problems);
        }
        let settings = SiteSettings::of(&given, variables);
        Self {
            files,
            given,
            problems,
            settings,
        }
    }

    /// The settings, for a command that runs no program of the user.
    ///
    /// # Errors
    /// The first problem, if there is any.
    pub fn checked(&self) -> Result<&SiteSettings, ConfigError> {
        match self.problems.first() {
            Some(problem) => Err(problem.clone()),
            None => Ok(&self.settings),
        }
    }

    /// One line about the problems, for commands that run the user's program in any case; `None`
    /// where there is no problem.
    pub fn warning(&self) -> Option<String> {
        let (first, more) = self.problems.split_first()?;
        let more = match more.len() {
            0 => String::new(),
            more => format!(" ({more} more: rankfold config)"),
        };
        Some(format!("{first}: left out{more}"))
    }
}

/// A key that the configuration may have.
enum Key<'a> {
    Setting(&'a Setting),
    Option(&'a DefaultOption),
}

impl Key<'_> {
    fn name(&self) -> String {
        match self {
            Self::Setting(setting) => setting.name.to_owned(),
            Self::Option(option) => option.name(),
        }
    }
}

/// The environment variable of a key: `RANKFOLD_CACHE_LIMIT` for `cache.limit`.
pub fn variable_of(name: &str) -> String {
    format!("RANKFOLD_{}", name.replace(['.', '-'], "_").to_uppercase())
}

/// The values that environment variables give. An empty variable counts as not set.
fn from_environment(
    names: &[String],
    variables: Variables,
    problems: &mut Vec<ConfigError>,
) -> Vec<(String, GivenValue)> {
    let mut values = Vec::new();
    for name in names {
        let origin = Origin::Variable {
            variable: variable_of(name),
        };
        let value = variables(&variable_of(name)).filter(|value| !value.is_empty());
        match value.map(OsString::into_string) {
            None => {}
            Some(Ok(text)) => values.push((name.clone(), GivenValue { text, origin })),
            Some(Err(_)) => problems.push(origin.wrong("it is not in UTF-8".into())),
        }
    }
    values
}

#[cfg(test)]
mod tests;
