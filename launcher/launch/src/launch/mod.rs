//! A launch command, parsed: the launcher, and the programs with the options before each of them.

mod app;
mod early_use;
mod exports;
pub mod host_lists;
mod interpreted;
mod launcher;
mod layout;
mod native;
mod options;
mod parse;
mod wrappers;

pub use app::App;
pub use early_use::EarlyUse;
pub(crate) use exports::assignment;
pub use exports::{Around, Exports};
pub use interpreted::script;
pub use launcher::{Launcher, OneAHost, PlacementFiles};
pub use native::{Library, NativePlacement, library};
pub use options::{GivenOption, LauncherOption, Options, Role, join, known};
pub(crate) use options::{texts, words};

use crate::diagnosis::EndedLaunch;
use crate::error::{LaunchError, Result};
use parse::{no_program, options, programs, refused};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
pub use wrappers::before;

/// The word between two programs.
const NEXT: &str = ":";

/// The user's launch command.
#[derive(Clone)]
pub struct Launch {
    /// Who understands the command.
    pub launcher: &'static dyn Launcher,
    /// The words before the launcher: `nice`, `timeout 60`, `env A=1`.
    before: Vec<OsString>,
    /// The launcher as typed.
    command: OsString,
    /// The subcommand of a launcher that has several: `run` of `flux run`.
    verb: Option<OsString>,
    /// The programs, at least one. Ranks are numbered through all programs.
    pub apps: Vec<App>,
}

