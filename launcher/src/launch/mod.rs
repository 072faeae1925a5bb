//! A launch command taken apart: the launcher, and the programs, each with the options given before it one by one.

mod app;
mod exports;
mod launcher;
mod options;

pub(crate) use app::App;
pub(crate) use exports::Exports;
pub(crate) use launcher::{Launcher, Placing};
pub(crate) use options::{Given, Known, Options, Role, join, known};

use crate::error::LaunchError;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// What stands between two programs.
const NEXT: &str = ":";

/// The user's launch command.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) launcher: &'static dyn Launcher,
    /// The launcher as typed.
    command: OsString,
    /// The programs, at least one. Ranks are numbered across them.
    pub(crate) apps: Vec<App>,
}

impl Launch {
    /// Takes `words` apart.
    ///
    /// # Errors
    /// An option the launcher does not know, one we cannot follow, or a program that is missing.
    pub(crate) fn parse(
        launcher: &'static dyn Launcher,
        words: &[OsString],
    ) -> Result<Self, LaunchError> {
        let (command, mut rest) = words.split_first().ok_or_else(|| no_program(words))?;
        let (mut first, after) = options(launcher, rest)?;
        let listed = first.take(|given| given.role == Role::Programs);
        let mut apps = Vec::new();
        if let [file, ..] = &listed[..] {
            if !after.is_empty() {
                return Err(refused(
                    file,
                    "it names the programs, and the line names one too: leave one of them out",
                ));
            }
            let mut lines = programs(launcher, file)?;
            let Some((head, others)) = lines.split_first_mut() else {
                return Err(refused(file, "it names no program"));
            };
            first.extend(std::mem::take(&mut head.options));
            head.options = first;
            apps.push(head.clone());
            apps.extend_from_slice(others);
        } else {
            loop {
                let (options, after) = options(launcher, rest)?;
                let end = after.iter().position(|word| word == NEXT);
                let program = after[..end.unwrap_or(after.len())].to_vec();
                if program.is_empty() {
                    return Err(no_program(words));
                }
                apps.push(App {
                    inserted: Vec::new(),
                    options,
                    program,
                });
                let Some(end) = end else { break };
                rest = &after[end + 1..];
            }
        }
        Ok(Self {
            launcher,
            command: command.clone(),
            apps,
        })
    }

    /// The number of ranks the user asked for, and the option that says so; `None` unless every program has a number.
    ///
    /// # Errors
    /// A value that is no positive number.
    pub(crate) fn ranks(&self) -> Result<Option<(usize, String)>, LaunchError> {
        let mut all = 0;
        let mut told = Vec::new();
        for app in &self.apps {
            let Some((ranks, option)) = app.ranks()? else {
                return Ok(None);
            };
            all += ranks;
            told.push(option);
        }
        Ok(Some((all, told.join(" : "))))
    }

    /// The launcher, as typed.
    pub(crate) fn command(&self) -> &OsStr {
        &self.command
    }

    /// The first program, as typed.
    pub(crate) fn program(&self) -> &OsStr {
        &self.apps[0].program[0]
    }

    /// The whole command again, with what was inserted before the user's own options.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words = vec![self.command.clone()];
        for (number, app) in self.apps.iter().enumerate() {
            if number > 0 {
                words.push(NEXT.into());
            }
            words.extend(app.words().cloned());
        }
        words
    }

    /// Whether the line says which hosts there are.
    pub(crate) fn names_hosts(&self) -> bool {
        let mut given = self.apps.iter().flat_map(|app| app.options.iter());
        given.any(|given| given.role == Role::Hosts)
    }

    /// The launcher and the options that start one process on every host of this launch, and a file to write for it, with
    /// its text; `file` is a path free for that. The program is to follow.
    pub(crate) fn one_a_host(&self, file: &Path) -> (Vec<OsString>, Option<(PathBuf, String)>) {
        /// Options that change what comes out of standard output.
        const DRESSING: &[&str] = &[
            "output",
            "output-filename",
            "output-directory",
            "tag-output",
            "timestamp-output",
            "xml",
            "xml-file",
            "outfile-pattern",
            "prepend-rank",
            "prepend-pattern",
            "l",
        ];
        let options = self.apps.iter().enumerate().flat_map(|(number, app)| {
            let kept = move |given: &&Given| match given.role {
                Role::Hosts => true,
                Role::Other => {
                    number == 0 && given.name().is_none_or(|name| !DRESSING.contains(&name))
                }
                _ => false,
            };
            app.options.iter().filter(kept)
        });
        let (words, file) = self.launcher.one_a_host(options.collect(), file);
        ([vec![self.command.clone()], words].concat(), file)
    }
}

/// The options `words` start with, and what follows them.
fn options<'a>(
    launcher: &'static dyn Launcher,
    mut words: &'a [OsString],
) -> Result<(Options, &'a [OsString]), LaunchError> {
    let mut options = Options::default();
    while let Some(given) = next_option(launcher, words)? {
        words = &words[given.words.len()..];
        options.push(given);
    }
    match words {
        [dashes, after @ ..] if dashes == "--" => Ok((options, after)),
        _ => Ok((options, words)),
    }
}

/// The programs in the file that `given` names, one a line.
fn programs(launcher: &'static dyn Launcher, given: &Given) -> Result<Vec<App>, LaunchError> {
    let path = given.value(0).unwrap_or_default();
    let text = fs::read_to_string(&path)
        .map_err(|error| refused(given, &format!("cannot read {path}: {error}")))?;
    // A line that ends in a backslash goes on in the next, as Hydra has it.
    let text = text.replace("\\\n", " ");
    let mut apps = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = launcher.split(line);
        if words.last().is_some_and(|last| last == NEXT) {
            words.pop();
        }
        if words.is_empty() {
            continue;
        }
        let (options, program) = options(launcher, &words)?;
        if program.is_empty() || program.iter().any(|word| word == NEXT) {
            let problem = format!(
                "{path}:{}: a line must hold options and one program",
                number + 1
            );
            return Err(refused(given, &problem));
        }
        apps.push(App {
            inserted: Vec::new(),
            options,
            program: program.to_vec(),
        });
    }
    Ok(apps)
}

fn no_program(words: &[OsString]) -> LaunchError {
    LaunchError::NoProgram {
        command: join(words),
    }
}

fn refused(given: &Given, problem: &str) -> LaunchError {
    LaunchError::Option {
        option: given.text(),
        problem: problem.into(),
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
    let name = options::name(&text);
    let known = launcher
        .options()
        .iter()
        .find(|known| known.names.contains(&name))
        .ok_or_else(|| LaunchError::UnknownOption {
            option: text.to_string(),
            launcher: launcher.name(),
        })?;
    let next = words.get(1).and_then(|word| word.to_str());
    let length = if text.contains('=') {
        1
    } else {
        1 + launcher.values(known, next)
    };
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