impl Launch {
    /// Parses `words`, of which the first is the launcher. `before` holds the words before the
    /// launcher.
    ///
    /// # Errors
    /// An option is unknown or cannot be followed, or a program is missing.
    pub fn parse(
        launcher: &'static dyn Launcher,
        before: &[OsString],
        words: &[OsString],
    ) -> Result<Self> {
        let (command, mut rest) = words.split_first().ok_or_else(|| no_program(words))?;
        let verb = verb(launcher, rest)?;
        rest = &rest[verb.iter().len()..];
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
                let next = |word: &OsString| launcher.joins_programs() && word == NEXT;
                let end = after.iter().position(next);
                let mut program = after[..end.unwrap_or(after.len())].to_vec();
                let assigns =
                    |word: &OsString| launcher.assigns() && word.as_encoded_bytes().contains(&b'=');
                let assigned = program.iter().take_while(|word| assigns(word)).count();
                let assigned = program.drain(..assigned).collect();
                if program.is_empty() {
                    return Err(no_program(words));
                }
                apps.push(App {
                    options,
                    assigned,
                    program,
                    ..App::default()
                });
                let Some(end) = end else { break };
                rest = &after[end + 1..];
            }
        }
        let stays = verb
            .as_ref()
            .and_then(|verb| launcher.stays(&verb.to_string_lossy()));
        if let (Some(option), Some(app)) = (stays, apps.first_mut())
            && app.options.last(|given| given.text() == option).is_none()
        {
            app.inserted.push(option.into());
        }
        Ok(Self {
            launcher,
            before: before.to_vec(),
            command: command.clone(),
            verb,
            apps,
        })
    }

    /// Makes every rank see the variables.
    pub fn export(&mut self, exports: &Exports) {
        let own = self.launcher.export(&mut self.apps, exports);
        if own.is_empty() {
            return;
        }
        let (set, unset): (Around, Around) =
            own.into_iter().partition(|(_, value)| value.is_some());
        self.before.push("env".into());
        self.before.extend(
            unset
                .iter()
                .flat_map(|(name, _)| ["-u", name].map(OsString::from)),
        );
        let set = set.into_iter();
        self.before
            .extend(set.map(|(name, value)| assignment(name, value.unwrap_or_default())));
    }

    /// The number of ranks that the user asks for, and the option that says so; `None` unless every
    /// program has a number of ranks.
    ///
    /// # Errors
    /// A value that is no positive number.
    pub fn ranks(&self) -> Result<Option<(usize, String)>> {
        let mut all = 0_usize;
        let mut options = Vec::new();
        for app in &self.apps {
            let Some((ranks, option)) = app.ranks()? else {
                return Ok(None);
            };
            // A sum that overflows must not become a small number.
            all = all.saturating_add(ranks);
            options.push(option);
        }
        Ok(Some((all, options.join(" : "))))
    }

    /// The kind of every rank of the launch, as only ranks of one kind may change places: the
    /// number of its program, and the number of cores that the launch has `chosen`.
    pub fn kinds(&self, chosen: &[u32]) -> Vec<u32> {
        let programs = (0..).zip(&self.apps).flat_map(|(number, app)| {
            let ranks = app.ranks().ok().flatten().map_or(0, |(ranks, _)| ranks);
            std::iter::repeat_n(number, ranks.min(chosen.len()))
        });
        let programs: Vec<u32> = programs.collect();
        let is_known = programs.len() == chosen.len();
        let of = |(rank, &cores): (usize, &u32)| (programs.get(rank).filter(|_| is_known), cores);
        let of_rank: Vec<_> = chosen.iter().enumerate().map(of).collect();
        let all: BTreeSet<_> = of_rank.iter().collect();
        let number = |kind| all.iter().take_while(|it| **it != kind).count() as u32;
        of_rank.iter().map(number).collect()
    }

    /// The launcher, as typed.
    pub fn command(&self) -> &OsStr {
        &self.command
    }

    /// The words before the launcher.
    pub fn before(&self) -> &[OsString] {
        &self.before
    }

    /// The words before the launcher, the launcher and its subcommand.
    fn head(&self) -> Vec<OsString> {
        let command = self.before.iter().chain([&self.command]);
        command.chain(&self.verb).cloned().collect()
    }

    /// The first program, as typed.
    pub fn program(&self) -> &OsStr {
        &self.apps[0].program[0]
    }

    /// The launch as it has ended with `status`.
    pub fn ended(&self, status: u8) -> EndedLaunch<'_> {
        EndedLaunch {
            launcher: &self.command,
            program: self.program(),
            status,
        }
    }

    /// What the first program is called: the script or module that an interpreter runs, or else the
    /// program itself.
    pub fn name(&self) -> &OsStr {
        let words = &self.apps[0].program;
        &words[script(words).unwrap_or(0)]
    }

    /// The whole command line, with the inserted words.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = self.head();
        for (number, app) in self.apps.iter().enumerate() {
            if number > 0 {
                words.push(NEXT.into());
            }
            words.extend(app.words().cloned());
        }
        words
    }

    /// Whether an option names the hosts.
    pub fn names_hosts(&self) -> bool {
        let mut given = self.apps.iter().flat_map(|app| app.options.iter());
        given.any(|given| given.role == Role::Hosts)
    }

    /// The launcher and the options that start one process on every host of this launch; the
    /// program has to follow. Where the options need a file, its path and text are returned too.
    /// `file` is a path that such a file may have.
    pub fn one_a_host(&self, file: &Path) -> OneAHost {
        /// Options that change the standard output of the processes.
        const DRESSING: &str = "output output-filename output-directory tag-output timestamp-output xml xml-file \
             outfile-pattern prepend-rank prepend-pattern l";
        let options = self.apps.iter().enumerate().flat_map(|(number, app)| {
            let kept = move |given: &&GivenOption| match given.role {
                Role::Hosts | Role::ExcludedHosts => true,
                Role::Other => number == 0 && !given.is_one_of(DRESSING),
                _ => false,
            };
            app.options.iter().filter(kept)
        });
        let (words, file) = self.launcher.one_a_host(options.collect(), file);
        ([self.head(), words].concat(), file)
    }
}

/// The subcommand at the beginning of `words`, for launchers that have several.
///
/// # Errors
/// Such a launcher is given no subcommand that starts ranks.
fn verb(launcher: &'static dyn Launcher, words: &[OsString]) -> Result<Option<OsString>> {
    let verbs = launcher.verbs();
    if verbs.is_empty() {
        return Ok(None);
    }
    let given = words.first().map(|word| word.to_string_lossy());
    let given = given.unwrap_or_default();
    if verbs.contains(&&*given) {
        return Ok(words.first().cloned());
    }
    Err(LaunchError::option(
        given.into_owned(),
        format!(
            "of what {} does, {} start ranks",
            launcher.name(),
            verbs.join(" and ")
        ),
    ))
}

/// The words as one line, quoted so that a shell splits it into the same words.
pub fn quoted(words: &[OsString]) -> String {
    let quoted: Vec<_> = words
        .iter()
        .map(|word| {
            let word = word.to_string_lossy();
            shlex::try_quote(&word).map_or_else(|_| word.clone().into_owned(), Cow::into_owned)
        })
        .collect();
    quoted.join(" ")
}
